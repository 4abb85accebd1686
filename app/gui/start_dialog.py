"""The question before a power is started for the first time: the exact command line or address, and a way out."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent, QTextOption
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.display.running import StartAsked
from app.gui.controls import button
from app.gui.library.pane_parts import Said, section
from app.gui.theme import Theme

_LINE, _LINES, _SIGNS_A_LINE = 19, 9, 66


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
        holds = self.tr("The yes holds for exactly this; any change asks again.")
        if asked.has_names:
            holds += " " + self.tr(
                "After “with” are the names of the variables that it gets; their values stay hidden."
            )
        self.origin = Said(theme, f"{asked.origin}\n{holds}", token="text_2")
        self.verb = button(asked.verb, primary=True, press=self.accept)
        self.cancel = button(self.tr("Cancel"), press=self.reject)
        self.cancel.setDefault(True)
        self._arrange()
        for first, second in ((self.cancel, self.verb), (self.verb, self.text), (self.text, self.before)):
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
        column.addWidget(self.text)
        if self.asked.before:
            column.addSpacing(px(4))
            column.addWidget(section(self.theme, self.tr("Approved before")))
            column.addWidget(self.before)
        else:
            self.before.setParent(self)
            self.before.setVisible(False)
        column.addWidget(self.origin)
        column.addSpacing(px(8))
        column.addLayout(foot)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.setFixedHeight(self.heightForWidth(self.width()))  # wrapped texts ask for more before they have a width

    def _field(self, name: str, text: str) -> QPlainTextEdit:
        field = QPlainTextEdit()
        field.setReadOnly(True)
        field.setTabChangesFocus(True)
        field.setAccessibleName(name)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.WrapAnywhere)
        field.document().setDefaultTextOption(option)
        field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        field.setFont(self.theme.font(12, mono=True))
        field.setStyleSheet(f'font-family: "{self.theme.mono}"; font-size: {self.theme.px(12)}px')
        field.setPlainText(text)
        lines = sum(1 + len(line) // _SIGNS_A_LINE for line in text.split("\n"))
        field.setFixedHeight(self.theme.px(_LINE) * min(_LINES, max(2, lines)) + self.theme.px(14))
        return field
