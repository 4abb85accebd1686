"""One finding in full: its holdings side by side, what differs in their triggers marked, one of them chosen."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPen

from app.display.library import duplicates
from app.display.library.duplicates import HoldingCard, Marked
from app.domain.duplicates import Finding
from app.domain.library import Kind
from app.gui.kit.drawing.pen import Pen
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.theme import Theme
from app.gui.library.duplicates_list import ICONS, SHADES

_PAD, _GAP, _NARROWEST = 16.0, 12.0, 230.0
_INNER = 14.0
_LINE = 22.0


class FindingSheet(Sheet):
    """A card for each holding, in rows where there are many. Clicks choose one, as the arrow keys of the list do."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self._finding: Finding | None = None
        self._cards: tuple[HoldingCard, ...] = ()
        self._places: list[QRectF] = []
        self.place = 0

    def show_finding(self, finding: Finding | None, place: int = 0) -> None:
        """Show a finding with the holding at a place chosen; None for none."""
        if finding is not self._finding:
            self._finding = finding
            self._cards = () if finding is None else duplicates.cards(finding)
        self.place = place
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        where = event.position() / self.theme.scale
        for place, rect in enumerate(self._places):
            if rect.contains(where):
                self.chosen.emit(place)

    def compose(self, pen: Pen) -> float:
        self._places = []
        if self._finding is None:
            return 10
        y = self._head(pen, self._finding)
        across = max(1, min(len(self._cards), int((pen.width - 2 * _PAD + _GAP) // (_NARROWEST + _GAP))))
        wide = (pen.width - 2 * _PAD - _GAP * (across - 1)) / across
        for first in range(0, len(self._cards), across):
            row = self._cards[first : first + across]
            places = [(card, _PAD + column * (wide + _GAP)) for column, card in enumerate(row)]
            high = max(self._lines(pen, card, QRectF(x, y, wide, 0), draw=False) for card, x in places)
            for place, (card, x) in enumerate(places, first):
                rect = QRectF(x, y, wide, high)
                self._places.append(rect)
                self._frame(pen, rect, place == self.place)
                self._lines(pen, card, rect, draw=True)
                if place == self.place:
                    pen.aside(self.tr("(chosen)"))
            y += high + _GAP
        return y + 4

    def _head(self, pen: Pen, finding: Finding) -> float:
        face, shade = self.theme.face, SHADES[finding.likeness]
        row = duplicates.row(finding)
        pen.icon(ICONS[finding.likeness], _PAD, 14, 18, shade)
        pen.text(QRectF(_PAD + 26, 10, pen.width - 2 * _PAD - 26, 26), row.word, face(18, 650))
        y = 40 + pen.paragraph(
            QRectF(_PAD, 40, pen.width - 2 * _PAD, 60), duplicates.explained(finding), face(12), "text_2"
        )
        if not row.spelling:
            return y + 12
        y += 8
        x = _PAD
        for scorer, word, score in (
            ("fuzzy", self.tr("Spelling"), row.spelling),
            ("semantic", self.tr("Meaning"), row.meaning),
        ):
            pen.badge(scorer, x, y + 1)
            x += 22
            x += pen.text(QRectF(x, y, 90, 18), word, face(12)) + 8
            x += pen.text(QRectF(x, y, 70, 18), score, face(12, 700, mono=True)) + 24
        return y + 30

    def _frame(self, pen: Pen, rect: QRectF, on: bool) -> None:
        if on:
            pen.fill(rect, "selection", 8)
        pen.painter.setBrush(Qt.BrushStyle.NoBrush)
        pen.painter.setPen(QPen(self.theme.color("accent" if on else "border_strong"), 2 if on else 1))
        inset = 1.0 if on else 0.5
        pen.painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), 8, 8)

    def _lines(self, pen: Pen, card: HoldingCard, rect: QRectF, *, draw: bool) -> float:
        """Write a card, or only measure it; how high it is."""
        face = self.theme.face
        x, y, wide = rect.x() + _INNER, rect.y() + _INNER, rect.width() - 2 * _INNER
        y = self._trigger(pen, card.marked, QPointF(x, y), wide, draw=draw) + 10
        if draw:
            pen.line(x, y, x + wide, y)
        y += 10
        if draw:
            pen.icon("memory" if card.kind is Kind.MEMORY else "power", x, y + 2, 15)
            pen.text(QRectF(x + 22, y, wide - 22, 19), card.name, face(13, 600))
        y += 22
        for text in (f"{card.place}, {card.others}", card.use, card.tags):
            if text:
                if draw:
                    pen.text(QRectF(x, y, wide, 19), text, face(12), "text_2")
                y += 20
        if card.response:
            y += 6
            y += self._response(pen, QRectF(x, y, wide, 0), card.response, draw=draw)
        return y + _INNER - 4 - rect.y()

    def _response(self, pen: Pen, rect: QRectF, text: str, *, draw: bool) -> float:
        face = self.theme.face(12)
        if draw:
            return pen.paragraph(rect, text, face, "text", lines=6)
        flags = int(Qt.TextFlag.TextWordWrap)
        needed = face.measure.boundingRect(QRectF(0, 0, rect.width(), 100_000), flags, text[:4000]).height()
        return min(needed, face.measure.lineSpacing() * 6 + 1)

    def _trigger(self, pen: Pen, marked: Marked, at: QPointF, wide: float, *, draw: bool) -> float:
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
                    pen.fill(QRectF(x - 2, y + 1, width + 4, _LINE - 2), "accent_soft", 3)
                    pen.line(x, y + _LINE - 2, x + width, y + _LINE - 2, "accent", 2)
                pen.text(QRectF(x, y, width + 1, _LINE - 2), word, face)
            x += width + plain.width(" ")
        return y + _LINE
