"""A text taken apart: what was decided and why, part by part, in rows that wrap."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display.review.trace import Part, Row
from app.gui.kit.drawing.pen import RIGHT, Pen
from app.gui.kit.drawing.sheet import Sheet

_PAD, _LINE, _GAP = 16.0, 20.0, 14.0
_NUMBER, _GLYPH = 64.0, 19.0
_MOST_LINES = 40


class PartsSheet(Sheet):
    """A text above all, a line below it, then the parts; each text wraps, and is not cut before many lines."""

    text = ""
    below = ""
    parts: tuple[Part, ...] = ()

    def show_parts(self, text: str, below: str, parts: tuple[Part, ...]) -> None:
        """Draw these from now on."""
        self.text, self.below, self.parts = text, below, parts
        self.update()

    def compose(self, pen: Pen) -> float:
        face, y = self.theme.face, 4.0
        wide = pen.width - 2 * _PAD
        if self.text:
            y += pen.paragraph(QRectF(_PAD, y, wide, 1200), self.text, face(15, 600), lines=_MOST_LINES) + 2
        if self.below:
            y += pen.paragraph(QRectF(_PAD, y, wide, 60), self.below, face(12), "text_2") + 4
        for part in self.parts:
            y += _GAP
            pen.text(QRectF(_PAD, y, wide, _LINE), part.title, face(11, 600), "text_2")
            y += _LINE
            for row in part.rows:
                y = self._row(pen, row, y)
        return y + 16

    def _row(self, pen: Pen, row: Row, y: float) -> float:
        face, wide = self.theme.face, pen.width - 2 * _PAD
        if row.is_sum:
            pen.text(QRectF(_PAD, y, wide, _LINE), row.quiet, face(12), "text_2")
            y += _LINE - 2
            rect = QRectF(_PAD, y, wide, 200)
            return y + max(_LINE - 2, pen.paragraph(rect, row.said, face(12, mono=True), lines=_MOST_LINES) + 2)
        x, right = _PAD, pen.width - _PAD
        if row.level is not None:
            pen.level(row.level, x, y + 4)
            x += _GLYPH
        if row.value:
            right -= max(
                _NUMBER, 8 + pen.text(QRectF(right - 120, y, 120, _LINE), row.value, face(12, mono=True), align=RIGHT)
            )
        if not row.quiet:
            if self._fits(row.said, right - x):
                pen.text(QRectF(x, y, right - x, _LINE), row.said, face(12))
                return y + _LINE
            return y + pen.paragraph(QRectF(x, y + 2, right - x, 200), row.said, face(12), lines=_MOST_LINES) + 4
        quiet = min(face(12).width(row.quiet), 0.5 * (right - x))
        if row.said:
            taken = pen.text(QRectF(x, y, right - x - quiet - 10, _LINE), row.said, face(12))
            x += taken + 10
        pen.text(QRectF(x, y, right - x, _LINE), row.quiet, face(12), "text_2")
        return y + _LINE

    def _fits(self, text: str, width: float) -> bool:
        return "\n" not in text and self.theme.face(12).width(text) <= width
