"""What stands above and below the paired matches: both intents with their steps, the first difference, the outcomes."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QRectF

from app.display.scope.intent import IntentCard
from app.display.scope.resolution import Card
from app.display.scope.side_by_side import SideBySide
from app.gui.kit.drawing.pen import LEVEL_COLORS, RIGHT, Pen
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.theme import Theme
from app.gui.scope.views.side_by_side_paint import Grid, diamond

INTENTS_HIGH, FIRST_HIGH, OUTCOMES_HIGH = 100, 40, 66
_STEPS = 3
_X = 16.0


class SideSheet(Sheet):
    """A strip of the comparison on the same grid as the matches; its height stays, whatever is typed."""

    high = 40

    def __init__(self, theme: Theme, name: str, scorers: int) -> None:
        super().__init__(theme, name)
        self.scorers = scorers
        self.shown: SideBySide | None = None
        self.setFixedHeight(theme.px(self.high))

    def show_pairs(self, shown: SideBySide | None) -> None:
        """Draw this comparison from now on; None: there is nothing to compare."""
        if shown != self.shown:
            self.shown = shown
            self.update()

    def compose(self, pen: Pen) -> float:
        pen.painter.fillRect(QRectF(0, 0, pen.width, self.high), self.theme.color("surface"))
        if self.shown is not None:
            self.draw(pen, self.shown, Grid.of(pen.width, self.scorers))
        pen.line(0, self.high - 0.5, pen.width, self.high - 0.5)
        return self.high

    @abstractmethod
    def draw(self, pen: Pen, shown: SideBySide, grid: Grid) -> None:
        """Draw what there is to compare."""

    def label(self, pen: Pen, grid: Grid, title: str, differs: str, lines: int) -> None:
        """The first column of a strip: what it is, and what differs in it."""
        face, room = self.theme.face, grid.answer - 2 * _X
        pen.text(QRectF(_X, 8, room, 20), title, face(12, 600))
        if differs:
            diamond(pen, _X, 33, first=False)
            pen.paragraph(QRectF(_X + 14, 29, room - 14, 70), differs, face(11), "text", lines=lines)
        else:
            pen.text(QRectF(_X, 28, room, 18), self.tr("the same on both sides"), face(11), "text_2")


class IntentsSheet(SideSheet):
    """Both intents: type, confidence, source, steps."""

    high = INTENTS_HIGH

    def draw(self, pen: Pen, shown: SideBySide, grid: Grid) -> None:
        self.label(pen, grid, self.tr("Type"), shown.intents_differ, 4)
        wide = (pen.width - grid.answer) / 2
        for place, card in enumerate(shown.intents):
            x = grid.answer + place * wide
            pen.line(x + 0.5, 0, x + 0.5, self.high)
            self._card(pen, card, x, wide)

    def _card(self, pen: Pen, card: IntentCard, x: float, wide: float) -> None:
        face, room = self.theme.face, wide - 2 * 14
        number = face(15, 700, mono=True)
        taken = number.width(card.confidence)
        pen.text(QRectF(x + 14, 6, room - taken - 10, 22), card.headline, face(15, 650))
        pen.text(QRectF(x + 14, 6, room, 22), card.confidence, number, "text", RIGHT)
        pen.text(QRectF(x + 14, 27, room, 18), card.source, face(12), "text_2")
        y = 46.0
        for row in card.sums[:_STEPS]:
            value = face(12, mono=True)
            pen.text(QRectF(x + 14, y, room, 17), row.value, value, "text", RIGHT)
            how = f"{row.what}: {row.how}"
            pen.text(QRectF(x + 14, y, room - value.width(row.value) - 10, 17), how, face(11), "text_2")
            y += 17


class FirstSheet(SideSheet):
    """Where the two lists of matches begin to differ, and why."""

    high = FIRST_HIGH

    def draw(self, pen: Pen, shown: SideBySide, grid: Grid) -> None:
        face = self.theme.face(12)
        differs = any(row.is_first for row in shown.rows)
        room = pen.width - 2 * _X - 16
        lines = 1 if face.width(shown.first) <= room else 2
        top = (self.high - lines * face.measure.lineSpacing()) / 2
        if differs:
            pen.fill(QRectF(0, 0, pen.width, self.high), "warning_soft")
            pen.fill(QRectF(0, 0, 3, self.high), "warning")
            diamond(pen, _X, top + 4, first=True)
        x = _X + 16 if differs else _X
        pen.paragraph(QRectF(x, top, room, self.high), shown.first, face, "text" if differs else "text_2", lines=2)


class OutcomesSheet(SideSheet):
    """What becomes of powers on both sides."""

    high = OUTCOMES_HIGH

    def draw(self, pen: Pen, shown: SideBySide, grid: Grid) -> None:
        pen.line(0, 0.5, pen.width, 0.5)
        self.label(pen, grid, self.tr("Powers"), self._differs(shown), 2)
        wide = (pen.width - grid.answer) / 2
        for place, card in enumerate(shown.outcomes):
            x = grid.answer + place * wide
            pen.line(x + 0.5, 0, x + 0.5, self.high)
            if card is not None:
                self._card(pen, card, x + 14, wide - 28)

    def _differs(self, shown: SideBySide) -> str:
        what = shown.outcomes_differ
        return self.tr("differs: {0}").format(what) if what else ""

    def _card(self, pen: Pen, card: Card, x: float, room: float) -> None:
        face = self.theme.face
        at = x
        if card.level is not None:
            pen.level(card.level, x, 12)
            at += 18
        token = LEVEL_COLORS[card.level] if card.level is not None else "text_2"
        runs = [
            (f"{card.badge}  ", face(12, 600), token),
            (card.name, face(12, 600), "text"),
            (card.rest, face(12), "text"),
        ]
        pen.runs(at, 8, 20, runs, room - (at - x))
        pen.paragraph(QRectF(x, 29, room, 34), card.sentence, face(11), "text_2", lines=2)
