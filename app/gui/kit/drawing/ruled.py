"""What lies under the parts of a pane: its ground, the bar that marks it, and the hairlines between its parts."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.gui.kit.drawing.pen import Pen
from app.gui.kit.theme.theme import Theme

_MARK = 3
"""How wide the bar at the left edge is, in units."""


class Ruled(QWidget):
    """Template method: a pane says where its hairlines lie and what is written on it, and only this class paints.

    They stand where the layout has put the parts, so they are asked for with every painting.
    """

    ground = ""
    """The colour token that the pane is filled with; "" for none."""

    mark = ""
    """The colour token of a bar at the left edge; "" for none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme

    def hairlines(self) -> Iterator[QRect]:
        """Where lines one pixel thin lie now; none by default."""
        yield from ()

    def write(self, pen: Pen) -> None:
        """Write and draw what stands on the pane itself; nothing by default."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.ground:
            painter.fillRect(self.rect(), self.theme.color(self.ground))
        for line in self.hairlines():
            painter.fillRect(line, self.theme.color("border"))
        if self.mark:
            painter.fillRect(0, 0, self.theme.px(_MARK), self.height(), self.theme.color(self.mark))
        self.write(Pen(painter, self.theme, self.width()))
