"""Live routing decision on the typed query: path, outcome, reasons, strip for teaching."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.display.routing.dashboard import MOST_CHOICES, can_ask_llm, route_button_text, state_line, teachable_routes
from app.display.routing.path import route_view
from app.domain.route import DOCUMENTED
from app.domain.scope.inspection import Inspection
from app.domain.scope.resolution import RouteDecision
from app.gui.kit.controls import EmptyState, button, line_edit
from app.gui.kit.document import DocumentView, span, tables_html
from app.gui.kit.fields import LONGEST
from app.gui.kit.folded import Section
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.icons import swatch
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.routing.decision_sheet import RouteSheet
from app.services.routing.routes import RoutingState

_WIDEST = 720
"""Maximum width of the grounds, in units."""


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
        self.line = line_edit("Query", hint="Type a query to see which store should answer it", longest=LONGEST)
        self.line.textEdited.connect(self._on_typed)
        self.ask = button(
            "Ask the LLM",
            tip="Ask the LLM for this route now, as a query that is not typed is",
            press=lambda: self.llm_requested.emit(self.query),
        )
        self.sheet = RouteSheet(theme, "The decision and its path")
        self.teach = RouteTeach(theme)
        self.evidence = DocumentView(theme, "The grounds of the decision", is_whole=True, widest=_WIDEST)
        self.foot = WrappedLabel(role="note")
        self.grounds = Section(theme, "Rules, votes and examples", self._make_grounds())
        self.empty = EmptyState(
            theme,
            "route",
            "Which data store should answer a query?",
            "Type a query above. Rules, earlier answers, taught examples and an LLM decide in turn.",
        )
        self.off = EmptyState(
            theme,
            "off",
            "Routing is switched off",
            "No query is routed, and nothing is put into the log (route.enabled).",
            button("Switch it on", primary=True, press=self.switch_on_requested.emit),
        )
        self._arrange()
        self.line.returnPressed.connect(self._leave_line)
        self.teach.chosen.connect(self._on_chosen)
        self.teach.left.connect(self._leave_line)
        for digit in range(1, MOST_CHOICES + 1):
            # Digits typed in a text line do not reach this shortcut.
            key = QShortcut(QKeySequence(str(digit)), self, lambda digit=digit: self.teach.choose(digit))
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        styled(self.line, role="probe")
        self.show_state(None)
        self.show_nothing()

    def _arrange(self) -> None:
        px = self.theme.px
        top = fill(spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(4)), (self.line, 1), self.ask)
        fill(spaced(QVBoxLayout(self)), top, self.sheet, self.teach, self.grounds, self.empty, self.off)

    def _make_grounds(self) -> QWidget:
        px, made = self.theme.px, QWidget()
        foot = fill(spaced(QHBoxLayout(), 0, px(16), 0, px(16), px(8)), self.foot)
        fill(spaced(QVBoxLayout(made)), self.evidence, foot)
        return made

    def _leave_line(self) -> None:
        """Move the focus to where digits teach."""
        if self.route is not None and self.teach.buttons:
            self.teach.buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_part(self) -> None:
        is_off = self._core_state is not None and not self._core_state.settings.route.enabled
        for part in (self.sheet, self.teach, self.grounds):
            part.setVisible(self.route is not None)
        self.off.setVisible(is_off)
        self.empty.setVisible(self.route is None and not is_off)
        self.teach.enable_teaching(on=bool(self.query))
        self.ask.setVisible(can_ask_llm(self.route))

    def focus_stops(self) -> list[QWidget]:
        return [self.line, *([self.teach.buttons[0], self.teach.label, self.grounds.line] if self.route else [])]

    # ---- display

    def show_core_state(self, core_state: CoreState) -> None:
        """Update after a change of the settings."""
        self._core_state = core_state
        if core_state.settings.route.enabled:
            self._show_part()
        else:
            self.show_nothing()
        self._show_choices()
        self._redraw()

    def show_state(self, state: RoutingState | None) -> None:
        self._state = state
        self._show_choices()
        self.foot.show_text(state_line(state) if state is not None else "")

    def _show_choices(self) -> None:
        routes = DOCUMENTED if self._core_state is None else self._core_state.settings.all_routes
        names = teachable_routes(self._state, routes)
        self.teach.show_choices([(name, route_button_text(name, routes), routes.color_of(name)) for name in names])

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
            self.query = ""
            self._show_part()

    def show_route(self, query: str, route: RouteDecision) -> None:
        self.query, self.route = query, route
        self._redraw()
        self._show_part()

    def show_nothing(self) -> None:
        """Show that there is no decision, without a query or with routing off."""
        self.query, self.route = "", None
        self._show_part()

    def follow(self) -> None:
        """Follow the query of the window again."""
        self._is_typed_here = False

    def _redraw(self) -> None:
        settings = None if self._core_state is None else self._core_state.settings.route
        limits, has_stores = ((), False) if settings is None else ((settings.threshold,), settings.are_stores_there)
        routes = DOCUMENTED if self._core_state is None else self._core_state.settings.all_routes
        shown = None
        if self.route is not None:
            shown = route_view(self.query, self.route, limits, has_stores=has_stores, routes=routes)
        self.sheet.show_view(shown)
        marks = {None: "body", True: "body accent underlined", False: "body text_2 underlined"}
        query = "" if shown is None else "".join(span(text, marks[mark]) for text, mark in shown.spans)
        self.evidence.show_html(
            f'<p class="below">{query}</p>{tables_html(shown.grounds)}' if shown is not None else ""
        )
        self.grounds.line.show_summary("" if shown is None else shown.summary)

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
        self.buttons: list[QPushButton] = []
        self.title = styled(QLabel("Which route is right?"), role="title")
        name = "Route to teach, by a name of your own"
        self.label = line_edit(name, hint="or a route of your own", longest=_LONGEST)
        self.label.returnPressed.connect(self._on_label)
        self.label.textChanged.connect(lambda _: self._show())
        self.label.installEventFilter(self)
        self.teach = button("Teach", tip="Teach the route that is typed (Enter)", press=self._on_label)
        px = theme.px
        self.label.setMinimumWidth(px(120))
        self._row = fill(FlowLayout(px(6)), self.title, self.label)
        self._row.grow(self.label)
        self._row.addWidget(self.teach)
        fill(spaced(QVBoxLayout(self), 0, px(16), 0, px(16), px(10)), self._row)
        self._can_teach = False
        theme.changed.connect(self._apply_theme)
        self._show()

    @property
    def labels(self) -> tuple[str, ...]:
        """Routes that have a digit."""
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
        for place, (label, word, _) in enumerate(self._choices):
            tip = f"Teach {label} ({place + 1})"
            made = button(f"{place + 1}  {word}", tip=tip, press=partial(self.chosen.emit, label))
            made.setAccessibleName(tip)
            self.buttons.append(made)
            self._row.insert(place + 1, made)
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

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is not self.label or not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape:
            return False
        # Escape must leave the line before the window's shortcut moves to the query.
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() is QEvent.Type.KeyPress:
            self.label.clear()
            self.left.emit()
            return True
        return False
