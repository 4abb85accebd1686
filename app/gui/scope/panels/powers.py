"""Outcome for powers and the route, as two cards."""

from __future__ import annotations

from dataclasses import replace

from app.display.scope.match_rows import Card, can_start, power_card, route_card
from app.display.words import with_titles
from app.domain.library import Power
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.canvas import LEVEL_COLORS
from app.gui.kit.controls import button
from app.gui.kit.document import icon_html, level_html, span, table_html
from app.gui.kit.theme import Theme
from app.gui.kit.tokens import ROUTE_TOKENS
from app.gui.scope.panels.panel import HEAD, DocumentPanel

_CARD = 84.0
"""Height of a card, in units."""


class PowersPanel(DocumentPanel):
    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Powers and route", "Powers and route", "power")
        self.powers: Card | None = None
        self.route: Card | None = None
        tip, press = (
            "Show on the page Routing how the route came about",
            lambda: self.action_requested.emit("page:route"),
        )
        self.link = button("Path", link=True, tip=tip, press=press)
        self.head.add(self.link)
        self._draw()

    def height_in(self, column: float) -> float | None:
        return HEAD + _CARD * (2 if self.route else 1)

    def summary(self) -> str:
        """Return the route if something decided it; without routing, the first power."""
        card = self.route or self.powers
        return "" if card is None or card.is_fallback else with_titles(card.name or card.badge)

    def show_state(self, scope_state: ScopeState) -> None:
        inspection, settings = scope_state.inspection, scope_state.settings
        none = scope_state.status is not None and scope_state.status.counts.get("powers") == 0
        powers = power_card(inspection, settings, is_untaught=none) if inspection else None
        if powers is not None and inspection and can_start(inspection) and _is_meant(powers, scope_state):
            powers = replace(powers, sentence=f"{powers.sentence} Press F5 to start it.")
        route = route_card(inspection.route, settings) if inspection and inspection.route else None
        if route is None and inspection and settings is not None and settings.route.enabled:
            route = self.route  # the new route follows shortly
        if (powers, route) != (self.powers, self.route):
            self.powers, self.route = powers, route
            self._draw()
            self.size_wish_changed.emit()

    def _draw(self) -> None:
        self.link.setVisible(self.route is not None)
        powers = span("The tool that would be activated appears here. Nothing starts while you type.", "text_2", "p")
        cards = [_card_html("power", "Powers", self.powers) if self.powers else powers]
        cards += [_card_html("route", "Route", self.route)] if self.route else []
        self.show_html(lambda: "<hr>".join(cards))


def _card_html(icon: str, title: str, card: Card) -> str:
    head = f"{icon_html(icon, ROUTE_TOKENS.get(card.color, 'text_2'), 15)} {span(title, 'strong')}"
    badge = span(card.badge, "text_2")
    if card.level is not None:
        badge = level_html(card.level) + span(card.badge, LEVEL_COLORS[card.level])
    named = f"<p>{span(card.name, 'strong')}{span(card.rest)}</p>"
    said = named + span(card.sentence, "small text_2", "p")
    return table_html([(head, badge)]) + (with_titles(said) if icon == "route" else said)


def _is_meant(card: Card, scope_state: ScopeState) -> bool:
    """Check if starting means the card's power: another selected power has priority."""
    selected = None if scope_state.selected is None else scope_state.selected.answer
    return not isinstance(selected, Power) or selected.name == card.name
