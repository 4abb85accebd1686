"""Table of cases, edited in place, and the strip of runs with progress and summary."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, Signal
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QStyleOptionViewItem, QVBoxLayout, QWidget

from app.display.evaluation.runs import since_last_sentence
from app.display.library.cases import (
    CASE_COLUMNS,
    PARTS,
    CaseRow,
    answers_fault,
    canonical_answers,
    parse_answers,
    progress_words,
    summary,
)
from app.domain.case import TASK_WORDS, Case, Task
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button, progress_bar
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.fields import LONGEST, ChoiceBox, handle_escape
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState, changed_since, evaluation_inputs
from app.gui.kit.pane_parts import StaleMark, WrappedLabel
from app.gui.kit.tables.delegates import CellDelegate
from app.gui.kit.tables.rows import Index
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme
from app.services.evaluation.case_runs import CaseRun, Outcome, answer_names, case_outcome, run_cases

if TYPE_CHECKING:
    from app.display.staleness import EvaluationInputs
    from app.services.evaluation.runs import LatestRun
    from app.services.workbench import Workbench


class Completion(QObject):
    """Completes the answer being typed in a list of several."""

    def __init__(self, line: QLineEdit, task: Callable[[], Task], worker: Worker) -> None:
        super().__init__(line)
        self._line, self._task, self._job = line, task, Job(worker, self)
        self._names = QStringListModel(self)
        self._completer = QCompleter(self._names, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setWidget(line)
        self._completer.activated.connect(self._insert_name)
        if (popup := self._completer.popup()) is not None:
            popup.setAccessibleName("Existing answers")
        line.textEdited.connect(self._ask)

    @property
    def _typed(self) -> str:
        return self._line.text()[: self._line.cursorPosition()].rpartition(PARTS)[2].strip()

    def _ask(self) -> None:
        task, typed = self._task(), self._typed

        async def find(bench: Workbench) -> list[str]:
            return answer_names(bench, bench.routing, task, typed)

        self._job.run(find, self._show_names)

    def _show_names(self, names: Sequence[str]) -> None:
        typed = self._typed
        offered = [name for name in names if name != typed and PARTS not in name]
        self._names.setStringList(offered)
        if offered and typed and self._line.hasFocus():
            self._completer.complete()
        elif (popup := self._completer.popup()) is not None:
            popup.hide()

    def _insert_name(self, name: str) -> None:
        text, place = self._line.text(), self._line.cursorPosition()
        before, parted, _ = text[:place].rpartition(PARTS)
        prefix = f"{before}{parted} " if parted else ""
        self._line.setText(f"{prefix}{name}{text[place:]}")
        self._line.setCursorPosition(len(prefix) + len(name))


class _CaseDelegate(CellDelegate):
    """Edits a cell; the editor of answers completes names."""

    def __init__(self, table: CasesTable, worker: Worker) -> None:
        super().__init__(table.theme, table.paged, table)
        self._table, self._worker = table, worker

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        line = super().createEditor(parent, option, index)
        row = self._table.paged.row_at(index.row())
        if isinstance(line, QLineEdit) and row is not None and CASE_COLUMNS[index.column()].key != "text":
            Completion(line, lambda: row.case.task, self._worker)
        return line


class CasesTable(LibraryTable):
    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Cases", CASE_COLUMNS, "cases")
        self.setItemDelegate(_CaseDelegate(self, worker))

    @property
    def current_row(self) -> CaseRow | None:
        key = self.current_key
        row = None if key is None else self.paged.row_of(key)
        return row if isinstance(row, CaseRow) else None


# ---- Form of a new case, above the table


class NewCase(QWidget):
    """Form of a new case: task, query and expected answer. Enter adds it, Escape leaves."""

    added = Signal(Case)
    left = Signal()

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.task = ChoiceBox([(task.value, TASK_WORDS[task]) for task in Task])
        self.task.setAccessibleName("Task")
        self.text, self.expected = QLineEdit(), QLineEdit()
        self.text.setMaxLength(LONGEST)
        self.text.setPlaceholderText("The query")
        self.text.setAccessibleName("The query")
        self.expected.setPlaceholderText("Expected answers, separated by semicolons; empty for no match")
        self.expected.setAccessibleName("Expected answers")
        Completion(self.expected, lambda: self.chosen_task, worker)
        self.verb = button("Add", primary=True, press=self._add)
        self.fault = FaultLine(theme)
        row = spaced(QHBoxLayout(), theme.px(8), theme.px(16), 0, theme.px(16), theme.px(8))
        fill(row, self.task, (self.text, 3), (self.expected, 2), self.verb)
        fill(spaced(QVBoxLayout(self)), row, self.fault)
        for line in (self.text, self.expected):
            line.returnPressed.connect(self._add)
        self.text.textChanged.connect(self._on_text)
        self._on_text()

    @property
    def chosen_task(self) -> Task:
        return Task(self.task.currentData())

    def begin(self) -> None:
        """Show the form and focus it."""
        self.setVisible(True)
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def clear(self) -> None:
        """Empty the form for the next case."""
        self.text.clear()
        self.expected.clear()

    def _on_text(self) -> None:
        self.verb.setEnabled(bool(self.text.text().strip()))
        self.fault.show_fault("")

    def _add(self) -> None:
        text, answers = self.text.text().strip(), parse_answers(self.expected.text())
        why = answers_fault(self.chosen_task, answers)
        self.fault.show_fault(why)
        if text and not why:
            self.added.emit(Case(text, canonical_answers(self.chosen_task, answers), self.chosen_task))

    def _leave(self) -> None:
        self.setVisible(False)
        self.left.emit()

    def event(self, event: QEvent) -> bool:
        return handle_escape(event, self._leave) or super().event(event)


# ---- Runs of cases: progress, then the summary, marked if stale.


async def _run(bench: Workbench, keys: Sequence[int]) -> AsyncGenerator[CaseRun, None]:
    await bench.at_rest()
    async with aclosing(run_cases(bench, bench.evaluations, keys, bench.runs.note_cases)) as steps:
        async for step in steps:
            yield step


class Runs(QWidget):
    """Keeps the outcomes by key, and shows the progress of a run. Hidden before the first run."""

    started = Signal()
    progressed = Signal()
    finished = Signal(str)  # a sentence if it was interrupted

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self._worker, self._job = worker, Job(worker, self)
        self.outcomes: dict[int, Outcome] = {}
        self.last = CaseRun(0, 0)
        self.is_running = False
        self.tasks: Collection[Task] = ()
        """Tasks that have cases."""
        self._seen: dict[Task, int] = {}
        """Number of the latest evaluation of each task that is shown."""
        self._since = ""
        self._core_state: CoreState | None = None
        self._ran_on: EvaluationInputs | None = None
        self.bar = progress_bar("Cases that were run", width=theme.px(200))
        self.message = WrappedLabel(role="caption")
        self.cancel = button("Stop", link=True, tip="Stop; results so far are kept", press=self.stop)
        self.stale = StaleMark(theme)
        self.stale.rerun_requested.connect(self.run_again)
        row = fill(spaced(QHBoxLayout(), theme.px(10)), self.bar, self.cancel, (self.message, 1))
        fill(spaced(QVBoxLayout(self), theme.px(2), theme.px(16), 0, theme.px(16), theme.px(6)), row, self.stale)
        self._show()

    def show_core_state(self, core_state: CoreState) -> None:
        """Update the state that outcomes depend on."""
        self._core_state = core_state
        self._show()

    def run(self, keys: Sequence[int]) -> None:
        """Run these cases, replacing a running job."""
        if keys:
            self.is_running, self.last = True, CaseRun(0, len(keys))
            self._show()
            self._job.follow(partial(_run, keys=keys), self._on_progress, self._on_finished, whole_steps=True)
            self.started.emit()

    def run_again(self) -> None:
        """Repeat all cases that have outcomes."""
        self.run(list(self.outcomes))

    def stop(self) -> None:
        """Cancel the run; its outcomes so far stay."""
        if self.is_running:
            self._job.cancel()
            self._on_finished("")

    def _on_progress(self, run: CaseRun) -> None:
        if not run.done:  # fits in the background are done by now
            self._ran_on = evaluation_inputs(self._core_state, self.tasks)
        self.last = run
        self._note(run.noted)
        self.outcomes.update({one.key: one for one in run.outcomes})
        self._show()
        self.progressed.emit()

    def load_latest(self) -> None:
        """Show newer evaluations made on another page."""

        async def latest(bench: Workbench) -> list[LatestRun]:
            return list(bench.runs.latest.values())

        self._job.do(latest, self._on_latest)

    def _on_latest(self, found: Sequence[LatestRun]) -> None:
        fresh = [one for one in found if one.number > self._seen.get(one.evaluation.task, 0)]
        if not fresh or self.is_running:
            return
        self._note(fresh)
        for one in fresh:
            self.outcomes.update({own.key: own for own in map(case_outcome, one.evaluation.answered)})
            if self._ran_on is None:  # otherwise outcomes of an older state may remain
                self._ran_on = evaluation_inputs(CoreState(one.status, one.settings, {}), self.tasks)
        self._on_finished("")

    def _note(self, noted: Sequence[LatestRun]) -> None:
        self._since = since_last_sentence(noted)
        self._seen.update({one.evaluation.task: one.number for one in noted})

    def _on_finished(self, sentence: str) -> None:
        self.is_running = False
        self._show()
        self.finished.emit(sentence)

    def _show(self) -> None:
        line = summary(self.outcomes, self.last.skipped)
        self.bar.setVisible(self.is_running)
        self.cancel.setVisible(self.is_running)
        if self.is_running:
            self.bar.setRange(0, max(1, self.last.total))
            self.bar.setValue(self.last.done)
            line = f"{progress_words(self.last)}   {line}".strip()
        elif self._since:
            line = f"{line} {self._since}"
        is_old = bool(self.outcomes) and not self.is_running
        self.stale.show_change(changed_since(self._ran_on, self._core_state) if is_old else "")
        self.message.show_text(line)
        self.setVisible(bool(line))
