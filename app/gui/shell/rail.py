"""The rail at the left: one icon per page, with the open one marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QVBoxLayout

from app.display import words
from app.display.powers.running import running_words
from app.domain.history import PastCounts
from app.gui.bridge.events import PastWatch
from app.gui.kit.drawing.pen import CENTER, Pen
from app.gui.kit.drawing.ruled import Ruled
from app.gui.kit.theme.theme import Theme
from app.gui.shell.pages import PageRow

_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


_LEAST_TARGET = 24
"""Pixels that a pointer needs to hit a thing."""


class RailButton(QAbstractButton):
    """One page's icon; its name and key are its tooltip."""

    def __init__(self, theme: Theme, row: PageRow) -> None:
        super().__init__()
        self.theme, self.row = theme, row
        title = words.say(row.title)
        keys = QKeySequence(row.shortcut).toString(QKeySequence.SequenceFormat.NativeText)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(title)
        self.setToolTip(f"{title}  {keys}")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.badge = ""
        """How much waits on the page, shown beside its icon."""
        self.setFixedWidth(theme.px(48))
        self.setMaximumHeight(theme.px(42))
        self.setMinimumHeight(_LEAST_TARGET)  # not scaled: in a low window with large text they all move closer

    def show_badge(self, badge: str, said: str) -> None:
        """Show how much waits there, and say it to those who listen; "" for nothing."""
        if badge != self.badge or said != self.accessibleDescription():
            self.badge = badge
            title = words.say(self.row.title)
            self.setAccessibleName(f"{title}, {said}" if badge else title)
            self.setAccessibleDescription(said if badge else "")
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(48), self.theme.px(42))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        pen = Pen(painter, self.theme, self.width())
        on, middle = self.isChecked(), self.height() / self.theme.scale / 2
        box = QRectF(7, max(0.0, middle - 17), 34, min(34.0, 2 * middle))
        if on:
            pen.fill(box, "accent_soft", 6)
            pen.fill(QRectF(0, middle - 8, 3, 16), "accent", 1.5)
        elif self.underMouse():
            pen.fill(box, "sunken", 6)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.theme.color("accent"), 2))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)
        pen.icon(self.row.icon, 15, middle - 9, 18, "accent" if on else "text_2")
        if self.badge:
            face = self.theme.face(11, 650)
            pill = QRectF(0, max(0.0, middle - 18), max(16.0, face.width(self.badge) + 8), 16)
            pill.moveRight(46)
            pen.fill(pill, "accent_fill", 8)
            pen.text(pill, self.badge, face, "on_accent", CENTER)


class Rail(Ruled):
    """Shows which page is open, and opens others by mouse, by Tab and arrows, or by their keys."""

    page_asked = Signal(str)
    ground = "bg"

    def __init__(self, theme: Theme, rows: Sequence[PageRow]) -> None:
        super().__init__(theme)
        self.setFixedWidth(theme.px(48))
        self.setAccessibleName(self.tr("Pages"))
        self.buttons = {row.key: RailButton(theme, row) for row in rows}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(6), 0, theme.px(6))
        column.setSpacing(0)
        for at_foot in (False, True):
            for row in rows:
                if row.at_foot is at_foot:
                    column.addWidget(self.buttons[row.key])
            if not at_foot:
                column.addStretch(1)
        for button in self.buttons.values():
            button.clicked.connect(lambda _checked=False, key=button.row.key: self.page_asked.emit(key))

    def count_by(self, watch: PastWatch) -> None:
        """Show beside the inbox how much waits in it."""
        watch.counted.connect(self._show_waiting)

    def _show_waiting(self, counts: PastCounts) -> None:
        from app.display.review.inbox import badge, badge_words  # not before there is something to count

        self.buttons["inbox"].show_badge(badge(counts.waiting), badge_words(counts.waiting))

    def show_running(self, count: int) -> None:
        """Show beside the powers how many run."""
        self.buttons["powers"].show_badge(str(count) if count else "", running_words(count))

    def show_open(self, key: str) -> None:
        """Mark a page as the open one."""
        self.buttons[key].setChecked(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        buttons = list(self.buttons.values())
        here = next((place for place, button in enumerate(buttons) if button.hasFocus()), None)
        if step is None or here is None:
            super().keyPressEvent(event)
        else:
            buttons[(here + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)

    def write(self, pen: Pen) -> None:
        pen.line(47.5, 0, 47.5, self.height() / self.theme.scale)
