"""LLM pane: outcome, sentence, budget and probabilities; raw prompt and reply in a dialog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.display.scope.llm import LlmStatus, RawText, raw_texts, raw_title, status_of, without_breaks
from app.domain.llm import LlmChoice, LlmOutcome, LlmReport
from app.domain.match import Query
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.canvas import RIGHT, Canvas
from app.gui.kit.controls import PaneHeader, button, single_shot
from app.gui.kit.fields import PlainField
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.sheet import Sheet
from app.gui.kit.theme import Theme, styled
from app.gui.scope.panels.panel import HEAD, Panel

_SOFT = {"success": "success_soft", "warning": "warning_soft", "danger": "danger_soft"}
_LEAST_HEIGHT, _LOW_HEIGHT, _TALL_HEIGHT, _LATER_HEIGHT = 76.0, 158.0, 252.0, 34.0
_LOW_FROM, _TALL_FROM = 340.0, 620.0
"""Minimum column heights for three types, and for all six with details."""

_SENTENCE_AT, _BARS_AT, _LOW_ROW, _TALL_ROW = 3.0, 41.0, 17.0, 20.0
_LOW_BARS, _TALL_BARS = 3, 6
_EQUATION = 112.0
"""Height that a wrapped equation needs: its result, three lines, and the model below."""
_FAULT = "danger"
"""Colour of faults of the connection."""

TICK_MS = 50
"""Interval in ms of drawing the remaining budget."""


class Countdown(QObject):
    """The used part of the LLM's budget. It ticks only during a query."""

    def __init__(self, tick: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self.clock: Callable[[], float] = perf_counter
        self.tick = tick
        self._began = 0.0
        self._pause = self._budget = 0.0
        self._timer = single_shot(self, 0, self._on_time)

    @property
    def is_running(self) -> bool:
        return self._timer.isActive()

    @property
    def used_ms(self) -> float:
        """Used part of the budget in ms; 0 during the typing pause, which does not count."""
        return min(self._budget, max(0.0, (self.clock() - self._began) * 1000.0 - self._pause))

    def start(self, pause_ms: float, budget_ms: float, gone_ms: float) -> None:
        """Start for a query that began `gone_ms` ago."""
        self._began = self.clock() - gone_ms / 1000.0
        self._pause, self._budget = pause_ms, budget_ms
        self._timer.start(max(TICK_MS, round(pause_ms - gone_ms)))

    def stop(self) -> None:
        self._timer.stop()

    def _on_time(self) -> None:
        if self.used_ms < self._budget:
            self._timer.start(TICK_MS)
        self.tick()


class LlmStatusSheet(Sheet):
    """Sheet of a status; if it `leads`, a click opens the remedy."""

    shown: LlmStatus = status_of(None)
    pressed = Signal()

    @property
    def leads(self) -> bool:
        """True if a click has an effect."""
        return True

    def show_status(self, shown: LlmStatus) -> None:
        before = self.sizeHint()
        self.shown = shown
        self.setCursor(Qt.CursorShape.PointingHandCursor if self.leads else Qt.CursorShape.ArrowCursor)
        if self.sizeHint() != before:  # otherwise the whole window would be laid out again
            self.updateGeometry()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_within = self.rect().contains(event.position().toPoint())
        if self.leads and is_within and event.button() is Qt.MouseButton.LeftButton:
            self.pressed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.leads and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.pressed.emit()
        else:
            super().keyPressEvent(event)


class Pill(LlmStatusSheet):
    """Outcome of the LLM as an icon and a word; a click leads to the remedy."""

    def compose(self, canvas: Canvas) -> float:
        shown, font = self.shown, self.theme.face(11, 600)
        width = min(canvas.width, font.width(shown.word) + 34)
        x = canvas.width - width
        canvas.fill(QRectF(x, 2, width, 20), _SOFT.get(shown.token, "sunken"), 10)
        if self.hasFocus():
            canvas.line(x + 8, 22.5, x + width - 8, 22.5, "accent", 2)
        canvas.icon(shown.icon, x + 8, 5.5, 13, shown.token)
        canvas.text(QRectF(x + 25, 2, width - 27, 20), shown.word, font, shown.token)
        return 24

    def sizeHint(self) -> QSize:
        width = self.theme.face(11, 600).width(self.shown.word) + 34
        return QSize(self.theme.px(width + 1), self.theme.px(24))


class LlmSheet(LlmStatusSheet):
    """Sentence, budget or probabilities, and the merge; a fault leads to its remedy."""

    used_ms = 0.0

    @property
    def leads(self) -> bool:
        return self.shown.token == _FAULT

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(self.theme.color("accent"), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    @property
    def is_tall(self) -> bool:
        return self.units >= _TALL_HEIGHT - HEAD - 1

    def compose(self, canvas: Canvas) -> float:
        face, shown = self.theme.face, self.shown
        quiet = shown.token == "text_2"
        is_alone = not (shown.bars or shown.asking or self.leads)
        room = QRectF(16, _SENTENCE_AT, canvas.width - 32, max(36.0, self.units - _SENTENCE_AT) if is_alone else 36)
        lines = max(2, int(room.height() // 18))
        canvas.paragraph(room, without_breaks(shown.sentence), face(12), "text_2" if quiet else "text", lines=lines)
        row = _TALL_ROW if self.is_tall else _LOW_ROW
        most = _TALL_BARS if self.is_tall else _LOW_BARS
        if self.units < _BARS_AT + most * row:
            self._aside(canvas)
            return self.units
        if self.leads:
            canvas.text(QRectF(16, _BARS_AT, canvas.width - 32, row), "Open the connection", face(12, 600), "accent")
        if shown.asking:
            self._budget(canvas, _BARS_AT)
        for place, bar in enumerate(shown.bars[:most]):
            self._bar(canvas, bar, _BARS_AT + place * row, row, first=place == 0)
        y = _BARS_AT + most * row + 3
        if shown.in_time is not None:
            y += self._in_time(canvas, shown.in_time, y)
        if len(shown.bars) <= 1:
            self._later(canvas, _BARS_AT + len(shown.bars) * row + 4, y + 1)
        else:
            self._later(canvas, y + 19, self.units - (26 if self.is_tall else 2))
        if self.is_tall and shown.about:
            high = canvas.wrapped_height(shown.about, canvas.width - 32, face(11), 2)
            where = QRectF(16, self.units - 10 - high, canvas.width - 32, high)
            canvas.paragraph(where, shown.about, face(11), "text_2", lines=2)
        return self.units

    @property
    def units(self) -> float:
        return self.height() / self.theme.scale

    def _aside(self, canvas: Canvas) -> None:
        """Add text without space on screen for screen readers."""
        canvas.written += [f"{name} {text}" for name, _, text in self.shown.bars]
        canvas.written += [" ".join(filter(None, self.shown.in_time or ())), *self.shown.later]

    def _budget(self, canvas: Canvas, y: float) -> None:
        """Draw the remaining budget; its changing number is not for screen readers."""
        shown, number = self.shown, self.theme.face(11, mono=True)
        left = max(0.0, shown.budget_ms - self.used_ms)
        text = f"{left:.0f} ms left"
        wide = number.width(f"{shown.budget_ms:.0f} ms left")
        track = QRectF(16, y + 5, canvas.width - 32 - wide - 10, 7)
        canvas.bar(track, left / shown.budget_ms if shown.budget_ms else 0.0, self.theme.tokens.bar)
        written = len(canvas.written)
        canvas.text(QRectF(canvas.width - 16 - wide, y, wide, 17), text, number, "text_2", RIGHT)
        del canvas.written[written:]
        if shown.pause_ms:
            sentence = f"After a typing pause of {shown.pause_ms:g} ms, not counted."
            canvas.text(QRectF(16, y + 19, canvas.width - 32, 16), sentence, self.theme.face(11), "text_2")

    def _bar(self, canvas: Canvas, bar: tuple[str, float, str], y: float, row: float, *, first: bool) -> None:
        name, value, text = bar
        face, token = self.theme.face, "text" if first else "text_2"
        weight = 600 if first else 400
        canvas.text(QRectF(16, y, 90, row), name, face(12, weight), token)
        track = QRectF(108, y + row / 2 - 3, canvas.width - 108 - 66, 6)
        canvas.bar(track, value, self.theme.tokens.accent if first else self.theme.tokens.bar)
        canvas.text(QRectF(canvas.width - 66, y, 50, row), text, face(11, weight, mono=True), token, RIGHT)

    def _in_time(self, canvas: Canvas, said: tuple[str, str, str], y: float) -> float:
        """Draw the merge; return the height of the equation's further lines, if there is space for them."""
        word, how, result = said
        face, mono, wide = self.theme.face, self.theme.face(11, mono=True), canvas.width - 32
        runs = [(f"{word}  ", face(11), "text_2"), (result, face(11, 700, mono=True), "text")]
        equation, taken = (f" = {how}" if how else ""), sum(font.width(text) for text, font, _ in runs)
        fits = taken + mono.width(equation) <= wide or self.units < y + _EQUATION
        canvas.runs(16, y, 16, [*runs, (equation, mono, "text")] if fits else runs, wide)
        return 0.0 if fits else canvas.paragraph(QRectF(16, y + 16, wide, 54), equation.strip(), mono, "text", lines=3)

    def _later(self, canvas: Canvas, y: float, end: float) -> None:
        """Draw topics and reasoning between two heights; the rest is still for screen readers."""
        font = self.theme.face(11)
        for text in self.shown.later:
            if y + 15 > end:
                canvas.written.append(text)
                continue
            canvas.text(QRectF(16, y, canvas.width - 32, 16), text, font, "text_2")
            y += 16


class LlmPanel(Panel):
    """LLM pane; its height depends on column and settings, never on a query's outcome."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "LLM")
        self.sheet = LlmSheet(theme, "LLM")
        self.sheet.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.pill = Pill(theme, "How the LLM fared")
        self.pill.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.pill.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.pill.setToolTip("Open the connection to the LLM")
        self.pill.pressed.connect(self._open_llm_settings)
        self.sheet.pressed.connect(self._open_llm_settings)
        what = "Show the raw prompt and the raw reply"
        self.raw = button("Raw", link=True, tip=what, name=what, press=self.show_raw)
        self.connect_it = button(
            "Connect…",
            link=True,
            tip="Choose the server and the model that improve on the keywords",
            press=lambda: self.action_requested.emit("llm"),
        )
        self.head = PaneHeader(theme, "LLM", self.pill, self.raw, self.connect_it)
        self.raw.hide()
        self.column.addWidget(self.head)
        self.column.addWidget(self.sheet, 1)
        self.countdown = Countdown(self.tick, self)
        self.dialog: RawDialog | None = None
        self._asked: Query | None = None
        self._is_on = self._has_details = False

    def focus_target(self) -> QWidget:
        return self.sheet

    def show_state(self, scope_state: ScopeState) -> None:
        self.scope_state = scope_state
        status, inspection = scope_state.status, scope_state.inspection
        state = status.llm if status is not None else None
        self._request_height(state is not None and state.outcome is not LlmOutcome.OFF)
        report = inspection.trace.llm if inspection is not None else None
        self._count(report)
        shown = status_of(report, inspection=inspection, settings=scope_state.settings, state=state)
        self.raw.setEnabled(
            report is not None and bool(raw_texts(report, inspection.trace.choices if inspection is not None else ()))
        )
        self.raw.setVisible(self._is_on)
        self.connect_it.setVisible(not self._is_on)
        if shown != self.sheet.shown:
            self.sheet.show_status(shown)
            self.pill.show_status(shown)
            self.size_wish_changed.emit()
        if self.dialog is not None and inspection is not None and report is not None:
            self.dialog.show_report(inspection.query.text, report, inspection.trace.choices)

    def summary(self) -> str:
        return self.sheet.shown.word.lower()

    def show_raw(self) -> None:
        """Open the raw dialog beside the window, or bring it to the front; it follows later queries."""
        inspection = self.scope_state.inspection
        if self.dialog is None:
            self.dialog = RawDialog(self.theme, self.window())
            self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.dialog.finished.connect(self._on_closed)
        if inspection is not None and inspection.trace.llm is not None:
            self.dialog.show_report(inspection.query.text, inspection.trace.llm, inspection.trace.choices)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def _open_llm_settings(self) -> None:
        self.action_requested.emit("llm")

    def height_in(self, column: float) -> float | None:
        if not self._is_on or column < _LOW_FROM:
            return _LEAST_HEIGHT
        height = _TALL_HEIGHT if column >= _TALL_FROM else _LOW_HEIGHT
        return height + (_LATER_HEIGHT if self._has_details else 0.0)

    def hideEvent(self, event: QHideEvent) -> None:
        self.countdown.stop()
        super().hideEvent(event)

    def _request_height(self, is_on: bool) -> None:
        """Request another height if an LLM or its details have been configured."""
        details = self.scope_state.settings is not None and self.scope_state.settings.llm.details
        if (is_on, details) != (self._is_on, self._has_details):
            self._is_on, self._has_details = is_on, details
            self.size_wish_changed.emit()

    def _count(self, report: LlmReport | None) -> None:
        inspection = self.scope_state.inspection
        if report is None or inspection is None or report.outcome is not LlmOutcome.ASKING or not self.isVisible():
            self._asked = None
            self.countdown.stop()
        elif inspection.query is not self._asked:
            self._asked = inspection.query
            self.sheet.used_ms = 0.0
            self.countdown.start(report.pause_ms, report.budget_ms, inspection.trace.settled_ms)

    def tick(self) -> None:
        self.sheet.used_ms = self.countdown.used_ms
        self.sheet.update()

    def _on_closed(self) -> None:
        self.dialog = None


# ---- Raw prompt and reply of the LLM as text, in a modeless dialog.


class RawDialog(QDialog):
    """Dialog with prompt and reply of the last LLM query, which follows the pane."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setModal(False)
        self.setWindowTitle("Raw prompt and reply")
        self.resize(theme.px(640), theme.px(560))
        self._raws: tuple[RawText, ...] = ()
        self.query, self.about = self._label(), self._label()
        self.none = styled(self._label(), role="caption")
        self.none.setText("Nothing stored: the LLM has not been asked, or its reply could not be read.")
        self._texts: list[tuple[QLabel, PlainField]] = []
        self._body = spaced(QVBoxLayout(), theme.px(4))
        self.copy_button = button("Copy all", press=self.copy)
        buttons = fill(QHBoxLayout(), 1, self.copy_button, button("Close", press=self.close))
        column = spaced(QVBoxLayout(self), theme.px(8), *(theme.px(16),) * 4)
        fill(column, self.query, self.about, self.none, (self._body, 1), buttons)
        styled(self.query, role="heading")
        styled(self.about, role="caption")

    @property
    def text(self) -> str:
        """All text shown, for the clipboard."""
        return "\n\n".join(f"{raw.title}:\n{raw.text}" for raw in self._raws)

    def show_report(self, query: str, report: LlmReport, choices: Sequence[LlmChoice] = ()) -> None:
        """Show prompt and reply; a report without both keeps the last one."""
        raws = raw_texts(report, choices)
        if not raws and self._raws:
            return
        self.query.setText(query[:300])
        self.about.setText(raw_title(report))
        self.none.setVisible(not raws)
        self.copy_button.setEnabled(bool(raws))
        if raws == self._raws:
            return
        self._raws = raws
        while len(self._texts) < len(raws):
            self._add()
        for place, (title, field) in enumerate(self._texts):
            raw = raws[place] if place < len(raws) else None
            title.setVisible(raw is not None)
            field.setVisible(raw is not None)
            if raw is not None:
                title.setText(raw.title)
                field.setAccessibleName(raw.title)
                field.setPlainText(raw.text)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)

    def _add(self) -> None:
        title, field = styled(self._label(), role="section"), PlainField(self.theme, "")
        self._texts.append((title, field))
        self._body.addWidget(title)
        self._body.addWidget(field, 1)

    def _label(self) -> QLabel:
        return QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
