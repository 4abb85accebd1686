"""Page of cases: labelled queries, edited in place and run against the engine."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, QTimer, Signal
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QMenu, QStyleOptionViewItem, QVBoxLayout, QWidget

from app.display.evaluation.runs import since_last_sentence
from app.display.library.cases import (
    ADD_SAMPLE,
    BY_OUTCOME,
    CASE_COLUMNS,
    NO_CASES,
    PARTS,
    CaseRow,
    answers_fault,
    canonical_answers,
    case_facets,
    edited_case,
    is_of_result,
    keys_by_outcome,
    parse_answers,
    progress_words,
    summary,
)
from app.display.scope.guide import samples_for
from app.domain.case import TASK_WORDS, Case, Task
from app.domain.filters import CaseFilter, CaseOrder, SearchResult
from app.domain.journal import Edit, ItemKind, counted
from app.domain.why_not import Expectation
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, button, menu_button, progress_bar
from app.gui.kit.fields import LONGEST, ChoiceBox, handle_escape
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import Action, CoreState, Group, ListPage, changed_since, evaluation_inputs
from app.gui.kit.pane_parts import FaultLine, StaleMark, StaleStrip, WrappedLabel
from app.gui.kit.tables.delegates import CellDelegate
from app.gui.kit.tables.list_detail import ListDetail, offer
from app.gui.kit.tables.rows import Index
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme
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


class CaseRunStrip(QWidget):
    """Keeps the outcomes by key, and shows the progress of a run. Hidden before the first run."""

    started = Signal()
    progressed = Signal()
    finished = Signal(str)  # a sentence if it was interrupted

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.job = Job(worker, self)
        self.outcomes: dict[int, Outcome] = {}
        self.last = CaseRun(0, 0)
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
            self.last = CaseRun(0, len(keys))
            self.job.follow(partial(_run, keys=keys), self._on_progress, self._on_finished, whole_steps=True)
            self._show()
            self.started.emit()

    def run_again(self) -> None:
        """Repeat all cases that have outcomes."""
        self.run(list(self.outcomes))

    def stop(self) -> None:
        """Cancel the run; its outcomes so far stay."""
        if self.job.is_running:
            self.job.cancel()
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

        self.job.do(latest, self._on_latest)

    def _on_latest(self, found: Sequence[LatestRun]) -> None:
        fresh = [one for one in found if one.number > self._seen.get(one.evaluation.task, 0)]
        if not fresh or self.job.is_running:
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
        self._show()
        self.finished.emit(sentence)

    def _show(self) -> None:
        line = summary(self.outcomes, self.last.skipped)
        self.bar.setVisible(self.job.is_running)
        self.cancel.setVisible(self.job.is_running)
        if self.job.is_running:
            self.bar.setRange(0, max(1, self.last.total))
            self.bar.setValue(self.last.done)
            line = f"{progress_words(self.last)}   {line}".strip()
        elif self._since:
            line = f"{line} {self._since}"
        is_old = bool(self.outcomes) and not self.job.is_running
        self.stale.show_change(changed_since(self._ran_on, self._core_state) if is_old else "")
        self.message.show_text(line)
        self.setVisible(bool(line))


class CasesPage(ListPage):
    """Page that loads the visible rows. The outcome of a run is shown until its case is edited."""

    key, group = "cases", Group.TEACH

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Cases")
        self._worker = worker
        self._whole: int | None = None
        self._make_parts()
        self._jobs = Job(worker, self, self._on_refused, self.stale.show_conflict)
        self._connect()

    # ---- widgets

    def _make_parts(self) -> None:
        theme = self.theme
        self.run_all = button(
            "Run all", primary=True, tip="Run all listed cases through the current engine", press=self.run_shown
        )
        self.add = button("New case", press=self.begin_new)
        self.table = CasesTable(theme, self._worker)
        self.table.fill_row_menu = self._fill_row_menu
        self.verbs = (menu_button("More", "Actions on the selected rows", self._fill_row_menu), self.add, self.run_all)
        self.head = PaneHeader(theme, "Cases", *self.verbs, wraps=True)
        self.new = NewCase(theme, self._worker)
        self.new.setVisible(False)
        self.runs = CaseRunStrip(theme, self._worker)
        self.outcomes = self.runs.outcomes
        self.stale = StaleStrip(theme)
        self.sample = button(ADD_SAMPLE, press=self._add_sample)
        self.first = button("New case", primary=True, press=self.begin_new)
        take = button("Import…", press=lambda: self.action_requested.emit("import"))
        self.empty = EmptyState(theme, "check", *NO_CASES, self.first, take, self.sample)
        self.list = ListDetail(
            theme,
            self.table,
            "Search queries and answers",
            ("No case found", "Search for fewer words, or remove a filter."),
            above=(self.head,),
            strips=(self.new, self.stale, self.runs),
            places=(self.empty,),
        )
        self.show_list()

    def _connect(self) -> None:
        table = self.table
        self.runs.progressed.connect(table.viewport().update)
        self.runs.progressed.connect(table.paged.note_filled)
        self.runs.started.connect(table.setFocus)  # the pressed button is disabled now
        self.runs.started.connect(self._allow_run)
        self.runs.finished.connect(self._on_run_finished)
        table.paged.rows_requested.connect(self._fetch)
        table.paged.edited.connect(self._on_edited)
        table.entered.connect(self.open_case)
        table.delete_requested.connect(self.ask_delete)
        self.new.added.connect(self._add)
        self.new.left.connect(self._after_new)
        self.stale.theirs_kept.connect(lambda _: self.refresh())
        self.stale.mine_written.connect(lambda error: self._save(error.mine, anyway=True))

    # ---- called by the window

    def focus_stops(self) -> list[QWidget]:
        return [*self.list.focus_stops(), self.add, self.first]

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        self.runs.show_core_state(core_state)

    def load(self) -> None:
        self.refresh()
        self.runs.load_latest()

    def action_rows(self) -> Sequence[Action]:
        row = self.own_action
        return (
            row("new", "Add a case", self.begin_new),
            row("run", "Run all cases that are shown", self.run_shown),
            row("run_selected", "Run the selected cases", self.run_selected),
            row("stop", "Stop running cases", self.runs.stop),
            row("why", "Explain why the selected case fails", self.ask_why_not),
            Action("cases:open", "Open the case in the scope", Group.TEACH, self.open_case, icon="scope"),
        )

    # ---- user actions

    def open_case(self) -> None:
        """Open the query of the selected case on the scope."""
        if (row := self.table.current_row) is not None:
            self.ask_on_scope(row.case.text)

    def refresh(self, *, anew: bool = False) -> None:
        chosen, table, outcomes = self.bar.chosen, self.table, dict(self.outcomes)
        wanted = CaseFilter(self.bar.text.strip(), chosen.get("task"))
        order, result = table.order or CaseOrder.KEY, chosen.get("result")
        by_run, descending = order in BY_OUTCOME, table.descending
        view = self.list.search_view(anew=anew)

        def arrange(keys: Sequence[int]) -> Sequence[int]:
            if result is not None:
                keys = [key for key in keys if key in outcomes and is_of_result(outcomes[key], result)]
            return keys_by_outcome(keys, outcomes, order, descending=descending) if by_run else keys

        async def find(bench: Workbench) -> tuple[SearchResult, dict[Task, int], bool]:
            found, tasks = await bench.catalogue.find_cases(
                wanted,
                CaseOrder.KEY if by_run else CaseOrder(order),
                descending=descending and not by_run,
                view=view,
                arrange=arrange,
            )
            return found, tasks, bool(samples_for(bench.catalogue.holds))

        self._jobs.run(find, lambda found: self._on_found(*found))

    def begin_new(self) -> None:
        """Open the form of a new case."""
        self.new.begin()
        self._show_state()

    def run_shown(self) -> None:
        self.runs.run(list(self.table.paged.keys))

    def run_selected(self) -> None:
        self.runs.run(self.table.selected_keys)

    def ask_why_not(self) -> None:
        """Explain on the scope why the selected case is not answered as it expects."""
        if (row := self.table.current_row) is not None:
            self.ask_why(row.case.text, Expectation.of_case(row.case))

    def ask_delete(self) -> None:
        """Delete the selected cases; many only after a confirmation."""
        keys = self.table.selected_keys
        if len(keys) == 1:
            self._delete(keys)
        elif keys:
            title = f"Delete {len(keys):,} cases"
            self.confirm(title, f"{title}? You can undo it.", title, lambda: self._delete(keys))

    def _after_new(self) -> None:
        self._show_state()
        self.enter()

    def _on_edited(self, key: int, column: str, text: str) -> None:
        row = self.table.paged.row_of(key)
        if row is None:
            return
        case = edited_case(row.case, column, text)
        why = answers_fault(case.task, (*case.expected, *case.unwanted))
        if not case.text:
            why = "A case needs a query."
        if why:
            self.refuse(why)
            QTimer.singleShot(0, self.table, self.table.type_again)
        elif case != row.case:
            self._save(case)

    def _fill_row_menu(self, menu: QMenu) -> None:
        row, has_some = self.table.current_row, self.table.selected_count > 0
        offer(
            menu,
            ("Open in scope\tEnter", self.open_case, row is not None),
            ("Why not", self.ask_why_not, row is not None and row.is_lost),
            ("Run selected", self.run_selected, has_some and not self.runs.job.is_running),
            ("Delete\tDel", self.ask_delete, has_some),
        )

    def _allow_run(self) -> None:
        self.run_all.setEnabled(bool(self.table.paged.keys) and not self.runs.job.is_running)

    # ---- library

    def _fetch(self, keys: Sequence[int]) -> None:
        self._jobs.do(lambda bench: bench.catalogue.cases(keys), lambda cases: self._on_rows(cases, keys))

    def _save(self, case: Case, *, anyway: bool = False) -> None:
        self._jobs.do(lambda bench: bench.journal.edit(case, anyway=anyway), self._on_saved)

    def _add(self, case: Case) -> None:
        def tell(_: object) -> None:
            self.new.clear()
            self._on_done("Added the case.")

        self._jobs.do(lambda bench: bench.catalogue.add_case(case), tell)

    def _add_sample(self) -> None:
        self._jobs.do(
            lambda bench: bench.add_seed_library(only_cases=True),
            lambda added: self._on_done(f"Added {added} cases about the sample library."),
        )

    def _delete(self, keys: Sequence[int]) -> None:
        subject, gone = counted(ItemKind.CASE, len(keys)), [(ItemKind.CASE, key) for key in keys]
        self._jobs.do(
            lambda bench: bench.journal.do(Edit("deleted", subject), (), gone),
            lambda _: self._on_done(f"Deleted {subject}."),
        )

    # ---- results

    def _on_found(self, found: SearchResult, tasks: dict[Task, int], has_sample: bool) -> None:
        self.sample.setVisible(has_sample)
        self._whole = found.whole
        self.runs.tasks = [task for task, count in tasks.items() if count]
        rows = {key: CaseRow(case, self.outcomes) for key, case in found.rows.items()}
        self.bar.show_facets(case_facets(tasks, self.outcomes))
        if (followed := self.list.with_selection(replace(found, rows=rows))) is not None:
            self.head.set_more(counted(ItemKind.CASE, found.whole) if found.whole else "")
            self.list.show_found(followed)
            self._show_state()

    def _show_state(self) -> None:
        has_cases = self._whole is None or self._whole > 0
        for part in (self.bar, *self.verbs):
            part.setVisible(has_cases)
        if has_cases:
            is_known = self._whole is not None
            self.list.show_place(None if self.table.paged.keys or not is_known else self.list.no_fit)
        else:
            self.list.show_place(self.empty if self.new.isHidden() else None)
        self._allow_run()

    def _on_rows(self, cases: dict[int, Case], asked: Sequence[int]) -> None:
        self.table.paged.take_rows({key: CaseRow(case, self.outcomes) for key, case in cases.items()}, asked)
        self._allow_run()

    def _on_saved(self, case: Case) -> None:
        self.table.paged.typed = None
        self.notified.emit(f"Saved the case “{case.text[:60]}”.", True, False)
        self.refresh()

    def _on_done(self, sentence: str) -> None:
        self.notified.emit(sentence, True, False)
        self.refresh()

    def _on_refused(self, sentence: str) -> None:
        self.refuse(sentence)
        self.table.type_again()

    def _on_run_finished(self, sentence: str) -> None:
        if sentence:
            self.refuse(sentence)
        self.refresh()
