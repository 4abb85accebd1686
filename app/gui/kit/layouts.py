"""Layouts: with their gaps and margins at once, and widgets in a row that goes on below where it is full."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QLayout, QLayoutItem, QWidget

Box = TypeVar("Box", bound=QLayout)


def spaced(box: Box, gap: int = 0, *margins: int) -> Box:
    """A layout with so many pixels between what it holds, and these around it: left, top, right, bottom; or none."""
    box.setContentsMargins(*(margins or (0, 0, 0, 0)))
    box.setSpacing(gap)
    return box


class FlowLayout(QLayout):
    """Lays out what is visible at its own size, `gap` pixels apart, so that no page is as wide as its buttons, and none
    narrower than the widest of them; rows end at the right with `ends`. What may `grow` takes what is left of its row.
    """

    def __init__(self, gap: int, *, ends: bool = False) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._ends = ends
        self._growing: QWidget | None = None
        self.setSpacing(gap)
        self.setContentsMargins(0, 0, 0, 0)

    def insert(self, place: int, widget: QWidget) -> None:
        """Put a widget before those from this place on."""
        self.addWidget(widget)
        self._items.insert(place, self._items.pop())
        self.invalidate()

    def grow(self, widget: QWidget) -> None:
        """Let this one take what room is left."""
        self._growing = widget

    # ---- what Qt asks of a layout

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        rows, around = self._rows(width - self._around.width()), self._around.height()
        return sum(_height(row) for row in rows) + self.spacing() * max(0, len(rows) - 1) + around

    def sizeHint(self) -> QSize:
        shown = self._shown()
        whole = sum(_wide(item) for item in shown) + self.spacing() * max(0, len(shown) - 1)
        return QSize(whole, _height(shown)) + self._around

    def minimumSize(self) -> QSize:
        shown = self._shown()
        return QSize(max(map(_wide, shown), default=0), _height(shown)) + self._around

    @property
    def _around(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        rect = rect.marginsRemoved(self.contentsMargins())
        top, gap = rect.top(), self.spacing()
        is_mirrored = (self.parentWidget() or QApplication).layoutDirection() is Qt.LayoutDirection.RightToLeft
        for row in self._rows(rect.width()):
            high = _height(row)
            left = rect.width() - sum(map(_wide, row)) - gap * (len(row) - 1)
            x = max(0, left) if self._ends else 0
            for item in row:
                wide = min(_wide(item), rect.width()) + (max(0, left) if item.widget() is self._growing else 0)
                begin = rect.right() + 1 - x - wide if is_mirrored else rect.left() + x
                size = QSize(wide, item.sizeHint().height())
                item.setGeometry(QRect(QPoint(begin, top + (high - size.height()) // 2), size))
                x += wide + gap
            top += high + gap

    # ---- the rows

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
        """What stands in each row of this width."""
        rows: list[list[QLayoutItem]] = []
        room = -1
        for item in self._shown():
            needed = _wide(item)
            if not rows or needed > room:
                rows.append([])
                room = width
            rows[-1].append(item)
            room -= needed + self.spacing()
        return rows


def _wide(item: QLayoutItem) -> int:
    return max(item.sizeHint().width(), item.minimumSize().width())


def _height(items: list[QLayoutItem]) -> int:
    return max((item.sizeHint().height() for item in items), default=0)
