"""The list of duplicates: how a finding is read out and painted, and what the keys do there."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDoubleSpinBox, QLabel

from app.display import numbers, words
from app.display.library import duplicates
from app.display.library.duplicates import FindingRow
from app.domain.duplicates import Alikeness, Finding, Likeness
from app.gui.kit.drawing.pen import RIGHT, Pen
from app.gui.kit.tables.findings_list import Findings, FindingsModel, FindingsView
from app.gui.kit.task_strip import TaskStrip
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_SCORE = 62.0

SHADES = {
    Likeness.CONFLICT: "danger",
    Likeness.NEAR_CONFLICT: "warning",
    Likeness.DUPLICATE: "text_2",
    Likeness.NEAR_DUPLICATE: "text_2",
}
ICONS = {
    Likeness.CONFLICT: "warning",
    Likeness.NEAR_CONFLICT: "warning",
    Likeness.DUPLICATE: "copy",
    Likeness.NEAR_DUPLICATE: "copy",
}


def _read_out(row: FindingRow) -> str:
    scores = [words.say("spelling {score}", score=row.spelling), words.say("meaning {score}", score=row.meaning)]
    return ", ".join([row.word, f"“{row.trigger}”", row.answers, *(scores if row.spelling else ())])


def _write(pen: Pen, row: FindingRow) -> None:
    """The trigger, below it what it is and under which answers; the scores at the right."""
    face, shade = pen.theme.face, SHADES[row.likeness]
    pen.icon(ICONS[row.likeness], 15, 8, 15, shade)
    room = pen.width - 38 - 12 - (_SCORE if row.spelling else 0)
    pen.text(QRectF(38, 5, room, 20), row.trigger, face(13, 600))
    x = 38 + pen.text(QRectF(38, 25, room, 19), row.word, face(12, 600), shade) + 9
    pen.text(QRectF(x, 25, 38 + room - x, 19), row.answers, face(12), "text_2")
    if not row.spelling:
        return
    for scorer, score, y in (("fuzzy", row.spelling, 6.0), ("semantic", row.meaning, 26.0)):
        pen.badge(scorer, pen.width - 14 - _SCORE, y + 1, named=False)
        token = "text_2" if score == numbers.ABSENT else "text"
        place = QRectF(pen.width - 14 - _SCORE + 18, y, _SCORE - 18, 18)
        pen.text(place, score, face(12, 500, mono=True), token, RIGHT)


ALIKE = Findings(duplicates.row, lambda row: row.trigger, _read_out, _write)
"""Triggers that are alike."""


class AlikeView(FindingsView):
    """The list; letters do not search in it, they are emitted to the page."""

    typed = Signal(str)

    def __init__(self, theme: Theme, model: FindingsModel[Finding, FindingRow]) -> None:
        super().__init__(theme, model)
        self.setAccessibleName(self.tr("What was found, the most urgent first"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain = held == Qt.KeyboardModifier.NoModifier
        capital = held == Qt.KeyboardModifier.ShiftModifier and event.text().isalpha()
        name = KEYS.get(Qt.Key(event.key())) if plain or capital else None
        if name is None:
            super().keyPressEvent(event)
        else:
            self.typed.emit(name)


KEYS = {
    Qt.Key.Key_K: "keep",
    Qt.Key.Key_M: "merge",
    Qt.Key.Key_D: "apart",
    Qt.Key.Key_X: "drop",
    Qt.Key.Key_N: "next",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
}
"""What the keys of the list do, in the words of the page's verbs."""


# --------------------------------------------------------------------------------------------------------------------
# What a search for duplicates is asked for, and how far it is: two thresholds, a bar, a button to begin or stop

LEAST_SPELLING, LEAST_MEANING = 0.70, 0.60
"""Below these nearly everything is alike, and a search takes minutes."""


class SearchStrip(TaskStrip):
    """`asked` with the thresholds when a search is wanted, `stopped` when it is not any more."""

    asked = Signal(Alikeness)

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
        styled(box, arrows="false")
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
