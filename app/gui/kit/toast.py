"""Toast: a short message low in the window, placed where it covers least."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from app.gui.kit.action import Action, Group
from app.gui.kit.controls import PaneHeader, button
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.fields import explain
from app.gui.kit.layouts import spaced
from app.gui.kit.theme import icons
from app.gui.kit.theme.theme import Theme

UNDO = Action("undo", "Undo the last step", Group.TEACH, shortcuts=("Ctrl+Z",), icon="undo")
"""Action offered by a toast."""

QUIET = "quiet_place"
"""Property of a widget with constant content, such as a legend: it may be covered first."""

_ABOVE_STATUS, _SIDE = 40, 24
_STEP = 24
"""Distance between candidate places, in units."""

_ACROSS = 7
"""Number of sample points per row of a place."""

_NOTHING, _LEAST, _SHOWN, _USED, _WORKED_ON, _PRESSED = 0.0, 0.1, 1.0, 3.0, 12.0, 60.0
_FAR = 0.15
"""Cost of a step away from the bottom centre, in covered points."""

_INPUTS = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit)
_PRESSABLE = (QAbstractButton, QAbstractSpinBox, QComboBox)
"""Small widgets that must not be covered if there is another place."""


def clearing(window: QWidget, over: QWidget, size: QSize, theme: Theme) -> QPoint:
    """Return the upper left corner over a part of a window where a widget covers least."""
    weights: dict[tuple[int, int], float] = {}
    best, least = QPoint(), math.inf
    pressable = _pressable(window)
    for place, away in _places(window, over, size, theme):
        hidden = away * _FAR + _PRESSED * sum(map(QRect(place, size).intersects, pressable))
        for x, y in _points(place, size, theme):
            if hidden >= least:
                break
            if (x, y) not in weights:
                weights[x, y] = _weight(window, QPoint(x, y))
            hidden += weights[x, y]
        if hidden < least:
            best, least = place, hidden
    return best


def _pressable(window: QWidget) -> list[QRect]:
    """Return the visible rectangles of clickable widgets."""
    through = Qt.WidgetAttribute.WA_TransparentForMouseEvents
    return [
        QRect(one.mapTo(window, seen.topLeft()), seen.size())
        for kind in _PRESSABLE
        for one in window.findChildren(kind)
        if one.isVisible()
        and not ((over := one.parentWidget()) and over.testAttribute(through))
        and not (seen := one.visibleRegion().boundingRect()).isEmpty()
    ]


def _points(place: QPoint, size: QSize, theme: Theme) -> Iterator[tuple[int, int]]:
    """Yield the sample points of a place, including its lowest row."""
    last = place.y() + size.height() - 1
    for y in (*range(place.y(), last, theme.px(_STEP)), last):
        for across in range(_ACROSS):
            yield place.x() + (2 * across + 1) * size.width() // (2 * _ACROSS), y


def _places(window: QWidget, over: QWidget, size: QSize, theme: Theme) -> Iterator[tuple[QPoint, int]]:
    """Yield candidate places with their distance in steps from the bottom centre."""
    left, step = over.mapTo(window, QPoint(0, 0)).x(), theme.px(_STEP)
    room = over.width() - size.width()
    if room < 0:
        left, room = 0, max(0, window.width() - size.width())
    bottom = window.height() - size.height() - theme.px(_ABOVE_STATUS)
    side = min(theme.px(_SIDE), room // 2)
    for up in range(max(1, bottom // step)):
        for aside, x in ((0, left + room // 2), (1, left + room - side), (1, left + side)):
            yield QPoint(x, bottom - up * step), up + 2 * aside


def _weight(window: QWidget, point: QPoint) -> float:
    """Return the cost of covering a point; the focused widget costs most."""
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
    return _NOTHING if found.children() and not isinstance(found, (PaneHeader, Sheet)) else _SHOWN


def _weight_in(view: QAbstractItemView, point: QPoint) -> float:
    index = view.indexAt(point)
    if not index.isValid():
        return _NOTHING
    return _WORKED_ON if index.row() == view.currentIndex().row() else _SHOWN


# --------------------------------------------------------------------------------------------------------------------
# Toast

SHOWN_MS = 6_000
_JUST_MS = 500
"""Age in ms below which a message stays when a page is opened: it is about that action."""

_LINES = 2.6
"""Length in lines that fits into three lines after wrapping."""


class Toast(QWidget):
    """One message at a time over a part of the window; never takes the focus.

    Stays while the mouse or the focus is on it.
    """

    undo_requested = Signal()
    focus_left = Signal()  # it was hidden while it had the focus

    def __init__(self, theme: Theme, parent: QWidget, over: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self._window, self._over = theme, parent, over or parent
        self._bad, self._full = False, ""
        self._told = QElapsedTimer()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._sentence = QLabel()
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.undo = button(f"Undo  {UNDO.keys[0]}", tip=UNDO.tip, press=self._on_undo)
        self.undo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.undo.installEventFilter(self)
        layout = spaced(QHBoxLayout(self), theme.px(16), theme.px(38), theme.px(8), theme.px(10), theme.px(8))
        layout.addWidget(self._sentence)
        layout.addWidget(self.undo)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    @property
    def sentence(self) -> str:
        return "" if self.isHidden() else self._full

    @property
    def offers_undo(self) -> bool:
        return not self.undo.isHidden()

    def is_waiting(self) -> bool:
        """Check if it stays because the mouse or the focus is on it."""
        return self.isVisible() and not self._timer.isActive()

    def show_message(self, sentence: str, *, undo: bool = False, bad: bool = False) -> None:
        """Show a sentence for a while."""
        self._full = sentence
        self._told.start()
        self._lay(sentence)
        explain(self._sentence, sentence)
        self.setAccessibleName(sentence)
        self._bad = bad
        self.undo.setVisible(undo)
        self.undo.setIcon(icons.icon("undo", self.theme.tokens.text))
        self.place()
        self.show()
        self.raise_()
        self._go_in_a_while()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def _lay(self, sentence: str) -> None:
        """Lay the sentence out in one line, or up to three; longer ones are cut."""
        label, measure = self._sentence, self._sentence.fontMetrics()
        room = max(200, self._window.width() - self.theme.px(260))
        is_long = measure.horizontalAdvance(sentence) > room
        label.setWordWrap(is_long)
        label.setMinimumWidth(room if is_long else 0)
        label.setMaximumWidth(room)
        label.setText(measure.elidedText(sentence, Qt.TextElideMode.ElideRight, round(_LINES * room)))

    def place(self) -> None:
        """Place it bottom centre above the status bar, or nearby where it covers less."""
        self.adjustSize()
        through = Qt.WidgetAttribute.WA_TransparentForMouseEvents
        self.setAttribute(through, True)  # otherwise it would find itself
        self.move(clearing(self._window, self._over, self.size(), self.theme))
        self.setAttribute(through, False)

    def leave_page(self) -> None:
        """Hide it when another page is opened, unless it offers an undo."""
        if not self.offers_undo and not self.is_waiting() and self._told.isValid() and self._told.elapsed() > _JUST_MS:
            self._timer.stop()
            self.hide()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        self._go_in_a_while()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.FocusIn:
            self._timer.stop()
        elif event.type() is QEvent.Type.FocusOut:
            self._go_in_a_while()
        return False

    def _go_in_a_while(self) -> None:
        """Restart the time, but not while the mouse or the focus is here."""
        if self.underMouse() or self.undo.hasFocus():
            self._timer.stop()
        else:
            self._timer.start(SHOWN_MS)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self.theme.color("raised"))
        painter.setPen(QPen(self.theme.color("border_strong"), 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        size = self.theme.px(15)
        name, shade = ("warning", self.theme.tokens.danger) if self._bad else ("check", self.theme.tokens.success)
        picture = icons.pixmap(name, shade, size, self.devicePixelRatioF())
        painter.drawPixmap(self.theme.px(14), (self.height() - size) // 2, picture)

    def _on_undo(self) -> None:
        had_focus = self.undo.hasFocus()
        self.hide()
        if had_focus:
            self.focus_left.emit()
        self.undo_requested.emit()
