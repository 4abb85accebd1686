"""What a search for duplicates is asked for, and how far it is: two thresholds, a bar, a button to begin or stop."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QWidget

from app.domain.alike import Alikeness
from app.gui.controls import button
from app.gui.theme import Theme

LEAST_SPELLING, LEAST_MEANING = 0.70, 0.60
"""Below these nearly everything is alike, and a search takes minutes."""

_STEPS = 1_000


_WITHOUT_ARROWS = """QDoubleSpinBox { padding: 0 6px; }
QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { width: 0; border: none; }"""
"""Qt's own way to leave the arrows out leaves the text no room under a style sheet."""


class SearchStrip(QWidget):
    """`asked` with the thresholds when a search is wanted, `stopped` when it is not any more."""

    asked = Signal(object)  # Alikeness
    stopped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        standard = Alikeness()
        self.spelling = self._threshold(self.tr("Spelling from"), LEAST_SPELLING, standard.spelling)
        self.spelling.setToolTip(
            self.tr("Triggers that share this much of their letters, words in any order, are nearly the same")
        )
        self.meaning = self._threshold(self.tr("Meaning from"), LEAST_MEANING, standard.meaning)
        self.meaning.setToolTip(self.tr("Triggers whose vectors are this close are nearly the same"))
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress of the search"))
        self.note = QLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.begin = button(self.tr("Search"), primary=True, press=self.ask)
        self.begin.setToolTip(self.tr("Compare every trigger with every other, in the background"))
        self.stop = button(self.tr("Stop"), tip=self.tr("Break off the search"), press=self.stopped.emit)
        self._arrange()
        theme.changed.connect(self._dress)
        self._dress()
        self.show_progress(None)

    @property
    def least(self) -> Alikeness:
        """The thresholds as they are set."""
        return Alikeness(round(self.spelling.value(), 2), round(self.meaning.value(), 2))

    @property
    def is_searching(self) -> bool:
        return not self.stop.isHidden()

    def ask(self) -> None:
        """Ask for a search under these thresholds."""
        self.asked.emit(self.least)

    def show_progress(self, done: float | None) -> None:
        """Show how much of a search is done, 0 to 1; None while there is no search."""
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
        """Say what the last search compared."""
        self.note.setText(sentence)
        self.note.setToolTip(sentence)

    def _dress(self) -> None:
        self.note.setStyleSheet(f"font-size: {self.theme.px(12)}px; color: {self.theme.tokens.text_2}")

    def _threshold(self, name: str, least: float, value: float) -> QDoubleSpinBox:
        box = QDoubleSpinBox()
        box.setStyleSheet(_WITHOUT_ARROWS)
        box.setRange(least, 1.0)
        box.setDecimals(2)
        box.setSingleStep(0.01)
        box.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        box.setValue(value)
        box.setFixedSize(self.theme.px(64), self.theme.px(28))
        box.setAccessibleName(name)
        return box

    def _arrange(self) -> None:
        px = self.theme.px
        row = QHBoxLayout(self)
        row.setContentsMargins(px(16), px(8), px(12), px(8))
        row.setSpacing(px(8))
        for box in (self.spelling, self.meaning):
            label = QLabel(box.accessibleName())
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box)
            row.addSpacing(px(8))
        row.addWidget(self.begin)
        row.addWidget(self.stop)
        row.addSpacing(px(8))
        row.addWidget(self.bar, 1)
        row.addWidget(self.note, 1)
