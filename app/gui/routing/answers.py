"""The answers of the data stores, routed ones or all side by side, with evidence, times and native queries."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.display.routing.store_evaluation import store_evaluation_view
from app.display.routing.stores import (
    HitView,
    StoreColumn,
    StoreRunView,
    filling_progress,
    origin_sentence,
    side_by_side,
    store_run_view,
)
from app.domain.scope.inspection import Inspection
from app.gui.kit.controls import EmptyState, button
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet, scrolled
from app.gui.kit.fields import LONGEST
from app.gui.kit.layouts import spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.routing.jobs import RouteJobs
from app.gui.routing.servers import ServersDialog
from app.services.routing.store_evaluation import StoreEvaluation
from app.services.routing.stores import StoreRun


class RouteAnswersPart(QWidget):
    """Queries the stores only on request."""

    typed = Signal(str)
    copied = Signal(str)  # a sentence

    def __init__(self, theme: Theme, jobs: RouteJobs) -> None:
        super().__init__()
        self.theme, self.jobs = theme, jobs
        self._is_typed_here = False
        self.shown: StoreRunView | None = None
        self.is_running = False
        self.dialog: ServersDialog | None = None
        self._asked: str | None = None
        self._filled = ""
        self._is_on = True
        self.line = QLineEdit()
        self.line.setMaxLength(LONGEST)
        self.line.setPlaceholderText("Type a query to have the stores answer it")
        self.line.setAccessibleName("Query")
        self.begin = button(
            "Run",
            primary=True,
            tip="Query the stores of the decision (Enter)",
            press=partial(self.run, compare=False),
        )
        self.compare = button(
            "Compare all",
            tip="Query every store",
            press=partial(self.run, compare=True),
        )
        self.judge_cases = button(
            "Judge",
            tip="Run the labelled queries of the library on every store, and check the routed answer",
            press=self.judge,
        )
        self.servers = button(
            "Servers…",
            tip="Content, state, password and filling of each server",
            press=self.open_servers,
        )
        self.stop = button("Stop", tip="Stop waiting for stores", press=self.cancel)
        self.message = WrappedLabel(role="caption")
        self.sheet = AnswersSheet(theme, "What the stores answered")
        self.area = scrolled(self.sheet, "What the stores answered")
        self.empty = EmptyState(
            theme,
            "route",
            "No store was asked yet",
            "Run queries the stores of the decision; Compare all queries the others, too.",
        )
        self.copies: list[QPushButton] = []
        self._arrange()
        self.line.textEdited.connect(self._on_typed)
        self.line.returnPressed.connect(partial(self.run, compare=False))
        jobs.run_progressed.connect(self._on_progress)
        jobs.judged.connect(self._on_judged)
        jobs.run_finished.connect(self._on_finished)
        jobs.fill_progressed.connect(self._on_filled)
        styled(self.line, role="probe")
        self._show_state()

    def _arrange(self) -> None:
        px = self.theme.px
        top = spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(6))
        top.addWidget(self.line, 1)
        for each in (self.begin, self.compare, self.judge_cases, self.servers, self.stop):
            top.addWidget(each)
        told = QHBoxLayout()
        told.setContentsMargins(px(16), 0, px(16), px(6))
        told.addWidget(self.message)
        body = QWidget()
        self._foot = QHBoxLayout()
        self._foot.setContentsMargins(px(16), px(6), px(16), px(8))
        self._foot.setSpacing(px(6))
        self._foot.addStretch(1)
        column = spaced(QVBoxLayout(body))
        column.addWidget(self.area, 1)
        column.addLayout(self._foot)
        self.body = body
        self.stack = QStackedWidget()
        self.stack.addWidget(body)
        self.stack.addWidget(self.empty)
        whole = spaced(QVBoxLayout(self))
        whole.addLayout(top)
        whole.addLayout(told)
        whole.addWidget(self.stack, 1)

    def focus_stops(self) -> list[QWidget]:
        """The focus stops, in order."""
        shown = [
            each
            for each in (self.begin, self.compare, self.judge_cases, self.servers, self.stop)
            if not each.isHidden()
        ]
        return [self.line, *shown, *([self.area, *self.copies] if self.shown is not None else [])]

    # ---- what is asked

    def show_core_state(self, core_state: CoreState) -> None:
        """Routing may have been switched off."""
        self._is_on = core_state.settings.route.enabled
        self._show_state()

    def show_inspection(self, inspection: Inspection | None) -> None:
        """Take the query of the window; the answers stay, with the query that they are of."""
        text = "" if inspection is None else inspection.query.text
        # Whoever types here is ahead of the answers.
        if not self._is_typed_here and text != self.line.text():
            self.line.setText(text)
        self._show_state()

    def follow(self) -> None:
        """Follow the query of the window again, whoever types it."""
        self._is_typed_here = False

    def run(self, *, compare: bool) -> None:
        """Query the stores with the text in the line."""
        text = self.line.text()
        if self._is_on and text.strip():
            self._asked, self.is_running = text, True
            self.jobs.run(text, compare=compare)
            self._show_state()

    def judge(self) -> None:
        """Have every store answer the labelled queries of the library."""
        self._asked, self.is_running = None, True
        self.jobs.judge()
        self._show_state()

    def open_servers(self) -> None:
        """Show the servers, each with what can be done with it."""
        self.dialog = ServersDialog(self.theme, self.jobs, self)
        self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.dialog.fill_requested.connect(self.jobs.ask_fill)
        self.dialog.open()

    def fill_store(self, name: str) -> None:
        """Bring what is taught into a server."""
        self.is_running = True
        self.jobs.fill(name)
        self._show_state()

    def _on_filled(self, done: int, whole: int) -> None:
        self._filled = filling_progress(done, whole)
        self.message.show_text(self._filled)

    def cancel(self) -> None:
        """Stop waiting; what has been answered stays."""
        if self.is_running:
            self.jobs.stop_run()
            self._on_finished("Stopped.")

    def _on_typed(self, text: str) -> None:
        self._is_typed_here = True
        self.typed.emit(text)
        self._show_state()

    def _on_progress(self, run: StoreRun) -> None:
        self._show(store_run_view(run))

    def _on_judged(self, found: StoreEvaluation) -> None:
        self._show(store_evaluation_view(found))

    def _show(self, shown: StoreRunView) -> None:
        self.shown = shown
        self.sheet.show_columns(side_by_side(shown))
        self.message.show_text(shown.sentence)
        self.stack.setCurrentWidget(self.body)

    def _on_finished(self, sentence: str) -> None:
        self.is_running = False
        self._show_copies()
        self._show_state()
        if told := sentence or self._filled:
            self.message.show_text(told)
        self._filled = ""

    def _show_state(self) -> None:
        can_run = self._is_on and bool(self.line.text().strip())
        for each in (self.begin, self.compare):
            each.setVisible(not self.is_running)
            each.setEnabled(can_run)
        self.judge_cases.setVisible(not self.is_running)
        self.judge_cases.setEnabled(self._is_on)
        self.servers.setVisible(not self.is_running)
        self.stop.setVisible(self.is_running)
        if self.shown is None:
            self.stack.setCurrentWidget(self.empty)
            if not self.is_running:
                self.message.show_text("" if self._is_on else "Routing is switched off (route.enabled).")
        elif not self.is_running and self._asked is not None and self.line.text() != self._asked:
            self.message.show_text(f"These answer “{self._asked[:200]}”.")

    # ---- what is copied

    def _show_copies(self) -> None:
        for old in self.copies:
            self._foot.removeWidget(old)
            old.hide()  # it lives until the event loop turns
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


# ---- The answers, drawn: one column a store, or one below the other where there is no room.

_PAD, _GAP = 16.0, 20.0
_LEAST = 210.0
"""A column is at least so wide."""
_PLACE = 22.0
_MOST_LINES = 8


class AnswersSheet(Sheet):
    """The answers as columns."""

    columns: tuple[StoreColumn, ...] = ()

    def show_columns(self, columns: tuple[StoreColumn, ...]) -> None:
        """Draw these from now on; nothing happens if they are drawn already."""
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
        """What is in the routed answer is strong, and has a bar before it."""
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
