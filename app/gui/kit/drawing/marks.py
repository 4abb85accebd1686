"""Small marks that several pictures share: keys as caps, and how far a memory moved."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF

from app.display import words
from app.gui.kit.drawing.pen import Pen
from app.gui.kit.theme.theme import Theme

_CAP = 20.0
"""How high a cap is, in units."""


def draw_caps(pen: Pen, keys: Sequence[str], right: float, top: float, high: float) -> float:
    """Shortcuts as caps, ending at a place; where the first begins."""
    face = pen.theme.face(11, 600)
    for key in reversed(keys):
        wide = face.width(key) + 12
        cap = QRectF(right - wide, top + (high - _CAP) / 2, wide, _CAP)
        pen.fill(cap, "sunken", 4)
        pen.text(cap.translated(6, 0), key, face, "text")
        right -= wide + 6
    return right + 6 if keys else right


def draw_move(pen: Pen, theme: Theme, way: int, x: float, y: float) -> None:
    """How far the weights moved a memory: a wedge and the number of places, nothing for none."""
    if not way:
        return
    up = way > 0
    token = "success" if up else "warning"
    pen.triangle(x + 5, y + (6.5 if up else 11.5), token, down=not up)
    pen.text(QRectF(x + 13, y, 20, 18), str(abs(way)), theme.face(11, 600, mono=True), token)
    pen.aside(words.say("places up") if up else words.say("places down"))
