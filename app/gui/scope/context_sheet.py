"""The list of what a query surfaces, drawn: order, arithmetic, tokens, running total, and the line where it is cut."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display.scope.surfacing import ContextList, ContextRow, Surfacing
from app.domain.language import say
from app.gui.kit.drawing.pen import RIGHT, Pen
from app.gui.kit.drawing.sheet import Sheet, draw_move
from app.gui.scope.panels.sums import draw_surfacing

_PAD, _ROW, _CUT = 16.0, 40.0, 30.0
_RANK, _MOVE, _SUM, _NUMBER = 24.0, 34.0, 168.0, 62.0


class ContextSheet(Sheet):
    """Rows that are in are written in full strength; those below the cut line stay readable, and say why."""

    shown: ContextList | None = None

    def compose(self, pen: Pen) -> float:
        shown = self.shown
        if shown is None:
            return 0.0
        y = self._budget(pen, shown, 4.0)
        y = self._heads(pen, y)
        for row in shown.inside:
            y = self._row(pen, row, y)
        if shown.cut:
            y = self._cut_line(pen, shown.cut, y)
        for row in shown.outside:
            y = self._row(pen, row, y)
        if shown.aside:
            face = self.theme.face
            title = say("Set aside; these would be among the first")
            pen.text(QRectF(_PAD, y + 14, pen.width - 2 * _PAD, 18), title, face(12, 600))
            y += 38
            for row in shown.aside:
                y = self._row(pen, row, y)
        y += 8
        return (
            y
            + pen.paragraph(QRectF(_PAD, y, pen.width - 2 * _PAD, 60), shown.remark, self.theme.face(11), "text_2")
            + 12
        )

    def _budget(self, pen: Pen, shown: ContextList, y: float) -> float:
        wide = pen.text(QRectF(_PAD, y, 220, 18), shown.tokens, self.theme.face(12, 600))
        pen.bar(
            QRectF(_PAD + wide + 14, y + 6, pen.width - 2 * _PAD - wide - 14, 6), shown.share, self.theme.tokens.bar
        )
        return y + 28

    def _heads(self, pen: Pen, y: float) -> float:
        face, right = self.theme.face(11, 600), pen.width - _PAD
        pen.text(QRectF(_PAD + _RANK + _MOVE, y, 120, 18), say("Memory"), face, "text_2")
        for title, wide in (
            (say("Total"), _NUMBER),
            (say("Tokens"), _NUMBER),
            (say("Confidence × weight"), _SUM),
        ):
            pen.text(QRectF(right - wide, y, wide, 18), title, face, "text_2", RIGHT)
            right -= wide
        pen.line(_PAD, y + 21.5, pen.width - _PAD, y + 21.5)
        return y + 22

    def _row(self, pen: Pen, row: ContextRow, y: float) -> float:
        face, right = self.theme.face, pen.width - _PAD
        token, weight = ("text", 600) if row.is_inside else ("text_2", 400)
        first, number = y + 3, face(12, mono=True)
        pen.text(QRectF(_PAD, first, _RANK - 8, 18), row.rank, face(12, weight, mono=True), token, RIGHT)
        draw_move(pen, self.theme, row.move, _PAD + _RANK, first)
        for text, wide in ((row.total, _NUMBER), (row.tokens, _NUMBER)):
            pen.text(QRectF(right - wide, first, wide, 18), text, number, token, RIGHT)
            right -= wide
        pen.text(QRectF(right - 50, first, 50, 18), row.product, face(12, weight, mono=True), token, RIGHT)
        sum_ = f"{row.confidence} × {row.weight} ="
        pen.text(QRectF(right - _SUM, first, _SUM - 54, 18), sum_, number, "text_2", RIGHT)
        left = _PAD + _RANK + _MOVE
        pen.text(QRectF(left, first, right - _SUM - left - 6, 18), row.name, face(13, weight), token)
        room = pen.width - _PAD - left
        if row.why:
            said = pen.text(QRectF(left + room - 220, first + 17, 220, 16), row.why, face(11, 600), "text_2", RIGHT)
            room -= said + 10
        pen.text(QRectF(left, first + 17, room, 16), row.about, face(11), "text_2")
        y += _ROW
        pen.line(_PAD, y - 0.5, pen.width - _PAD, y - 0.5)
        return y

    def _cut_line(self, pen: Pen, sentence: str, y: float) -> float:
        pen.line(0, y + 0.5, pen.width, y + 0.5, "danger", 2.0, dashes=(7, 4))
        pen.text(QRectF(_PAD, y + 5, pen.width - 2 * _PAD, 20), sentence, self.theme.face(12, 600), "danger")
        return y + _CUT


class TableSheet(Sheet):
    """The table of how many memories a confidence surfaces, dead rows and all."""

    shown: Surfacing | None = None

    def compose(self, pen: Pen) -> float:
        return 10.0 if self.shown is None else draw_surfacing(pen, self.theme, self.shown, 2.0) + 6
