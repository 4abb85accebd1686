"""Form above an evaluation (cases, mode, settings to try, LLM, progress), and the run it asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from app.display import numbers
from app.display.evaluation.comparison import skipped_lines_sentence
from app.display.evaluation.llm import llm_view
from app.display.evaluation.results import EvaluationView, comparison_view
from app.display.evaluation.runs import changes_since_view, last_run_sentence, latest_view, run_words
from app.display.evaluation.sweep import (
    KEPT_RUN,
    PRESET_WORDS,
    SEVERAL,
    SweepView,
    compare_choices,
    default_values,
    parse_changes,
    parse_values,
    rows_for,
    sweep_view,
)
from app.display.system.settings import Editor, SettingRow, is_share
from app.domain.case import TASK_WORDS, Case, EvaluationRun, Task
from app.domain.errors import KnownError
from app.gui.bridge.engine_thread import Operation
from app.gui.bridge.jobs import Progress
from app.gui.kit.controls import button, line_edit, progress_bar
from app.gui.kit.fields import ChoiceBox, Switch, ValueLine, plain_tip
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme import Theme, Themed

if TYPE_CHECKING:
    from app.services.evaluation.runs import LatestRun
    from app.services.workbench import Workbench

TODAY, COMPARE, SWEEP = "today", "compare", "sweep"
_CASES_EACH, _FIELD = 8, 56


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


# ---- Form


class RangeFields(QWidget):
    """Fields of a range: first and last value, and step; shares are in per cent."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._times = 1
        self.unit, self.fields = QLabel("%"), [line_edit(name) for name in ("From", "To", "Step")]
        row = spaced(QHBoxLayout(self), theme.px(6))
        for field in self.fields:
            field.setFixedWidth(theme.px(_FIELD))
            fill(row, QLabel(field.accessibleName()), field)
        fill(row, self.unit, 1)

    def show_range(self, key: str, text: str) -> None:
        """Show the range FROM:TO:STEP of a setting; "" empties the fields."""
        self._times = 100 if is_share(key) else 1
        self.unit.setVisible(is_share(key))
        for field, value in zip_longest(self.fields, text.split(":") if text else ()):
            field.setText(f"{float(value) * self._times:.10g}" if value else "")

    @property
    def text(self) -> str:
        """Range as FROM:TO:STEP; "" unless every field is filled."""
        written = [field.text().strip().replace(",", ".") for field in self.fields]
        with suppress(ValueError):
            written = [f"{float(value) / self._times:.10g}" for value in written]
        return ":".join(written) if all(written) else ""


