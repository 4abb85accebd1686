"""Page of evaluation: today's results, effects of other settings, and the best value of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.display.evaluation.comparison import changes_text
from app.display.evaluation.results import EvaluationView
from app.display.evaluation.sweep import SweepView
from app.display.library.cases import ADD_SAMPLE, NO_CASES
from app.display.scope.guide import samples_for
from app.display.system.settings import setting_title, titled_changes
from app.domain.case import Task
from app.domain.journal import choosing
from app.domain.language import plural
from app.domain.why_not import Expectation
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.evaluation.form import (
    COMPARE,
    SWEEP,
    TODAY,
    EvaluationForm,
    EvaluationRequest,
    LatestView,
    evaluate,
    fresh_views,
)
from app.gui.evaluation.results import CaseLists, SweepPart
from app.gui.evaluation.views import Views
from app.gui.kit import pane_parts
from app.gui.kit.controls import EmptyState, PaneHeader, SegmentedControl, button, set_primary
from app.gui.kit.dialogs import choose_file
from app.gui.kit.fields import plain_tip
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState, Page, changed_since, evaluation_inputs
from app.gui.kit.pane_parts import FaultLine, StaleMark, WrappedLabel
from app.gui.kit.theme import Theme

if TYPE_CHECKING:
    from app.display.staleness import EvaluationInputs
    from app.services.workbench import Workbench


_MODES: Mapping[str, tuple[str, str]] = {
    TODAY: (
        "evaluated",
        "Runs every case through the current engine. Nothing is started, and the LLM is asked only if you choose so.",
    ),
    COMPARE: (
        "compared",
        "Compare answers every case under the current and other settings, and lists the differences.",
    ),
    SWEEP: ("swept", "Sweep answers every case under each value of a setting, and finds the best value."),
}
"""Each mode: what was done, in a word, and what it does, in a sentence."""


# ---- Page


@dataclass(frozen=True, slots=True)
class _Run:
    """Request, and the inputs of its answers, to detect a stale result."""

    request: EvaluationRequest
    evaluation_inputs: EvaluationInputs | None = None


def _key_of(mode: str, task: Task) -> tuple[str, Task | None]:
    return mode, task if mode == TODAY else None


_LOW = 400
"""Minimum height of the page for all sentences of a result, in units; Metrics has the figures, too."""

_LONGEST = 48
"""Maximum length of the settings on their button, in characters; its tooltip has all."""


class EvaluatePage(Page):
    """Page that keeps the last result of each mode until the next run, marked if stale."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Evaluate")
        self._job = Job(worker, self)
        self.shown: EvaluationView | None = None
        self._counts: Mapping[Task, int] | None = None
        self._is_uncounted = False
        self._running: _Run | None = None
        self._kept: dict[tuple[str, Task | None], tuple[_Run, EvaluationView | SweepView]] = {}
        """Last result of each mode, of TODAY by task, and the run that made it."""
        self._seen: dict[Task, int] = {}
        """Number of the latest evaluation shown of each task."""
        self._make_parts()
        self._arrange()
        self._connect()
        self.open_mode(TODAY)

    def _make_parts(self) -> None:
        theme = self.theme
        modes = [(TODAY, "Current"), (COMPARE, "Compare"), (SWEEP, "Sweep")]
        self.modes = SegmentedControl(theme, "Mode of the evaluation", modes)
        self.head = PaneHeader(theme, "Evaluate", self.modes)
        self.form = EvaluationForm(theme)
        self.fault = FaultLine(theme)
        self.verdict = WrappedLabel(role="verdict")
        self.figures = WrappedLabel()
        self.note = WrappedLabel(role="caption")
        self.turned = button("What changed", link=True, tip="Compare with the last run", press=self._compare_last)
        self.sweep_it = button("Try a sweep", link=True, press=lambda: self.open_mode(SWEEP))
        self.stale = StaleMark(theme)
        self.apply = button("Apply", press=self._apply)
        self.sweep = SweepPart(theme, self._job)
        self.lists = CaseLists(theme, self._job)
        self.views = Views(theme, self.lists)
        self.start = EmptyState(theme, "evaluate", "", "")
        self.first = button("From a file…", primary=True, press=self.ask_file)
        cases = button("Open cases", press=lambda: self.action_requested.emit("page:cases"))
        self.sample = button(ADD_SAMPLE, press=self._add_sample)
        self.empty = EmptyState(theme, "check", *NO_CASES, self.first, cases, self.sample)

    def _arrange(self) -> None:
        px = self.theme.px
        top = spaced(QHBoxLayout(), px(12), px(16), px(3), px(16), px(4))
        words_column = spaced(QVBoxLayout(), px(3))
        self.verdict.setMinimumHeight(px(28))  # level with the button beside it, and with the figures
        fill(words_column, self.verdict, self.figures, self.note, self.stale)
        at_top = Qt.AlignmentFlag.AlignTop
        fill(top, (words_column, 1), *((part, 0, at_top) for part in (self.turned, self.sweep_it, self.apply)))
        self.body = QWidget()
        fill(spaced(QVBoxLayout(self.body)), top, (self.sweep, 2), (self.views, 3))
        whole = fill(spaced(QVBoxLayout(self), 0, 0, px(4), 0, 0), self.head, self.form, self.fault)
        fill(whole, (self.body, 1), (self.start, 1), (self.empty, 1))

    def _connect(self) -> None:
        form = self.form
        self.modes.chosen.connect(self.open_mode)
        form.run_requested.connect(self.run)
        form.stop_requested.connect(self.stop)
        form.file_requested.connect(self.ask_file)
        form.changed.connect(self._show_state)
        form.task.changed.connect(lambda _: self._on_task())
        self.stale.rerun_requested.connect(self.run_again)
        self.views.notified.connect(lambda sentence, is_bad: self.notified.emit(sentence, False, is_bad))
        self.views.thresholds_requested.connect(self._set_thresholds)
        self.views.threshold_requested.connect(lambda key, value: self.apply_changes({key: value}))
        self.lists.opened.connect(self.ask_on_scope)
        self.lists.why_requested.connect(lambda case: self.ask_why(case.text, Expectation.of_case(case)))
        self.sweep.picked.connect(self._show)
        self.fault.remedy_requested.connect(lambda _: self._count())

    # ---- called by the window

    def focus_stops(self) -> list[QWidget]:
        if self.body.isHidden():
            return [self.first, self.form.run, self.form.task, self.modes]
        parts: list[QWidget] = [self.views.stop, self.views.choice, self.form.task, self.modes]
        return [self.sweep.table, *parts] if self.sweep.isVisible() else parts

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.form.show_core_state(core_state)
        if self.isVisible():
            self._count()
        self._show_age()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._count()
        seen = dict(self._seen)
        self._job.do(lambda bench: fresh_views(bench, seen), self._on_latest)

    def go_to(self, key: str) -> None:
        """Open the sweep of a setting, from the task and its key."""
        task, _, setting = key.partition(" ")
        self.form.task.show_value(task)
        self.form.suggested[Task(task)] = setting
        self.open_mode(SWEEP)
        self.enter()

    # ---- user actions

    def open_mode(self, mode: str) -> None:
        """Open a mode: evaluate, compare or sweep; the last result of each stays until its next run."""
        self.modes.set_current(mode)
        self.form.show_mode(mode)
        self._show_stored()

    def run(self, request: EvaluationRequest) -> None:
        self.fault.show_fault("")
        self._running = _Run(request)
        self._show_running("Fetching the cases")
        self._job.run_with_progress(
            lambda bench, tell: bench.at_rest(tell),  # encoding and fitting come first
            self._on_fitted,
            lambda _: self._answer(request),
            self._on_refused,
        )

    def run_again(self) -> None:
        """Repeat the shown evaluation."""
        if self._key in self._kept:
            self.run(self._kept[self._key][0].request)

    def _compare_last(self) -> None:
        """Compare today with the run to which the shown change refers."""
        if self.shown is not None and self.shown.since_run:
            run, _ = self._kept[self._key]
            key = self.shown.since_run
            self.open_mode(COMPARE)
            self.run(EvaluationRequest(run.request.task, run.request.file, COMPARE, run=key))

    def stop(self) -> None:
        """Cancel the running job."""
        self._job.cancel()
        self._show_running(None)

    def _show_running(self, sentence: str | None) -> None:
        self.form.show_running(sentence)
        self._show_age()
        self._show_state()

    def ask_file(self) -> None:
        """Open a dialog for a file of cases."""
        choose_file(self, "Cases from a file", self.form.show_file)

    def _apply(self) -> None:
        if self.shown is not None and self.shown.changes:
            self.apply.setEnabled(False)
            self.apply_changes(self.shown.changes)

    def apply_changes(self, changes: Mapping[str, str]) -> None:
        """Apply tried settings, as a step that can be undone."""
        sentence = titled_changes(changes)
        self._job.do(
            lambda bench: bench.choose_all(dict(changes), choosing(changes)),
            lambda _: self._on_applied(sentence),
            self._on_not_applied,
        )

    def _set_thresholds(self, wanted: Mapping[str, float | None]) -> None:
        """Set these thresholds of labels, as a step that can be undone."""

        def tell(found: tuple[object, int]) -> None:
            written, count = found
            if written is None:
                self._on_not_applied("No change.")
            else:
                self._on_applied(plural(count, "the threshold of {n} intent", "the thresholds of {n} intents"))

        self._job.do(lambda bench: bench.curator.set_thresholds(wanted), tell, self._on_not_applied)

    # ---- results

    def _count(self) -> None:
        """Count the cases of each task, and list the stored runs."""

        async def count(bench: Workbench) -> tuple[Mapping[Task, int], bool]:
            return await bench.catalogue.case_counts(), bool(samples_for(bench.catalogue.holds))

        self._job.do(count, lambda found: self.show_counts(*found), self._on_not_counted)
        self._job.do(lambda bench: bench.runs.kept(), self.form.show_runs)

    def _add_sample(self) -> None:
        self._job.do(
            lambda bench: bench.add_seed_library(only_cases=True),
            lambda added: self.notified.emit(f"Added {added} cases about the sample library.", True, False),
        )

    def show_counts(self, counts: Mapping[Task, int], has_sample: bool = False) -> None:
        """Offer the tasks of which the profile has cases, and without any those about the sample library."""
        self.sample.setVisible(has_sample)
        is_first, self._counts = self._counts is None, counts
        if self._is_uncounted:
            self._is_uncounted = False
            self.fault.show_fault("")
        task = self.form.chosen_task
        self.form.show_counts(counts)
        if self.form.chosen_task is not task:
            self._on_task()
        self._show_state()
        if is_first and self.modes.hasFocus():
            self.enter()  # the first field was not there before

    def _on_not_counted(self, why: str) -> None:
        """Keep the known counts; a file can be evaluated anyway."""
        self._is_uncounted = True
        self.fault.show_fault(why, pane_parts.RETRY_STORE)
        self._show_state()

    def _on_fitted(self, done: int, total: int) -> None:
        waited = f"Vectors and fits come first: {done:,} of {total:,}"
        self.form.show_running(waited, done, total)

    def _answer(self, request: EvaluationRequest) -> None:
        """Run a request; a fit that it waited for does not make its answers stale."""
        self._running = _Run(request, evaluation_inputs(self.core_state, (request.task,)))
        self._job.run_with_progress(partial(evaluate, request), self._on_progress, self._on_found, self._on_refused)

    def _on_progress(self, done: int, total: int) -> None:
        progress = f"{done:,} of {total:,} cases"
        self.form.show_running(progress, done, total)

    def _on_refused(self, sentence: str) -> None:
        self._show_running(None)
        self.fault.show_fault(sentence)

    def _on_found(self, shown: EvaluationView | SweepView) -> None:
        self._show_running(None)
        assert self._running is not None, "what was found was asked for"
        request, inputs = self._running.request, self._running.evaluation_inputs
        if inputs is not None and (now := evaluation_inputs(self.core_state, (request.task,))) is not None:
            # Scales fitted for the settings that were tried are those that the result rests on.
            self._running = replace(self._running, evaluation_inputs=replace(inputs, scales=now.scales))
        self._kept[_key_of(request.mode, request.task)] = (self._running, shown)
        if isinstance(shown, EvaluationView) and shown.number:
            self._seen[request.task] = shown.number
            self.form.suggested[request.task] = shown.withheld_by
        self._show_stored()
        self.task_finished.emit(shown.verdict)
        if self._running.request.mode == TODAY:
            self._count()  # this run is stored, too

    def _on_latest(self, found: Sequence[LatestView]) -> None:
        """Take over evaluations that were made on another page."""
        for one in found:
            latest, task = one.latest, one.latest.evaluation.task
            if latest.number <= self._seen.get(task, 0):
                continue
            self._seen[task] = latest.number
            self.form.suggested[task] = one.view.withheld_by
            inputs = evaluation_inputs(CoreState(latest.status, latest.settings, {}), (task,))
            self._kept[_key_of(TODAY, task)] = _Run(EvaluationRequest(task, None, TODAY), inputs), one.view
            if self._key == _key_of(TODAY, task) and not self.form.is_running:
                self._show_stored()

    def _on_task(self) -> None:
        """Show the last evaluation of the chosen task."""
        if self.modes.current == TODAY and not self.form.is_running:
            self._show_stored()

    @property
    def _key(self) -> tuple[str, Task | None]:
        """Key of the shown result in `_kept`."""
        return _key_of(self.modes.current, self.form.chosen_task)

    def _on_applied(self, sentence: str) -> None:
        self.notified.emit(f"Set {sentence}.", True, False)

    def _on_not_applied(self, why: str) -> None:
        self.refuse(why)
        self._show_age()  # it can be tried again

    # ---- display

    def _show_stored(self) -> None:
        """Show the last result of the open mode."""
        _, found = self._kept.get(self._key, (None, None))
        self.shown = None
        self.sweep.show_sweep(found if isinstance(found, SweepView) else None)
        if isinstance(found, EvaluationView):
            self._show(found)
        else:
            self._show_state()

    def _show(self, shown: EvaluationView) -> None:
        self.shown = shown
        self.verdict.show_text(shown.verdict if self.sweep.shown is None else self.sweep.shown.verdict)
        self.views.show_pictures(shown)
        self.apply.setVisible(bool(shown.changes) and not shown.is_worse)
        self.apply.setText(f"Set {titled_changes(shown.changes)[:_LONGEST]}")
        self.apply.setToolTip(plain_tip(changes_text(shown.changes)))
        set_primary(self.apply, shown.is_better)
        self._show_age()
        self._show_state()

    def fit(self, width: int) -> None:
        super().fit(width)
        self._show_age()

    def _show_age(self) -> None:
        """Show the sentences on a result; mark a stale one, whose settings cannot be applied any more."""
        shown, swept = self.shown, self.sweep.shown
        if shown is None:
            return
        run, _ = self._kept.get(self._key, (None, None))
        changed = "" if run is None else changed_since(run.evaluation_inputs, self.core_state)
        key = shown.withheld_by if swept is None else ""
        self.sweep_it.setToolTip(f"Try values of “{setting_title(key)}”, which withholds most expected answers")
        self.sweep_it.setVisible(bool(key))
        notes = [(shown if swept is None else swept).significance.replace(f"; Sweep of {key}.", ".")]
        if swept is not None and self.sweep.is_aside:
            notes.append(f"{titled_changes(shown.changes) or 'Current'}: {shown.verdict} {shown.significance}".strip())
        is_low = 0 < self.visible_height < self.theme.px(_LOW)
        self.figures.show_text("" if is_low else shown.figures)
        self.note.show_text("" if is_low else "\n".join(note for note in notes if note))
        self.turned.setVisible(bool(shown.since_run))
        self.stale.show_change("" if self.form.is_running else changed)
        self.apply.setEnabled(not changed)

    def _show_state(self) -> None:
        is_known = self._counts is not None or self._is_uncounted
        has_cases = self._counts is None or self.form.file is not None or any(self._counts.values())
        has_task = self.form.file is not None or bool((self._counts or {}).get(self.form.chosen_task))
        set_primary(self.form.run, self.shown is None or not self.shown.is_better)
        self.form.run.setEnabled(has_task and self.form.is_written)
        self.body.setVisible(self.shown is not None)
        self.start.setVisible(self.shown is None and is_known and has_cases)
        self.empty.setVisible(self.shown is None and is_known and not has_cases)
        self.form.setVisible(is_known and (has_cases or self.shown is not None))
        self.start.set_text(*self._start_words(has_task=has_task))

    def _start_words(self, *, has_task: bool) -> tuple[str, str]:
        """Return line and sentence before a run; `has_task` if the chosen task has cases."""
        mode = self.modes.current
        done, about = _MODES[mode]
        if self.form.is_running:
            return "Evaluating", about
        if has_task:
            return (self.form.last_run * (mode == TODAY)) or f"Nothing {done} since the start", about
        if self._counts is None:
            return "The cases could not be counted", "Try again, or take cases from a file."
        return "No case of this task yet", about

    def hairlines(self) -> Iterator[QRect]:
        if self.form.isVisible():
            yield QRect(0, self.form.geometry().bottom(), self.width(), 1)
