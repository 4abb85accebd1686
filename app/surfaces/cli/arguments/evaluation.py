"""The commands that measure: how good answers are, and how fast a keystroke is answered."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.surfaces.cli.arguments.values import TASKS, AddCommand, add_columns, count, key, run, seconds, share


def add_evaluate(command: AddCommand) -> None:
    judged = command("evaluate", "How good the answers to labelled queries are.")
    judged.add_argument("cases", nargs="?", type=Path, metavar="CASES")
    judged.add_argument("--task", choices=TASKS)
    add_columns(judged)
    judged.add_argument(
        "--gate",
        action="append",
        metavar="METRIC>=X",
        default=[],
        help="exit 1 unless this holds; of a change also broken, fixed, net and p",
    )
    judged.add_argument(
        "--precision",
        type=share,
        metavar="P",
        help="from which confidence on so many answers are right, such as 0.97",
    )
    judged.add_argument(
        "--strangers",
        type=share,
        metavar="S",
        help="with --precision: this share of all queries is of nothing taught; by default as among the cases",
    )
    judged.add_argument(
        "--junit", type=Path, metavar="FILE", help="write cases and gates as JUnit XML, for build servers"
    )
    judged.add_argument("--tokens", action="store_true", help="what answers about powers cost, against all their tools")
    _add_llm(judged)
    judged.add_argument("--no-teach", action="store_true", help="routes: by what ships alone")
    judged.add_argument(
        "--against", action="append", metavar="KEY=VALUE", default=[], help="what turns under this setting"
    )
    judged.add_argument(
        "--refit",
        action="store_true",
        help="fit the learned weights again first where the stored ones are stale, store them, and say what changes",
    )
    judged.add_argument("--runs", action="store_true", help="list the evaluations that are kept, instead of one")
    judged.add_argument("--forget-run", type=key, metavar="ID", help="forget one of these for good")
    judged.add_argument(
        "--against-run",
        type=run,
        metavar="ID",
        help="what turned since a kept evaluation, or the last of this task, and what moved it",
    )
    judged.add_argument("--sweep", metavar="KEY=VALUES", help="one setting over values: 0:0.2:0.02, max,cascade or all")


def _add_llm(judged: argparse.ArgumentParser) -> None:
    judged.add_argument(
        "--llm",
        action="store_true",
        help="ask the LLM for each case of types, intents or powers, and show what it adds",
    )
    judged.add_argument("--no-llm", action="store_true", help="send it nothing; with --llm, what it said before counts")
    judged.add_argument("--ask-anew", action="store_true", help="with --llm: ask also what was asked before")
    judged.add_argument(
        "--llm-seconds", type=seconds, metavar="S", help="with --llm: so long each case may take; by default 10"
    )
    judged.add_argument(
        "--repeat", type=count, metavar="N", help="with --llm: ask each case so often; how many come out the same"
    )


def add_bench(command: AddCommand) -> None:
    timed = command("bench", "How fast a keystroke is answered, against plain loops, in one run.")
    timed.add_argument("--sizes", default="1000,10000", metavar="N,N", help="how many triggers")
    timed.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw time and memory against size")
