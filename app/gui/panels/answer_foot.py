"""The line below the selected answer: buttons that mark it right or wrong, or add the query to what it is taught by."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.display.words import say
from app.gui import icons
from app.gui.actions import ACTIONS
from app.gui.controls import button
from app.gui.theme import Theme

_HEIGHT, _MARGIN, _GAP, _WITH_WORD = 45, 16, 6, 34
_LAST = "add_trigger"


class AnswerFoot(QWidget):
    """A button for each action on the selected answer that has a word for one; words give way to icons."""

    act_asked = Signal(str)  # the key of an action

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        rows = sorted((row for row in ACTIONS if row.under_answer), key=lambda row: row.key == _LAST)
        self.rows = {row.key: row for row in rows}
        self.buttons = {key: self._button(key) for key in self.rows}
        self._says: bool | None = None
        self.setFixedHeight(theme.px(_HEIGHT))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(_MARGIN), 1, theme.px(_MARGIN), 0)
        layout.setSpacing(theme.px(_GAP))
        layout.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)  # words do not keep their room
        for key, made in self.buttons.items():
            if key == _LAST:
                layout.addStretch(1)
            layout.addWidget(made)
        theme.changed.connect(self._dress)
        self._dress()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_words()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.color("surface"))
        painter.fillRect(0, 0, self.width(), 1, self.theme.color("border"))

    def _button(self, key: str) -> QPushButton:
        row = self.rows[key]
        made = button("", tip=row.tip, press=partial(self.act_asked.emit, key))
        made.setObjectName(key)
        made.setAccessibleName(row.name)
        made.setProperty("slim", "true")
        return made

    def _dress(self) -> None:
        tokens = self.theme.tokens
        for key, made in self.buttons.items():
            made.setIcon(icons.icon(self.rows[key].icon, tokens.text, tokens.border_strong))
        self._says = None
        self._set_words()

    def _set_words(self) -> None:
        face = self.theme.face(12, 600)
        wide = sum(face.width(say(row.word)) + _WITH_WORD for row in self.rows.values())
        says = wide + _GAP * (len(self.rows) - 1) + 2 * _MARGIN <= self.width() / self.theme.scale
        if says is self._says:
            return
        self._says = says
        for key, made in self.buttons.items():
            made.setText(say(self.rows[key].word) if says else "")
