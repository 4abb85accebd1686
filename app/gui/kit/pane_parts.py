"""Parts of a pane: labels, stale mark, strips, and fields that commit on Enter or on leaving."""

from __future__ import annotations

from abc import abstractmethod
from math import ceil

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.display import numbers
from app.domain.errors import StaleError
from app.gui.kit.controls import ElidedLabel, button
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme, Themed

_SENT, _REFUSED = "sent", "refused"
"""State of a field after a commit, until the result is known."""


class WrappedLabel(QLabel):
    """Wrapping plain-text label with a style sheet role."""

    def __init__(self, text: str = "", *, role: str = "body", shade: str = "") -> None:
        super().__init__(numbers.unbroken(text))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        styled(self, role=role, shade=shade)

    def setText(self, text: str) -> None:
        super().setText(numbers.unbroken(text))

    def text(self) -> str:
        return super().text().replace("\N{NO-BREAK SPACE}%", " %")

    def show_text(self, text: str) -> None:
        if text != self.text():
            self.setText(text)
        self.setVisible(bool(text))


class StaleMark(QWidget):
    """Marks a result as stale, names the changes, and offers a rerun; hidden if current.

    Emits `rerun_requested`.
    """

    rerun_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.message = WrappedLabel(role="caption", shade="warning")
        self.again = button("Run again", link=True, press=self.rerun_requested.emit)
        fill(spaced(QHBoxLayout(self), theme.px(4)), (self.message, 1), (self.again, 0, Qt.AlignmentFlag.AlignTop))
        self.show_change("")

    def show_change(self, sentence: str) -> None:
        """Show the sentence on what has changed; "" for nothing."""
        self.message.show_text(sentence)
        self.setVisible(bool(sentence))


def section(title: str) -> WrappedLabel:
    return WrappedLabel(title, role="section")


def label(theme: Theme, name: str, wide: int) -> WrappedLabel:
    """Make the label before a field, with a fixed width in units for alignment."""
    made = WrappedLabel(name, role="caption")
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
    made.setFixedWidth(theme.px(wide))
    made.setMinimumHeight(theme.px(28))
    return made


class DraftField:
    """Mixin of a field that commits: a draft survives updates until it is committed.

    A committed text survives until it is known to be stored.
    """

    _shown, _held = "", ""

    @abstractmethod
    def draft_text(self) -> str:
        """Return the text in the field."""

    @abstractmethod
    def set_draft_text(self, text: str) -> None:
        """Set the text in the field."""

    @abstractmethod
    def hasFocus(self) -> bool: ...

    @property
    def is_dirty(self) -> bool:
        return self.draft_text() != self._shown

    def show_value(self, text: str) -> None:
        """Show the stored value; a draft stays until it is committed."""
        keep = self.is_dirty and (self.hasFocus() or bool(self._held))
        self._shown = text
        if not keep and text != self.draft_text():
            self.set_draft_text(text)

    def revert(self) -> None:
        self._held = ""
        self.set_draft_text(self._shown)

    def mark_stored(self) -> None:
        """Note that the last commit is stored: the next value may replace it."""
        self._held = self._held.removeprefix(_SENT)

    def mark_refused(self) -> bool:
        """Note that the last commit was refused: its draft stays. Return True if there is one."""
        self._held = _REFUSED if self.is_dirty else ""
        return self.is_dirty

    def take_draft(self) -> str | None:
        """Return the draft to commit now; None if it equals the stored value."""
        if not self.is_dirty:
            return None
        self._held = _SENT
        return self.draft_text()


