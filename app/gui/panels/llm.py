"""The LLM lane: one pill, one sentence and the probabilities, in a place that never moves."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display.llm import Lane, lane
from app.domain.llm import LlmOutcome
from app.gui.moment import Moment
from app.gui.panels.panel import Panel
from app.gui.pen import RIGHT, Pen
from app.gui.sheet import Sheet
from app.gui.theme import Theme

_SOFT = {"success": "success_soft", "warning": "warning_soft", "danger": "danger_soft"}
_OFF_HEIGHT, _ON_HEIGHT = 76, 158
_BARS = 3


class LlmSheet(Sheet):
    """Title, pill, sentence, the first probabilities."""

    shown: Lane = lane(None)

    def compose(self, pen: Pen) -> float:
        face, shown = self.theme.face, self.shown
        pen.line(0, 0.5, pen.width, 0.5)
        pen.text(QRectF(16, 0, 100, 36), self.tr("LLM"), face(12, 600))
        width = face(11, 600).width(shown.word) + 34
        x = pen.width - 16 - width
        pen.fill(QRectF(x, 8, width, 20), _SOFT.get(shown.token, "sunken"), 10)
        pen.icon(shown.icon, x + 8, 11.5, 13, shown.token)
        pen.text(QRectF(x + 25, 8, width - 27, 20), shown.word, face(11, 600), shown.token)
        rect = QRectF(16, 37, pen.width - 32, 40)
        y = 37 + pen.paragraph(rect, shown.sentence, face(12), "text" if shown.bars else "text_2", lines=2) + 6
        for place, (name, value, text) in enumerate(shown.bars[:_BARS]):
            first = place == 0
            token = "text" if first else "text_2"
            pen.text(QRectF(16, y, 90, 17), name, face(11, 600 if first else 400), token)
            bar = QRectF(108, y + 6, pen.width - 108 - 62, 6)
            pen.bar(bar, value, self.theme.tokens.accent if first else self.theme.tokens.bar)
            pen.text(QRectF(pen.width - 66, y, 50, 17), text, face(11, 600 if first else 400, mono=True), token, RIGHT)
            y += 17
        if shown.foot:
            pen.text(QRectF(16, y + 2, pen.width - 32, 16), shown.foot, face(11), "text_2")
        return y + 18


class LlmPanel(Panel):
    """The pane. Its height follows whether an LLM is set up, never how a query fared."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("LLM"))
        self.sheet = LlmSheet(theme, self.tr("LLM"))
        self.column.addWidget(self.sheet)
        self.setFixedHeight(theme.px(_OFF_HEIGHT))

    def show_moment(self, moment: Moment) -> None:
        is_on = moment.status is not None and moment.status.llm.outcome is not LlmOutcome.OFF
        self.setFixedHeight(self.theme.px(_ON_HEIGHT if is_on else _OFF_HEIGHT))
        shown = lane(moment.inspection.trace.llm if moment.inspection is not None else None)
        if shown != self.sheet.shown:
            self.sheet.shown = shown
            self.sheet.update()
