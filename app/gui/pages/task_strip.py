"""A long task of a page: a button that begins it, one that stops it, a bar while it goes on, and a sentence before."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QWidget

from app.gui.controls import button
from app.gui.theme import Theme

_STEPS = 1_000


class TaskStrip(QWidget):
    """Shows one button or the other; what they are called and where they lie is the page's to say.

    `stopped` when the task is not wanted any more.
    """

    stopped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.begin = button("", primary=True)
        self.stop = button(self.tr("Stop"), press=self.stopped.emit)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.note = QLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(theme.px(16), theme.px(8), theme.px(12), theme.px(8))
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def is_running(self) -> bool:
        return not self.stop.isHidden()

    def show_progress(self, done: float | None) -> None:
        """Show how much of the task is done, 0 to 1; None while there is none."""
        if done is not None:
            self.bar.setValue(round(done * _STEPS))
        had_focus = self.stop.hasFocus() or self.begin.hasFocus()
        self.bar.setVisible(done is not None)
        self.note.setVisible(done is None)
        self.stop.setVisible(done is not None)
        self.begin.setVisible(done is None)
        if had_focus:
            (self.begin if done is None else self.stop).setFocus()

    def tell(self, sentence: str) -> None:
        """Say what came of the last time."""
        self.note.setText(sentence)
        self.note.setToolTip(sentence)

    def _dress(self) -> None:
        self.note.setStyleSheet(f"font-size: {self.theme.px(12)}px; color: {self.theme.tokens.text_2}")
