"""How good the answers are, how quick they come, and whether all is in place."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from app.commands.desk import interruptible, wants_json, with_workbench
from app.commands.output import FAILED, OK, MisuseError, output, written

MOST_TRIGGERS = 2_000_000


def run_evaluate(options: argparse.Namespace) -> int:
    from app.surfaces.cli.evaluate import evaluate_cases

    _check_evaluate(options)
    if options.sweep:
        return _try_settings(options)
    if options.task == "route":
        return _evaluate_routes(options)
    if options.against:
        return _try_settings(options)
    counter = _shipped_counter() if options.tokens else None

    async def work(workbench: Any, out: TextIO) -> int:
        how: dict[str, Any] = {"gates": options.gate, "counter": counter, "as_json": wants_json(options)}
        lines = _cases(options)
        with interruptible():
            held = evaluate_cases(workbench, lines, options.task, out, **how)
        return OK if held else FAILED

    needed = options.task != "type"
    return with_workbench(options, work, wait=needed, encoder=needed, reads=True)


def _cases(options: argparse.Namespace) -> list[Any]:
    """Every line of the file of cases; FormatError if it cannot be read."""
    from app.bootstrap import read_file

    with interruptible():
        return list(read_file(options.cases, "cases", options.task)[1])


def _check_evaluate(options: argparse.Namespace) -> None:
    """MisuseError for what cannot be asked together."""
    from app.evaluation.gate import parse_gate

    try:
        gates = [parse_gate(text) for text in options.gate]
    except ValueError as error:
        raise MisuseError(str(error)) from None
    changes = bool(options.against or options.sweep)
    if not changes and (named := next((gate.metric for gate in gates if gate.is_on_change), None)):
        raise MisuseError(f"A gate on “{named}” goes with --against or --sweep.")
    if options.against and options.sweep:
        raise MisuseError("evaluate takes either --against or --sweep.")
    if options.tokens and (options.task != "power" or changes):
        raise MisuseError("--tokens goes with --task power, and without --against and --sweep.")
    if options.no_teach and options.task != "route":
        raise MisuseError("--no-teach goes with --task route.")


def _try_settings(options: argparse.Namespace) -> int:
    from app.surfaces.cli.evaluate import compare_cases, sweep_cases

    async def work(workbench: Any, out: TextIO) -> int:
        lines = _cases(options)
        how = {"gates": options.gate, "as_json": wants_json(options)}
        if options.sweep:
            swept = {"sweep": options.sweep, "taught": not options.no_teach}
            held = await sweep_cases(workbench, lines, options.task, out, **swept, **how)
        else:
            held = await compare_cases(workbench, lines, options.task, out, against=options.against, **how)
        return OK if held else FAILED

    needed = options.task != "type"
    return with_workbench(options, work, wait=needed, encoder=needed, reads=True)


def _evaluate_routes(options: argparse.Namespace) -> int:
    from app.surfaces.cli.routes import judge_routes

    async def work(workbench: Any, out: TextIO) -> int:
        lines = _cases(options)
        how = {"gates": options.gate, "against": options.against, "as_json": wants_json(options)}
        return OK if await judge_routes(workbench, lines, out, taught=not options.no_teach, **how) else FAILED

    return with_workbench(options, work, wait=True, reads=True)


def _shipped_counter() -> Any:
    """The tokenizer that comes with the program; EncoderError if it cannot be loaded."""
    from app.adapters.encoders.token_counter import WordPieces

    return WordPieces.load()


def run_bench(options: argparse.Namespace) -> int:
    from app.surfaces.cli.terminal import bench_sizes

    try:
        sizes = [int(size) for size in options.sizes.split(",")]
    except ValueError:
        raise MisuseError(f"--sizes takes whole numbers, not “{options.sizes}”.") from None
    if any(not 1 <= size <= MOST_TRIGGERS for size in sizes):
        raise MisuseError(f"--sizes takes numbers from 1 to {MOST_TRIGGERS:,}.")
    if options.plot is not None and (options.plot.suffix.lower() != ".svg" or not options.plot.parent.is_dir()):
        raise MisuseError(f"--plot takes a file ending in .svg, in a folder that is there, not “{options.plot}”.")
    with output(options) as out:
        keep = None if options.plot is None else partial(_draw, options.plot)
        bench_sizes(sizes, out, as_json=wants_json(options), keep=keep, embed=_shipped_encoder())
    return OK


def _draw(path: Path, picture: str) -> None:
    with written(path) as file:
        file.write(picture)


def _shipped_encoder() -> Callable[[Sequence[str]], Any] | None:
    """The encoder that comes with the program, None where it cannot be loaded: a bench does without."""
    from app.adapters.encoders.table import ENCODERS
    from app.domain.errors import EncoderError
    from app.settings.model import Settings

    encoder = Settings().encoder
    try:
        return ENCODERS[encoder.name].load(encoder).encode
    except EncoderError:
        return None


def run_doctor(options: argparse.Namespace) -> int:
    async def work(workbench: Any, out: TextIO) -> int:
        from app.surfaces.cli.check_up import compact, tell_checkup

        shrunk = await compact(workbench) if options.compact else None
        as_json = wants_json(options)
        is_fine = await tell_checkup(workbench, out, library=options.library, as_json=as_json, shrunk=shrunk)
        return OK if is_fine else FAILED

    return with_workbench(options, work, wait=True, reads=not options.compact, vectors=options.library)