class LlmSwitch(QWidget):
    """Switch with its label: use the LLM for each case."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        words = QLabel("Ask the LLM")
        self.switch = Switch(theme, words.text())
        self.switch.setToolTip(plain_tip("Ask the LLM about each case; stored answers are reused"))
        fill(spaced(QHBoxLayout(self), theme.px(8), theme.px(8), 0, 0, 0), words, self.switch, 1)


class EvaluationForm(Themed):
    """Form of an EvaluationRequest; `run_requested` hands it to the page, which runs it."""

    run_requested = Signal(EvaluationRequest)
    stop_requested = Signal()
    file_requested = Signal()
    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.mode = TODAY
        self.file: Path | None = None
        self._counts: Mapping[Task, int] = {}
        self._runs: Sequence[EvaluationRun] = ()
        self._rows: Sequence[SettingRow] = ()
        self._swept = ""
        """Setting whose range is in the fields."""
        self.suggested: dict[Task, str] = {}
        """Setting to select when a sweep of the task is next offered."""
        self._core_state: CoreState | None = None
        self.task = ChoiceBox(name="Task of the cases")
        self.open = button("", tip="Use the cases of a file instead", press=self.file_requested.emit)
        self.back = button("Use the profile's", link=True, press=lambda: self.show_file(None))
        self.llm = LlmSwitch(theme)
        self.what = ChoiceBox(name="Changed settings")
        self.line = ValueLine()
        self.line.setAccessibleName("Its values")
        self.choice = ChoiceBox(name="Its value")
        self.values = QStackedWidget()
        self.range = RangeFields(theme)
        fill(self.values, self.line, self.choice, self.range)
        self.values.setFixedHeight(theme.px(28))
        self.run = button("", primary=True, press=self._ask)
        self.stop = button("Stop", tip="Stop; nothing is changed", press=self.stop_requested.emit)
        self.bar = progress_bar("Cases that were answered", width=theme.px(200))
        self.message = WrappedLabel(role="caption")
        self._arrange()
        self.task.changed.connect(lambda _: self._on_task())
        self.what.changed.connect(lambda _: self._show_value())
        self.line.returnPressed.connect(self._ask)
        self.line.textChanged.connect(lambda _: self.changed.emit())
        self.choice.changed.connect(lambda _: self.changed.emit())
        for field in self.range.fields:
            field.returnPressed.connect(self._ask)
            field.textChanged.connect(lambda _: self.changed.emit())
        self.show_file(None)
        self.show_running(None)

    def _arrange(self) -> None:
        px = self.theme.px
        row = self._parts = FlowLayout(px(8))
        row.setContentsMargins(px(16), px(4), px(16), px(8))
        fill(row, self.task, self.open, self.back, self.llm, self.what, self.values, self.run, self.stop)
        below = fill(spaced(QHBoxLayout(), px(10), px(16), 0, px(16), px(6)), self.bar, (self.message, 1))
        fill(spaced(QVBoxLayout(self)), row, below)

    # ---- choices

    @property
    def chosen_task(self) -> Task:
        return Task(self.task.currentData() or Task.INTENT)

    @property
    def request(self) -> EvaluationRequest:
        task, row, llm = self.chosen_task, self._row, self.asks_llm
        if self.mode == TODAY:
            return EvaluationRequest(task, self.file, TODAY, llm=llm)
        if self.mode == SWEEP:
            return EvaluationRequest(task, self.file, SWEEP, row, self.range.text, llm)
        what = str(self.what.currentData() or SEVERAL)
        if what in PRESET_WORDS:
            return EvaluationRequest(task, self.file, COMPARE, None, what, llm)
        if what == KEPT_RUN:
            return EvaluationRequest(task, self.file, COMPARE, run=int(self.choice.currentData() or 0))
        if what == SEVERAL or row is None:
            return EvaluationRequest(task, self.file, COMPARE, None, self.line.text(), llm)
        value = str(self.choice.currentData()) if _choices(row) else self.line.text().strip()
        return EvaluationRequest(task, self.file, COMPARE, None, f"{row.key}={value}", llm)

    @property
    def asks_llm(self) -> bool:
        """True if the LLM takes part."""
        return self.llm.switch.isChecked() and self._may_ask_llm

    @property
    def _may_ask_llm(self) -> bool:
        """True if the LLM can take part: types in each mode, labels and powers in mode today."""
        of_today = self.mode == TODAY and self.chosen_task in (Task.INTENT, Task.POWER)
        return of_today or self.chosen_task is Task.TYPE

    @property
    def is_running(self) -> bool:
        return not self.stop.isHidden()

    @property
    def is_written(self) -> bool:
        """True if the values to try are filled in."""
        shown = self.values.currentWidget()
        written = self.range.text if shown is self.range else shown is self.choice or self.line.text().strip()
        return self.values.isHidden() or bool(written)

    @property
    def _row(self) -> SettingRow | None:
        return next((row for row in self._rows if row.key == self.what.currentData()), None)

    def show_mode(self, mode: str) -> None:
        """Show the fields of a mode: today, comparison or sweep."""
        self.mode = mode
        verbs = {TODAY: "Evaluate", COMPARE: "Compare", SWEEP: "Sweep"}
        self.run.setText(verbs[mode])
        self.what.setVisible(mode != TODAY)
        self._offer()

    def show_counts(self, counts: Mapping[Task, int]) -> None:
        """Offer the tasks with their numbers of cases; the one with most is selected at first."""
        is_first = self.file is None and not any(self._counts.values())
        self._counts = counts
        self._show_tasks()
        if is_first and any(counts.values()) and (self.mode == TODAY or not counts.get(self.chosen_task)):
            self.task.show_value(max(counts, key=lambda task: counts[task]))
            self._offer()

    def show_runs(self, runs: Sequence[EvaluationRun]) -> None:
        """Offer the stored runs, newest first."""
        if runs != self._runs:
            self._runs = runs
            self._offer()
            self.changed.emit()

    @property
    def last_run(self) -> str:
        """Sentence on the last stored run of the chosen task on the profile's cases; "" for none."""
        run = next((run for run in self.own_runs if not run.source), None)
        return "" if run is None or self.file is not None else last_run_sentence(run)

    @property
    def own_runs(self) -> list[EvaluationRun]:
        """Stored runs of the chosen task."""
        return [run for run in self._runs if run.task is self.chosen_task]

    def show_file(self, file: Path | None) -> None:
        """Take the cases from this file; None: from the profile."""
        self.file = file
        self.open.setText("File…" if file is None else file.name[:40])
        self.back.setVisible(file is not None)
        self._show_tasks()
        self.changed.emit()

    def show_core_state(self, core_state: CoreState) -> None:
        """Update the current values of the settings."""
        before, self._core_state = self._core_state, core_state
        if before is None or (before.settings, before.origins) != (core_state.settings, core_state.origins):
            self._offer()

    def show_running(self, sentence: str | None, done: int = 0, total: int = 0) -> None:
        """Show the progress of a run; None: no run."""
        is_running = sentence is not None
        self.stop.setVisible(is_running)
        self.run.setVisible(not is_running)
        self.bar.setVisible(is_running)
        self.message.show_text(sentence or "")
        self.bar.setMaximum(max(1, total))
        self.bar.setValue(done)

    def _ask(self) -> None:
        if self.run.isVisible() and self.run.isEnabled():
            self.run_requested.emit(self.request)

    # ---- offered choices

    def _on_task(self) -> None:
        self._offer()
        self.changed.emit()

    def _show_tasks(self) -> None:
        def word(task: Task) -> str:
            name = TASK_WORDS[task]
            if self.file is not None or not self._counts:
                return name
            return f"{name} ({numbers.count(self._counts.get(task, 0))})"

        chosen = self.task.currentData()
        self.task.set_choices([(task.value, word(task)) for task in Task])
        if chosen is not None:
            self.task.show_value(chosen)

    def _offer(self) -> None:
        self.llm.setVisible(self._may_ask_llm)
        if self._core_state is None:
            return
        self._rows = rows_for(self.chosen_task, self._core_state.settings, self._core_state.origins)
        chosen = self.what.currentData()
        if self.mode == SWEEP:
            chosen = self.suggested.pop(self.chosen_task, "") or chosen
        choices = [(row.key, row.title) for row in self._rows]
        if self.mode == COMPARE:
            choices = compare_choices(self._rows, has_runs=bool(self.own_runs))
        self.what.blockSignals(True)
        _offer_in(self.what, choices)
        known = dict(choices)
        self.what.show_value(chosen if chosen in known else choices[0][0])
        self.what.blockSignals(False)
        self._show_value(keep=chosen in known)

    def _show_value(self, *, keep: bool = False) -> None:
        """Show the field for the value of the chosen setting; `keep` leaves its content."""
        row, what = self._row, str(self.what.currentData())
        if self.mode == SWEEP and row is not None and row.key != self._swept:
            self._swept = row.key
            self.range.show_range(row.key, "" if _choices(row) else default_values(row))
        is_all = self.mode == SWEEP and row is not None and bool(_choices(row))  # each choice is tried
        has_value = not (self.mode == TODAY or what in PRESET_WORDS or is_all)
        self.values.setVisible(has_value)
        self._parts.grow(self.values if has_value else self.llm if self.mode == TODAY else self.what)
        if has_value:
            self.values.setCurrentWidget(self._show_values(row, what, keep=keep))
        self.changed.emit()

    def _show_values(self, row: SettingRow | None, what: str, *, keep: bool) -> QWidget:
        """Fill the field of the values to try, and return it."""
        if what == KEPT_RUN:
            _offer_in(self.choice, [(f"{run.key}", run_words(run)) for run in self.own_runs])
            return self.choice
        if self.mode == SWEEP:
            return self.range
        if row is not None and _choices(row):
            stays = _offer_in(self.choice, _choices(row))
            if not (keep and stays):
                self.choice.show_value(next((value for value, _ in _choices(row) if value != row.raw), row.raw))
            return self.choice
        other = f"a value other than {row.raw}; {row.bounds}" if row is not None else ""
        self.line.setPlaceholderText(other or "combination=max; fallback_threshold=0.4")
        if not keep:
            self.line.clear()
        return self.line


def _offer_in(box: ChoiceBox, choices: Sequence[tuple[str, str]]) -> bool:
    """Offer these choices only, and keep the current one if it is among them; return if it was."""
    stays = box.currentData() in dict(choices)
    if not stays:
        box.clear()
    box.set_choices(choices)
    return stays


def _choices(row: SettingRow) -> list[tuple[str, str]]:
    if row.editor is Editor.SWITCH:
        return [("true", "On"), ("false", "Off")]
    return list(row.choices)