class CommitLine(QLineEdit, DraftField):
    """Line edit that commits on Enter or on leaving; Escape reverts it."""

    committed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.editingFinished.connect(self._commit)

    def draft_text(self) -> str:
        return self.text()

    def set_draft_text(self, text: str) -> None:
        self.setText(text)
        self.setCursorPosition(0)

    def _commit(self) -> None:
        if (text := self.take_draft()) is not None:
            self.committed.emit(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_dirty:
            self.revert()
        else:
            super().keyPressEvent(event)


def _is_commit(event: QEvent) -> bool:
    if not isinstance(event, QKeyEvent) or not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return False
    return event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


_LINES = (3, 8)
"""Minimum and maximum height of a text edit, in lines."""


class CommitText(QPlainTextEdit, DraftField):
    """Text edit, as high as its lines within limits, that commits on Ctrl+Enter or on leaving."""

    committed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.document().documentLayout().documentSizeChanged.connect(lambda _: self._fit())

    def _fit(self) -> None:
        lines = sorted((*_LINES, round(self.document().size().height())))[1]
        edges = (
            1 + 2 * self.document().documentMargin() + self.contentsMargins().top() + self.contentsMargins().bottom()
        )
        self.setFixedHeight(ceil(lines * self.fontMetrics().lineSpacing() + edges))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()  # other lines at another width

    def draft_text(self) -> str:
        return self.toPlainText()

    def set_draft_text(self, text: str) -> None:
        self.setPlainText(text)

    def _commit(self) -> None:
        if (text := self.take_draft()) is not None:
            self.committed.emit(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self._commit()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and _is_commit(event):
            event.accept()  # otherwise the window presses the page's primary button
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_commit(event):
            self._commit()
        else:
            super().keyPressEvent(event)


_STEPS = 1_000


class TaskStrip(Themed):
    """Button, progress bar and note of a long task; subclasses set texts and layout.

    Emits `stopped` when the task is cancelled.
    """

    stopped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.begin = button("", primary=True)
        self.stop = button("Stop", press=self.stopped.emit)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.note = styled(ElidedLabel(), role="caption")
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.row = spaced(QHBoxLayout(self), None, theme.px(16), theme.px(8), theme.px(12), theme.px(8))

    @property
    def is_running(self) -> bool:
        return not self.stop.isHidden()

    def show_progress(self, done: float | None) -> None:
        """Show the share of the task that is done, 0 to 1; None without a task."""
        if done is not None:
            self.bar.setValue(round(done * _STEPS))
        had_focus = self.stop.hasFocus() or self.begin.hasFocus()
        self.bar.setVisible(done is not None)
        self.note.setVisible(done is None)
        self.stop.setVisible(done is not None)
        self.begin.setVisible(done is None)
        if had_focus:
            (self.begin if done is None else self.stop).setFocus()

    def show_note(self, sentence: str) -> None:
        """Show the result of the last run."""
        self.note.setText(sentence)


# ---- Edit conflict: another program stored first, and the user chooses a version.


class StaleStrip(Ruled):
    """Sentence and choices of a conflict; hidden without one."""

    ground = "warning_soft"
    mark = "warning"

    theirs_kept = Signal(StaleError)  # `mine` is the user's version
    mine_written = Signal(StaleError)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.error: StaleError | None = None
        self.sentence = WrappedLabel(shade="warning")
        self.theirs = button("Keep theirs", press=self._keep_theirs)
        self.mine = button("Write mine", press=self._write_mine)
        row = fill(spaced(QHBoxLayout(), theme.px(8)), self.theirs, self.mine, 1)
        column = spaced(QVBoxLayout(self), theme.px(6), theme.px(16), theme.px(8), theme.px(16), theme.px(10))
        fill(column, self.sentence, row)
        self.setVisible(False)

    def show_conflict(self, error: StaleError) -> None:
        """Ask which version stays; tooltips say what happens to the other."""
        self.error = error
        gone = error.present is None
        self.sentence.show_text(str(error))
        self.setAccessibleName(str(error))
        self.theirs.setToolTip("Drop your edits; it stays deleted" if gone else "Drop your edits and show theirs")
        self.mine.setToolTip("Bring it back as you edited it" if gone else "Write your edits over theirs")
        self.setVisible(True)
        self.theirs.setFocus()

    def drop(self) -> None:
        """Hide the strip: the conflict is resolved."""
        self.error = None
        self.setVisible(False)

    def _keep_theirs(self) -> None:
        self._decide(self.theirs_kept)

    def _write_mine(self) -> None:
        self._decide(self.mine_written)

    def _decide(self, signal: SignalInstance) -> None:
        error = self.error
        self.drop()
        if error is not None:
            signal.emit(error)
