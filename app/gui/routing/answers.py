"""Answers of the data stores, routed or all side by side, with evidence, times and queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.display.review.trace import TracePart, TraceRow
from app.display.routing.stores import (
    HitView,
    StoreColumn,
    StoreRunView,
    filling_progress,
    origin_sentence,
    side_by_side,
    state_sentence,
    store_evaluation_view,
    store_run_view,
    stores_summary,
)
from app.domain.scope.inspection import Inspection
from app.gui.bridge.engine_thread import OnRefused, Worker
from app.gui.bridge.jobs import Job
from app.gui.kit.controls import button
from app.gui.kit.document import DocumentView, parts_html
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.folded import Section
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.theme import Theme
from app.gui.routing.servers import SERVERS, ServersDialog
from app.services.routing.store_evaluation import StoreEvaluation, evaluate_stores_on_cases
from app.services.routing.stores import StoreRun, StoreState


class RouteAnswersPart(QWidget):
    """Part that queries the stores on request only."""

    copied = Signal(str)  # a sentence
    fill_requested = Signal(str, str)  # the store, and the statements that would prepare it

    def __init__(self, theme: Theme, worker: Worker, refuse: OnRefused) -> None:
        super().__init__()
        self.theme, self._worker = theme, worker
        self._job, self._loading = Job(worker, self, refuse), Job(worker, self, refuse)
        self.query = ""
        self.shown: StoreRunView | None = None
        self.is_running = False
        self.dialog: ServersDialog | None = None
        self._asked: str | None = None
        self._filled = ""
        self._is_on = True
        self._addresses: Mapping[str, str] = {}
        self.begin = button(
            "Ask the stores",
            primary=True,
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
        self.sheet = AnswersSheet(theme, "What the stores answered")
        self.states = DocumentView(theme, "The stores", is_whole=True)
        self.copies: list[QPushButton] = []
        self._arrange()
        always = (self.servers, self.stop, self.begin)
        self.section = Section(theme, "Stores", self, right=(self.compare, self.judge_cases), always=always)
        self._show_state()

    def _arrange(self) -> None:
        px = self.theme.px
        told = fill(spaced(QHBoxLayout(), 0, px(16), 0, px(16), px(6)), self.message)
        self._foot = fill(spaced(QHBoxLayout(), px(6), px(16), 0, px(16), px(8)), 1)
        fill(spaced(QVBoxLayout(self)), self.states, told, self.sheet, self._foot)

    def focus_stops(self) -> list[QWidget]:
        verbs = (self.compare, self.judge_cases, self.servers, self.stop, self.begin)
        copies = self.copies if self.section.is_open else ()
        return [self.section.line, *(each for each in verbs if not each.isHidden()), *copies]

    # ---- requests

    def show_core_state(self, core_state: CoreState) -> None:
        """Update the controls: routing may have been switched off."""
        self._is_on = core_state.settings.route.enabled
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
        """Query the stores with the query of the window."""
        if self._is_on and self.query.strip():
            asked = self._asked = self.query
            self.is_running = True
            self._job.follow(
                lambda bench: bench.stores.run(asked, compare=compare), self._on_progress, self._on_finished
            )
            self._show_state()

    def _on_states(self, states: Sequence[StoreState]) -> None:
        rows = tuple(TraceRow(state.store, quiet=state_sentence(state)) for state in states)
        self.states.show_html(parts_html("", "", (TracePart("Which store answers", rows),)))
        self.section.line.show_summary(stores_summary(states))

    def judge(self) -> None:
        """Evaluate the stores on the library's labelled queries."""
        self._asked, self.is_running = None, True
        self._job.follow(
            lambda bench: evaluate_stores_on_cases(bench, bench.stores), self._on_judged, self._on_finished
        )
        self._show_state()

    def open_servers(self) -> None:
        self.dialog = ServersDialog(self.theme, self._worker, self, self._addresses)
        self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.dialog.loaded.connect(self._on_states)
        self.dialog.fill_requested.connect(self._ask_fill)
        self.dialog.open()

    def _ask_fill(self, name: str) -> None:
        self._job.do(lambda bench: bench.stores.setup(name), lambda setup: self.fill_requested.emit(name, setup))

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
        self._show(store_run_view(run))

    def _on_judged(self, found: StoreEvaluation) -> None:
        self._show(store_evaluation_view(found))

    def _show(self, shown: StoreRunView) -> None:
        self.shown = shown
        self.sheet.show_columns(side_by_side(shown))
        self.message.show_text(shown.sentence)

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
        self.begin.setVisible(not self.is_running)
        self.stop.setVisible(self.is_running)
        if self.shown is None:
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
        for column in self.shown.columns if self.shown is not None else ():
            if not column.statement:
                continue
            made = button(
                f"Copy the query of {column.store}",
                link=True,
                press=partial(self._copy, column.store, column.statement),
            )
            self._foot.insertWidget(len(self.copies), made)
            self.copies.append(made)

    def _copy(self, store: str, statement: str) -> None:
        QGuiApplication.clipboard().setText(statement)
        self.copied.emit(f"The query of {store} is on the clipboard.")


