"""The LLM lane: a pill, a sentence, the budget running down and the probabilities, in a place that never moves."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.display import words
from app.display.llm import Lane, lane, unbroken
from app.display.raw import raw_text
from app.domain.llm import LlmOutcome, LlmReport
from app.domain.query import Query
from app.gui.controls import button
from app.gui.moment import Moment
from app.gui.panels.panel import Panel
from app.gui.panels.raw_dialog import RawDialog
from app.gui.pen import RIGHT, Pen
from app.gui.sheet import Sheet
from app.gui.theme import Theme

_SOFT = {"success": "success_soft", "warning": "warning_soft", "danger": "danger_soft"}
_OFF_HEIGHT, _LOW_HEIGHT, _TALL_HEIGHT, _LATER_HEIGHT = 76, 158, 252, 34
_TALL_FROM = 620
"""With a column this high the lane shows all six types, and what was asked."""

_BARS_AT, _LOW_ROW, _TALL_ROW = 75.0, 17.0, 20.0
_LOW_BARS, _TALL_BARS = 3, 6
TICK_MS = 50
"""How often the budget is drawn anew while it runs down."""


class Countdown(QObject):
    """How much of the LLM's budget is left. It ticks only while a query is asked, and stops by itself."""

    def __init__(self, tick: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self.clock: Callable[[], float] = perf_counter
        self._tick = tick
        self._began = 0.0
        self._pause = self._budget = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_time)

    @property
    def is_running(self) -> bool:
        return self._timer.isActive()

    @property
    def used_ms(self) -> float:
        """How much of the budget is gone; 0 during the typing pause, which counts for nothing."""
        return min(self._budget, max(0.0, (self.clock() - self._began) * 1000.0 - self._pause))

    def start(self, pause_ms: float, budget_ms: float, gone_ms: float) -> None:
        """Begin for a query that was taken up so long ago."""
        self._began = self.clock() - gone_ms / 1000.0
        self._pause, self._budget = pause_ms, budget_ms
        self._timer.start(max(TICK_MS, round(pause_ms - gone_ms)))

    def stop(self) -> None:
        self._timer.stop()

    def _on_time(self) -> None:
        if self.used_ms < self._budget:
            self._timer.start(TICK_MS)
        self._tick()


class LlmSheet(Sheet):
    """Title, pill, sentence, the budget or the probabilities, what the merge made of them."""

    shown: Lane = lane(None)
    is_tall = False
    used_ms = 0.0
    link = 0.0
    """How much room the link at the right takes."""

    def compose(self, pen: Pen) -> float:
        face, shown = self.theme.face, self.shown
        pen.line(0, 0.5, pen.width, 0.5)
        pen.text(QRectF(16, 1, 60, 35), self.tr("LLM"), face(12, 600))
        self._pill(pen)
        quiet = shown.token == "text_2"
        room = QRectF(16, 37, pen.width - 32, 36)
        pen.paragraph(room, unbroken(shown.sentence), face(12), "text_2" if quiet else "text", lines=2)
        if shown.asking:
            self._budget(pen, _BARS_AT)
        row = _TALL_ROW if self.is_tall else _LOW_ROW
        most = _TALL_BARS if self.is_tall else _LOW_BARS
        for place, bar in enumerate(shown.bars[:most]):
            self._bar(pen, bar, _BARS_AT + place * row, row, first=place == 0)
        y = _BARS_AT + most * row + 3
        if shown.in_time is not None:
            self._in_time(pen, shown.in_time, y)
        if len(shown.bars) <= 1:
            self._later(pen, _BARS_AT + len(shown.bars) * row + 4, y + 1)
        else:
            self._later(pen, y + 19, self.units - (26 if self.is_tall else 2))
        if self.is_tall and shown.about:
            pen.text(QRectF(16, self.units - 26, pen.width - 32, 16), shown.about, face(11), "text_2")
        return self.units

    @property
    def units(self) -> float:
        return self.height() / self.theme.scale

    def _pill(self, pen: Pen) -> None:
        shown, font = self.shown, self.theme.face(11, 600)
        width = font.width(shown.word) + 34
        x = pen.width - 16 - width - self.link
        pen.fill(QRectF(x, 8, width, 20), _SOFT.get(shown.token, "sunken"), 10)
        pen.icon(shown.icon, x + 8, 11.5, 13, shown.token)
        pen.text(QRectF(x + 25, 8, width - 27, 20), shown.word, font, shown.token)

    def _budget(self, pen: Pen, y: float) -> None:
        """What is left of the budget. The running number is no text to be read aloud twenty times a second."""
        shown, number = self.shown, self.theme.face(11, mono=True)
        left = max(0.0, shown.budget_ms - self.used_ms)
        text = words.say("{ms} ms left", ms=f"{left:.0f}")
        wide = number.width(words.say("{ms} ms left", ms=f"{shown.budget_ms:.0f}"))
        track = QRectF(16, y + 5, pen.width - 32 - wide - 10, 7)
        pen.bar(track, left / shown.budget_ms if shown.budget_ms else 0.0, self.theme.tokens.bar)
        written = len(pen.written)
        pen.text(QRectF(pen.width - 16 - wide, y, wide, 17), text, number, "text_2", RIGHT)
        del pen.written[written:]
        if shown.pause_ms:
            said = words.say("After a typing pause of {ms} ms, not counted.", ms=f"{shown.pause_ms:g}")
            pen.text(QRectF(16, y + 19, pen.width - 32, 16), said, self.theme.face(11), "text_2")

    def _bar(self, pen: Pen, bar: tuple[str, float, str], y: float, row: float, *, first: bool) -> None:
        name, value, text = bar
        face, token = self.theme.face, "text" if first else "text_2"
        weight = 600 if first else 400
        pen.text(QRectF(16, y, 90, row), name, face(11, weight), token)
        track = QRectF(108, y + row / 2 - 3, pen.width - 108 - 66, 6)
        pen.bar(track, value, self.theme.tokens.accent if first else self.theme.tokens.bar)
        pen.text(QRectF(pen.width - 66, y, 50, row), text, face(11, weight, mono=True), token, RIGHT)

    def _in_time(self, pen: Pen, said: tuple[str, str, str], y: float) -> None:
        word, how, result = said
        face = self.theme.face
        runs = [(f"{word}  ", face(11), "text_2")]
        runs += [(f"{how} = ", face(11, mono=True), "text")] if how else []
        pen.runs(16, y, 16, [*runs, (result, face(11, 700, mono=True), "text")], pen.width - 32)

    def _later(self, pen: Pen, y: float, end: float) -> None:
        """Topics and reasoning between two heights; what does not fit is still read aloud."""
        font = self.theme.face(11)
        for text in self.shown.later:
            if y + 15 > end:
                pen.written.append(text)
                continue
            pen.text(QRectF(16, y, pen.width - 32, 16), text, font, "text_2")
            y += 16


