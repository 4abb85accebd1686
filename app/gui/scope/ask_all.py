"""Table of answers to many pasted queries: sort, filter, teach, make cases, and export."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display.review.ask_all import (
    ASKED_COLUMNS,
    QueryRow,
    filtered_places,
    lines_of,
    query_row,
    row_facets,
    rows_csv,
)
from app.domain.filters import search_result
from app.domain.inspection import Inspection
from app.domain.language import quantity
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import PaneHeader, button, progress_bar, single_shot
from app.gui.kit.dialogs import FileSaver
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import FaultLine
from app.gui.kit.tables.list_detail import ListDetail
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme import Theme
from app.gui.scope.overlays import PANES, Overlay, Overlays
from app.gui.scope.query_line import QueryLine

if TYPE_CHECKING:
    from app.domain.journal import Written
    from app.services.workbench import Workbench
    from app.settings.model import Settings

_SHOW_MS = 150
"""Interval of updates of the table while answers come, in ms."""


class AskAllView(Overlay):
    """Table with filters and actions on the selected rows."""

    def __init__(self, theme: Theme, actions: AskAllActions) -> None:
        super().__init__(theme, "Answers to all lines", actions.close)
        self._actions = actions
        self.rows: list[QueryRow] = []
        self._whole = 0
        self.stop = button("Stop", tip="Stop; the answers so far stay", press=actions.stop)
        self.bar = progress_bar("Queries answered", width=theme.px(160))
        self.teach = button("Teach…", tip="Teach the selected query", press=self._teach)
        self.cases = button(
            "Make cases",
            tip="Make a case of each selected query that expects its present answer",
            press=actions.make_cases,
        )
        self.export = button("Export…", tip="Write the listed answers to a CSV file", press=self.save)
        self.file_saver = FileSaver(self)
        self.file_saver.notified.connect(lambda sentence, bad: actions.notified.emit(sentence, False, bad))
        verbs = (self.teach, self.cases, self.export, self.close_it)
        self.head = PaneHeader(theme, "Ask all", *verbs, wraps=True)
        self.fault = FaultLine(theme)
        running = QWidget()
        strip = spaced(QHBoxLayout(running), theme.px(10), theme.px(16), theme.px(4), theme.px(16), theme.px(8))
        fill(strip, self.bar, self.stop, 1)
        self._running = running
        self.table = LibraryTable(theme, "Answers", ASKED_COLUMNS, "ask_all")
        no_fit = ("No query fits", "Search for fewer words, or remove a filter.")
        self.list = ListDetail(
            theme, self.table, "Search queries and answers", no_fit, above=(self.head,), strips=(running, self.fault)
        )
        fill(spaced(QVBoxLayout(self)), self.list)
        self.list.search_requested.connect(lambda anew: self.show_rows(anew=anew))
        self.list.focus_lost.connect(lambda: self.table.setFocus(Qt.FocusReason.OtherFocusReason))
        self.table.entered.connect(self._open)
        self.table.doubleClicked.connect(lambda _: self._open())
        self.table.picked.connect(self._show_verbs)

    # ---- display

    def begin(self, count: int) -> None:
        """Show that this number of queries is being answered."""
        self.rows.clear()
        self._whole = count
        self.fault.show_fault("")
        self._running.show()
        self.show_rows(anew=True)
        self.stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def end(self, sentence: str = "") -> None:
        """Show that no more answers follow, with a sentence after a fault."""
        had_focus = self.stop.hasFocus()
        self._running.hide()
        self.fault.show_fault(sentence)
        self.show_rows()
        if had_focus:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_rows(self, *, anew: bool = False) -> None:
        bar, table, rows = self.list.bar, self.table, self.rows
        self.bar.setRange(0, max(1, self._whole))
        self.bar.setValue(len(rows))
        answered = f"{len(rows):,} of {self._whole:,} answered" if len(rows) < self._whole else ""
        provisional = next((one.provisional for row in rows for one in row.told if one.provisional), "")
        counted = answered or quantity(len(rows), "query", "queries")
        self.head.set_more(f"{counted}. {provisional}" if provisional else counted)
        bar.show_facets(row_facets(rows))
        kept = filtered_places(rows, bar.text, bar.chosen, table.order, descending=table.descending)
        view = self.list.search_view(anew=anew)
        found = search_result(kept, len(rows), view, lambda _: dict(enumerate(rows)), around=False)
        self.list.show_place(None if kept or not bar.is_filtering else self.list.no_fit)
        self.list.show_found(found)
        self._show_verbs()

    @property
    def selected(self) -> list[QueryRow]:
        return [self.rows[key] for key in self.table.selected_keys]

    def _show_verbs(self) -> None:
        self.teach.setEnabled(len(self.selected) == 1)
        self.cases.setEnabled(bool(self.selected))
        self.export.setEnabled(bool(self.table.paged.keys))

    # ---- user actions

    def save(self) -> None:
        """Ask for a file, and save the listed answers to it."""
        content = rows_csv([self.rows[key] for key in self.table.paged.keys]).encode()
        self.file_saver.ask("Export the answers", "intentscope-answers.csv", "CSV (*.csv)", lambda: content)

    def _open(self) -> None:
        if (key := self.table.current_key) is not None:
            self._actions.open_query(self.rows[key].query)

    def _teach(self) -> None:
        for row in self.selected[:1]:
            self._actions.teach(row.query)


class AskAllActions(Overlays[AskAllView]):
    """Answers the lines of the query one by one in the background."""

    query_requested = Signal(str)  # a query for the line
    teach_requested = Signal(Inspection)  # an answered query

    def __init__(
        self,
        theme: Theme,
        worker: Worker,
        place: QStackedWidget,
        line: QueryLine,
        settings: Callable[[], Settings | None],
    ) -> None:
        super().__init__(place, line)
        self._theme, self._settings = theme, settings
        self._asking, self._teaching = Job(worker, self), Job(worker, self)
        self._update = single_shot(self, _SHOW_MS, self._show)
        self._asked: list[str] = []
        line.changed.connect(self._on_typed)

    def refusal(self) -> str:
        """Return why there are no lines to ask; "" if there are."""
        return "" if len(lines_of(self._line.text())) > 1 else "The query has one line. Paste several lines first."

    def ask(self) -> None:
        queries = self._asked = lines_of(self._line.text())
        view = self._lay_over()
        view.begin(len(queries))

        def answers(bench: Workbench) -> AsyncGenerator[Inspection, None]:
            return bench.answer_each(queries, ahead=True, route=False)

        self._asking.follow(answers, self._on_answer, self._on_end)

    def focus_stops(self) -> list[QWidget]:
        return [] if self.view is None else [*self.view.list.focus_stops(), self.view.export]

    def _make_view(self) -> AskAllView:
        return AskAllView(self._theme, self)

    def _left(self) -> None:
        self._asking.cancel()
        self._update.stop()

    def _on_typed(self, text: str) -> None:
        """Return to the panes, which answer the text, once it is no longer the listed queries."""
        if self.is_open and lines_of(text) != self._asked:
            self._place.setCurrentIndex(PANES)

    def stop(self) -> None:
        self._asking.cancel()
        self._on_end("")

    def _on_answer(self, inspection: Inspection) -> None:
        settings = self._settings()
        if self.view is not None and settings is not None:
            self.view.rows.append(query_row(inspection, settings))
            if not self._update.isActive():
                self._update.start()

    def _show(self) -> None:
        if self.view is not None:
            self.view.show_rows()

    def _on_end(self, sentence: str) -> None:
        self._update.stop()
        if self.view is not None:
            self.view.end(sentence)

    def open_query(self, query: str) -> None:
        self.close()
        self.query_requested.emit(query)

    def teach(self, query: str) -> None:
        self._teaching.run(lambda bench: bench.settle(query, route=False), self.teach_requested.emit, self.refuse)

    def make_cases(self) -> None:
        if self.view is None:
            return
        chosen = [(row.query, row.answer) for row in self.view.selected]
        made = partial(self._on_cases, len(chosen))
        self._teaching.do(lambda bench: bench.curator.make_cases(chosen), made, self.refuse)

    def _on_cases(self, count: int, written: Written | None) -> None:
        if written is None:
            self.notified.emit("No change: these cases exist already.", False, False)
            return
        self._line.leaves_undo = True
        self.notified.emit(f"Made {quantity(count, 'case')}: each expects its present answer.", True, False)
