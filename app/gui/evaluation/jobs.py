"""Work of the evaluation page on the engine's thread: a request of the form, run to its view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.display.evaluation.comparison import skipped_lines_sentence
from app.display.evaluation.llm import llm_view
from app.display.evaluation.results import EvaluationView, comparison_view
from app.display.evaluation.runs import changes_since_view, latest_view
from app.display.evaluation.sweep import SweepView, parse_changes, parse_values, sweep_view
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.gui.bridge.engine_thread import Operation
from app.gui.bridge.jobs import Progress

if TYPE_CHECKING:
    from app.display.system.settings import SettingRow
    from app.services.evaluation.runs import LatestRun
    from app.services.workbench import Workbench

TODAY, COMPARE, SWEEP = "today", "compare", "sweep"
_CASES_EACH = 8


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """Request to evaluate a task's cases of the profile or a file, with mode and changes."""

    task: Task
    file: Path | None
    mode: str
    row: SettingRow | None = None
    written: str = ""
    llm: bool = False
    """True to use the LLM for each case; stored answers are reused."""
    run: int = 0
    """Stored run to compare with; 0 for none."""


@dataclass(frozen=True, slots=True)
class LatestView:
    """Latest evaluation of a task's cases, and its view."""

    latest: LatestRun
    view: EvaluationView


async def fresh_views(bench: Workbench, seen: Mapping[Task, int]) -> list[LatestView]:
    """Return the latest evaluations of the profile's cases newer than those seen, by task."""
    import asyncio

    fresh = [one for one in bench.runs.latest.values() if one.number > seen.get(one.evaluation.task, 0)]
    return await asyncio.to_thread(lambda: [LatestView(one, latest_view(one)) for one in fresh])


def aside(work: Callable[[], Any]) -> Operation:
    """Return an operation that works outside the engine's and the window's threads."""

    async def act(_: Workbench) -> Any:
        import asyncio

        return await asyncio.to_thread(work)

    return act


def _throttled(tell: Progress) -> Progress:
    """Report progress once for several cases, as every single update would only be overwritten."""

    def progress(done: int, total: int) -> None:
        if done % _CASES_EACH == 0 or done == total:
            tell(done, total)

    return progress


async def evaluate(request: EvaluationRequest, bench: Workbench, tell: Progress) -> EvaluationView | SweepView:
    """Run a request; its view notes skipped lines of the file. Raises KnownError, SettingsError."""
    cases, lost = await _cases(bench, request)
    shown = await _run_trial(bench, cases, request, _throttled(tell))
    if not lost or request.file is None:
        return shown
    return replace(
        shown, significance=f"{shown.significance} {skipped_lines_sentence(lost, request.file.name)}".strip()
    )


async def _run_trial(
    bench: Workbench, cases: Sequence[Case], request: EvaluationRequest, tell: Progress
) -> EvaluationView | SweepView:
    import asyncio

    from app.services.evaluation.llm_answers import LlmAskOptions

    evaluations = bench.evaluations
    ask_llm = bench.llm_answers.asker(LlmAskOptions(), tell) if request.llm else None
    if request.mode == TODAY and ask_llm is not None:
        if request.task is Task.TYPE:
            found = await evaluations.with_llm(cases, ask_llm, tell)
        else:
            found = await bench.llm_choices.judged(cases, request.task, LlmAskOptions(), tell)
        return await asyncio.to_thread(_without_gc, len(cases), lambda: llm_view(found))
    if request.mode == TODAY:
        today = await evaluations.today(cases, request.task, tell, accounts=True)
        latest = await bench.runs.note(today, "" if request.file is None else request.file.name)
        return await asyncio.to_thread(_without_gc, len(cases), lambda: latest_view(latest))
    if request.mode == COMPARE and request.run:
        since = await bench.runs.against(request.run, cases, request.task, tell)
        return await asyncio.to_thread(_without_gc, len(cases), lambda: changes_since_view(since))
    if request.mode == COMPARE:
        changes = parse_changes(request.written)
        compared = await evaluations.compare(cases, request.task, changes, tell, ask_llm=ask_llm)
        return await asyncio.to_thread(_without_gc, len(cases), lambda: comparison_view(compared, changes))
    if request.row is None:
        raise KnownError("Choose a setting to sweep.")
    try:
        values = parse_values(request.row, request.written)
    except ValueError as error:
        raise KnownError(str(error)) from None
    swept = await evaluations.sweep(cases, request.task, request.row.key, values, tell, ask_llm=ask_llm)
    return await asyncio.to_thread(sweep_view, swept)


def _without_gc(count: int, make: Callable[[], EvaluationView]) -> EvaluationView:
    """Build lists of this many lines with garbage collection paused, as scans take long."""
    from app.services.engine.typing_priority import without_gc

    with without_gc(count):
        return make()


async def _cases(bench: Workbench, request: EvaluationRequest) -> tuple[Sequence[Case], int]:
    """Return the cases of a request, and the number of skipped lines of its file."""
    if request.file is not None:
        return await bench.evaluations.read(request.file, request.task)
    cases = await bench.catalogue.cases_of(request.task)
    if not cases:
        raise KnownError("No case for this task yet.")
    return cases, 0
