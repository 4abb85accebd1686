"""How a power's server is reached: a command with arguments, an address, or not at all."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.domain.library import Transport
from app.gui.kit.controls import Segments
from app.gui.kit.theme.theme import Theme
from app.gui.powers.lists import ListEditor

NONE, COMMAND, URL = "none", "command", "url"


class TransportFields(QWidget):
    """Only the fields of the chosen way are there; what the others hold is kept until another power is shown."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.how = Segments(
            theme,
            self.tr("How it is reached"),
            [(COMMAND, self.tr("Command")), (URL, self.tr("URL")), (NONE, self.tr("Not at all"))],
        )
        self.command, self.url = QLineEdit(), QLineEdit()
        self.command.setAccessibleName(self.tr("Command"))
        self.command.setPlaceholderText(self.tr("the program that is started, such as npx"))
        self.args = ListEditor(theme, self.tr("Arguments"), [self.tr("Argument")], self.tr("Add an argument"))
        self.url.setAccessibleName(self.tr("URL"))
        self.url.setPlaceholderText(self.tr("https://"))
        row = QHBoxLayout()
        row.addWidget(self.how)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(6))
        column.addLayout(row)
        for field in (self.command, self.args, self.url):
            column.addWidget(field)
        for line in (self.command, self.url):
            line.textEdited.connect(lambda _: self.changed.emit())
        self.args.changed.connect(self.changed)
        self.how.chosen.connect(self._on_how)
        self._show_fields()

    def show_transport(self, transport: Transport) -> None:
        """Show this without telling anyone."""
        self.how.set_current(URL if transport.url else COMMAND if transport.command or transport.args else NONE)
        for line, text in ((self.command, transport.command or ""), (self.url, transport.url or "")):
            if line.text() != text:
                line.setText(text)
                line.setCursorPosition(0)
        self.args.show_rows([(argument,) for argument in transport.args])
        self._show_fields()

    def transport(self, env: Mapping[str, str]) -> Transport:
        """What the fields of the chosen way hold, with this environment."""
        how = self.how.current
        return Transport(
            command=(self.command.text().strip() or None) if how == COMMAND else None,
            args=tuple(row[0] for row in self.args.filled()) if how == COMMAND else (),
            env=env,
            url=(self.url.text().strip() or None) if how == URL else None,
        )

    def _on_how(self, _: str) -> None:
        self._show_fields()
        self.changed.emit()

    def _show_fields(self) -> None:
        how = self.how.current
        for field, wanted in ((self.command, COMMAND), (self.args, COMMAND), (self.url, URL)):
            field.setVisible(how == wanted)
