"""Arguments of the measuring commands: quality of answers, and speed of keystrokes."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.surfaces.cli.arguments.values import TASKS, AddCommand, add_columns, count, key, run, seconds, share

LOGS = ("text", "jsonl", "subcog", "chat")


def add_questions(command: AddCommand) -> None:
    for name, summary in (
        ("inspect", "Inspect a query, from type to route, with the reasons."),
        ("detect", "Detect the type of a query, such as how-to or troubleshoot, by keywords, examples and the LLM."),
        ("resolve", "Find the power that serves a query."),
    ):
        question = command(name, summary)
        question.add_argument("text", nargs="?", metavar="TEXT")
        question.add_argument("--stdin", action="store_true", help="one query a line in, one answer a line out")
        question.add_argument("--no-llm", action="store_true", help="without the LLM: keywords and examples")
        question.add_argument("--log", choices=("auto", *LOGS), help="stdin is a log or chat: answer its queries")
        if name != "resolve":
            question.add_argument(
                "--late", action="store_true", help="wait for a late answer of the LLM, up to 30 seconds"
            )
        if name == "inspect":
            question.add_argument("--keep", action="store_true", help="store the answers in history and inbox")
            question.add_argument("--words", action="store_true", help="also the result without each word")
        if name == "resolve":
            question.add_argument("--no-start", action="store_true", help="start no power, approved or not")


def add_why_not(command: AddCommand) -> None:
    asked = command(
        "why-not", "Explain where an expected answer was lost, what would make it win, and the effect on all cases."
    )
    asked.add_argument("text", metavar="TEXT")
    asked.add_argument(
        "--expect",
        required=True,
        metavar="KIND:NAME",
        help="what was expected: intent (or type), memory, power or route, and its name; none: no answer",
    )


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
