"""Where the time of this query went: its stages on one linear axis, against the budget."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QLabel

from app.display import numbers
from app.display.timing import KEYSTROKE_BUDGET_MS, LlmBar, StageBar, Waterfall, waterfall
from app.gui.controls import Head
from app.gui.moment import Moment
from app.gui.panels.panel import Panel, draw_empty
from app.gui.pen import LEFT, RIGHT, Pen
from app.gui.sheet import Sheet
from app.gui.theme import Theme

_LEFT = 100.0
_TIMES = 66.0
_AXIS_ROOM = 19.0
_LLM_ROOM = 32.0


class WaterfallSheet(Sheet):
    """The stages, drawn."""

    shown: Waterfall | None = None

    def compose(self, pen: Pen) -> float:
        shown = self.shown
        height = self.height() / self.theme.scale
        if shown is None or not shown.bars:
            line = self.tr("No query yet")
            return draw_empty(pen, "clock", line, self.tr("The time of each stage shows here."), height)
        below = _AXIS_ROOM + (_LLM_ROOM if shown.llm is not None else 14.0)
        row = max(12.0, min(20.0, (height - 3 - below) / len(shown.bars)))
        bottom = 2 + row * len(shown.bars)
        width = pen.width - _LEFT - 12 - _TIMES
        self._grid(pen, shown, width, bottom)
        for place, bar in enumerate(shown.bars):
            self._bar(pen, shown, bar, 2 + place * row, row, width)
        self._limits(pen, shown, width, bottom)
        if shown.llm is not None:
            self._llm(pen, shown.llm, bottom + _AXIS_ROOM + 1, width)
        return height

    def _grid(self, pen: Pen, shown: Waterfall, width: float, bottom: float) -> None:
        for tick in shown.ticks:
            x = _LEFT + width * tick / shown.axis
            pen.line(x, 0, x, bottom, "border")

    def _bar(self, pen: Pen, shown: Waterfall, bar: StageBar, y: float, row: float, width: float) -> None:
        face = self.theme.face
        name = pen.text(QRectF(16, y, _LEFT - 20, row), bar.name, face(12))
        if bar.outcome and name < _LEFT - 40:
            pen.text(QRectF(20 + name, y, _LEFT - 22 - name, row), bar.outcome, face(11), "text_2")
        x = _LEFT + width * bar.start / shown.axis
        reach = max(2.0, width * (bar.end - bar.start) / shown.axis)
        pen.fill(QRectF(x, y + (row - 9) / 2, reach, 9), "bar", 2)
        rect = QRectF(pen.width - 12 - _TIMES, y, _TIMES, row)
        pen.text(rect, bar.text, face(12, mono=True), "text_2", RIGHT)

    def _llm(self, pen: Pen, bar: LlmBar, y: float, width: float) -> None:
        """The LLM on its own scale, hatched past its budget."""
        face = self.theme.face
        small, bold = face(11), face(11, 600)
        pen.text(QRectF(16, y, _LEFT - 20, 14), self.tr("LLM"), face(12))
        solid, end = width * bar.solid / bar.axis, width * bar.end / bar.axis
        if bar.end > 0.0:
            pen.fill(QRectF(_LEFT, y + 2.5, max(2.0, solid), 9), "bar", 2)
        if end > solid:
            pen.hatch(QRectF(_LEFT + solid, y + 2.5, max(2.0, end - solid), 9))
        if bar.end <= 0.0:
            pen.line(_LEFT, y + 7, _LEFT + width, y + 7, "border")
        pen.text(QRectF(pen.width - 12 - _TIMES, y, _TIMES, 14), bar.text, face(12, mono=True), "text_2", RIGHT)
        budget = _LEFT + width * bar.budget / bar.axis
        pen.line(budget, y - 1, budget, y + 16, "danger", 1.6)
        pen.text(QRectF(16, y + 14, _LEFT - 20, 15), bar.scale_text, small, "text_2")
        wide = bold.width(bar.budget_text)
        x = max(_LEFT, min(budget - wide / 2, _LEFT + width - wide))
        pen.text(QRectF(x, y + 14, wide + 2, 15), bar.budget_text, bold, "danger")
        said = small.width(bar.outcome)
        start = _LEFT + width - said
        if start > x + wide + 8:
            pen.text(QRectF(start, y + 14, said + 2, 15), bar.outcome, small, "text_2")

    def _limits(self, pen: Pen, shown: Waterfall, width: float, bottom: float) -> None:
        face = self.theme.face
        settled = _LEFT + width * shown.settled / shown.axis
        budget = _LEFT + width * KEYSTROKE_BUDGET_MS / shown.axis
        pen.line(settled, 0, settled, bottom + 2, "text", 1.6)
        pen.line(budget, 0, budget, bottom + 2, "danger", 1.6)
        settled_font, budget_text = face(11, 600), self.tr("10 ms budget")
        wide = settled_font.width(shown.settled_text)
        budget_wide = settled_font.width(budget_text)
        y = bottom + 3
        if settled <= budget:
            pen_x, budget_x = max(_LEFT + 12, settled - wide - 3), max(budget - 2, settled + 4)
            if settled - wide - 3 < _LEFT + 12 and budget - settled > wide + 12:
                pen_x = settled + 4
                budget_x = max(budget - 2, pen_x + wide + 8)
        else:
            budget_x = max(_LEFT + 12, budget - budget_wide - 3)
            pen_x = max(settled - wide / 2, budget_x + budget_wide + 8)
        pen_x = min(pen_x, pen.width - 12 - wide)
        budget_x = min(max(budget_x, _LEFT + 12), pen.width - 12 - budget_wide)
        spans = [(pen_x - 6, pen_x + wide + 6), (budget_x - 6, budget_x + budget_wide + 6)]
        for tick in shown.ticks:
            text = numbers.tick(tick)
            half = face(11, mono=True).width(text) / 2
            x = _LEFT + width * tick / shown.axis
            if all(x + half < start or x - half > end for start, end in spans):
                pen.text(QRectF(x - half, y, 2 * half + 2, 15), text, face(11, mono=True), "text_2", LEFT)
        pen.text(QRectF(pen_x, y, wide + 2, 15), shown.settled_text, settled_font)
        clear = budget_x + budget_wide < pen_x - 4 or budget_x > pen_x + wide + 4
        if clear:
            pen.text(QRectF(budget_x, y, budget_wide + 2, 15), budget_text, settled_font, "danger")


class ThisQueryPanel(Panel):
    """The pane."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("This query"))
        self.pause = QLabel()
        self.pause.setTextFormat(Qt.TextFormat.PlainText)
        self.head = Head(theme, self.tr("This query"), self.pause)
        self.sheet = WaterfallSheet(theme, self.tr("Time of each stage"))
        self.column.addWidget(self.head)
        self.column.addWidget(self.sheet, 1)
        theme.changed.connect(self._dress)
        self._dress()

    def show_moment(self, moment: Moment) -> None:
        shown = waterfall(moment.inspection.trace) if moment.inspection is not None else None
        if shown != self.sheet.shown:
            self.sheet.shown = shown
            self.pause.setText(shown.pause_text if shown is not None else "")
            self.sheet.update()
            self.wished.emit()

    def in_a_line(self) -> tuple[str, ...]:
        shown = self.sheet.shown
        if shown is None or not shown.bars:
            return (self.tr("No query yet"),)
        llm = [f"{self.tr('LLM')} {shown.llm.text}"] if shown.llm is not None else []
        return (shown.settled_text, *llm, *(f"{bar.name} {bar.text}" for bar in shown.bars))

    def _dress(self) -> None:
        self.pause.setStyleSheet(f"font-size: {self.theme.px(11)}px; color: {self.theme.tokens.text_2}")
