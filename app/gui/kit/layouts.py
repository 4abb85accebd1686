"""Layouts: gaps and margins in one call, wrapping flow, and panes side by side or stacked."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QBoxLayout,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTextBrowser,
    QWidget,
)

from app.gui.kit.theme import Theme

Box = TypeVar("Box", bound=QLayout)
Filled = TypeVar("Filled", bound="QBoxLayout | FlowLayout | QSplitter | QStackedWidget")


def spaced(box: Box, gap: int | None = 0, *margins: int) -> Box:
    """Set a layout's spacing, unless None, and margins (left, top, right, bottom; none by default)."""
    box.setContentsMargins(*(margins or (0, 0, 0, 0)))
    if gap is not None:
        box.setSpacing(gap)
    return box


def chain_focus(*stops: QWidget) -> None:
    """Let Tab go through these widgets in order."""
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)


Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget | QLayout, int, Qt.AlignmentFlag]
"""Widget or layout, with its stretch and alignment where it has them; a number is an empty stretch."""


def fill(box: Filled, *parts: Part) -> Filled:
    """Add parts to a layout, a splitter or a stack, in order."""
    filled: Any = box
    for part in parts:
        if isinstance(part, int):
            filled.addStretch(part)
            continue
        what, *how = part if isinstance(part, tuple) else (part,)
        (filled.addWidget if isinstance(what, QWidget) else filled.addLayout)(what, *how)
    return box


class FlowLayout(QLayout):
    """Wraps widgets into rows, `gap` pixels apart, never narrower than the widest.

    Rows are right-aligned with `ends`; the widget given to `grow` takes the rest of its row.
    """

    def __init__(self, gap: int, *, ends: bool = False) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._ends = ends
        self._growing: QWidget | None = None
        self.setSpacing(gap)
        self.setContentsMargins(0, 0, 0, 0)

    def insert(self, place: int, widget: QWidget) -> None:
        self.addWidget(widget)
        self._items.insert(place, self._items.pop())
        self.invalidate()

    def grow(self, widget: QWidget) -> None:
        """Let a widget take the rest of its row."""
        self._growing = widget

    # ---- QLayout interface

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
        for row in self._rows(rect.width()):
            high = _height(row)
            left = rect.width() - sum(map(_wide, row)) - gap * (len(row) - 1)
            x = max(0, left) if self._ends else 0
            for item in row:
                wide = min(_wide(item), rect.width()) + (max(0, left) if item.widget() is self._growing else 0)
                size = QSize(wide, item.sizeHint().height())
                item.setGeometry(QRect(QPoint(rect.left() + x, top + (high - size.height()) // 2), size))
                x += wide + gap
            top += high + gap

    # ---- rows

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
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


# ---- Panes side by side, or stacked on a narrow page

LEAST_PANE, LOW_PANE = 150.0, 110.0
"""Minimum heights of a stacked pane in units, with and without a search line."""

_BARLESS = "barless"
"""Property of a scroll area whose bar is off while the page scrolls."""

UNBOUNDED = 16_777_215
"""Qt's upper bound of a size."""


def orient_box(theme: Theme, box: QBoxLayout, side: QWidget, width: float, *, narrow: bool) -> None:
    """Lay out a box whose last pane is `width` units wide, or full width if narrow."""
    box.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
    if narrow:
        side.setMinimumWidth(0)
        side.setMaximumWidth(UNBOUNDED)
    else:
        side.setFixedWidth(theme.px(width))


def splitter(left: QWidget, side: QWidget, stretches: tuple[int, int] = (1, 0)) -> QSplitter:
    """Make a splitter of two panes with a hairline; by default the first stretches."""
    split = QSplitter(Qt.Orientation.Horizontal, handleWidth=1, childrenCollapsible=False)
    for stretch, pane in zip(stretches, (left, side), strict=True):
        split.addWidget(pane)
        split.setStretchFactor(split.count() - 1, stretch)
    return split


def orient_split(split: QSplitter, sizes: tuple[int, int], *, narrow: bool) -> None:
    """Set the orientation of a splitter, and the sizes of its panes in pixels."""
    split.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
    split.setSizes(sizes)


def keep_least_heights(
    theme: Theme, heights: dict[QWidget, float], *, narrow: bool, within: int, least: float = LEAST_PANE
) -> None:
    """Set minimum heights, in units, on stacked panes, so that each stays visible.

    If they exceed the visible height `within` (pixels) that the page has for them, they shrink in proportion, so that
    panes scroll one by one and the page does not; none gets lower than `least` units and its own minimum.
    """
    floors: dict[QWidget, int] = {}
    for pane, height in heights.items():
        pane.setMinimumHeight(0)
        floors[pane] = max(theme.px(min(least, height)), pane.minimumSizeHint().height())
    spare = {pane: max(0, theme.px(height) - floors[pane]) for pane, height in heights.items()}
    room = within - sum(floors.values()) if within else sum(spare.values())
    share = min(1.0, max(0, room) / max(1, sum(spare.values())))
    for pane, floor in floors.items():
        pane.setMinimumHeight(floor + int(spare[pane] * share) if narrow else 0)


def show_bars(pane: QWidget, *, on: bool) -> None:
    """Show or hide the scroll bars of the lists and documents in a widget, where they have one as needed.

    Those of popups, such as the list of a combo box, stay.
    """
    off, as_needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
    for area in pane.findChildren(QAbstractScrollArea):
        if not isinstance(area, QAbstractItemView | QScrollArea | QTextBrowser) or area.window() is not pane.window():
            continue
        if area.verticalScrollBarPolicy() is (off if on else as_needed) and on is bool(area.property(_BARLESS)):
            area.setVerticalScrollBarPolicy(as_needed if on else off)
            area.setProperty(_BARLESS, not on)


class Stack(QStackedWidget):
    """Stack that is at least as large as its current widget needs.

    Qt's counts the hidden ones, too, which keep the sizes of an earlier text scale until they are shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSizeHint(self) -> QSize:
        current = self.currentWidget()
        if current is None:
            return super().minimumSizeHint()
        return current.minimumSizeHint().expandedTo(current.minimumSize())