class LlmPanel(Panel):
    """The pane. Its height follows the column and whether an LLM is set up, never how a query fared."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("LLM"))
        self.sheet = LlmSheet(theme, self.tr("LLM"))
        self.column.addWidget(self.sheet)
        self.raw = button(self.tr("Raw"), link=True, press=self.show_raw)
        self.raw.setParent(self.sheet)
        self.raw.setToolTip(self.tr("Show the raw prompt and the raw reply"))
        self.raw.setAccessibleName(self.tr("Show the raw prompt and the raw reply"))
        self.raw.hide()
        self.countdown = Countdown(self._tick, self)
        self.dialog: RawDialog | None = None
        self._watched: QWidget | None = None
        self._asked: Query | None = None
        self._is_on = False
        self._fit()

    def show_moment(self, moment: Moment) -> None:
        self.moment = moment
        status, inspection = moment.status, moment.inspection
        state = status.llm if status is not None else None
        self._is_on = state is not None and state.outcome is not LlmOutcome.OFF
        self._fit()
        report = inspection.trace.llm if inspection is not None else None
        self._count(report)
        shown = lane(report, inspection=inspection, settings=moment.settings, state=state)
        self.raw.setEnabled(report is not None and bool(raw_text(report)))
        self.raw.setVisible(self._is_on)
        if shown != self.sheet.shown:
            self.sheet.shown = shown
            self.sheet.update()
        if self.dialog is not None and inspection is not None and report is not None:
            self.dialog.show_report(inspection.query.text, report)

    def show_raw(self) -> None:
        """Open the dialog beside the window, or bring it to the front; it follows what is asked from then on."""
        inspection = self.moment.inspection
        if self.dialog is None:
            self.dialog = RawDialog(self.theme, self.window())
            self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.dialog.finished.connect(self._on_closed)
        if inspection is not None and inspection.trace.llm is not None:
            self.dialog.show_report(inspection.query.text, inspection.trace.llm)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._watched and event.type() is QEvent.Type.Resize:
            self._fit()
        return False

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.ParentChange and self.parentWidget() is not self._watched:
            self._watched = self.parentWidget()
            if self._watched is not None:
                self._watched.installEventFilter(self)
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()
        super().resizeEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self.countdown.stop()
        super().hideEvent(event)

    def _fit(self) -> None:
        """Take the height that this column allows for what is set up."""
        px = self.theme.px
        column = self._watched.height() if self._watched is not None else 0
        self.sheet.is_tall = self._is_on and column >= px(_TALL_FROM)
        height = _TALL_HEIGHT if self.sheet.is_tall else _LOW_HEIGHT
        if self.moment.settings is not None and self.moment.settings.llm.details:
            height += _LATER_HEIGHT
        self.setFixedHeight(px(height if self._is_on else _OFF_HEIGHT))
        self._place()

    def _place(self) -> None:
        hint = self.raw.sizeHint()
        self.raw.setGeometry(
            self.width() - self.theme.px(12) - hint.width(), self.theme.px(6), hint.width(), self.theme.px(24)
        )
        self.sheet.link = hint.width() / self.theme.scale if self._is_on else 0.0

    def _count(self, report: LlmReport | None) -> None:
        inspection = self.moment.inspection
        if report is None or inspection is None or report.outcome is not LlmOutcome.ASKING or not self.isVisible():
            self._asked = None
            self.countdown.stop()
        elif inspection.query is not self._asked:
            self._asked = inspection.query
            self.sheet.used_ms = 0.0
            self.countdown.start(report.pause_ms, report.budget_ms, inspection.trace.settled_ms)

    def _tick(self) -> None:
        self.sheet.used_ms = self.countdown.used_ms
        self.sheet.update()

    def _on_closed(self) -> None:
        self.dialog = None
