"""Another text size while the window is open: every size that was fixed, and every margin, grows with it."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QLayout, QTableView, QWidget

_UNBOUNDED = 16_000
"""Nobody asks for a size like this; Qt's own upper bound, and the design's "as wide as there is room", lie above."""


def rescale(root: QWidget, ratio: float) -> None:
    """Multiply the fixed sizes, row heights, margins and gaps of a widget and all that it holds.

    A least size that was not fixed stays: with large text panes scroll, the window does not. Whoever places its parts
    by hand does so when it is resized, so all get the event that they were.
    """
    widgets = (root, *root.findChildren(QWidget))
    for widget in widgets:
        if widget is not root and not widget.isWindow():
            _bounds(widget, ratio)
        if isinstance(widget, QTableView):
            rows = widget.verticalHeader()
            rows.setDefaultSectionSize(round(rows.defaultSectionSize() * ratio))
        layout = widget.layout()
        if layout is not None:
            _gaps(layout, ratio)
    for widget in widgets:
        QApplication.sendEvent(widget, QResizeEvent(widget.size(), widget.size()))


def _bounds(widget: QWidget, ratio: float) -> None:
    least, most = widget.minimumSize(), widget.maximumSize()
    if least.width() == most.width():
        widget.setFixedWidth(round(most.width() * ratio))
    elif most.width() < _UNBOUNDED:
        widget.setMaximumWidth(round(most.width() * ratio))
    if least.height() == most.height():
        widget.setFixedHeight(round(most.height() * ratio))
    elif most.height() < _UNBOUNDED:
        widget.setMaximumHeight(round(most.height() * ratio))


def _gaps(layout: QLayout, ratio: float) -> None:
    margins = layout.contentsMargins()
    sides = (margins.left(), margins.top(), margins.right(), margins.bottom())
    layout.setContentsMargins(*(round(side * ratio) if side > 1 else side for side in sides))
    if layout.spacing() > 1:
        layout.setSpacing(round(layout.spacing() * ratio))
    for place in range(layout.count()):
        item = layout.itemAt(place)
        inner = item.layout() if item is not None else None
        if inner is not None:
            _gaps(inner, ratio)
