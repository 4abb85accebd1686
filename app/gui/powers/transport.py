"""How a power's server is reached: a command with arguments, an address, or not at all."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.display.powers.rows import taken_apart
from app.domain.library import Transport
from app.gui.kit.controls import Segments
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme.theme import Theme
from app.gui.powers.lists import ListEditor

NONE, COMMAND, URL = "none", "command", "url"


class TransportFields(QWidget):
    """Only the fields of the chosen way are there; what the others hold is kept until another power is shown."""

    changed = Signal()
    variables_pasted = Signal(Mapping)  # values by name, of a command line that was taken apart

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
        self.note = Said(role="caption")
        self._before = ""
        row = QHBoxLayout()
        row.addWidget(self.how)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(6))
        column.addLayout(row)
        for field in (self.command, self.note, self.args, self.url):
            column.addWidget(field)
        self.command.textEdited.connect(self._on_command)
        self.command.editingFinished.connect(self.settle)
        self.url.textEdited.connect(lambda _: self.changed.emit())
        self.args.changed.connect(self.changed)
        self.how.chosen.connect(self._on_how)
        self._show_fields()

    def show_transport(self, transport: Transport) -> None:
        """Show this without telling anyone."""
        if transport != self.transport(transport.env):
            self.note.say("")
        self.how.set_current(URL if transport.url else COMMAND if transport.command or transport.args else NONE)
        for line, text in ((self.command, transport.command or ""), (self.url, transport.url or "")):
            if line.text().strip() != text:  # what is being typed may still end in a space
                line.setText(text)
                line.setCursorPosition(0)
        self.args.show_rows([(argument,) for argument in transport.args])
        self._before = self.command.text()
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

    def settle(self) -> None:
        """Take up what is being typed: a whole command line is taken apart, and so shown."""
        self.args.settle()
        self._take_apart(keeps=True)

    def _on_command(self, text: str) -> None:
        """What is pasted is taken apart at once, what is typed once it is left."""
        before, self._before = self._before, text
        self.note.say("")
        is_pasted = len(text) - len(before) > 1
        if not (is_pasted and self._take_apart(keeps=bool(before) and before in text)):
            self.changed.emit()

    def _take_apart(self, *, keeps: bool) -> bool:
        """Show a command line as command, arguments and variables; with `keeps` the arguments that are there stay."""
        found = taken_apart(self.command.text())
        if found is None:
            return False
        self._before = found.command
        self.command.setText(found.command)
        held = tuple(row[0] for row in self.args.filled()) if keeps else ()
        self.args.show_rows([(argument,) for argument in (*found.args, *held)])
        self.note.say(found.told)
        if found.env:
            self.variables_pasted.emit(found.env)
        self.changed.emit()
        return True

    def _on_how(self, _: str) -> None:
        self._show_fields()
        self.changed.emit()

    def _show_fields(self) -> None:
        how = self.how.current
        for field, wanted in ((self.command, COMMAND), (self.args, COMMAND), (self.url, URL)):
            field.setVisible(how == wanted)
        self.note.setVisible(how == COMMAND and bool(self.note.text()))
