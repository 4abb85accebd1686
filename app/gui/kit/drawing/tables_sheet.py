"""Tables of counts and times, drawn below each other: what at the left, its numbers in columns at the right."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display.system.measures import Table
from app.gui.kit.drawing.pen import RIGHT, Pen
from app.gui.kit.drawing.sheet import Sheet

_ROW, _COLUMN, _PAD = 22.0, 62.0, 16.0
_TOP = 4.0
"""The first title stands as high as that of a pane’s head beside it."""


class TablesSheet(Sheet):
    """Zeros are quiet, so that what happened stands out."""

    shown: tuple[Table, ...] = ()

    def compose(self, pen: Pen) -> float:
        y = _TOP
        for place, table in enumerate(self.shown):
            if place:
                pen.line(_PAD, y + 7.5, pen.width - _PAD, y + 7.5)
                y += 14
            y = self._table(pen, table, y)
        return y + 16

    def _table(self, pen: Pen, table: Table, y: float) -> float:
        face = self.theme.face
        pen.text(QRectF(_PAD, y + 4, pen.width - 2 * _PAD, 18), table.title, face(12, 600))
        for place, head in enumerate(reversed(table.heads)):
            right = pen.width - _PAD - place * _COLUMN
            pen.text(QRectF(right - _COLUMN, y + 4, _COLUMN, 18), head, face(11), "text_2", RIGHT)
        y += 25
        for row in table.rows:
            token = "text_2" if row.is_quiet else "text"
            columns = len(row.cells)
            pen.text(QRectF(_PAD, y, pen.width - 2 * _PAD - columns * _COLUMN, _ROW), row.what, face(12), token)
            for place, cell in enumerate(reversed(row.cells)):
                right = pen.width - _PAD - place * _COLUMN
                weight = 400 if row.is_quiet or place < columns - 1 else 600
                number = face(12, weight, mono=True)
                pen.text(QRectF(right - _COLUMN, y, _COLUMN, _ROW), cell, number, token, RIGHT)
            y += _ROW
        if table.remark:
            y += 3 + pen.paragraph(QRectF(_PAD, y + 3, pen.width - 2 * _PAD, 80), table.remark, face(11), "text_2")
        return y
