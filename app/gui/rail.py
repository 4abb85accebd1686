"""The rail at the left: one icon per page; so far there is one page."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.gui.pen import Pen
from app.gui.theme import Theme


class Rail(QWidget):
    """Shows which page is open."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setFixedWidth(theme.px(48))
        self.setAccessibleName(self.tr("Page: Scope"))
        self.setToolTip(self.tr("Scope"))
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("bg"))
        pen = Pen(painter, self.theme, self.width())
        pen.fill(QRectF(7, 10, 34, 34), "accent_soft", 6)
        pen.fill(QRectF(0, 19, 3, 16), "accent", 1.5)
        pen.icon("scope", 15, 18, 18, "accent")
        pen.line(47.5, 0, 47.5, self.height() / self.theme.scale)
