"""Icons: line drawings from resources/icons in any colour and size."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).resolve().parents[3] / "resources" / "icons"

_FINEST = 4.0
"""Largest pixel ratio: text twice as large on a screen twice as fine."""


@lru_cache(maxsize=256)
def drawing(name: str, color: str) -> QSvgRenderer:
    """Return the SVG of that name in one colour."""
    text = (FOLDER / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", color)
    return QSvgRenderer(QByteArray(text.encode()))


@lru_cache(maxsize=512)
def pixmap(name: str, color: str, size: int, ratio: float = 1.0) -> QPixmap:
    """Return the icon as a pixmap of that many logical pixels."""
    picture = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    drawing(name, color).render(painter, QRectF(0, 0, picture.width(), picture.height()))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


def write_drawing(name: str, color: str, folder: Path) -> Path:
    """Write the icon in one colour to a file, for style sheets; return its path."""
    file = folder / f"{name}-{color.lstrip('#')}.svg"
    if not file.exists():
        text = (FOLDER / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", color)
        file.write_text(text, encoding="utf-8")
    return file


def icon(name: str, color: str, disabled: str | None = None) -> QIcon:
    """Return the drawing as an icon for buttons and actions."""
    made = QIcon(pixmap(name, color, 18, _FINEST))
    if disabled is not None:
        made.addPixmap(pixmap(name, disabled, 18, _FINEST), QIcon.Mode.Disabled)
    return made
