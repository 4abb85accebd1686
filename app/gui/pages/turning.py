"""Panes that stand side by side, or one below the other where the page is too narrow for that."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QSplitter, QWidget

from app.gui.theme import Theme

LEAST_PANE = 150.0
"""A head, a line to search and some rows, in units."""

_UNBOUNDED = 16_777_215
"""Qt's own upper bound of a size."""


def turn_box(theme: Theme, box: QBoxLayout, side: QWidget, width: float, *, narrow: bool) -> None:
    """Lay out a box whose last pane is `width` units wide, or as wide as the page where it stands below."""
    box.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
    if narrow:
        side.setMinimumWidth(0)
        side.setMaximumWidth(_UNBOUNDED)
    else:
        side.setFixedWidth(theme.px(width))


def split_of(left: QWidget, side: QWidget) -> QSplitter:
    """Two panes with a hairline between them; the first has what room is left."""
    split = QSplitter(Qt.Orientation.Horizontal)
    split.setHandleWidth(1)
    split.setChildrenCollapsible(False)
    for stretch, pane in ((1, left), (0, side)):
        split.addWidget(pane)
        split.setStretchFactor(split.count() - 1, stretch)
    return split


def turn_split(split: QSplitter, sizes: tuple[int, int], *, narrow: bool) -> None:
    """Lay out two panes with a handle between them, in these sizes in pixels."""
    split.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
    split.setSizes(sizes)


def least_heights(theme: Theme, heights: dict[QWidget, float], *, narrow: bool, within: int) -> None:
    """Keep panes that stand below each other so many units high, so that something can be seen of each.

    Where they would be higher together than the page, `within` pixels of which can be seen, each gives of its height,
    so that panes are scrolled one by one and not all of them; none gets lower than LEAST_PANE.
    """
    whole = sum(theme.px(height) for height in heights.values())
    share = min(1.0, within / whole) if within else 1.0
    for pane, height in heights.items():
        least = max(int(theme.px(height) * share), theme.px(min(LEAST_PANE, height)))
        pane.setMinimumHeight(least if narrow else 0)
