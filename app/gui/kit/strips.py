"""Strips across a page: progress of a long task, and choice in an edit conflict."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from app.domain.errors import StaleError
from app.gui.kit.controls import ElidedLabel, button
from app.gui.kit.drawing.sheet import Ruled
from app.gui.kit.layouts import spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_STEPS = 1_000


class TaskStrip(QWidget):
    """Button, progress bar and note of a long task; subclasses set texts and layout.

    Emits `stopped` when the task is cancelled.
    """

    stopped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.begin = button("", primary=True)
        self.stop = button("Stop", press=self.stopped.emit)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.note = ElidedLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(theme.px(16), theme.px(8), theme.px(12), theme.px(8))
        styled(self.note, role="caption")

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
        row = spaced(QHBoxLayout(), theme.px(8))
        row.addWidget(self.theirs)
        row.addWidget(self.mine)
        row.addStretch(1)
        column = spaced(QVBoxLayout(self), theme.px(6), theme.px(16), theme.px(8), theme.px(16), theme.px(10))
        column.addWidget(self.sentence)
        column.addLayout(row)
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
