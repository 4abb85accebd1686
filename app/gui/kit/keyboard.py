"""Fields that leave Ctrl+Z and Ctrl+Shift+Z to the window while there is no typing of their own to undo or redo."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextDocument
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget


class LeavingUndo(QObject):
    """Watches the fields within a widget: Qt's own would take the keys, and do nothing with them."""

    def __init__(self, within: QWidget) -> None:
        super().__init__(within)
        self._within = within
        for field in self._fields():
            field.installEventFilter(self)

    def forget(self) -> None:
        """What was typed is stored: the keys take back the step, not the letters of a field."""
        for field in self._fields():
            if isinstance(field, QPlainTextEdit):
                field.document().clearUndoRedoStacks()
            else:
                cursor = field.cursorPosition()
                field.setText(field.text())
                field.setCursorPosition(cursor)

    def _fields(self) -> list[QLineEdit | QPlainTextEdit]:
        return [*self._within.findChildren(QLineEdit), *self._within.findChildren(QPlainTextEdit)]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        history = watched.document() if isinstance(watched, QPlainTextEdit) else watched
        if not isinstance(history, QLineEdit | QTextDocument):
            return False
        if event.matches(QKeySequence.StandardKey.Undo):
            return not history.isUndoAvailable()
        return event.matches(QKeySequence.StandardKey.Redo) and not history.isRedoAvailable()
