"""The outcome for powers and, where there is one, the route: two cards below the matches."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from app.display.powers import Card, power_card, route_card
from app.gui.moment import Moment
from app.gui.panels.panel import Panel
from app.gui.pen import LEVEL_COLORS, Pen
from app.gui.sheet import Sheet
from app.gui.theme import Theme

_HEIGHT, _LINE_HEIGHT = 88.0, 34.0
_WHOLE_FROM = 340.0
"""With less height than this the cards are one line each: outcome, name and confidence."""


class OutcomeSheet(Sheet):
    """Both cards, drawn side by side."""

    powers: Card | None = None
    route: Card | None = None

    def compose(self, pen: Pen) -> float:
        pen.line(0, 0.5, pen.width, 0.5)
        width = pen.width / 2 if self.route else pen.width
        if self.powers:
            self._card(pen, 0, width, "power", self.tr("Powers"), self.powers)
        else:
            self._waiting(pen, width)
        if self.route:
            pen.line(width + 0.5, 0, width + 0.5, self.units)
            self._card(pen, width, width, "route", self.tr("Route"), self.route)
        return self.units

    @property
    def units(self) -> float:
        return self.height() / self.theme.scale

    def _waiting(self, pen: Pen, width: float) -> None:
        pen.icon("power", 16, 11, 15)
        pen.text(QRectF(38, 8, width, 20), self.tr("Powers"), self.theme.face(12, 600))
        if self.units < _HEIGHT:
            return
        sentence = self.tr("What would be activated shows here. Typing starts nothing.")
        pen.text(QRectF(16, 30, width - 32, 18), sentence, self.theme.face(12), "text_2")

    def _card(self, pen: Pen, x: float, width: float, icon: str, title: str, card: Card) -> None:
        face = self.theme.face
        right = x + width - 16
        pen.icon(icon, x + 16, 11, 15)
        low = self.units < _HEIGHT
        if not low:
            pen.text(QRectF(x + 38, 8, 90, 20), title, face(12, 600))
        badge = face(12, 500).width(card.badge)
        token = LEVEL_COLORS[card.level] if card.level else "text_2"
        pen.text(QRectF(right - badge - 1, 8, badge + 2, 20), card.badge, face(12, 500), token)
        if card.level:
            pen.level(card.level, right - badge - 18, 12)
        runs = [(card.name, face(12, 600), "text"), (card.rest, face(12), "text")]
        if low:
            pen.runs(x + 38, 8, 20, runs, width - 38 - 16 - badge - 26)
            return
        pen.runs(x + 16, 29, 18, runs, width - 32)
        pen.paragraph(QRectF(x + 16, 48, width - 32, 34), card.sentence, face(11), "text_2", lines=2)


class PowersPanel(Panel):
    """The pane."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("Powers and route"))
        self.sheet = OutcomeSheet(theme, self.tr("Powers and route"))
        self.column.addWidget(self.sheet)

    def height_in(self, column: float) -> float | None:
        return _HEIGHT if column >= _WHOLE_FROM else _LINE_HEIGHT

    def show_moment(self, moment: Moment) -> None:
        inspection = moment.inspection
        none = moment.status is not None and moment.status.counts.get("powers") == 0
        powers = power_card(inspection, moment.settings, is_untaught=none) if inspection else None
        route = route_card(inspection.route) if inspection and inspection.route else None
        if (powers, route) != (self.sheet.powers, self.sheet.route):
            self.sheet.powers, self.sheet.route = powers, route
            self.sheet.update()
