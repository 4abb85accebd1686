"""The list of duplicates: how a finding is read out and painted, and what the keys do there."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent

from app.display import numbers, words
from app.display.library import duplicates
from app.display.library.duplicates import FindingRow
from app.domain.duplicates import Finding, Likeness
from app.gui.pages.findings_list import Findings, FindingsModel, FindingsView
from app.gui.pen import RIGHT, Pen
from app.gui.theme import Theme

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
    """The list; letters do not search in it, they are told to the page."""

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
