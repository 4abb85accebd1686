"""The line above the table that adds a case."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.display import words
from app.display.library.cases import TASK_WORDS, read, refusal, typed
from app.domain.case import Case, Task
from app.gui.controls import button
from app.gui.editors import ChoiceBox
from app.gui.fault_line import FaultLine
from app.gui.query_line import LONGEST
from app.gui.theme import Theme


class NewCase(QWidget):
    """Task, query and what is expected; Enter adds the case, Escape leaves."""

    added = Signal(object)  # Case
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.task = ChoiceBox([(task.value, words.say(TASK_WORDS[task])) for task in Task])
        self.task.setAccessibleName(self.tr("Task"))
        self.text, self.expected = QLineEdit(), QLineEdit()
        self.text.setMaxLength(LONGEST)
        self.text.setPlaceholderText(self.tr("The query"))
        self.text.setAccessibleName(self.tr("The query"))
        self.expected.setPlaceholderText(self.tr("Expected, parted by semicolons; nothing for no match"))
        self.expected.setAccessibleName(self.tr("Expected answers"))
        self.verb = button(self.tr("Add"), primary=True, press=self._add)
        self.fault = FaultLine(theme)
        row = QHBoxLayout()
        row.setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(8))
        row.setSpacing(theme.px(8))
        row.addWidget(self.task)
        row.addWidget(self.text, 3)
        row.addWidget(self.expected, 2)
        row.addWidget(self.verb)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.fault)
        for line in (self.text, self.expected):
            line.returnPressed.connect(self._add)
        self.text.textChanged.connect(self._on_text)
        self._on_text()

    @property
    def chosen_task(self) -> Task:
        return Task(self.task.currentData())

    def begin(self) -> None:
        """Take the keyboard."""
        self.setVisible(True)
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def clear(self) -> None:
        """Make room for the next one."""
        self.text.clear()
        self.expected.clear()

    def _on_text(self) -> None:
        self.verb.setEnabled(bool(self.text.text().strip()))
        self.fault.tell("")

    def _add(self) -> None:
        text, answers = self.text.text().strip(), read(self.expected.text())
        why = refusal(self.chosen_task, answers)
        self.fault.tell(why)
        if text and not why:
            self.added.emit(Case(text, typed(self.chosen_task, answers), self.chosen_task))

    def event(self, event: QEvent) -> bool:
        # Escape closes the line before the window leads back to the query.
        is_override = event.type() is QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.setVisible(False)
            self.left.emit()
        else:
            super().keyPressEvent(event)
