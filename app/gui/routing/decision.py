"""Live routing decision on the typed query: path, outcome, reasons, strip for teaching."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.display.routing.metrics import MOST_CHOICES, can_ask_llm, route_button_text, state_line, teachable_routes
from app.display.routing.path import route_view
from app.domain.route import DOCUMENTED, Routes
from app.domain.scope.inspection import Inspection, RouteDecision
from app.gui.kit.controls import EmptyState, button, line_edit
from app.gui.kit.document import DocumentView, span, tables_html
from app.gui.kit.fields import LONGEST, handle_escape
from app.gui.kit.folded import Section
from app.gui.kit.layouts import FlowLayout, chain_focus, fill, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.theme.icons import swatch
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.routing.decision_sheet import RouteSheet
from app.services.routing.routes import RoutingState

_WIDEST = 720
"""Maximum width of the grounds, in units."""

_MARKS = {None: "body", True: "body accent underlined", False: "body text_2 underlined"}
"""Style of words in the query: of no rule, of a rule that counts, of an overruled one."""


class RouteDecisionPart(QWidget):
    """Shows the decision, which the page requests."""

    typed = Signal(str)
    llm_requested = Signal(str)  # the query
    teach_requested = Signal(str, str)  # query, label
    switch_on_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.query = ""
        self.route: RouteDecision | None = None
        self._is_typed_here = False
        self._core_state: CoreState | None = None
        self._state: RoutingState | None = None
        hint = "Type a query to see which store should answer it"
        self.line = styled(line_edit("Query", hint=hint, longest=LONGEST), role="probe")
        tip = "Ask the LLM for this route now, as a query that is not typed is"
        self.ask = button("Ask the LLM", tip=tip, press=lambda: self.llm_requested.emit(self.query))
        self.sheet = RouteSheet(theme, "The decision and its path")
        self.teach = RouteTeach(theme)
        self.evidence = DocumentView(theme, "The grounds of the decision", is_whole=True, widest=_WIDEST)
        self.grounds = Section(theme, "Rules, votes and examples", self.evidence)
        how = "Type a query above. Rules, earlier answers, examples and an LLM decide in turn."
        self.empty = EmptyState(theme, "route", "Which data store should answer a query?", how)
        on = button("Switch it on", primary=True, press=self.switch_on_requested.emit)
        what = "No query is routed, and nothing is put into the log (route.enabled)."
        self.off = EmptyState(theme, "off", "Routing is switched off", what, on)
        px = theme.px
        top = fill(spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(4)), (self.line, 1), self.ask)
        fill(spaced(QVBoxLayout(self)), top, self.sheet, self.teach, self.grounds, self.empty, self.off)
        self.line.textEdited.connect(self._on_typed)
        self.line.returnPressed.connect(self._leave_line)
        self.teach.chosen.connect(self._on_chosen)
        self.teach.left.connect(self._leave_line)
        for digit in range(1, MOST_CHOICES + 1):
            # Digits typed in a text line do not reach this shortcut.
            key = QShortcut(QKeySequence(str(digit)), self, lambda digit=digit: self.teach.choose(digit))
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.show_state(None)
        self.show_nothing()

    def _leave_line(self) -> None:
        """Move the focus to where digits teach."""
        if self.route is not None and self.teach.buttons:
            self.teach.buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_stops(self) -> list[QWidget]:
        if self.route is None:
            return [self.line]
        grounds = [self.grounds.line, *([self.evidence] if self.grounds.is_open else [])]
        return [self.line, self.teach.buttons[0], self.teach.label, *grounds]

    # ---- display

    @property
    def _routes(self) -> Routes:
        return DOCUMENTED if self._core_state is None else self._core_state.settings.all_routes

    def show_core_state(self, core_state: CoreState) -> None:
        self._core_state = core_state
        if not core_state.settings.route.enabled:
            self.query, self.route = "", None
        self.show_state(self._state)

    def show_state(self, state: RoutingState | None) -> None:
        self._state = state
        names = teachable_routes(state, self._routes)
        color = self._routes.color_of
        self.teach.show_choices([(name, route_button_text(name, self._routes), color(name)) for name in names])
        chain_focus(self.ask, *self.teach.buttons)  # they are newer than what follows
        self._show()

    def show_inspection(self, inspection: Inspection | None) -> None:
        """Show the query of the window; None: no query."""
        if inspection is None or inspection.query.is_empty:
            if not self._is_typed_here:
                self.line.clear()
            self.show_nothing()
            return
        # Text that is being typed here is newer than the answers.
        if not self._is_typed_here and self.line.text() != inspection.query.text:
            self.line.setText(inspection.query.text)
        if inspection.route is not None:
            self.show_route(inspection.query.text, inspection.route)
        else:  # decided shortly; the previous decision stays, and cannot be taught
            self.teach.enable_teaching(on=False)
            self.query = ""

    def show_route(self, query: str, route: RouteDecision) -> None:
        self.query, self.route = query, route
        self._show()

    def show_nothing(self) -> None:
        """Show that there is no decision, without a query or with routing off."""
        self.query, self.route = "", None
        self._show()

    def follow(self) -> None:
        self._is_typed_here = False

    def _show(self) -> None:
        settings = None if self._core_state is None else self._core_state.settings.route
        is_off = settings is not None and not settings.enabled
        for part in (self.sheet, self.teach, self.grounds):
            part.setVisible(self.route is not None)
        self.off.setVisible(is_off)
        self.empty.setVisible(self.route is None and not is_off)
        self.teach.enable_teaching(on=bool(self.query))
        self.ask.setVisible(can_ask_llm(self.route))
        if self.route is None:
            return
        limits, has_stores = ((), False) if settings is None else ((settings.threshold,), settings.has_any_store)
        shown = route_view(self.query, self.route, limits, has_stores=has_stores, routes=self._routes)
        self.sheet.show_view(shown)
        query = "".join(span(text, _MARKS[mark]) for text, mark in shown.spans)
        foot = span(state_line(self._state), "small text_2", "p") if self._state is not None else ""
        self.evidence.show_html(f'<p class="below">{query}</p>{tables_html(shown.grounds)}<hr>{foot}')
        self.grounds.line.show_summary(shown.summary)

    def _on_typed(self, text: str) -> None:
        self._is_typed_here = True
        self.typed.emit(text)
        if not text.strip():
            self.show_nothing()

    def _on_chosen(self, label: str) -> None:
        if self.query:
            self.teach_requested.emit(self.query, label)


# ---- Strip for teaching the right route by digit, button or typed label.


_LONGEST = 80


class RouteTeach(QWidget):
    """Choice of the right route, independent of the query."""

    chosen = Signal(str)
    left = Signal()  # Escape in the line of labels

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._choices: tuple[tuple[str, str, str], ...] = ()
        self._can_teach = False
        self.buttons: list[QPushButton] = []
        name = "Route to teach, by a name of your own"
        self.label = line_edit(name, hint="or a route of your own", longest=_LONGEST)
        self.label.setMinimumWidth(theme.px(120))
        self.label.returnPressed.connect(self._on_label)
        self.label.textChanged.connect(lambda _: self._show())
        self.label.installEventFilter(self)
        self.teach = button("Teach", tip="Teach the route that is typed (Enter)", press=self._on_label)
        title = styled(QLabel("Which route is right?"), role="title")
        self._row = spaced(FlowLayout(theme.px(6)), None, theme.px(16), 0, theme.px(16), theme.px(10))
        fill(self._row, title, self.label)
        self._row.grow(self.label)
        self._row.addWidget(self.teach)
        self.setLayout(self._row)
        theme.changed.connect(self._apply_theme)
        self._show()

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(name for name, *_ in self._choices)

    def show_choices(self, choices: Sequence[tuple[str, str, str]]) -> None:
        """Offer these routes, each as (name, label, colour); digits follow the order."""
        if tuple(choices) == self._choices:
            return
        self._choices = tuple(choices)
        for old in self.buttons:
            self._row.removeWidget(old)
            old.hide()  # it exists until the next event loop turn
            old.deleteLater()
        self.buttons = []
        for place, (label, word, _) in enumerate(self._choices, 1):
            tip = f"Teach {label} ({place})"
            made = button(f"{place}  {word}", tip=tip, name=tip, press=partial(self.chosen.emit, label))
            self.buttons.append(made)
            self._row.insert(place, made)
        self._apply_theme()
        self._show()

    def _apply_theme(self) -> None:
        """Colour each route's button for the current theme."""
        for made, (*_, color) in zip(self.buttons, self._choices, strict=True):
            if color:
                made.setIcon(swatch(self.theme, color))

    def enable_teaching(self, *, on: bool) -> None:
        self._can_teach = on
        self._show()

    def choose(self, digit: int) -> None:
        if self._can_teach and 0 < digit <= len(self.labels):
            self.chosen.emit(self.labels[digit - 1])

    def clear(self) -> None:
        self.label.clear()

    def _on_label(self) -> None:
        if self._can_teach and (text := self.label.text().strip()):
            self.chosen.emit(text)

    def _show(self) -> None:
        for made in (*self.buttons, self.label):
            made.setEnabled(self._can_teach)
        self.teach.setEnabled(self._can_teach and bool(self.label.text().strip()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return watched is self.label and handle_escape(event, self._leave)

    def _leave(self) -> None:
        self.label.clear()
        self.left.emit()
