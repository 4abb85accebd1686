"""The query in front with all that can be done about it: the verbs, what was done last, the choice, the card."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.display import words
from app.display.review import inbox
from app.gui.action import native
from app.gui.controls import button
from app.gui.library.pane_parts import Said
from app.gui.pages.inbox_card import InboxCard
from app.gui.pages.inbox_teach import TeachBox
from app.gui.sheet import scrolled
from app.gui.theme import Theme


class InboxFront(QWidget):
    """Every verb has its letter on its button. The sentence keeps its place, so that it pushes nothing."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.verbs: dict[str, QPushButton] = {}
        for verb in inbox.VERBS:
            made = button(f"{words.say(verb.word)}  {verb.letter}")
            made.setToolTip(f"{words.say(verb.tip)} ({verb.letter})")
            made.setAccessibleName(words.say(verb.word))
            self.verbs[verb.key] = made
        self.said = Said(theme, token="text_2")
        self.said.setMinimumHeight(theme.px(28))
        self.back = button(f"{self.tr('Undo')}  {native('Ctrl+Z')}", link=True)
        self.back.setAccessibleName(self.tr("Take the last decision back"))
        self.back.setVisible(False)
        self.teach = TeachBox(theme)
        self.card = InboxCard(theme, self.tr("The query in front"))
        self.area = scrolled(self.card, self.tr("The query in front"))
        self._arrange(theme)

    def _arrange(self, theme: Theme) -> None:
        px = theme.px
        above = QHBoxLayout()
        above.setContentsMargins(px(24), px(10), px(12), px(8))
        above.setSpacing(px(8))
        for made in self.verbs.values():
            above.addWidget(made)
        above.addStretch(1)
        told = QHBoxLayout()
        told.setContentsMargins(px(24), 0, px(12), px(6))
        told.setSpacing(px(8))
        told.addWidget(self.said, 1)
        told.addWidget(self.back)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(above)
        column.addLayout(told)
        column.addWidget(self.teach)
        column.addWidget(self.area, 1)

    def say(self, sentence: str, *, can_undo: bool) -> None:
        """Say what was just done, with the way back."""
        self.said.say(sentence)
        self.said.setVisible(True)
        self.back.setVisible(can_undo)

    def close_teach(self, then: QWidget) -> None:
        """Teach nothing; the keyboard goes on where it was."""
        had_focus = self.teach.isAncestorOf(QApplication.focusWidget() or then)
        self.teach.setVisible(False)
        if had_focus:
            then.setFocus(Qt.FocusReason.OtherFocusReason)
