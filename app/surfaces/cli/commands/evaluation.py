"""Commands that measure: the answers to labelled queries, and the time per keystroke."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from app.surfaces.cli.import_export import columns_of
from app.surfaces.cli.options import TASKS, add_columns, count, flag, key, option, run, seconds, share
from app.surfaces.cli.output import OK, MisuseError, Printer, output
from app.surfaces.cli.program import Command, Program, Root, interruptible, with_workbench

MOST_TRIGGERS = 2_000_000


def evaluate_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("cases", nargs="?", type=Path, metavar="CASES")
    command.add_argument("--task", choices=TASKS)
    add_columns(command)
    option(
        command,
        "--gate",
        "METRIC>=X",
        "exit with 1 unless true; of a comparison also broken, fixed, net and p",
        action="append",
        default=[],
    )
    option(command, "--precision", "P", "find the confidence from which this share is right, such as 0.97", type=share)
    option(
        command,
        "--strangers",
        "S",
        "with --precision: share of out-of-scope queries; by default as in the cases",
        type=share,
    )
    option(command, "--junit", "FILE", "write cases and gates as JUnit XML, for build servers", type=Path)
    flag(command, "--tokens", "token cost of answers about powers, compared with all their tools")
    flag(command, "--llm", "ask the LLM for each case of types, intents or powers, and show what it adds")
    flag(command, "--no-llm", "send nothing to the LLM; with --llm, use its stored answers")
    flag(command, "--ask-anew", "with --llm: ask again instead of using stored answers")
    option(command, "--llm-seconds", "S", "with --llm: time-out of each case; by default 10", type=seconds)
    option(command, "--repeat", "N", "with --llm: number of times to ask each case", type=count)
    flag(command, "--no-teach", "routes: use the shipped examples only")
    option(command, "--against", "KEY=VALUE", "compare with this setting; may be repeated", action="append", default=[])
    flag(command, "--refit", "first refit stale learned weights, store them, and list the changes")
    flag(command, "--runs", "list the stored evaluations")
    option(command, "--forget-run", "ID", "delete a stored evaluation permanently", type=key)
    option(
        command, "--against-run", "ID", "compare with a stored evaluation, by default the last of this task", type=run
    )
    option(command, "--sweep", "KEY=VALUES", "try several values of a setting: 0:0.2:0.02, max,cascade or all")


def run_evaluate(options: argparse.Namespace, root: Root) -> int:
    from app.surfaces.cli import evaluate

    if options.refit and options.cases is None and not options.runs:
        return with_workbench(options, root, evaluate.print_fit, wait=True)
    _check_evaluate(options)
    if options.runs or options.forget_run is not None:
        work = evaluate.print_runs if options.runs else partial(evaluate.forget_run, run=options.forget_run)
        return with_workbench(options, root, work, wait=False, encoder=False, reads=options.runs)
    is_plain_one = not (options.against or options.sweep or options.llm or options.task == "route")
    is_plain_one &= options.against_run is None
    counter = root().make_token_counter() if options.tokens and is_plain_one else None
    evaluating = _evaluation(options, root, counter)
    return with_workbench(options, root, evaluating, wait=True, reads=not (options.refit and is_plain_one))


def _evaluation(
    options: argparse.Namespace, root: Root, counter: Any
) -> Callable[[Any, Printer], Coroutine[Any, Any, bool]]:
    """Return the evaluation that the options ask for; it tells whether every gate held."""
    from app.surfaces.cli import evaluate
    from app.surfaces.cli.routes import judge_routes

    asking, against, taught = _asking(options), options.against, not options.no_teach
    cases = _case_file(options, root)

    async def work(workbench: Any, out: Printer) -> bool:
        file = replace(cases, out=out)
        if options.against_run is not None:
            await workbench.contests.settle()
            return await evaluate.compare_with_run(workbench, file, run=options.against_run)
        if options.sweep:
            return await evaluate.sweep_cases(workbench, file, sweep=options.sweep, taught=taught, asking=asking)
        if options.llm and not against:
            return await evaluate.llm_cases(workbench, file, asking=asking)
        judged: list[Any] = []
        if options.task == "route":
            held = await judge_routes(workbench, file, taught=taught, note=judged.append, against=against)
            if not taught or against:
                return held
        elif against:
            return await evaluate.compare_cases(workbench, file, against=against, asking=asking)
        else:
            if workbench.engine.candidates is not None:
                await workbench.gather([case.text for case in file.cases])
            await workbench.contests.settle()
            how = {"precision": options.precision, "strangers": options.strangers}
            held = await evaluate.evaluate_cases(workbench, file, counter=counter, note=judged.append, **how)
        await evaluate.keep_run(workbench, judged, options.cases.name, out)
        return held

    return work


def _case_file(options: argparse.Namespace, root: Root) -> Any:
    """Read the case file before the profile opens, as that may store a fit; raises FormatError."""
    from app.domain.case import Task
    from app.surfaces.cli.evaluate import CaseFile

    with interruptible():
        read = root().read_file(options.cases, "cases", options.task, columns=columns_of(options.columns))
        printer = Printer(sys.stdout)
        return CaseFile.of(list(read[1]), Task(options.task), printer, gates=options.gate, junit=options.junit)


def _check_evaluate(options: argparse.Namespace) -> None:
    """Raise MisuseError for options that exclude each other."""
    from app.evaluation.documents import parse_gate

    if not (options.runs or options.forget_run is not None) and (options.cases is None or options.task is None):
        raise MisuseError("evaluate takes a file of cases and --task, or --runs, or --refit.")
    try:
        gates = [parse_gate(text) for text in options.gate]
    except ValueError as error:
        raise MisuseError(str(error)) from None
    llm, task, is_against_run = options.llm, options.task, options.against_run is not None
    changes = bool(options.against or options.sweep)
    compares = changes or is_against_run
    gate = "" if compares else next((gate.metric for gate in gates if gate.is_on_change), "")
    fits_precision = not compares and not llm and task in ("intent", "memory", "power")
    asks = options.ask_anew or options.llm_seconds is not None or options.repeat is not None
    refusals = {
        "--against-run goes without --against, --sweep, --tokens and --llm.": is_against_run
        and (changes or options.tokens or llm),
        f"A gate on “{gate}” goes with --against, --against-run or --sweep.": gate,
        "evaluate takes either --against or --sweep.": options.against and options.sweep,
        "--junit tells one evaluation, and goes without --sweep.": options.junit and options.sweep,
        "--tokens goes with --task power, and without --against and --sweep.": options.tokens
        and (task != "power" or compares),
        "--no-teach goes with --task route.": options.no_teach and task != "route",
        "--strangers goes with --precision.": options.strangers is not None and options.precision is None,
        "--precision goes with one evaluation of --task intent, memory or power.": options.precision is not None
        and not fits_precision,
        "--llm goes with --task type, intent and power.": llm and task not in ("type", "intent", "power"),
        "--llm with --against or --sweep goes with --task type.": llm and task != "type" and changes,
        "--ask-anew, --llm-seconds and --repeat require --llm.": not llm and asks,
        "evaluate takes --no-llm or --ask-anew, not both.": options.no_llm and options.ask_anew,
        "--llm-seconds takes a number above 0.": options.llm_seconds == 0.0,
    }
    for sentence, is_wrong in refusals.items():
        if is_wrong:
            raise MisuseError(sentence)


def _asking(options: argparse.Namespace) -> Any:
    """Return the options of LLM requests; None without the LLM."""
    if not options.llm:
        return None
    from app.services.evaluation.llm_answers import CASE_SECONDS, LlmAskOptions

    seconds = CASE_SECONDS if options.llm_seconds is None else options.llm_seconds
    return LlmAskOptions(seconds, options.repeat or 1, ask=not options.no_llm, ask_again=options.ask_anew)


def bench_options(command: argparse.ArgumentParser) -> None:
    option(command, "--sizes", "N,N", "number of triggers", default="1000,10000")


def run_bench(options: argparse.Namespace, root: Root) -> int:
    from app.services.evaluation.bench import bench, report

    try:
        sizes = [int(size) for size in options.sizes.split(",")]
    except ValueError:
        raise MisuseError(f"--sizes takes whole numbers, not “{options.sizes}”.") from None
    if any(not 1 <= size <= MOST_TRIGGERS for size in sizes):
        raise MisuseError(f"--sizes takes numbers from 1 to {MOST_TRIGGERS:,}.")
    with output(options) as out:
        measured = bench(sizes, embed=_shipped_encoder(root()))
        out.write(measured, [report(measured)])
    return OK


def _shipped_encoder(program: Program) -> Callable[[Sequence[str]], Any] | None:
    """Return the shipped encoder, None if it cannot be loaded: a bench runs without."""
    from app.domain.errors import EncoderError
    from app.settings.model import Settings

    try:
        return program.load_encoder(Settings().encoder).encode
    except EncoderError:
        return None


COMMANDS = (
    Command("evaluate", "Evaluate the answers to labelled queries.", run_evaluate, evaluate_options),
    Command("bench", "Measure the time per keystroke, compared with plain loops.", run_bench, bench_options),
)
