"""The grips between docks: strips over the hairlines, wide enough to take hold of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

WIDTH = 7
"""How wide the strip is that takes hold of a hairline, in pixels."""


class Grip(QWidget):
    """A strip over a hairline that is wide enough to take hold of; it hands the mouse on to the docks' window."""

    def __init__(self, docks: QMainWindow, dragged: Callable[[bool], object]) -> None:
        super().__init__(docks)
        self._docks, self._dragged = docks, dragged
        self._offset = QPoint()
        self.hairline = QPoint()

    def lie_at(self, strip: QRect, hairline: QPoint) -> None:
        """Cover a strip; `hairline` is a point of the separator in it."""
        self.hairline = hairline
        across = strip.height() > strip.width()
        self.setCursor(QCursor(Qt.CursorShape.SplitHCursor if across else Qt.CursorShape.SplitVCursor))
        self.setGeometry(strip)
        self.show()
        self.raise_()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._offset = self.hairline - self.mapToParent(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragged(True)
        self._hand_on(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hand_on(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._hand_on(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragged(False)

    def _hand_on(self, event: QMouseEvent) -> None:
        place = QPointF(self.mapToParent(event.position().toPoint()) + self._offset)
        where = self._docks.mapToGlobal(place)
        moved = QMouseEvent(event.type(), place, where, event.button(), event.buttons(), event.modifiers())
        QApplication.sendEvent(self._docks, moved)


def _strips(docks: QMainWindow, dock: QWidget) -> list[tuple[QRect, QPoint]]:
    """The strips along the sides of a dock that have a separator, each with a point of the separator."""
    rect, half = dock.geometry(), WIDTH // 2
    middle = rect.center()
    sides = (
        (QPoint(rect.left() - 1, middle.y()), QRect(rect.left() - 1 - half, rect.top(), WIDTH, rect.height())),
        (QPoint(rect.right() + 1, middle.y()), QRect(rect.right() + 1 - half, rect.top(), WIDTH, rect.height())),
        (QPoint(middle.x(), rect.top() - 1), QRect(rect.left(), rect.top() - 1 - half, rect.width(), WIDTH)),
        (QPoint(middle.x(), rect.bottom() + 1), QRect(rect.left(), rect.bottom() + 1 - half, rect.width(), WIDTH)),
    )
    inside = docks.rect()
    return [(strip, point) for point, strip in sides if inside.contains(point) and docks.isSeparator(point)]


class Grips:
    """All grips of a window of docks; `dragged` is told when a drag begins (True) and when it ends."""

    def __init__(self, docks: QMainWindow, dragged: Callable[[bool], object]) -> None:
        self._docks, self._dragged = docks, dragged
        self._made: list[Grip] = []

    @property
    def shown(self) -> list[Grip]:
        return [grip for grip in self._made if not grip.isHidden()]

    def place(self, docked: Iterable[QWidget]) -> None:
        """Lay a grip over every hairline beside these docks."""
        found = [strip for dock in docked for strip in _strips(self._docks, dock)]
        while len(self._made) < len(found):
            self._made.append(Grip(self._docks, self._dragged))
        for grip, (strip, hairline) in zip(self._made, found, strict=False):
            grip.lie_at(strip, hairline)
        for grip in self._made[len(found) :]:
            grip.hide()
