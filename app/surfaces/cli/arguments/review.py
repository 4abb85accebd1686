"""The commands of what was asked: queries that wait for a decision, and those that are kept."""

from __future__ import annotations

from app.surfaces.cli.arguments.values import AddCommand, count, key


def add_inbox(command: AddCommand) -> None:
    waiting = command("inbox", "Queries that wait for a decision, and decisions about them.")
    waiting.add_argument("--most", type=count, default=20, metavar="N", help="so many queries at most")
    decided = waiting.add_mutually_exclusive_group()
    decided.add_argument("--right", type=key, metavar="QUERY", help="the first answer of this number was right")
    decided.add_argument("--wrong", type=key, metavar="QUERY", help="the first answer of this number was wrong")
    decided.add_argument("--none", type=key, metavar="QUERY", help="no answer is right for this number")
    decided.add_argument("--skip", type=key, metavar="QUERY", help="decide nothing about this number")


def add_history(command: AddCommand) -> None:
    past = command("history", "Queries that are kept, newest first, and forgetting them for good.")
    past.add_argument("--most", type=count, default=20, metavar="N", help="so many queries at most")
    past.add_argument("--find", metavar="WORDS", help="only those whose text holds all of these words")
    past.add_argument(
        "--uses",
        choices=("most", "never"),
        help="memories instead: those that were used most, or those that never were",
    )
    past.add_argument(
        "--memory",
        metavar="NAME",
        help="those for which this memory was injected, or left out and why",
    )
    past.add_argument("--replay", action="store_true", help="ask them again: what is answered otherwise today, and why")
    past.add_argument(
        "--refits",
        action="store_true",
        help="instead: when the learned weights were fitted again, and which cases and recent queries that changed",
    )
    gone = past.add_mutually_exclusive_group()
    gone.add_argument("--forget", type=key, action="append", metavar="QUERY", help="forget this one; may be repeated")
    gone.add_argument("--forget-all", action="store_true", help="forget every query and the kept evaluations")
