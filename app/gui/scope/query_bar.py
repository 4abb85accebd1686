"""The bar across the top: the query line, and buttons for what is done with the query."""

from __future__ import annotations

from enum import IntEnum
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.domain.language import say
from app.gui.kit.controls import button
from app.gui.kit.theme import icons
from app.gui.kit.theme.theme import Theme
from app.gui.scope.offers import BAR
from app.gui.scope.query_line import QueryBox

_PRIMARY = "teach"
_MARGIN, _GAP, _ICON_ONLY, _WITH_WORD = 16, 8, 32, 48


class Words(IntEnum):
    """How much the bar's controls say; the query has the room that is left."""

    ALL = 0
    TEACH = 1
    NONE = 2


_LEAST_QUERY = {Words.ALL: 820, Words.TEACH: 520, Words.NONE: 0}
"""How much room, in units, the query must keep for so many words."""


class QueryBar(QWidget):
    """The bar across the top: the query, and a button for each action on it that has a word for one."""

    act_asked = Signal(str)  # the key of an action

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rows = {row.key: row for row in BAR}
        self.setFixedHeight(theme.px(82))
        self.box = QueryBox(theme)
        self.buttons = {key: self._button(key) for key in self.rows}
        self.said: Words | None = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(_MARGIN), 0, theme.px(_MARGIN), 0)
        layout.setSpacing(theme.px(_GAP))
        layout.addWidget(self.box, 1)
        layout.addSpacing(theme.px(4))
        for widget in self.buttons.values():
            layout.addWidget(widget)
        theme.changed.connect(self.dress)
        self.dress()

    def dress(self) -> None:
        tokens = self.theme.tokens
        for key, made in self.buttons.items():
            shade = tokens.on_accent if key == _PRIMARY else tokens.text
            made.setIcon(icons.icon(self.rows[key].icon, shade, tokens.border_strong))
        self.said = None
        self._set_words()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_words()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self.theme.color("border"))

    def _button(self, key: str) -> QPushButton:
        row = self.rows[key]
        made = button("", primary=key == _PRIMARY, tip=row.tip, press=partial(self.act_asked.emit, key))
        made.setObjectName(key)
        made.setAccessibleName(row.name)
        return made

    def _set_words(self) -> None:
        """Words give way to icons, so that the query keeps its room."""
        said = next((words for words in Words if self._left(words) >= _LEAST_QUERY[words]), Words.NONE)
        if said is self.said:
            return
        self.said = said
        for key, made in self.buttons.items():
            word = self._word(key, said)
            made.setText(word)
            made.setProperty("square", "false" if word else "true")
            made.style().polish(made)

    def _word(self, key: str, said: Words) -> str:
        row = self.rows[key]
        if said is Words.ALL:
            return f"{say(row.word)}  {row.keys[0]}" if key == _PRIMARY else say(row.word)
        return say(row.word) if said is Words.TEACH and key == _PRIMARY else ""

    def _left(self, said: Words) -> float:
        """How wide the query would be, in units."""
        face = self.theme.face(12, 600)
        wide: float = 2 * _MARGIN + 4 + len(self.buttons) * _GAP
        for key in self.buttons:
            word = self._word(key, said)
            wide += face.width(word) + _WITH_WORD if word else _ICON_ONLY
        return self.width() / self.theme.scale - wide
