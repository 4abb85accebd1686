"""The form of one tool: a field for each argument that its schema names, with what is wrong beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from app.display import words
from app.display.powers.running import visible
from app.display.powers.tools import WHOLE, Argument, default_text, fields, read_form
from app.domain.running import shown
from app.gui.kit.fields import ChoiceBox
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme.theme import Theme

_LONGEST = 1_000_000
_AREA = 60
_ABOUT = 400


class ArgumentField(QWidget):
    """One argument: its name and type, the field, a fault, and what the server says about it."""

    def __init__(self, theme: Theme, row: Argument) -> None:
        super().__init__()
        self.row = row
        name = words.say("Arguments") if row.name == WHOLE else shown(row.name, 120)
        need = words.say("required") if row.is_required else words.say("optional")
        self.title, kind = Said(name, role="title"), Said(f"{row.word}, {need}", role="caption")
        kind.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.fault = Said(shade="danger")
        self.fault.say("")
        self.about = Said(visible(row.about, _ABOUT), role="note")
        self.about.setVisible(bool(row.about.strip()))
        self.field = self._made(name)
        self.field.setAccessibleDescription(f"{row.word}, {need}. {visible(row.about, _ABOUT)}")
        head = QHBoxLayout()
        head.setSpacing(theme.px(8))
        head.addWidget(self.title, 1)
        head.addWidget(kind, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, theme.px(8))
        column.setSpacing(theme.px(3))
        column.addLayout(head)
        for part in (self.field, self.fault, self.about):
            column.addWidget(part)
        if isinstance(self.field, QPlainTextEdit):
            self.field.setFixedHeight(theme.px(_AREA))

    def _made(self, name: str) -> QLineEdit | QPlainTextEdit | ChoiceBox:
        row, text = self.row, default_text(self.row)
        made: QLineEdit | QPlainTextEdit | ChoiceBox
        if row.kind in ("choice", "boolean"):
            made = ChoiceBox(_choices(row))
            made.show_value(text if row.default else "")
        elif row.kind == "json":
            made = QPlainTextEdit()
            made.setTabChangesFocus(True)
            made.setPlaceholderText(words.say("JSON"))
            made.setPlainText(text)
        else:
            made = QLineEdit()
            made.setMaxLength(_LONGEST)
            made.setText(text)
        made.setAccessibleName(name)
        return made

    @property
    def text(self) -> str:
        """What a person typed or chose, as text."""
        field = self.field
        if isinstance(field, ChoiceBox):
            return str(field.currentData() or "")
        return field.text() if isinstance(field, QLineEdit) else field.toPlainText()

    def tell(self, fault: str) -> None:
        """Say what is wrong; "" for nothing."""
        self.fault.say(fault)
        self.field.setProperty("wrong", bool(fault))


class ToolForm(QWidget):
    """All fields of one tool. They are made one in a turn of the loop, so that no key waits for a long form."""

    entered = Signal()  # Enter was pressed in a field of one line

    def __init__(self, theme: Theme, rows: Sequence[Argument] | None) -> None:
        super().__init__()
        self.theme = theme
        self.rows = fields(rows)
        self.fields: list[ArgumentField] = []
        self._enters = False
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._make_next)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(theme.px(16), theme.px(4), theme.px(16), theme.px(4))
        self._column.setSpacing(theme.px(4))
        if not self.rows:
            self._column.addWidget(Said(words.say("It takes no arguments."), role="caption"))
        self._column.addStretch(1)
        if self.rows:
            self._turn.start()

    def enter(self) -> None:
        """Go to the first field, as soon as it is there."""
        self._enters = not self.fields
        if self.fields:
            self.fields[0].field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _make_next(self) -> None:
        made = ArgumentField(self.theme, self.rows[len(self.fields)])
        if isinstance(made.field, QLineEdit):
            made.field.returnPressed.connect(self.entered)
        self._column.insertWidget(len(self.fields), made)
        self.fields.append(made)
        if len(self.fields) == len(self.rows):
            self._turn.stop()
        if self._enters:
            self.enter()

    def read(self) -> dict[str, Any] | None:
        """The arguments; None if something is wrong, which then stands beside its field and has the keyboard."""
        while len(self.fields) < len(self.rows):
            self._make_next()
        found, wrong = read_form(self.rows, {field.row.name: field.text for field in self.fields})
        for field in self.fields:
            field.tell(wrong.get(field.row.name, ""))
        first = next((field for field in self.fields if field.row.name in wrong), None)
        if first is not None:
            first.field.setFocus()
        return None if wrong else found


def _choices(row: Argument) -> list[tuple[str, str]]:
    """Values as JSON text, and their words; first that nothing is chosen, where that may be."""
    values: Sequence[Any] = (True, False) if row.kind == "boolean" else row.choices
    said = {True: words.say("Yes"), False: words.say("No")} if row.kind == "boolean" else {}
    offered = [
        (json.dumps(value, ensure_ascii=False), said.get(value) or shown(str(value), 120) or "“”") for value in values
    ]
    return offered if row.is_required and row.default else [("", words.say("Not given")), *offered]
