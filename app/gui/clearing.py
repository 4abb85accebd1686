"""Where a toast hides least: places low in the window are compared by what lies under them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from app.gui.controls import Head
from app.gui.sheet import Sheet
from app.gui.theme import Theme

QUIET = "quiet_place"
"""A widget with this property says what is always the same, as a legend does: it may be hidden first."""

_ABOVE_STATUS, _SIDE = 40, 24
_STEP, _STEPS = 24, 12
"""Units from one place to the next above it, and how many places above each other are looked at."""

_ACROSS = 7
"""So many points of a place are looked at in a row; the rows are a step from each other."""

_NOTHING, _LEAST, _SHOWN, _USED, _WORKED_ON = 0.0, 0.1, 1.0, 3.0, 12.0
_FAR = 0.15
"""What a step away from the bottom centre weighs, as points hidden."""

_INPUTS = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit)


def clearing(window: QWidget, size: QSize, theme: Theme) -> QPoint:
    """The upper left corner of the place where something so large hides least of what a window shows."""
    weights: dict[tuple[int, int], float] = {}
    best, least = QPoint(), math.inf
    for place, away in _places(window, size, theme):
        hidden = away * _FAR
        for x, y in _points(place, size, theme):
            if hidden >= least:
                break
            if (x, y) not in weights:
                weights[x, y] = _weight(window, QPoint(x, y))
            hidden += weights[x, y]
        if hidden < least:
            best, least = place, hidden
    return best


def _points(place: QPoint, size: QSize, theme: Theme) -> Iterator[tuple[int, int]]:
    """The points of a place that are looked at, its lowest row among them."""
    last = place.y() + size.height() - 1
    for y in (*range(place.y(), last, theme.px(_STEP)), last):
        for across in range(_ACROSS):
            yield place.x() + (2 * across + 1) * size.width() // (2 * _ACROSS), y


def _places(window: QWidget, size: QSize, theme: Theme) -> Iterator[tuple[QPoint, int]]:
    """Places with how many steps each is from the bottom centre, the lowest first."""
    room, step = max(0, window.width() - size.width()), theme.px(_STEP)
    bottom = window.height() - size.height() - theme.px(_ABOVE_STATUS)
    side = min(theme.px(_SIDE), room // 2)
    left = min(theme.px(48) + side, room // 2)
    for up in range(min(_STEPS, max(1, bottom // step))):
        for aside, x in ((0, room // 2), (1, room - side), (1, left)):
            yield QPoint(x, bottom - up * step), up + 2 * aside


def _weight(window: QWidget, point: QPoint) -> float:
    """How much would be hidden at a point; what one works on weighs most."""
    found = window.childAt(point)
    if found is None:
        return _NOTHING
    if found.property(QUIET):
        return _LEAST
    view = found.parentWidget()
    if isinstance(view, QAbstractItemView) and view.viewport() is found:
        return _weight_in(view, found.mapFrom(window, point))
    if found is QApplication.focusWidget():
        return _WORKED_ON
    if isinstance(found, _INPUTS):
        return _USED
    if isinstance(found, QLabel):
        return _SHOWN if found.text() else _NOTHING
    return _NOTHING if found.children() and not isinstance(found, (Head, Sheet)) else _SHOWN


def _weight_in(view: QAbstractItemView, point: QPoint) -> float:
    index = view.indexAt(point)
    if not index.isValid():
        return _NOTHING
    return _WORKED_ON if index.row() == view.currentIndex().row() else _SHOWN
