"""What a search for duplicates is asked for, and how far it is: two thresholds, a bar, a button to begin or stop."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QLabel

from app.domain.duplicates import Alikeness
from app.gui.pages.task_strip import TaskStrip
from app.gui.theme import Theme

LEAST_SPELLING, LEAST_MEANING = 0.70, 0.60
"""Below these nearly everything is alike, and a search takes minutes."""

_WITHOUT_ARROWS = """QDoubleSpinBox { padding: 0 6px; }
QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { width: 0; border: none; }"""
"""Qt's own way to leave the arrows out leaves the text no room under a style sheet."""


class SearchStrip(TaskStrip):
    """`asked` with the thresholds when a search is wanted, `stopped` when it is not any more."""

    asked = Signal(object)  # Alikeness

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.bar.setAccessibleName(self.tr("Progress of the search"))
        self.begin.setText(self.tr("Search"))
        self.begin.setToolTip(self.tr("Compare every trigger with every other, in the background"))
        self.begin.clicked.connect(self.ask)
        self.stop.setToolTip(self.tr("Break off the search"))
        standard = Alikeness()
        self.spelling = self._threshold(self.tr("Spelling from"), LEAST_SPELLING, standard.spelling)
        self.spelling.setToolTip(
            self.tr("Triggers that share this much of their letters, words in any order, are nearly the same")
        )
        self.meaning = self._threshold(self.tr("Meaning from"), LEAST_MEANING, standard.meaning)
        self.meaning.setToolTip(self.tr("Triggers whose vectors are this close are nearly the same"))
        self._arrange()
        self.show_progress(None)

    @property
    def least(self) -> Alikeness:
        """The thresholds as they are set."""
        return Alikeness(round(self.spelling.value(), 2), round(self.meaning.value(), 2))

    def ask(self) -> None:
        """Ask for a search under these thresholds."""
        self.asked.emit(self.least)

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
        row = self.row
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
