"""The question before a power is started for the first time: the exact command line or address, and a way out."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent, QTextOption
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.display.powers.running import StartAsked
from app.gui.controls import button
from app.gui.library.pane_parts import Said, section
from app.gui.theme import Theme

_LINE, _LINES, _SIGNS_A_LINE = 19, 9, 66
_FRAME = 36
"""So much a desktop puts around a window."""


class StartDialog(QDialog):
    """Cancel has the focus, so that neither Enter nor Esc starts anything; Enter on the verb itself does."""

    def __init__(self, theme: Theme, asked: StartAsked, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme, self.asked = theme, asked
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(asked.title)
        self.setModal(True)
        self.setFixedWidth(theme.px(560))
        self.question = Said(theme, asked.question, size=13)
        self.text = self._field(self.tr("What a yes is for"), asked.text)
        self.before = self._field(self.tr("What was approved before"), asked.before)
        self.variables = self._field(self.tr("The variables that it gets"), asked.variables, at_words=True)
        self.warning = Said(theme, asked.warning, token="warning", weight=600)
        holds = self.tr("The yes holds for exactly this; any change asks again.")
        self.origin = Said(theme, f"{asked.origin}\n{holds}", token="text_2")
        self.verb = button(asked.verb, primary=True, press=self.accept)
        self.cancel = button(self.tr("Cancel"), press=self.reject)
        self.cancel.setDefault(True)
        self._arrange()
        for first, second in pairwise((self.cancel, self.verb, self.text, self.before, self.variables)):
            self.setTabOrder(first, second)
        self.cancel.setFocus()

    def _arrange(self) -> None:
        px = self.theme.px
        foot = QHBoxLayout()
        foot.setSpacing(px(8))
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.verb)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(20), px(20), px(20), px(16))
        column.setSpacing(px(8))
        column.addWidget(Said(self.theme, self.asked.title, size=15, weight=650))
        column.addWidget(self.question)
        self.warning.setVisible(bool(self.asked.warning))
        column.addWidget(self.warning)
        column.addWidget(self.text)
        self._add_part(column, self.tr("Approved before"), self.before)
        self._add_part(column, self.tr("The variables that it gets; their values stay hidden"), self.variables)
        column.addWidget(self.origin)
        column.addSpacing(px(8))
        column.addLayout(foot)

    def _add_part(self, column: QVBoxLayout, title: str, field: QPlainTextEdit) -> None:
        """A field under a title of its own, if there is anything in it."""
        if field.toPlainText():
            column.addSpacing(self.theme.px(4))
            column.addWidget(section(self.theme, title))
            column.addWidget(field)
        else:
            field.setParent(self)
            field.setVisible(False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        room = self.screen().availableSize().height() - self.theme.px(_FRAME)
        for field in (self.before, self.variables, self.text):  # they scroll; the buttons must be seen
            over = self.heightForWidth(self.width()) - room
            if over > 0 and not field.isHidden():
                field.setFixedHeight(max(self.theme.px(_LINE) + self.theme.px(14), field.height() - over))
        self.setFixedHeight(self.heightForWidth(self.width()))  # wrapped texts ask for more before they have a width

    def _field(self, name: str, text: str, *, at_words: bool = False) -> QPlainTextEdit:
        field = QPlainTextEdit()
        field.setReadOnly(True)
        field.setTabChangesFocus(True)
        field.setAccessibleName(name)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        wrap = QTextOption.WrapMode
        option.setWrapMode(wrap.WrapAtWordBoundaryOrAnywhere if at_words else wrap.WrapAnywhere)
        field.document().setDefaultTextOption(option)
        field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        field.setFont(self.theme.font(12, mono=True))
        field.setStyleSheet(f'font-family: "{self.theme.mono}"; font-size: {self.theme.px(12)}px')
        field.setPlainText(text)
        lines = sum(1 + len(line) // _SIGNS_A_LINE for line in text.split("\n"))
        field.setFixedHeight(self.theme.px(_LINE) * min(_LINES, max(2, lines)) + self.theme.px(14))
        return field
