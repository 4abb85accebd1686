"""Options `--runs` and `--against-run` of `evaluate`: stored runs, and changes since one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

from app.display.evaluation.runs import (
    changes_since_document,
    changes_since_lines,
    run_document,
    run_lines,
    since_last_sentence,
)
from app.domain.case import Case, Task
from app.domain.library import Line, Problem
from app.evaluation.evaluation import Evaluation
from app.evaluation.reports.report import document
from app.services.workbench import Workbench
from app.surfaces.cli.evaluate import CaseFile, gate_documents, gates_of
from app.surfaces.cli.retrying import retry_while_locked
from app.surfaces.cli.terminal import Progress, write_result


async def print_runs(workbench: Workbench, out: TextIO, *, as_json: bool) -> None:
    """Print every stored run, newest first; raises StoreError."""
    runs = await workbench.runs.kept()
    write_result(out, {"runs": [run_document(run) for run in runs]}, run_lines(runs), as_json=as_json)


async def forget_run(workbench: Workbench, out: TextIO, *, run: int, as_json: bool) -> None:
    """Delete a run; raises KnownError, StoreError."""
    await retry_while_locked(lambda: workbench.runs.forget(run))
    write_result(out, {"forgotten": run}, [f"Run {run} was deleted."], as_json=as_json)


async def keep_run(
    workbench: Workbench, judged: Sequence[Evaluation], source: str, out: TextIO, *, as_json: bool
) -> None:
    """Store an evaluation; print its number, and the change since the run before it."""
    for evaluation in judged:
        noted = await workbench.runs.note(evaluation, source)
        if noted.key is not None and not as_json:
            print(f"Kept as run {noted.key}; --against-run {noted.key} tells what turned since.", file=out)
            if since := since_last_sentence([noted]):
                print(since, file=out)


async def compare_with_run(
    workbench: Workbench,
    lines: Iterable[Line[Case] | Problem],
    task: str,
    out: TextIO,
    *,
    run: int,
    gates: Sequence[str] = (),
    junit: Path | None = None,
    as_json: bool,
) -> bool:
    """Print the changes since a run (0: the last of the task) and their causes.

    Returns True if every gate held; gates on a change apply to the changes since the run. Raises KnownError.
    """
    file = CaseFile.of(lines, Task(task))
    progress = Progress("comparing")
    try:
        found = await workbench.runs.against(run or None, file.cases, Task(task), progress)
    finally:
        progress.done()
    today, change = found.comparison.after, found.comparison
    held = gate_documents(gates_of(today, gates, change))
    told = {**document(today), "since": changes_since_document(found), "gates": held}
    write_result(out, told, changes_since_lines(found), as_json=as_json)
    return file.passes(today, gates, change, junit=junit)
