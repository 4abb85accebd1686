"""A look at the health: when the last one was, a button for the next, and how far the one under way is."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QWidget

from app.gui.controls import button
from app.gui.theme import Theme

_STEPS = 1_000


class LookStrip(QWidget):
    """`asked` when a look is wanted, `stopped` when it is not any more."""

    asked = Signal()
    stopped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress of the look"))
        self.note = QLabel()
        self.note.setTextFormat(self.note.textFormat().PlainText)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.begin = button(self.tr("Look"), primary=True, press=self.asked.emit)
        self.begin.setToolTip(self.tr("Look at everything that is taught and set, in the background"))
        self.stop = button(self.tr("Stop"), tip=self.tr("Break off the look"), press=self.stopped.emit)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(16), theme.px(8), theme.px(12), theme.px(8))
        row.setSpacing(theme.px(12))
        for widget in (self.begin, self.stop):
            row.addWidget(widget)
        row.addWidget(self.bar, 1)
        row.addWidget(self.note, 1)
        theme.changed.connect(self._dress)
        self._dress()
        self.show_progress(None)

    @property
    def is_looking(self) -> bool:
        return not self.stop.isHidden()

    def show_progress(self, done: float | None) -> None:
        """Show how much of a look is done, 0 to 1; None while there is none."""
        if done is not None:
            self.bar.setValue(round(done * _STEPS))
        had_focus = self.stop.hasFocus() or self.begin.hasFocus()
        self.bar.setVisible(done is not None)
        self.note.setVisible(done is None)
        self.stop.setVisible(done is not None)
        self.begin.setVisible(done is None)
        if had_focus:
            (self.begin if done is None else self.stop).setFocus()

    def tell(self, sentence: str, *, again: bool) -> None:
        """Say what the last look was at; `again` if there was one."""
        self.note.setText(sentence)
        self.note.setToolTip(sentence)
        self.begin.setText(self.tr("Look again") if again else self.tr("Look"))

    def _dress(self) -> None:
        self.note.setStyleSheet(f"font-size: {self.theme.px(12)}px; color: {self.theme.tokens.text_2}")
