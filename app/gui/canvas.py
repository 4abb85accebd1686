"""The sheet that pyqtgraph draws on, and its axes, in the look of the design. Import it late: pyqtgraph is heavy."""

from __future__ import annotations

from collections.abc import Iterable

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.gui.theme import Theme


def canvas(parent: QWidget, name: str) -> pg.GraphicsLayoutWidget:
    """An empty sheet without a frame, which takes no keys."""
    made = pg.GraphicsLayoutWidget(parent)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setAccessibleName(name)
    made.setFrameShape(made.Shape.NoFrame)
    made.ci.setContentsMargins(0, 0, 0, 0)
    made.ci.setSpacing(0)
    return made


def two_axes(sheet: pg.GraphicsLayoutWidget, view: pg.ViewBox) -> dict[str, pg.AxisItem]:
    """The axes at the left of a view and below it, by `left` and `bottom`."""
    axes = {"left": pg.AxisItem("left"), "bottom": pg.AxisItem("bottom")}
    for axis, (row, column) in zip(axes.values(), ((0, 0), (1, 1)), strict=True):
        sheet.addItem(axis, row, column)
        axis.linkToView(view)
    return axes


def dress(theme: Theme, sheet: pg.GraphicsLayoutWidget, axes: Iterable[pg.AxisItem], offset: int = 4) -> None:
    """Give sheet and axes the colours and the type of the theme."""
    sheet.setBackground(theme.color("surface"))
    for axis in axes:
        axis.setPen(theme.color("border_strong"))
        axis.setTextPen(theme.color("text_2"))
        axis.setTickFont(theme.font(11, mono=True))
        axis.setStyle(tickLength=-3, tickTextOffset=offset)
