"""Arguments of the measuring commands: quality of answers, and speed of keystrokes."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.surfaces.cli.arguments.values import TASKS, AddCommand, add_columns, count, key, run, seconds, share


def add_evaluate(command: AddCommand) -> None:
    judged = command("evaluate", "Evaluate the answers to labelled queries.")
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
        help="the confidence from which this share of answers is right, such as 0.97",
    )
    judged.add_argument(
        "--strangers",
        type=share,
        metavar="S",
        help="with --precision: share of out-of-scope queries; by default as in the cases",
    )
    judged.add_argument(
        "--junit", type=Path, metavar="FILE", help="write cases and gates as JUnit XML, for build servers"
    )
    judged.add_argument(
        "--tokens", action="store_true", help="token cost of answers about powers, against all their tools"
    )
    _add_llm(judged)
    judged.add_argument("--no-teach", action="store_true", help="routes: with the shipped examples only")
    judged.add_argument("--against", action="append", metavar="KEY=VALUE", default=[], help="compare with this setting")
    judged.add_argument(
        "--refit",
        action="store_true",
        help="fit the learned weights again first where the stored ones are stale, store them, and list the changes",
    )
    judged.add_argument("--runs", action="store_true", help="list the stored evaluations")
    judged.add_argument("--forget-run", type=key, metavar="ID", help="delete a stored evaluation permanently")
    judged.add_argument(
        "--against-run",
        type=run,
        metavar="ID",
        help="compare with a stored evaluation, by default the last of this task",
    )
    judged.add_argument(
        "--sweep", metavar="KEY=VALUES", help="try one setting over values: 0:0.2:0.02, max,cascade or all"
    )


def _add_llm(judged: argparse.ArgumentParser) -> None:
    judged.add_argument(
        "--llm",
        action="store_true",
        help="ask the LLM for each case of types, intents or powers, and show what it adds",
    )
    judged.add_argument(
        "--no-llm", action="store_true", help="send nothing to the LLM; with --llm, use its stored answers"
    )
    judged.add_argument("--ask-anew", action="store_true", help="with --llm: ask again instead of using stored answers")
    judged.add_argument(
        "--llm-seconds", type=seconds, metavar="S", help="with --llm: time-out of each case; by default 10"
    )
    judged.add_argument("--repeat", type=count, metavar="N", help="with --llm: number of times to ask each case")


def add_bench(command: AddCommand) -> None:
    timed = command("bench", "Measure how fast a keystroke is answered, against plain loops.")
    timed.add_argument("--sizes", default="1000,10000", metavar="N,N", help="number of triggers")
    timed.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw time and memory against size")
