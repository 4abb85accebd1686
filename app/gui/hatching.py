"""The mark of what is absent, as a shape and, where it is drawn often, as a picture that is kept."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

LINE, _STEP = 0.8, 4.0
"""How broad its lines are, and how far apart, in units."""


@lru_cache(maxsize=128)
def hatched(width: float, height: float, radius: float) -> QPainterPath:
    """The outline of a hatched rectangle at the origin with the slanting lines in it, as far as they lie within."""
    path = QPainterPath()
    path.addRoundedRect(QRectF(0.5, 0.5, width - 1, height - 1), radius, radius)
    left, right, top, bottom = 0.5, width - 0.5, 0.5, height - 0.5
    x = -height
    while x < width:  # each goes up from (x, height) to (x + height, 0), one to the right for one up
        start, end = max(x + height - bottom, left), min(x + height - top, right)
        if start < end:
            path.moveTo(start, x + height - start)
            path.lineTo(end, x + height - end)
        x += _STEP
    return path


@lru_cache(maxsize=128)
def hatching(width: float, height: float, radius: float, shade: str, fine: float) -> QPixmap:
    """The same as a picture, with so many pixels a unit."""
    picture = QPixmap(ceil(width * fine) + 1, ceil(height * fine) + 1)
    picture.fill(Qt.GlobalColor.transparent)
    picture.setDevicePixelRatio(fine)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(shade), LINE))
    painter.drawPath(hatched(width, height, radius))
    painter.end()
    return picture
