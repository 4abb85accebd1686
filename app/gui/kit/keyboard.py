"""Where the keyboard is: on something that can be seen of the open page, also once that page shows other things."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextDocument
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

if TYPE_CHECKING:
    from app.gui.shell.main_window import MainWindow


class Keyboard(QObject):
    """Brings the keyboard back to the open page when what had it there is hidden.

    Qt hands it to whatever comes next in the window, mostly the rail, and leaves it where it is if that was never seen.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._bring_back)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_moved)
        window.painted.connect(self._on_painted)

    def _on_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        """Qt has moved it; a person who moves it leaves something that can be seen."""
        if not shiboken6.isValid(self._window.stack):  # what had it goes with the window
            return
        page = self._window.page
        was_hidden = old is not None and page.isAncestorOf(old) and not old.isVisible()
        if was_hidden and new is not None and new.window() is self._window and not page.isAncestorOf(new):
            self._soon.start()

    def _on_painted(self) -> None:
        """What was given the keyboard before there was anything to show may still be hidden."""
        focus = QApplication.focusWidget()
        if focus is not None and not focus.isVisible() and focus.window() is self._window:
            self._soon.start()

    def _bring_back(self) -> None:
        page, focus = self._window.page, QApplication.focusWidget()
        if self._window.isActiveWindow() and not (focus is not None and page.isAncestorOf(focus) and focus.isVisible()):
            page.enter()


# --------------------------------------------------------------------------------------------------------------------
# Fields that leave Ctrl+Z and Ctrl+Shift+Z to the window while there is no typing of their own to undo or redo


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
