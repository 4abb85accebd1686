"""Outcome for powers and the route, as two cards."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF

from app.display.scope.matches.resolution import Card, can_start, power_card, route_card
from app.domain.library import Power
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import PaneHeader, button
from app.gui.kit.drawing.canvas import LEVEL_COLORS, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.theme import Theme
from app.gui.kit.theme.tokens import ROUTE_TOKENS
from app.gui.scope.panels.panel import HEAD, Panel

_CARD = 84.0
"""Height of a card, in units."""


class OutcomeSheet(Sheet):
    """Sheet with both cards, one below the other."""

    powers: Card | None = None
    route: Card | None = None

    def compose(self, canvas: Canvas) -> float:
        if self.powers:
            self._card(canvas, 0, "power", "Powers", self.powers)
        else:
            canvas.icon("power", 16, 11, 15)
            canvas.text(QRectF(38, 8, canvas.width, 20), "Powers", self.theme.face(12, 600))
            sentence = "The tool that would be activated appears here. Nothing starts while you type."
            canvas.text(QRectF(16, 30, canvas.width - 32, 18), sentence, self.theme.face(12), "text_2")
        if self.route:
            canvas.line(0, _CARD, canvas.width, _CARD)
            self._card(canvas, _CARD, "route", "Route", self.route)
        return _CARD * (2 if self.route else 1)

    def _card(self, canvas: Canvas, y: float, icon: str, title: str, card: Card) -> None:
        face, right = self.theme.face, canvas.width - 16
        canvas.icon(icon, 16, y + 11, 15, ROUTE_TOKENS.get(card.color, "text_2"))
        wide = canvas.text(QRectF(38, y + 8, 90, 20), title, face(12, 600))
        word = face(12, 500)
        start = max(38 + wide + (26 if card.level else 8), right - word.width(card.badge))
        token = LEVEL_COLORS[card.level] if card.level else "text_2"
        canvas.text(QRectF(start - 1, y + 8, right - start + 2, 20), card.badge, word, token)
        if card.level:
            canvas.level(card.level, start - 18, y + 12)
        canvas.runs(16, y + 29, 18, [(card.name, face(12, 600), "text"), (card.rest, face(12), "text")], right - 16)
        canvas.paragraph(QRectF(16, y + 48, right - 16, 34), card.sentence, face(11), "text_2", lines=2)


class PowersPanel(Panel):
    """Pane of powers and route."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Powers and route")
        self.sheet = OutcomeSheet(theme, "Powers and route")
        self.link = button("Path", link=True, tip="Show on the page Routing how the route came about")
        self.link.clicked.connect(lambda _=False: self.action_requested.emit("page:route"))
        self.column.addWidget(PaneHeader(theme, "Powers and route", self.link))
        self.column.addWidget(self.sheet, 1)

    def height_in(self, column: float) -> float | None:
        return HEAD + _CARD * (2 if self.sheet.route else 1)

    def summary(self) -> str:
        """Return the route if something decided it; without routing, the first power."""
        card = self.sheet.route or self.sheet.powers
        return "" if card is None or card.is_fallback else card.name or card.badge

    def show_state(self, scope_state: ScopeState) -> None:
        inspection, settings = scope_state.inspection, scope_state.settings
        none = scope_state.status is not None and scope_state.status.counts.get("powers") == 0
        powers = power_card(inspection, settings, is_untaught=none) if inspection else None
        if powers is not None and inspection and can_start(inspection) and _is_meant(powers, scope_state):
            powers = replace(powers, sentence=f"{powers.sentence} Press F5 to start it.")
        route = route_card(inspection.route, settings) if inspection and inspection.route else None
        if route is None and inspection and settings is not None and settings.route.enabled:
            route = self.sheet.route  # the new route follows shortly
        if (powers, route) != (self.sheet.powers, self.sheet.route):
            self.sheet.powers, self.sheet.route = powers, route
            self.link.setVisible(route is not None)
            self.sheet.update()
            self.size_wish_changed.emit()


def _is_meant(card: Card, scope_state: ScopeState) -> bool:
    """Check if starting means the card's power: another selected power has priority."""
    selected = None if scope_state.selected is None else scope_state.selected.answer
    return not isinstance(selected, Power) or selected.name == card.name
