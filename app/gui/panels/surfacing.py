"""What an intent would surface: the sentence, and the table with the row in force and the dead ones (S4.12)."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display import words
from app.display.scope.surfacing import Surfacing, TableRow
from app.gui.pen import RIGHT, Pen
from app.gui.theme import Theme

_PAD = 16.0
_ROW = 19.0
_LEAST = 62.0
_COUNT = 80.0


def draw_surfacing(pen: Pen, theme: Theme, shown: Surfacing, y: float) -> float:
    """Draw it from `y` down; where it ends."""
    face, right = theme.face, pen.width - _PAD
    used = pen.text(QRectF(_PAD, y, right - _PAD, 16), words.say("Surfacing"), face(11, 600), "text_2")
    rest = QRectF(_PAD + used + 8, y, right - _PAD - used - 8, 16)
    pen.text(rest, words.say("from {least} on", least=shown.threshold), face(11), "text_2", RIGHT)
    y += 18
    # The longest sentence keeps its place, so that no answer moves the table.
    lines = 1 if face(12).width(shown.longest) <= right - _PAD else 2
    high = pen.paragraph(QRectF(_PAD, y, right - _PAD, 60), shown.sentence, face(12), "text", lines=3)
    y += max(high, lines * face(12).measure.lineSpacing()) + 3
    for row in shown.rows:
        _surfacing_row(pen, theme, row, y)
        y += _ROW
    return y


def _surfacing_row(pen: Pen, theme: Theme, row: TableRow, y: float) -> None:
    """The row in force has a wedge and weight; a dead one is hatched, and says why."""
    face, right = theme.face, pen.width - _PAD
    token = "text" if row.holds else "text_2"
    weight = 700 if row.holds else 400
    if row.holds:
        pen.triangle(_PAD + 4, y + 7)
    elif row.dead:
        pen.hatch(QRectF(_PAD, y + 5, 9, 9))
    pen.text(QRectF(_PAD + 18, y, _LEAST, _ROW), f"≥ {row.least}", face(12, weight, mono=True), token)
    if row.holds:
        pen.aside(words.say("(in force)"))
    elif row.dead:
        pen.aside(words.say("(dead)"))
    x = _PAD + 18 + _LEAST + 6
    x += pen.text(QRectF(x, y, _COUNT, _ROW), row.count, face(12, 600 if row.holds else 400), token) + 10
    if row.note:
        pen.text(QRectF(x, y, right - x, _ROW), row.note, face(11), "text_2", RIGHT)
