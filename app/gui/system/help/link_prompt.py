"""The question before a link leads out of the program, to the browser: the program itself fetches nothing."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy

from app.gui.kit.controls import button
from app.gui.kit.drawing.ruled import Ruled
from app.gui.kit.theme.theme import Theme


class LinkPrompt(Ruled):
    """A line with the address and what can be done with it; hidden until a link asks."""

    ground = "bg"

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.address = ""
        self.sentence = QLabel()
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.go = button(self.tr("Open in the browser"), press=self.open)
        self.copying = button(self.tr("Copy the address"), press=self.copy)
        self.stay = button(self.tr("Stay here"), press=self.forget)
        across = QHBoxLayout(self)
        across.setContentsMargins(theme.px(32), theme.px(8), theme.px(16), theme.px(8))
        across.setSpacing(theme.px(8))
        across.addWidget(self.sentence, 1)
        for made in (self.go, self.copying, self.stay):
            across.addWidget(made)
        self.setVisible(False)

    def ask(self, address: str) -> None:
        """Ask if this address may be opened; the keyboard is at the answer that stays."""
        self.address = address
        self.sentence.setText(self.tr("{0} is not part of this program.").format(address))
        self.setAccessibleName(self.sentence.text())
        self.setVisible(True)
        self.stay.setFocus(Qt.FocusReason.OtherFocusReason)

    def forget(self) -> None:
        """Close the question; nothing is opened."""
        self.address = ""
        self.setVisible(False)

    def copy(self) -> None:
        """Put the address on the clipboard."""
        QGuiApplication.clipboard().setText(self.address)
        self.forget()

    def open(self) -> None:
        """Let the desktop open it."""
        QDesktopServices.openUrl(QUrl(self.address))
        self.forget()

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, self.height() - 1, self.width(), 1)
