"""The small parts of the pane beside a table: titles, quiet lines, fields that commit when they are left."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from app.gui.kit.controls import button
from app.gui.kit.layouts import spaced
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_SENT, _REFUSED = "sent", "refused"
"""What became of a field that was committed, as long as it is not known to be stored."""


class WrappedLabel(QLabel):
    """Plain text in a role of the style sheet, wrapped where it is long."""

    def __init__(self, text: str = "", *, role: str = "body", shade: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        styled(self, role=role, shade=shade)

    def show_text(self, text: str) -> None:
        """Say this, or take no room for nothing."""
        if text != self.text():
            self.setText(text)
        self.setVisible(bool(text))


class StaleMark(QWidget):
    """Says what has changed since a result came, and offers to run it again; takes no room while nothing has.

    `asked` when it is to be run again.
    """

    rerun_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.said = WrappedLabel(role="caption", shade="warning")
        self.again = button(self.tr("Run again"), link=True, press=self.rerun_requested.emit)
        row = spaced(QHBoxLayout(self), theme.px(4))
        row.addWidget(self.said, 1)
        row.addWidget(self.again, 0, Qt.AlignmentFlag.AlignTop)
        self.show_change("")

    def show_change(self, sentence: str) -> None:
        """Name what has changed; "" for nothing."""
        self.said.show_text(sentence)
        self.setVisible(bool(sentence))


def section(title: str) -> WrappedLabel:
    """The title of a section."""
    return WrappedLabel(title, role="section")


def label(theme: Theme, name: str, wide: int) -> WrappedLabel:
    """What stands before a field, so wide in units that fields stand below each other."""
    made = WrappedLabel(name, role="caption")
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
    made.setFixedWidth(theme.px(wide))
    made.setMinimumHeight(theme.px(28))
    return made


class DraftField:
    """Mixin of a field that commits: what is typed stays until that is committed, and what was committed until that is
    known to be stored."""

    _shown, _held = "", ""

    @abstractmethod
    def typed(self) -> str:
        """What stands in the field."""

    @abstractmethod
    def set_typed(self, text: str) -> None:
        """Let this stand in the field."""

    @abstractmethod
    def hasFocus(self) -> bool: ...

    @property
    def is_dirty(self) -> bool:
        return self.typed() != self._shown

    def show_value(self, text: str) -> None:
        """Show what is stored; what a person is typing stays until it is committed."""
        keep = self.is_dirty and (self.hasFocus() or bool(self._held))
        self._shown = text
        if not keep and text != self.typed():
            self.set_typed(text)

    def take_back(self) -> None:
        """Show again what is stored."""
        self._held = ""
        self.set_typed(self._shown)

    def let_go(self) -> None:
        """What was committed last is stored: what is shown next may take its place."""
        self._held = self._held.removeprefix(_SENT)

    def hold(self) -> bool:
        """What was committed could not be stored: it stays, to be committed again. Whether there is any."""
        self._held = _REFUSED if self.is_dirty else ""
        return self.is_dirty

    def taken(self) -> str | None:
        """What is to be committed now; None where nothing differs from what is stored."""
        if not self.is_dirty:
            return None
        self._held = _SENT
        return self.typed()


class CommitLine(QLineEdit, DraftField):
    """Commits with Enter or when it is left; Escape takes back what was typed."""

    committed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.editingFinished.connect(self._commit)

    def typed(self) -> str:
        return self.text()

    def set_typed(self, text: str) -> None:
        self.setText(text)
        self.setCursorPosition(0)

    def _commit(self) -> None:
        if (text := self.taken()) is not None:
            self.committed.emit(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_dirty:
            self.take_back()
        else:
            super().keyPressEvent(event)


class CommitText(QPlainTextEdit, DraftField):
    """Several lines that commit with Ctrl+Enter or when they are left."""

    committed = Signal(str)

    def __init__(self, name: str, height: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFixedHeight(height)

    def typed(self) -> str:
        return self.toPlainText()

    def set_typed(self, text: str) -> None:
        self.setPlainText(text)

    def _commit(self) -> None:
        if (text := self.taken()) is not None:
            self.committed.emit(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self._commit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if ctrl and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._commit()
        else:
            super().keyPressEvent(event)
