"""Answers of the data stores, routed or all side by side, with evidence, times and queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.display.review.trace import TracePart, TraceRow
from app.display.routing.stores import (
    StoreTable,
    fill_question,
    filling_progress,
    is_server,
    run_sentence,
    run_tables,
    state_sentence,
    store_evaluation_sentence,
    store_evaluation_table,
    stores_summary,
)
from app.domain.scope.inspection import Inspection
from app.gui.bridge.engine_thread import OnRefused, Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button, set_primary
from app.gui.kit.document import DocumentView, parts_html, span, tables_html
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState, Page
from app.gui.kit.pane_parts import Section, WrappedLabel
from app.gui.routing.servers import SERVERS, ServersDialog
from app.services.routing.store_evaluation import StoreEvaluation, evaluate_stores_on_cases
from app.services.routing.stores import StoreRun, StoreState

ANSWERS = "answers"
"""Key of the section."""

_WIDEST = 840
"""Maximum width of the answers, in units."""


class RouteAnswersPart(QWidget):
    """Part that queries the stores on request only."""

    def __init__(self, page: Page, worker: Worker, refuse: OnRefused) -> None:
        super().__init__()
        self._page, self.theme, self._worker = page, page.theme, worker
        theme = page.theme
        self._job, self._loading = Job(worker, self, refuse), Job(worker, self, refuse)
        self.query = ""
        self.shown: tuple[StoreTable, ...] = ()
        self.is_running = False
        self.dialog: ServersDialog | None = None
        self._asked: str | None = None
        self._filled = ""
        self._is_on, self._has_stores = True, False
        self._addresses: Mapping[str, str] = {}
        self.begin = button(
            "Ask the stores",
            tip="Query the stores of the decision; the embedded store answers for those that are not connected",
            press=partial(self.run, compare=False),
        )
        self.compare = button("Compare all", tip="Query every store", press=partial(self.run, compare=True))
        self.judge_cases = button(
            "Evaluate cases",
            tip="Run the labelled queries of the library on every store, and check the routed answer",
            press=self.judge,
        )
        self.servers = button(
            "Connect…", tip="Address, password, content and filling of each server", press=self.open_servers
        )
        self.stop = button("Stop", tip="Stop waiting for stores", press=self.cancel)
        self.message = WrappedLabel(role="caption")
        self.sheet = DocumentView(theme, "What the stores answered", is_whole=True, widest=_WIDEST)
        self.states = DocumentView(theme, "The stores", is_whole=True)
        self.copies: list[QPushButton] = []
        self._arrange()
        always = (self.servers, self.stop, self.begin)
        self.section = Section(theme, "Stores", self, right=(self.compare, self.judge_cases), always=always)
        self.section.toggled.connect(self._show_state)
        self._show_state()

    def _arrange(self) -> None:
        px = self.theme.px
        told = fill(spaced(QHBoxLayout(), 0, px(16), 0, px(16), px(6)), self.message)
        self._foot = fill(spaced(QHBoxLayout(), px(6), px(16), 0, px(16), px(8)), 1)
        fill(spaced(QVBoxLayout(self)), self.states, told, self.sheet, self._foot)

    def focus_stops(self) -> list[QWidget]:
        verbs = (self.compare, self.judge_cases, self.servers, self.stop, self.begin)
        shown = [self.sheet, *self.copies] if self.section.is_open and self.shown else []
        return [self.section.line, *(each for each in verbs if not each.isHidden()), *shown]

    # ---- requests

    def show_core_state(self, core_state: CoreState) -> None:
        """Update the controls: routing may have been switched off."""
        self._is_on = core_state.settings.route.enabled
        self._has_stores = core_state.settings.route.has_any_store
        addresses = {name: str(getattr(core_state.settings.route, name)) for name in SERVERS}
        if addresses != self._addresses:
            self._addresses = addresses
            self.load()
        self._show_state()

    def show_inspection(self, inspection: Inspection | None) -> None:
        """Set the query of the window; the answers of the last query stay."""
        self.query = "" if inspection is None else inspection.query.text
        self._show_state()

    def run(self, *, compare: bool) -> None:
        if self._is_on and self.query.strip():
            asked = self._asked = self.query
            self.is_running = True
            self._job.follow(
                lambda bench: bench.stores.run(asked, compare=compare), self._on_progress, self._on_finished
            )
            self._show_state()

    def _on_states(self, states: Sequence[StoreState]) -> None:
        told = [state for state in states if state.fault or is_server(state)]
        rows = tuple(TraceRow(state.store, quiet=state_sentence(state)) for state in told)
        self.states.show_html(parts_html("", "", (TracePart("Which store answers", rows),)) if rows else "")
        self.section.line.show_summary(stores_summary(states))

    def judge(self) -> None:
        self._asked, self.is_running = None, True
        self._job.follow(
            lambda bench: evaluate_stores_on_cases(bench, bench.stores), self._on_judged, self._on_finished
        )
        self._show_state()

    def open_servers(self) -> None:
        self.dialog = ServersDialog(self.theme, self._worker, self, self._addresses)
        self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.dialog.loaded.connect(self._on_states)
        self.dialog.fill_requested.connect(self._ask_to_fill)
        self.dialog.open()

    def _ask_to_fill(self, name: str) -> None:
        def ask(setup: str) -> None:
            self._page.go_to(ANSWERS)  # where its progress is shown
            verb, act = f"Fill {name}", partial(self.fill_store, name)
            self._page.confirm(verb, fill_question(name, setup), verb, act, verbatim=setup)

        self._job.do(lambda bench: bench.stores.setup(name), ask)

    def fill_store(self, name: str) -> None:
        self.is_running = True
        self._job.follow(
            lambda bench: bench.stores.fill(name),
            lambda filled: self._on_filled(*filled),
            self._on_finished,
            whole_steps=True,
        )
        self._show_state()

    def _on_filled(self, done: int, whole: int) -> None:
        self._filled = filling_progress(done, whole)
        self.message.show_text(self._filled)

    def cancel(self) -> None:
        """Cancel the running job; answers so far stay."""
        if self.is_running:
            self._job.cancel()
            self._on_finished("Stopped.")

    def load(self) -> None:
        """Load the state of each store, while visible."""
        if self.section.isVisible():
            self.section.line.show_summary(self.section.line.summary or "being asked what they hold")
            self._loading.run(lambda bench: bench.stores.states(), self._on_states)

    def _on_progress(self, run: StoreRun) -> None:
        self._show(run_sentence(run), run_tables(run))

    def _on_judged(self, found: StoreEvaluation) -> None:
        self._show(store_evaluation_sentence(found), (StoreTable("", store_evaluation_table(found)),))

    def _show(self, sentence: str, shown: tuple[StoreTable, ...]) -> None:
        self.shown = shown
        parts = (tables_html([one.table]) + span(one.statement, "small mono text_2 diff", "p") for one in shown)
        self.sheet.show_html("<hr>".join(parts))
        self.message.show_text(sentence)

    def _on_finished(self, sentence: str) -> None:
        self.is_running = False
        self._show_copies()
        self._show_state()
        if told := sentence or self._filled:
            self.message.show_text(told)
        self._filled = ""

    def _show_state(self) -> None:
        can_run = self._is_on and bool(self.query.strip()) and not self.is_running
        for each in (self.begin, self.compare):
            each.setEnabled(can_run)
        self.judge_cases.setEnabled(self._is_on and not self.is_running)
        self.begin.setVisible(not self.is_running and (self._has_stores or self.section.is_open))
        set_primary(self.begin, self._has_stores)
        set_primary(self.servers, not self._has_stores)
        self.stop.setVisible(self.is_running)
        if not self.shown:
            if not self.is_running:
                self.message.show_text("" if self._is_on else "Routing is switched off (route.enabled).")
        elif not self.is_running and self._asked is not None and self.query != self._asked:
            self.message.show_text(f"These answer “{self._asked[:200]}”.")

    # ---- copying

    def _show_copies(self) -> None:
        for old in self.copies:
            self._foot.removeWidget(old)
            old.hide()  # it exists until the next event loop turn
            old.deleteLater()
        self.copies = []
        for one in self.shown:
            if one.statement:
                copy = partial(self._copy, one.store, one.statement)
                made = button(f"Copy the query of {one.store}", link=True, press=copy)
                self._foot.insertWidget(len(self.copies), made)
                self.copies.append(made)

    def _copy(self, store: str, statement: str) -> None:
        QGuiApplication.clipboard().setText(statement)
        self._page.notified.emit(f"The query of {store} is on the clipboard.", False, False)
