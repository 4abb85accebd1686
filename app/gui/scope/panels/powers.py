"""The outcome for powers and the route as two cards below the matches."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QResizeEvent

from app.display.scope.matches.resolution import Card, can_start, power_card, route_card
from app.domain.library import Power
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import button
from app.gui.kit.drawing.canvas import LEVEL_COLORS, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.theme import Theme
from app.gui.kit.theme.tokens import ROUTE_TOKENS
from app.gui.scope.panels.panel import Panel

_HEIGHT, _LINE_HEIGHT = 88.0, 34.0
_NAME = 90.0
"""So much of a name goes before the outcome's word."""

_WHOLE_FROM = 340.0
"""With less height than this the cards are one line each: outcome, name and confidence."""


class OutcomeSheet(Sheet):
    """Both cards, drawn side by side."""

    powers: Card | None = None
    route: Card | None = None

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self.link = button("Path", link=True, tip="Show on the page of routes how this came about")
        self.link.setParent(self)
        self.link.setVisible(False)

    def place_link(self) -> None:
        """Place the link to the page of routes beside the title, where there is a title."""
        self.link.setVisible(self.route is not None and self.units >= _HEIGHT)
        title = self.theme.face(12, 600).width("Route")
        hint = self.link.sizeHint()
        middle = round(18 * self.theme.scale - hint.height() / 2)
        self.link.setGeometry(self.width() // 2 + self.theme.px(44 + title), middle, hint.width(), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place_link()

    def compose(self, canvas: Canvas) -> float:
        canvas.line(0, 0.5, canvas.width, 0.5)
        width = canvas.width / 2 if self.route else canvas.width
        if self.powers:
            self._card(canvas, 0, width, "power", "Powers", self.powers)
        else:
            self._draw_waiting(canvas, width)
        if self.route:
            canvas.line(width + 0.5, 0, width + 0.5, self.units)
            self._card(canvas, width, width, "route", "Route", self.route)
        return self.units

    @property
    def units(self) -> float:
        return self.height() / self.theme.scale

    def _draw_waiting(self, canvas: Canvas, width: float) -> None:
        canvas.icon("power", 16, 11, 15)
        canvas.text(QRectF(38, 8, width, 20), "Powers", self.theme.face(12, 600))
        if self.units < _HEIGHT:
            return
        sentence = "What would be activated shows here. Typing starts nothing."
        canvas.text(QRectF(16, 30, width - 32, 18), sentence, self.theme.face(12), "text_2")

    def _card(self, canvas: Canvas, x: float, width: float, icon: str, title: str, card: Card) -> None:
        face = self.theme.face
        right = x + width - 16
        canvas.icon(icon, x + 16, 11, 15, ROUTE_TOKENS.get(card.color, "text_2"))
        low = self.units < _HEIGHT
        if not low:
            canvas.text(QRectF(x + 38, 8, 90, 20), title, face(12, 600))
        runs = [(card.name, face(12, 600), "text"), (card.rest, face(12), "text")]
        if low:
            end = self._badge(canvas, card, right, least=x + 38 + min(face(12, 600).width(card.name), _NAME) + 8)
            canvas.runs(x + 38, 8, 20, runs, end - 8 - x - 38)
            return
        self._badge(canvas, card, right, least=x + 38)
        canvas.runs(x + 16, 29, 18, runs, width - 32)
        canvas.paragraph(QRectF(x + 16, 48, width - 32, 34), card.sentence, face(11), "text_2", lines=2)

    def _badge(self, canvas: Canvas, card: Card, right: float, *, least: float) -> float:
        """Glyph and word of the outcome at the right, the word where it leaves the name its room; where they begin."""
        font = self.theme.face(12, 500)
        start = right - font.width(card.badge)
        glyph = 18 if card.level else 0
        if start - glyph >= least:
            token = LEVEL_COLORS[card.level] if card.level else "text_2"
            canvas.text(QRectF(start - 1, 8, right - start + 2, 20), card.badge, font, token)
        else:
            start = right + (4 if card.level else 0)
            canvas.written.append(card.badge)
        if card.level:
            canvas.level(card.level, start - glyph, 12)
        return start - glyph


class PowersPanel(Panel):
    """The pane."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Powers and route")
        self.sheet = OutcomeSheet(theme, "Powers and route")
        self.column.addWidget(self.sheet)
        self.sheet.link.clicked.connect(lambda _=False: self.action_requested.emit("page:route"))

    def height_in(self, column: float) -> float | None:
        return _HEIGHT if column >= _WHOLE_FROM else _LINE_HEIGHT

    def show_state(self, scope_state: ScopeState) -> None:
        inspection, settings = scope_state.inspection, scope_state.settings
        none = scope_state.status is not None and scope_state.status.counts.get("powers") == 0
        powers = power_card(inspection, settings, is_untaught=none) if inspection else None
        if powers is not None and inspection and can_start(inspection) and _is_meant(powers, scope_state):
            powers = replace(powers, sentence=f"{powers.sentence} F5 starts it.")
        route = route_card(inspection.route, settings) if inspection and inspection.route else None
        if route is None and inspection and settings is not None and settings.route.enabled:
            route = self.sheet.route  # the new one is decided in a moment
        if (powers, route) != (self.sheet.powers, self.sheet.route):
            self.sheet.powers, self.sheet.route = powers, route
            self.sheet.place_link()
            self.sheet.update()


def _is_meant(card: Card, scope_state: ScopeState) -> bool:
    """If starting means the power of the card: another one that is selected goes before it."""
    selected = None if scope_state.selected is None else scope_state.selected.answer
    return not isinstance(selected, Power) or selected.name == card.name
