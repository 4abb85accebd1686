"""Navigation rail: entries of the window, with labels if there is space."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.display.powers.running import running_words
from app.domain.review.history import HistoryCounts
from app.gui.bridge.events import HistoryWatch
from app.gui.kit.layouts import spaced
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.shell.menu import MenuButton
from app.gui.shell.page_stack import Entry, entry_of, pages_of

_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}

WIDE, NARROW = 168, 48
"""Widths in units: with labels, and with icons only."""

_LEAST_TARGET = 24
"""Minimum size of a click target, in pixels."""


class RailButton(QToolButton):
    """Rail entry: icon and label, or icon with a tooltip; and a badge with a count."""

    def __init__(self, theme: Theme, entry: Entry) -> None:
        super().__init__()
        self.theme, self.entry = theme, entry
        self.title = entry.title
        self.setText(self.title)
        styled(self, role="entry")
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setAccessibleName(self.title)
        self.setToolTip("\n".join(f"{row.title}  {_keys(row.shortcut)}" for row in pages_of(entry.key)))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(_LEAST_TARGET)  # not scaled: in a low window with large text the entries move closer
        self._waiting = QLabel(self)
        styled(self._waiting, role="badge")
        self._waiting.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._waiting.hide()
        theme.changed.connect(self.apply_theme)
        self.toggled.connect(lambda _: self.apply_theme())
        self.apply_theme()

    @property
    def badge(self) -> str:
        """Displayed count of waiting items; "" for none."""
        return self._waiting.text()

    def show_badge(self, badge: str, said: str) -> None:
        """Show a count as a badge, and in the accessible name; "" for none."""
        if badge == self.badge and said == self.accessibleDescription():
            return
        self._waiting.setText(badge)
        self._waiting.setVisible(bool(badge))
        self.setAccessibleName(f"{self.title}, {said}" if badge else self.title)
        self.setAccessibleDescription(said if badge else "")
        self._place_badge()

    def show_word(self, on: bool) -> None:
        """Show the label beside the icon, or the icon alone."""
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.setToolButtonStyle(beside if on else Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.setText(f" {self.title}" if on else self.title)
        styled(self, words="true" if on else "false")
        self._place_badge()

    def sizeHint(self) -> QSize:
        return QSize(self.theme.px(NARROW), self.theme.px(34))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.px(NARROW), _LEAST_TARGET)

    def apply_theme(self) -> None:
        """Draw the icon in the present colours."""
        tokens = self.theme.tokens
        self.setIcon(icons.icon(self.entry.icon, tokens.accent if self.isChecked() else tokens.text_2))
        self.setIconSize(QSize(self.theme.px(18), self.theme.px(18)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_badge()

    def _place_badge(self) -> None:
        """Place the badge at the right end beside a label, otherwise at the icon's upper right."""
        size = self._waiting.sizeHint()
        is_wide = self.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        left = self.width() - size.width() - self.theme.px(8 if is_wide else 1)
        top = (self.height() - size.height()) // 2 if is_wide else 0
        self._waiting.setGeometry(left, top, size.width(), size.height())


class Rail(QWidget):
    """Shows the open entry, and opens others by mouse, Tab and arrows, or shortcuts."""

    entry_requested = Signal(str)

    def __init__(self, theme: Theme, entries: Sequence[Entry], menu: MenuButton | None = None) -> None:
        super().__init__()
        self.theme = theme
        self.is_wide = False
        self.setAccessibleName("Pages")
        self.setObjectName("rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.buttons = {entry.key: RailButton(theme, entry) for entry in entries}
        self._column = spaced(QVBoxLayout(self), theme.px(1), 0, theme.px(6), 1, theme.px(6))
        self.menu = menu
        if menu is not None:
            self._column.addWidget(menu)
        for at_foot in (False, True):
            if at_foot:
                self._column.addStretch(1)
            for entry in entries:
                if entry.at_foot is at_foot:
                    self._column.addWidget(self.buttons[entry.key])
        for button in self.buttons.values():
            button.clicked.connect(lambda _checked=False, key=button.entry.key: self.entry_requested.emit(key))
        self.show_words(False)

    def show_words(self, on: bool) -> None:
        """Set the width for labels, or for icons only."""
        self.is_wide = on
        self.setFixedWidth(self.fitting)
        for button in self.buttons.values():
            button.show_word(on)
        if self.menu is not None:
            self.menu.show_word(on)

    @property
    def fitting(self) -> int:
        """Preferred width in pixels, at the present text size."""
        return self.theme.px(WIDE if self.is_wide else NARROW)

    def count_by(self, watch: HistoryWatch) -> None:
        """Show the number of waiting queries at the inbox entry."""
        watch.counted.connect(self._show_waiting)

    def _show_waiting(self, counts: HistoryCounts) -> None:
        from app.display.review.inbox import accessible_badge, badge  # imported when there is something to count

        self.buttons[entry_of("inbox")].show_badge(badge(counts.waiting), accessible_badge(counts.waiting))

    def show_running(self, count: int) -> None:
        """Show the number of running powers at the powers entry."""
        self.buttons[entry_of("powers")].show_badge(str(count) if count else "", running_words(count))

    def show_open(self, page: str) -> None:
        """Mark the entry of a page as the open one."""
        self.buttons[entry_of(page)].setChecked(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        buttons = list(self.buttons.values())
        here = next((place for place, button in enumerate(buttons) if button.hasFocus()), None)
        if step is None or here is None:
            super().keyPressEvent(event)
        else:
            buttons[(here + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)


def _keys(shortcut: str) -> str:
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
