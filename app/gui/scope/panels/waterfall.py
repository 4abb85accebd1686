"""Waterfall of a query: its stages on one linear time axis, with the budget of the floor."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QLabel

from app.display import numbers
from app.display.scope.timing import FLOOR_BUDGET_MS, LlmBar, StageBar, Waterfall, waterfall
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import PaneHeader
from app.gui.kit.drawing.canvas import LEFT, RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.scope.panels.panel import Panel, draw_empty

_LEFT = 100.0
_TIMES = 66.0
_AXIS_ROOM = 19.0
_LLM_ROOM = 32.0
_MOST_ROW = 24.0


class WaterfallSheet(Sheet):
    """Sheet of the stages."""

    shown: Waterfall | None = None
    has_query = False
    """True if there is a query, even without an answer yet."""

    def compose(self, canvas: Canvas) -> float:
        shown = self.shown
        height = self.height() / self.theme.scale
        if shown is None or not shown.bars:
            line = "Working" if self.has_query else "No query yet"
            return draw_empty(canvas, "clock", line, "The time of each stage appears here.", height)
        below = _AXIS_ROOM + (_LLM_ROOM if shown.llm is not None else 14.0)
        row = max(12.0, min(_MOST_ROW, (height - 3 - below) / len(shown.bars)))
        bottom = 2 + row * len(shown.bars)
        width = canvas.width - _LEFT - 12 - _TIMES
        self._grid(canvas, shown, width, bottom)
        for place, bar in enumerate(shown.bars):
            self._bar(canvas, shown, bar, 2 + place * row, row, width)
        canvas.explain(QRectF(0, 0, canvas.width, bottom), shown.scorers_text)
        self._settled(canvas, shown, width, bottom)
        self._budget(canvas, shown, row, width)
        if shown.llm is not None:
            self._llm(canvas, shown.llm, bottom + _AXIS_ROOM + 1, width)
        return height

    def _grid(self, canvas: Canvas, shown: Waterfall, width: float, bottom: float) -> None:
        for tick in shown.ticks:
            x = _LEFT + width * tick / shown.axis
            canvas.line(x, 0, x, bottom, "border")

    def _bar(self, canvas: Canvas, shown: Waterfall, bar: StageBar, y: float, row: float, width: float) -> None:
        face = self.theme.face
        name = canvas.text(QRectF(16, y, _LEFT - 20, row), bar.name, face(12))
        if bar.outcome and name < _LEFT - 40:
            canvas.text(QRectF(20 + name, y, _LEFT - 22 - name, row), bar.outcome, face(11), "text_2")
        x = _LEFT + width * bar.start / shown.axis
        reach = max(2.0, width * (bar.end - bar.start) / shown.axis)
        where = QRectF(x, y + (row - 9) / 2, reach, 9)
        if bar.rests:
            canvas.hatch(where)
        else:
            canvas.fill(where, "bar", 2)
        rect = QRectF(canvas.width - 12 - _TIMES, y, _TIMES, row)
        canvas.text(rect, bar.text, face(12, mono=True), "text_2", RIGHT)

    def _llm(self, canvas: Canvas, bar: LlmBar, y: float, width: float) -> None:
        """Draw the LLM on its own scale, hatched past its budget."""
        face = self.theme.face
        small, bold = face(11), face(11, 600)
        canvas.text(QRectF(16, y, _LEFT - 20, 14), "LLM", face(12))
        solid, end = width * bar.solid / bar.axis, width * bar.end / bar.axis
        if bar.end > 0.0:
            canvas.fill(QRectF(_LEFT, y + 2.5, max(2.0, solid), 9), "bar", 2)
        if end > solid:
            canvas.hatch(QRectF(_LEFT + solid, y + 2.5, max(2.0, end - solid), 9))
        if bar.end <= 0.0:
            canvas.line(_LEFT, y + 7, _LEFT + width, y + 7, "border")
        canvas.text(QRectF(canvas.width - 12 - _TIMES, y, _TIMES, 14), bar.text, face(12, mono=True), "text_2", RIGHT)
        budget = _LEFT + width * bar.budget / bar.axis
        canvas.line(budget, y - 1, budget, y + 16, "danger", 1.6)
        canvas.text(QRectF(16, y + 14, _LEFT - 20, 15), bar.scale_text, small, "text_2")
        wide = bold.width(bar.budget_text)
        x = max(_LEFT, min(budget - wide / 2, _LEFT + width - wide))
        canvas.text(QRectF(x, y + 14, wide + 2, 15), bar.budget_text, bold, "danger")
        text = small.width(bar.outcome)
        start = _LEFT + width - text
        if start > x + wide + 8:
            canvas.text(QRectF(start, y + 14, text + 2, 15), bar.outcome, small, "text_2")

    def _settled(self, canvas: Canvas, shown: Waterfall, width: float, bottom: float) -> None:
        """Draw the line of the final answer, and the ticks that its label leaves space for."""
        bold, small = self.theme.face(11, 600), self.theme.face(11, mono=True)
        settled = _LEFT + width * shown.settled / shown.axis
        canvas.line(settled, 0, settled, bottom + 2, "text", 1.6)
        wide, y = bold.width(shown.settled_text), bottom + 3
        at = settled - wide - 3 if settled - wide - 3 >= _LEFT + 12 else settled + 4
        at = min(at, canvas.width - 12 - wide)
        for tick in shown.ticks:
            text = numbers.tick(tick)
            half = small.width(text) / 2
            x = _LEFT + width * tick / shown.axis
            if x + half < at - 6 or x - half > at + wide + 6:
                canvas.text(QRectF(x - half, y, 2 * half + 2, 15), text, small, "text_2", LEFT)
        canvas.text(QRectF(at, y, wide + 2, 15), shown.settled_text, bold)

    def _budget(self, canvas: Canvas, shown: Waterfall, row: float, width: float) -> None:
        """Draw the budget of the floor along its bars; later stages have none."""
        if not shown.floor:
            return
        bold, text = self.theme.face(11, 600), "first answer within 10 ms"
        x, bottom, wide = _LEFT + width * FLOOR_BUDGET_MS / shown.axis, 2 + row * shown.floor, bold.width(text)
        canvas.line(x, 0, x, bottom, "danger", 1.6)
        clear = _LEFT + width * max(bar.end for bar in shown.bars[: shown.floor]) / shown.axis + 4
        settled = _LEFT + width * shown.settled / shown.axis
        right, left = x + 5, x - wide - 5
        if left - 4 < settled < x:
            left = settled - wide - 5
        at = right if right >= clear and right + wide <= _LEFT + width and not x < settled < right + wide else left
        if at >= clear or at == right:
            canvas.text(QRectF(at, max(0.0, (bottom - 15) / 2), wide + 2, 15), text, bold, "danger")


class WaterfallPanel(Panel):
    """Pane of the waterfall."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "This query")
        self.pause = QLabel()
        self.pause.setTextFormat(Qt.TextFormat.PlainText)
        self.head = PaneHeader(theme, "This query", self.pause)
        self.sheet = WaterfallSheet(theme, "Time of each stage")
        self.column.addWidget(self.head)
        self.column.addWidget(self.sheet, 1)
        styled(self.pause, role="note")

    def show_state(self, scope_state: ScopeState) -> None:
        shown = waterfall(scope_state.inspection.trace) if scope_state.inspection is not None else None
        if (shown, scope_state.has_query) != (self.sheet.shown, self.sheet.has_query):
            self.sheet.shown, self.sheet.has_query = shown, scope_state.has_query
            self.pause.setText(shown.pause_text if shown is not None else "")
            self.sheet.update()
            self.size_wish_changed.emit()

    def summary(self) -> str:
        shown = self.sheet.shown
        return shown.settled_text.removeprefix("settled ") if shown and shown.bars else ""
