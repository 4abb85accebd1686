"""The list of duplicates, the strip that searches for them, and one finding in full."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QDoubleSpinBox, QLabel

from app.display import numbers
from app.display.library import duplicates
from app.display.library.duplicates import FindingRow, HoldingCard, Marked
from app.domain.library import Kind
from app.domain.review.duplicates import DuplicateFinding, DuplicateKind, SimilarityThresholds
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.strips import TaskStrip
from app.gui.kit.tables.lists import Findings, FindingsModel, FindingsView
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_SCORE = 62.0

SHADES = {
    DuplicateKind.CONFLICT: "danger",
    DuplicateKind.NEAR_CONFLICT: "warning",
    DuplicateKind.DUPLICATE: "text_2",
    DuplicateKind.NEAR_DUPLICATE: "text_2",
}
ICONS = {
    DuplicateKind.CONFLICT: "warning",
    DuplicateKind.NEAR_CONFLICT: "warning",
    DuplicateKind.DUPLICATE: "copy",
    DuplicateKind.NEAR_DUPLICATE: "copy",
}


def _read_out(row: FindingRow) -> str:
    scores = [f"spelling {row.spelling}", f"meaning {row.meaning}"]
    return ", ".join([row.word, f"“{row.trigger}”", row.answers, *(scores if row.spelling else ())])


def _write(canvas: Canvas, row: FindingRow) -> None:
    """Draw a row: the trigger, below it kind and answers; the scores at the right."""
    face, shade = canvas.theme.face, SHADES[row.likeness]
    canvas.icon(ICONS[row.likeness], 15, 8, 15, shade)
    room = canvas.width - 38 - 14 - (_SCORE + 10 if row.spelling else 0)
    canvas.text(QRectF(38, 5, room, 20), row.trigger, face(13, 600))
    x = 38 + canvas.text(QRectF(38, 25, room, 19), row.word, face(12, 600), shade) + 9
    canvas.text(QRectF(x, 25, 38 + room - x, 19), row.answers, face(12), "text_2")
    if not row.spelling:
        return
    for scorer, score, y in (("fuzzy", row.spelling, 6.0), ("semantic", row.meaning, 26.0)):
        canvas.badge(scorer, canvas.width - 14 - _SCORE, y + 1, named=False)
        token = "text_2" if score == numbers.ABSENT else "text"
        place = QRectF(canvas.width - 14 - _SCORE + 18, y, _SCORE - 18, 18)
        canvas.text(place, score, face(12, 500, mono=True), token, RIGHT)


ALIKE = Findings(duplicates.finding_row, lambda row: row.trigger, _read_out, _write)
"""Triggers that are alike."""


class DuplicatesView(FindingsView):
    """The list of findings; letters are emitted to the page instead of searched for."""

    typed = Signal(str)

    def __init__(self, theme: Theme, model: FindingsModel[DuplicateFinding, FindingRow]) -> None:
        super().__init__(theme, model)
        self.setAccessibleName("What was found, the most urgent first")

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
    """Emits `search_requested` with the thresholds, and `stopped` to cancel the search."""

    search_requested = Signal(SimilarityThresholds)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.bar.setAccessibleName("Progress of the search")
        self.begin.setText("Search")
        self.begin.setToolTip("Compare every trigger with every other, in the background")
        self.begin.clicked.connect(self.request_search)
        self.stop.setToolTip("Stop the search")
        standard = SimilarityThresholds()
        self.spelling = self._threshold("Spelling from", LEAST_SPELLING, standard.spelling)
        self.spelling.setToolTip(
            "Triggers that share this much of their letters, words in any order, are nearly the same"
        )
        self.meaning = self._threshold("Meaning from", LEAST_MEANING, standard.meaning)
        self.meaning.setToolTip("Triggers whose vectors are this close are nearly the same")
        self._arrange()
        self.show_progress(None)

    @property
    def least(self) -> SimilarityThresholds:
        """The thresholds as they are set."""
        return SimilarityThresholds(round(self.spelling.value(), 2), round(self.meaning.value(), 2))

    def request_search(self) -> None:
        """Ask for a search under these thresholds."""
        self.search_requested.emit(self.least)

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
        row.addWidget(self.begin)
        row.addWidget(self.stop)
        row.addWidget(self.bar, 1)
        row.addWidget(self.note, 1)


# ---- One finding in full: its holdings side by side, what differs in their triggers marked, one of them chosen.


_PAD, _GAP, _NARROWEST = 16.0, 12.0, 230.0
_INNER = 14.0
_LINE = 22.0


class FindingSheet(Sheet):
    """A card for each holder of the trigger, in rows where they are many. A click chooses one."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self._finding: DuplicateFinding | None = None
        self._cards: tuple[HoldingCard, ...] = ()
        self._places: list[QRectF] = []
        self.place = 0

    def show_finding(self, finding: DuplicateFinding | None, place: int = 0) -> None:
        """Show a finding with the holding at a place chosen; None for none."""
        if finding is not self._finding:
            self._finding = finding
            self._cards = () if finding is None else duplicates.holding_cards(finding)
        self.place = place
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        where = event.position() / self.theme.scale
        for place, rect in enumerate(self._places):
            if rect.contains(where):
                self.chosen.emit(place)

    def compose(self, canvas: Canvas) -> float:
        self._places = []
        if self._finding is None:
            return 10
        y = self._head(canvas, self._finding)
        across = max(1, min(len(self._cards), int((canvas.width - 2 * _PAD + _GAP) // (_NARROWEST + _GAP))))
        wide = (canvas.width - 2 * _PAD - _GAP * (across - 1)) / across
        for first in range(0, len(self._cards), across):
            row = self._cards[first : first + across]
            places = [(card, _PAD + column * (wide + _GAP)) for column, card in enumerate(row)]
            high = max(self._lines(canvas, card, QRectF(x, y, wide, 0), draw=False) for card, x in places)
            for place, (card, x) in enumerate(places, first):
                rect = QRectF(x, y, wide, high)
                self._places.append(rect)
                self._frame(canvas, rect, place == self.place)
                self._lines(canvas, card, rect, draw=True)
                if place == self.place:
                    canvas.aside("(chosen)")
            y += high + _GAP
        return y + 4

    def _head(self, canvas: Canvas, finding: DuplicateFinding) -> float:
        face, shade = self.theme.face, SHADES[finding.likeness]
        row = duplicates.finding_row(finding)
        canvas.icon(ICONS[finding.likeness], _PAD, 14, 18, shade)
        canvas.text(QRectF(_PAD + 26, 10, canvas.width - 2 * _PAD - 26, 26), row.word, face(18, 650))
        y = 40 + canvas.paragraph(
            QRectF(_PAD, 40, canvas.width - 2 * _PAD, 60), duplicates.explanation(finding), face(12), "text_2"
        )
        if not row.spelling:
            return y + 12
        y += 8
        x = _PAD
        for scorer, word, score in (
            ("fuzzy", "Spelling", row.spelling),
            ("semantic", "Meaning", row.meaning),
        ):
            canvas.badge(scorer, x, y + 1)
            x += 22
            x += canvas.text(QRectF(x, y, 90, 18), word, face(12)) + 8
            x += canvas.text(QRectF(x, y, 70, 18), score, face(12, 700, mono=True)) + 24
        return y + 30

    def _frame(self, canvas: Canvas, rect: QRectF, on: bool) -> None:
        if on:
            canvas.fill(rect, "selection", 8)
        canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
        canvas.painter.setPen(QPen(self.theme.color("accent" if on else "border_strong"), 2 if on else 1))
        inset = 1.0 if on else 0.5
        canvas.painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), 8, 8)

    def _lines(self, canvas: Canvas, card: HoldingCard, rect: QRectF, *, draw: bool) -> float:
        """Write a card, or only measure it; how high it is."""
        face = self.theme.face
        x, y, wide = rect.x() + _INNER, rect.y() + _INNER, rect.width() - 2 * _INNER
        y = self._trigger(canvas, card.marked, QPointF(x, y), wide, draw=draw) + 10
        if draw:
            canvas.line(x, y, x + wide, y)
        y += 10
        if draw:
            canvas.icon("memory" if card.kind is Kind.MEMORY else "power", x, y + 2, 15)
            canvas.text(QRectF(x + 22, y, wide - 22, 19), card.name, face(13, 600))
        y += 22
        for text in (f"{card.place}, {card.others}", card.use, card.tags):
            if text:
                if draw:
                    canvas.text(QRectF(x, y, wide, 19), text, face(12), "text_2")
                y += 20
        if card.response:
            y += 6
            y += self._response(canvas, QRectF(x, y, wide, 0), card.response, draw=draw)
        return y + _INNER - 4 - rect.y()

    def _response(self, canvas: Canvas, rect: QRectF, text: str, *, draw: bool) -> float:
        face = self.theme.face(12)
        if draw:
            return canvas.paragraph(rect, text, face, "text", lines=6)
        flags = int(Qt.TextFlag.TextWordWrap)
        needed = face.measure.boundingRect(QRectF(0, 0, rect.width(), 100_000), flags, text[:4000]).height()
        return min(needed, face.measure.lineSpacing() * 6 + 1)

    def _trigger(self, canvas: Canvas, marked: Marked, at: QPointF, wide: float, *, draw: bool) -> float:
        """The words of a trigger, wrapped; those that differ are bold, on a soft ground, and underlined."""
        plain, strong = self.theme.face(15), self.theme.face(15, 650)
        x, y = at.x(), at.y()
        for word, differs in marked:
            face = strong if differs else plain
            width = min(face.width(word), wide)
            if x > at.x() and x + width > at.x() + wide:
                x, y = at.x(), y + _LINE + 2
            if draw:
                if differs:
                    canvas.fill(QRectF(x - 2, y + 1, width + 4, _LINE - 2), "accent_soft", 3)
                    canvas.line(x, y + _LINE - 2, x + width, y + _LINE - 2, "accent", 2)
                canvas.text(QRectF(x, y, width + 1, _LINE - 2), word, face)
            x += width + plain.width(" ")
        return y + _LINE
