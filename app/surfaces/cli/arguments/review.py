"""The commands of what was asked: queries that wait for a decision, and those that are kept."""

from __future__ import annotations

from app.domain.language import say
from app.surfaces.cli.arguments.values import AddCommand, count, key


def add_inbox(command: AddCommand) -> None:
    waiting = command("inbox", say("Queries that wait for a decision, and decisions about them."))
    waiting.add_argument("--most", type=count, default=20, metavar="N", help=say("so many queries at most"))
    decided = waiting.add_mutually_exclusive_group()
    decided.add_argument("--right", type=key, metavar="QUERY", help=say("the first answer of this number was right"))
    decided.add_argument("--wrong", type=key, metavar="QUERY", help=say("the first answer of this number was wrong"))
    decided.add_argument("--none", type=key, metavar="QUERY", help=say("no answer is right for this number"))
    decided.add_argument("--skip", type=key, metavar="QUERY", help=say("decide nothing about this number"))


def add_history(command: AddCommand) -> None:
    past = command("history", say("Queries that are kept, newest first, and forgetting them for good."))
    past.add_argument("--most", type=count, default=20, metavar="N", help=say("so many queries at most"))
    past.add_argument("--find", metavar="WORDS", help=say("only those whose text holds all of these words"))
    past.add_argument(
        "--uses",
        choices=("most", "never"),
        help=say("memories instead: those that were used most, or those that never were"),
    )
    past.add_argument(
        "--memory",
        metavar="NAME",
        help=say("those for which this memory was told to an assistant, or left out and why"),
    )
    past.add_argument(
        "--replay", action="store_true", help=say("ask them again: what is answered otherwise today, and why")
    )
    gone = past.add_mutually_exclusive_group()
    gone.add_argument(
        "--forget", type=key, action="append", metavar="QUERY", help=say("forget this one; may be repeated")
    )
    gone.add_argument("--forget-all", action="store_true", help=say("forget every query and the kept evaluations"))
