"""Jobs of the evaluation page: count cases, run, sort lists, apply settings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.display.evaluation.comparison import changes_text, skipped_lines_sentence
from app.display.evaluation.diagnostics import CaseSelection
from app.display.evaluation.llm import llm_view
from app.display.evaluation.results import CaseLine, EvaluationView, comparison_view, sorted_cases
from app.display.evaluation.runs import changes_since_view, latest_view
from app.display.evaluation.sweep import SweepView, parse_changes, parse_values, sweep_view, value_view
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.journal import choosing
from app.domain.language import plural
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, Progress

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


class EvaluationJobs(QObject):
    """Jobs of the page. A run replaces an earlier one; a cancelled one emits nothing more."""

    counted = Signal(Mapping)  # number of cases of the profile, by task
    not_counted = Signal(str)
    listed = Signal(Sequence)  # list[EvaluationRun], newest first
    fitted = Signal(int, int)  # progress of a fit that answers wait for
    started = Signal()
    progressed = Signal(int, int)
    evaluated = Signal(EvaluationView)
    swept = Signal(SweepView)
    refused = Signal(str)
    latest = Signal(LatestView)  # an evaluation made elsewhere, as on the page of cases
    valued = Signal(int, EvaluationView)  # place of a value, its result
    sorted_ = Signal(int, Sequence)  # ticket, list[CaseLine]
    applied = Signal(str)  # the settings as applied
    not_applied = Signal(str)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run = Job(worker, self)

    def count(self) -> None:
        """Count the cases of each task."""

        self._run.do(lambda bench: bench.catalogue.case_counts(), self.counted.emit, self.not_counted.emit)
        self._run.do(lambda bench: bench.runs.kept(), self.listed.emit)

    def load_latest(self, seen: Mapping[Task, int]) -> None:
        """Load the latest evaluations of the profile's cases newer than those seen, by task."""

        async def act(bench: Workbench) -> list[LatestView]:
            import asyncio

            fresh = [one for one in bench.runs.latest.values() if one.number > seen.get(one.evaluation.task, 0)]
            return await asyncio.to_thread(lambda: [LatestView(one, latest_view(one)) for one in fresh])

        def tell(found: Sequence[LatestView]) -> None:
            for one in found:
                self.latest.emit(one)

        self._run.do(act, tell)

    def run(self, request: EvaluationRequest) -> None:
        """Run a request instead of the running one, once encoding and fitting are done."""
        self._run.run_with_progress(
            lambda bench, tell: bench.at_rest(tell),
            self.fitted.emit,
            lambda _: self._answer(request),
            self.refused.emit,
        )

    def _answer(self, request: EvaluationRequest) -> None:
        self.started.emit()

        def work(bench: Workbench, tell: Progress) -> Awaitable[object]:
            return _evaluate(bench, request, _throttled(tell))

        self._run.run_with_progress(work, self.progressed.emit, self._on_finished, self.refused.emit)

    def cancel(self) -> None:
        self._run.cancel()

    def load_lists(self, shown: SweepView, place: int) -> None:
        self._aside(lambda: value_view(shown, place), lambda found: self.valued.emit(place, found))

    def sort(
        self, ticket: int, lines: Sequence[CaseLine], order: str, *, descending: bool, pick: CaseSelection | None = None
    ) -> None:
        """Sort a list of cases, filtered by `pick`; the ticket is returned with it."""
        self._aside(
            lambda: sorted_cases(lines, order, descending=descending, pick=pick),
            lambda found: self.sorted_.emit(ticket, found),
        )

    def apply(self, changes: Mapping[str, str]) -> None:
        """Apply tried settings, as a step that can be undone."""
        sentence = changes_text(changes)
        self._run.do(
            lambda bench: bench.choose_all(dict(changes), choosing(changes)),
            lambda _: self.applied.emit(sentence),
            self.not_applied.emit,
        )

    def set_thresholds(self, wanted: Mapping[str, float | None]) -> None:
        """Set these thresholds of labels, as a step that can be undone."""

        def tell(found: tuple[object, int]) -> None:
            written, count = found
            sentence = plural(count, "the threshold of {n} intent", "the thresholds of {n} intents")
            if written is None:
                self.not_applied.emit("No change.")
            else:
                self.applied.emit(sentence)

        self._run.do(lambda bench: bench.curator.set_thresholds(wanted), tell, self.not_applied.emit)

    def _aside(self, work: Callable[[], Any], tell: Callable[[Any], object]) -> None:
        """Run work outside the engine's and the window's threads."""

        async def act(_: Workbench) -> Any:
            import asyncio

            return await asyncio.to_thread(work)

        self._run.do(act, tell)

    def _on_finished(self, shown: EvaluationView | SweepView) -> None:
        (self.swept if isinstance(shown, SweepView) else self.evaluated).emit(shown)


def _throttled(tell: Progress) -> Progress:
    """Report progress once for several cases, as every single update would only be overwritten."""

    def progress(done: int, total: int) -> None:
        if done % _CASES_EACH == 0 or done == total:
            tell(done, total)

    return progress


async def _evaluate(bench: Workbench, request: EvaluationRequest, tell: Progress) -> object:
    """Run a request; its view notes skipped lines of the file. Raises KnownError, SettingsError."""
    cases, lost = await _cases(bench, request)
    shown = await _run_trial(bench, cases, request, tell)
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

    trials = bench.settings_trials
    ask_llm = bench.llm_answers.asker(LlmAskOptions(), tell) if request.llm else None
    if request.mode == TODAY and ask_llm is not None:
        if request.task is Task.TYPE:
            found = await trials.with_llm(cases, ask_llm, tell)
        else:
            found = await bench.llm_choices.judged(cases, request.task, LlmAskOptions(), tell)
        return await asyncio.to_thread(_without_gc, len(cases), lambda: llm_view(found))
    if request.mode == TODAY:
        today = await trials.today(cases, request.task, tell, accounts=True)
        latest = await bench.runs.note(today, "" if request.file is None else request.file.name)
        return await asyncio.to_thread(_without_gc, len(cases), lambda: latest_view(latest))
    if request.mode == COMPARE and request.run:
        since = await bench.runs.against(request.run, cases, request.task, tell)
        return await asyncio.to_thread(_without_gc, len(cases), lambda: changes_since_view(since))
    if request.mode == COMPARE:
        changes = parse_changes(request.written)
        compared = await trials.compare(cases, request.task, changes, tell, ask_llm=ask_llm)
        return await asyncio.to_thread(_without_gc, len(cases), lambda: comparison_view(compared, changes))
    if request.row is None:
        raise KnownError("Choose a setting to sweep.")
    try:
        values = parse_values(request.row, request.written)
    except ValueError as error:
        raise KnownError(str(error)) from None
    swept = await trials.sweep(cases, request.task, request.row.key, values, tell, ask_llm=ask_llm)
    return await asyncio.to_thread(sweep_view, swept)


def _without_gc(count: int, make: Callable[[], EvaluationView]) -> EvaluationView:
    """Build lists of this many lines with garbage collection paused, as scans take long."""
    from app.services.engine.typing_priority import without_gc

    with without_gc(count):
        return make()


async def _cases(bench: Workbench, request: EvaluationRequest) -> tuple[Sequence[Case], int]:
    """Return the cases of a request, and the number of skipped lines of its file."""
    if request.file is not None:
        return await bench.settings_trials.read(request.file, request.task)
    cases = await bench.catalogue.cases_of(request.task)
    if not cases:
        raise KnownError("No case for this task yet.")
    return cases, 0
