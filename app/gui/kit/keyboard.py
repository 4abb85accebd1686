"""Fields of an editor and the keyboard: when they are left, and whose Ctrl+Z is while there is no typing to undo."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextDocument
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget
from shiboken6 import isValid


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


class FieldsLeft(QObject):
    """Tells when a field within a widget is left: what was typed there is kept then.

    Going to a widget of `but`, such as the button that takes edits back, is no leaving, nor is going to another window
    of the desktop.
    """

    left = Signal()

    def __init__(self, within: QWidget, but: Sequence[QWidget] = ()) -> None:
        super().__init__(within)
        self._within, self._but = within, but
        self._last: QWidget | None = None
        """The field within that had the keyboard last; a signal that names it would come for one that is being deleted,
        too."""
        application = QApplication.instance()
        assert isinstance(application, QApplication), "widgets need one"
        application.focusObjectChanged.connect(self._on_focus)

    def _on_focus(self, new: QObject | None) -> None:
        if not isinstance(new, QWidget):
            return  # another program's window is in front
        old, self._last = self._last, new if self._within.isAncestorOf(new) else None
        if old is None or not isValid(old) or old is new or new in self._but:
            return
        if not (old.isAncestorOf(new) or new.isAncestorOf(old)):  # as between a table and the line in its cell
            self.left.emit()
