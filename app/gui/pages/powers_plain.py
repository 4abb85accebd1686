"""Fields for texts that are read and copied, not edited: in the fixed font, wrapped anywhere, never markup."""

from __future__ import annotations

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy

from app.gui.theme import Theme

_LOW = 44


class PlainField(QPlainTextEdit):
    """Tab leaves it; what is set anew keeps the view at its top, or at its end where it `follows`."""

    def __init__(self, theme: Theme, name: str, hint: str = "", *, follows: bool = False) -> None:
        super().__init__()
        self.theme, self._follows = theme, follows
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName(name)
        self.setMinimumHeight(theme.px(_LOW))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # the page asks for no more room
        self.setPlaceholderText(hint)
        theme.changed.connect(self._dress)
        self._dress()

    def show_text(self, text: str) -> None:
        """Show this, if it is another than before."""
        if text == self.toPlainText():
            return
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self.setPlainText(text)
        if self._follows and at_end:
            bar.setValue(bar.maximum())

    def _dress(self) -> None:
        self.setFont(self.theme.font(12, mono=True))
        self.setStyleSheet(f'font-family: "{self.theme.mono}"; font-size: {self.theme.px(12)}px')
