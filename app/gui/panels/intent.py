"""The intent pane: type, confidence, where it comes from, and the arithmetic that leads there."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QWidget

from app.display.cues import CueRow, Fate
from app.display.intent import IntentCard, Sum, intent_card
from app.gui.controls import FaultLine, Head
from app.gui.moment import Moment
from app.gui.panels.panel import Panel, draw_empty
from app.gui.pen import LEFT, RIGHT, Pen
from app.gui.sheet import Sheet, scrolled
from app.gui.theme import Theme

_PAD = 16.0


class IntentSheet(Sheet):
    """The card, drawn."""

    card: IntentCard | None = None

    def compose(self, pen: Pen) -> float:
        card = self.card
        if card is None:
            line = self.tr("No query yet")
            return draw_empty(
                pen, "scope", line, self.tr("Type a sentence above to see what it asks for."), self.units_high
            )
        y = self._headline(pen, card)
        y = self._ruler(pen, card, y + 14)
        y = self._sums(pen, card, y + 22)
        y = self._cues(pen, card, y + 14)
        return self._topics(pen, card, y + 14) + 10

    def _headline(self, pen: Pen, card: IntentCard) -> float:
        face = self.theme.face
        right = pen.width - _PAD
        number = face(22, 700, mono=True).width(card.confidence)
        pen.text(QRectF(_PAD, 4, right - _PAD - number - 8, 24), card.headline, face(18, 650))
        pen.text(
            QRectF(right - number - 2, 6, number + 2, 26), card.confidence, face(22, 700, mono=True), "text", RIGHT
        )
        if card.found:
            pen.text(QRectF(_PAD, 27, right - _PAD - number - 8, 16), card.source, face(12), "text_2")
            return 44
        return 29 + pen.paragraph(QRectF(_PAD, 29, right - _PAD, 60), card.source, face(12), "text_2")

    def _ruler(self, pen: Pen, card: IntentCard, y: float) -> float:
        face = self.theme.face
        left, width = _PAD, pen.width - 2 * _PAD
        taken = left
        for mark in sorted(card.marks, key=lambda mark: mark.value):
            x = left + width * mark.value
            text = f"{mark.word} {mark.text}"
            advance = face(11, 500).width(text)
            start = x - 10 - advance if x - 10 - advance >= taken else x + 10
            if start + advance <= left + width:
                pen.text(QRectF(start, y, advance + 2, 16), text, face(11, 500))
                taken = max(start + advance, x) + 8
            pen.triangle(x, y + 13.5, "text", down=True, hollow=not mark.counts)
        pen.bar(QRectF(left, y + 16, width, 9), card.value, self.theme.tokens.accent)
        final = self.tr("Final {0}").format(card.confidence)
        advance = face(11, 600).width(final)
        x = max(left, min(left + width * card.value - advance, left + width - advance))
        pen.text(QRectF(x, y + 27, advance + 2, 16), final, face(11, 600), "accent" if card.found else "text_2")
        return y + 43

    def _sums(self, pen: Pen, card: IntentCard, y: float) -> float:
        if not card.sums:
            return y - 22
        face = self.theme.face
        right = pen.width - _PAD
        for row in card.sums:
            y = self._sum(pen, row, y)
        pen.line(_PAD, y + 2, right, y + 2, "text_2")
        pen.text(QRectF(_PAD, y + 5, 120, 18), self.tr("Confidence"), face(12, 600))
        pen.text(QRectF(right - 90, y + 5, 90, 18), card.confidence, face(12, 700, mono=True), "text", RIGHT)
        return y + 24

    def _sum(self, pen: Pen, row: Sum, y: float) -> float:
        face = self.theme.face
        right = pen.width - _PAD
        value = face(12, mono=True).width(row.value)
        what = pen.text(QRectF(_PAD, y, 150, 18), row.what, face(12, 450))
        room = right - value - 8 - (_PAD + what + 10)
        needed = face(11, mono=True).width(row.how)
        pen.text(QRectF(right - value - 2, y, value + 2, 18), row.value, face(12, mono=True), "text", RIGHT)
        if needed <= room:
            pen.text(QRectF(_PAD + what + 10, y, room, 18), row.how, face(11, mono=True), "text_2")
            return y + 19
        return y + 19 + pen.paragraph(QRectF(_PAD, y + 18, right - _PAD, 60), row.how, face(11, mono=True), "text_2")

    def _cues(self, pen: Pen, card: IntentCard, y: float) -> float:
        if not card.cues:
            return y - 14
        face = self.theme.face
        pen.text(QRectF(_PAD, y, pen.width - 32, 16), card.cues_title, face(11, 600), "text_2")
        y += 18
        names = max(face(12, 600).width(row.type) for row in card.cues)
        for row in card.cues:
            self._cue(pen, row, y, names)
            y += 22
        if card.other:
            y += 2 + pen.paragraph(QRectF(_PAD, y + 2, pen.width - 32, 40), card.other, face(12), "text_2")
        return y

    def _cue(self, pen: Pen, row: CueRow, y: float, names: float) -> None:
        face = self.theme.face
        won = row.fate is Fate.WON
        right = pen.width - _PAD
        if won:
            pen.triangle(_PAD + 4, y + 8)
        pen.text(QRectF(34, y, names + 2, 22), row.type, face(12, 600 if won else 400), "text" if won else "text_2")
        number = face(12, 700 if won else 400, mono=True) if row.fate is not Fate.HELD_BACK else face(11)
        width = number.width(row.weight)
        pen.text(QRectF(right - width - 2, y, width + 2, 22), row.weight, number, "text" if won else "text_2", RIGHT)
        x, end = 34 + names + 9, right - width - 8
        for text in row.cues:
            chip = min(face(11, 500).width(text) + 16, end - x)
            if chip < 28:
                break
            pen.fill(QRectF(x, y + 2, chip, 18), "accent_soft" if won else "sunken", 4)
            pen.text(QRectF(x + 8, y + 2, chip - 16, 18), text, face(11, 500), "accent" if won else "text_2", LEFT)
            x += chip + 4

    def _topics(self, pen: Pen, card: IntentCard, y: float) -> float:
        if not card.topics:
            return y - 14
        face = self.theme.face
        pen.text(QRectF(_PAD, y, pen.width - 32, 16), self.tr("Topics"), face(11, 600), "text_2")
        x, y, end = _PAD, y + 19, pen.width - _PAD
        for topic in card.topics:
            chip = min(face(11, 500).width(topic) + 14, end - _PAD)
            if x > _PAD and x + chip > end:
                x, y = _PAD, y + 23
            pen.fill(QRectF(x, y, chip, 19), "sunken", 4)
            pen.text(QRectF(x + 7, y, chip - 14, 19), topic, face(11, 500))
            x += chip + 5
        return y + 19


class IntentPanel(Panel):
    """The pane."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("Intent"))
        self.fault = FaultLine(theme)
        self.sheet = IntentSheet(theme, self.tr("Intent card"))
        self.area = scrolled(self.sheet, self.tr("Intent"))
        self.column.addWidget(Head(theme, self.tr("Intent")))
        self.column.addWidget(self.fault)
        self.column.addWidget(self.area, 1)

    def focus_target(self) -> QWidget:
        return self.area

    def show_moment(self, moment: Moment) -> None:
        self.fault.tell(moment.faults.get("rules", "") or moment.faults.get("settings", ""))
        card = intent_card(moment.inspection) if moment.inspection is not None else None
        if card != self.sheet.card:
            self.sheet.card = card
            self.sheet.update()