# ---- Sheet of answers: one column per store, or a single column if narrow.

_PAD, _GAP = 16.0, 20.0
_LEAST = 210.0
"""Minimum width of a column, in units."""
_PLACE = 22.0
_MOST_LINES = 8


class AnswersSheet(Sheet):
    columns: tuple[StoreColumn, ...] = ()

    def show_columns(self, columns: tuple[StoreColumn, ...]) -> None:
        """Draw these columns, unless they are already drawn."""
        if columns != self.columns:
            self.columns = columns
            self.update()

    def compose(self, canvas: Canvas) -> float:
        if not self.columns:
            return 0.0
        count = max(1, min(len(self.columns), int((canvas.width - 2 * _PAD + _GAP) // (_LEAST + _GAP))))
        wide = (canvas.width - 2 * _PAD - (count - 1) * _GAP) / count
        top = bottom = 10.0
        for place, column in enumerate(self.columns):
            if place and place % count == 0:
                top = bottom + 16
            x = _PAD + place % count * (wide + _GAP)
            bottom = max(bottom, self._column(canvas, column, x, wide, top))
        return bottom + 12

    def _column(self, canvas: Canvas, column: StoreColumn, x: float, wide: float, y: float) -> float:
        face = self.theme.face
        high = 46.0
        canvas.fill(QRectF(x, y, wide, high), "accent_soft" if column.is_routed else "sunken", 6)
        ms = f"{column.ms} ms" if column.ms else ""
        room = face(11, mono=True).width(ms) + 4 if ms else 0.0
        runs = [(column.store, face(13, 600), "accent" if column.is_routed else "text")]
        if column.is_routed and column.by:
            runs.append(("  routed", face(11, 600), "accent"))
        canvas.runs(x + 10, y + 6, 18, runs, wide - 24 - room)
        if ms:
            canvas.text(QRectF(x + wide - 10 - room, y + 6, room, 18), ms, face(11, mono=True), "text_2", RIGHT)
        canvas.text(QRectF(x + 10, y + 25, wide - 20, 16), origin_sentence(column), face(11), "text_2")
        y += high + 8
        if column.note:
            y += canvas.paragraph(QRectF(x + 10, y, wide - 20, 120), column.note, face(12), "text_2", lines=6) + 6
        for hit in column.hits:
            y = self._hit(canvas, hit, x, wide, y)
        return self._statement(canvas, column, x, wide, y + 4)

    def _hit(self, canvas: Canvas, hit: HitView, x: float, wide: float, y: float) -> float:
        """Draw a hit; one in the routed answer is emphasised and has a bar before it."""
        face = self.theme.face
        if hit.is_answer:
            canvas.fill(QRectF(x, y + 2, 3, 31), "accent", 1)
        token = "text" if hit.is_answer else "text_2"
        number = face(12, mono=True)
        room = number.width(hit.score) + 4
        canvas.text(QRectF(x + 10, y, _PLACE, 18), hit.place, face(11, mono=True), "text_2")
        name = QRectF(x + 10 + _PLACE, y, wide - 24 - room - _PLACE, 18)
        canvas.text(name, hit.name, face(12, 600 if hit.is_answer else 400), token)
        canvas.text(QRectF(x + wide - 10 - room, y, room, 18), hit.score, number, token, RIGHT)
        if hit.is_answer:
            canvas.aside("in the routed answer")
        if hit.evidence:
            canvas.text(QRectF(x + 10 + _PLACE, y + 17, wide - 20 - _PLACE, 16), hit.evidence, face(11), "text_2")
        return y + 38

    def _statement(self, canvas: Canvas, column: StoreColumn, x: float, wide: float, y: float) -> float:
        if not column.statement:
            return y
        face = self.theme.face
        canvas.line(x, y + 0.5, x + wide, y + 0.5)
        rect = QRectF(x + 10, y + 8, wide - 20, 200)
        return y + 8 + canvas.paragraph(rect, column.statement, face(10, mono=True), "text_2", lines=_MOST_LINES)
