"""Arguments of the commands on past queries: inbox and history."""

from __future__ import annotations

from app.surfaces.cli.arguments.values import AddCommand, count, key


def add_inbox(command: AddCommand) -> None:
    waiting = command("inbox", "List queries to review, and decide them.")
    waiting.add_argument("--most", type=count, default=20, metavar="N", help="maximum number of queries")
    decided = waiting.add_mutually_exclusive_group()
    decided.add_argument("--right", type=key, metavar="QUERY", help="the first answer of this number was right")
    decided.add_argument("--wrong", type=key, metavar="QUERY", help="the first answer of this number was wrong")
    decided.add_argument("--none", type=key, metavar="QUERY", help="no answer is right for this number")
    decided.add_argument("--skip", type=key, metavar="QUERY", help="decide nothing about this number")


def add_history(command: AddCommand) -> None:
    past = command("history", "List stored queries, newest first, or delete them permanently.")
    past.add_argument("--most", type=count, default=20, metavar="N", help="maximum number of queries")
    past.add_argument("--find", metavar="WORDS", help="only queries that contain all of these words")
    past.add_argument(
        "--uses",
        choices=("most", "never"),
        help="list memories instead: the most used, or those never used",
    )
    past.add_argument(
        "--memory",
        metavar="NAME",
        help="queries for which this memory was injected, or left out and why",
    )
    past.add_argument(
        "--replay", action="store_true", help="ask them again, and list what is answered differently today, and why"
    )
    past.add_argument(
        "--refits",
        action="store_true",
        help="instead: list the fits of the learned weights, and the cases and recent queries that they changed",
    )
    gone = past.add_mutually_exclusive_group()
    gone.add_argument("--forget", type=key, action="append", metavar="QUERY", help="delete this query; may be repeated")
    gone.add_argument("--forget-all", action="store_true", help="delete every query and the stored evaluations")
