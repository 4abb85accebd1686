"""Page of cases: labelled queries, edited in place and run against the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from app.display.library.cases import (
    BY_OUTCOME,
    CaseRow,
    answers_fault,
    case_facets,
    edited_case,
    is_of_result,
    keys_by_outcome,
)
from app.display.scope.guide import samples_for
from app.domain.case import Case, Task
from app.domain.filters import CaseFilter, CaseOrder, SearchResult
from app.domain.journal import Edit, ThingKind, counted
from app.domain.scope.why_not import Expectation
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import EmptyState, PaneHeader, button, menu_button, single_shot
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import Action, CoreState, Group, Page
from app.gui.kit.pane_parts import StaleStrip
from app.gui.kit.tables.list_detail import ListDetail, offer
from app.gui.kit.theme.theme import Theme
from app.gui.library.cases.table import CasesTable, NewCase, Runs

if TYPE_CHECKING:
    from app.services.workbench import Workbench

_LOOK_AFTER_MS = 150


class CasesPage(Page):
    """Page that loads the visible rows. The outcome of a run is shown until its case is edited."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Cases")
        self._worker = worker
        self._whole: int | None = None
        self._tasks: dict[Task, int] = {}
        self._make_parts()
        self._jobs = Job(worker, self, self._on_refused, self.stale.show_conflict)
        fill(spaced(QVBoxLayout(self)), self.list)
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
        self.runs = Runs(theme, self._worker)
        self.outcomes = self.runs.outcomes
        self.stale = StaleStrip(theme)
        self.sample = button("Add cases about the sample library", press=self._add_sample)
        self.first = button("New case", primary=True, press=self.begin_new)
        self.empty = EmptyState(
            theme,
            "check",
            "No cases yet",
            (
                "A case is a query with the answer that would be right. Mark an answer on the scope as right (Ctrl+Up)"
                " or wrong (Ctrl+Down), import labelled queries, or write one yourself."
            ),
            self.first,
            button("Import…", press=lambda: self.action_requested.emit("import")),
            self.sample,
        )
        self.list = ListDetail(
            theme,
            self.table,
            "Search queries and answers",
            ("No case found", "Search for fewer words, or remove a filter."),
            above=(self.head,),
            strips=(self.new, self.stale, self.runs),
            places=(self.empty,),
        )
        self.bar = self.list.bar
        self._look_timer = single_shot(self, _LOOK_AFTER_MS, self.search)

    def _connect(self) -> None:
        table = self.table
        self.runs.progressed.connect(table.viewport().update)
        self.runs.started.connect(table.setFocus)  # the pressed button is disabled now
        self.runs.started.connect(self._allow_run)
        self.runs.finished.connect(self._on_run_finished)
        table.paged.rows_requested.connect(self._fetch)
        table.paged.edited.connect(self._on_edited)
        self.list.search_requested.connect(lambda anew: self.search(anew=anew))
        self.list.focus_lost.connect(self.enter)
        table.entered.connect(self.open_case)
        table.delete_requested.connect(self.ask_delete)
        self.new.added.connect(self._add)
        self.new.left.connect(self._after_new)
        self.stale.theirs_kept.connect(lambda _: self.search())
        self.stale.mine_written.connect(lambda error: self._save(error.mine, anyway=True))

    # ---- called by the window

    def focus_stops(self) -> list[QWidget]:
        return [*self.list.focus_stops(), self.add, self.first]

    def persist_in(self, folder: Path) -> None:
        self.list.persist_in(folder)

    def show_core_state(self, core_state: CoreState) -> None:
        super().show_core_state(core_state)
        if self.isVisible():
            self._look_timer.start()
        self.runs.show_core_state(core_state)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.search()
        self.runs.load_latest()

    def action_rows(self) -> Sequence[Action]:
        rows = (
            ("new", "Add a case", self.begin_new),
            ("run", "Run all cases that are shown", self.run_shown),
            ("run_selected", "Run the selected cases", self.run_selected),
            ("stop", "Stop running cases", self.runs.stop),
            ("why", "Explain why the selected case fails", self.ask_why_not),
        )
        return (
            *(Action(f"cases:{key}", text, Group.TEACH, self.after_opening("cases", act)) for key, text, act in rows),
            Action("cases:open", "Open the case in the scope", Group.TEACH, self.open_case, icon="scope"),
        )

    # ---- user actions

    def open_case(self) -> None:
        """Open the query of the selected case on the scope."""
        row = self.table.current_row
        if row is not None:
            self.page_requested.emit("scope", "")
            self.query_typed.emit(row.case.text)

    def search(self, *, anew: bool = False) -> None:
        """Search by filter and table order; results of an older search are dropped."""
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
            return found, tasks, bool(samples_for(bench.holds))

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
            self.notified.emit(why, False, True)
            QTimer.singleShot(0, self.table, self.table.type_again)
        elif case != row.case:
            self._save(case)

    def _fill_row_menu(self, menu: QMenu) -> None:
        row, has_some = self.table.current_row, self.table.selected_count > 0
        offer(
            menu,
            ("Open in scope\tEnter", self.open_case, row is not None),
            ("Why not", self.ask_why_not, row is not None and row.is_lost),
            ("Run selected", self.run_selected, has_some and not self.runs.is_running),
            ("Delete\tDel", self.ask_delete, has_some),
        )

    def _allow_run(self) -> None:
        self.run_all.setEnabled(bool(self.table.paged.keys) and not self.runs.is_running)

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
            lambda bench: bench.add_seed_cases(),
            lambda added: self._on_done(f"Added {added} cases about the sample library."),
        )

    def _delete(self, keys: Sequence[int]) -> None:
        subject, gone = counted(ThingKind.CASE, len(keys)), [(ThingKind.CASE, key) for key in keys]
        self._jobs.do(
            lambda bench: bench.journal.do(Edit("deleted", subject), (), gone),
            lambda _: self._on_done(f"Deleted {subject}."),
        )

    # ---- results

    def _on_found(self, found: SearchResult, tasks: dict[Task, int], has_sample: bool) -> None:
        self.sample.setVisible(has_sample)
        self._whole, self._tasks = found.whole, tasks
        self.runs.tasks = [task for task, count in tasks.items() if count]
        rows = {key: CaseRow(case, self.outcomes) for key, case in found.rows.items()}
        self.bar.show_facets(case_facets(tasks, self.outcomes))
        if (followed := self.list.with_selection(replace(found, rows=rows))) is not None:
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
        self.search()

    def _on_done(self, sentence: str) -> None:
        self.notified.emit(sentence, True, False)
        self.search()

    def _on_refused(self, sentence: str) -> None:
        self.notified.emit(sentence, False, True)
        self.table.type_again()

    def _on_run_finished(self, sentence: str) -> None:
        if sentence:
            self.notified.emit(sentence, False, True)
        self.search()
