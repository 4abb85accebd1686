"""The decision on the query that is typed, live: its path, what was decided and why, and a way to teach another."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from app.display.routing.measures import MOST_CHOICES, can_ask, choices, standing
from app.display.routing.path import route_view
from app.domain.inspection import Inspection
from app.domain.resolution import RouteDecision
from app.gui.kit.controls import Empty, button
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.fields import LONGEST
from app.gui.kit.page import CoreState
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.routing.sheet import RouteSheet
from app.gui.routing.teach import RouteTeach
from app.services.routing.routes import RoutingState


class RouteDecisionPart(QWidget):
    """Shows what it is given; the page asks."""

    typed = Signal(str)
    llm_asked = Signal(str)  # the query
    teach_asked = Signal(str, str)  # the query, the label
    switch_on_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.query = ""
        self.route: RouteDecision | None = None
        self._is_typed_here = False
        self._core_state: CoreState | None = None
        self.line = QLineEdit()
        self.line.setMaxLength(LONGEST)
        self.line.setPlaceholderText(self.tr("Type a query to see which store should answer it"))
        self.line.setAccessibleName(self.tr("Query"))
        self.line.textEdited.connect(self._on_typed)
        self.ask = button(
            self.tr("Ask the LLM"),
            tip=self.tr("Ask the LLM for this route now, as a query that is not typed is"),
            press=lambda: self.llm_asked.emit(self.query),
        )
        self.sheet = RouteSheet(theme, self.tr("The path of the decision"))
        self.area = scrolled(self.sheet, self.tr("The path of the decision"))
        self.teach = RouteTeach(theme)
        self.foot = Said(role="note")
        self.empty = Empty(
            theme,
            "route",
            self.tr("No route was decided yet"),
            self.tr("Type a query above, or on the scope; this page follows it."),
        )
        self.off = Empty(
            theme,
            "off",
            self.tr("Routing is switched off"),
            self.tr("No query is routed, and nothing is put into the log (route.enabled)."),
            button(self.tr("Switch it on"), primary=True, press=self.switch_on_asked.emit),
        )
        self._arrange()
        self.line.returnPressed.connect(lambda: self.area.setFocus(Qt.FocusReason.OtherFocusReason))
        self.teach.chosen.connect(self._on_chosen)
        self.teach.left.connect(self.area.setFocus)
        for digit in range(1, MOST_CHOICES + 1):
            # A line takes its digits before this: what is typed there is typed there.
            key = QShortcut(QKeySequence(str(digit)), self, lambda digit=digit: self.teach.choose(digit))
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        styled(self.line, role="probe")
        self.show_state(None)
        self.show_nothing()

    def _arrange(self) -> None:
        px = self.theme.px
        top = QHBoxLayout()
        top.setContentsMargins(px(16), px(4), px(16), px(8))
        top.setSpacing(px(8))
        top.addWidget(self.line, 1)
        top.addWidget(self.ask)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.area, 1)
        column.addWidget(self.teach)
        self.body = body
        self.stack = QStackedWidget()
        for part in (body, self.empty, self.off):
            self.stack.addWidget(part)
        foot = QHBoxLayout()
        foot.setContentsMargins(px(16), px(5), px(16), px(6))
        foot.addWidget(self.foot)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(top)
        whole.addWidget(self.stack, 1)
        whole.addLayout(foot)

    def stops(self) -> list[QWidget]:
        """Where the keyboard stops, in order."""
        if self.stack.currentWidget() is not self.body:
            return [self.line]
        return [self.line, self.area, *self.teach.buttons[:1], self.teach.label]

    # ---- what is shown

    def show_core_state(self, core_state: CoreState) -> None:
        """The settings may have changed."""
        self._core_state = core_state
        if not core_state.settings.route.enabled:
            self.show_nothing()
        elif self.stack.currentWidget() is self.off:
            self.stack.setCurrentWidget(self.empty)
        self._redraw()

    def show_state(self, state: RoutingState | None) -> None:
        """What routing rests on."""
        self.teach.show_choices(choices(state))
        self.foot.say(standing(state) if state is not None else "")

    def show_inspection(self, inspection: Inspection | None) -> None:
        """A query was answered, or nothing is asked any more."""
        if inspection is None or inspection.query.is_empty:
            if not self._is_typed_here:
                self.line.clear()
            self.show_nothing()
            return
        # Whoever types here is ahead of the answers.
        if not self._is_typed_here and self.line.text() != inspection.query.text:
            self.line.setText(inspection.query.text)
        if inspection.route is None:
            self.show_nothing()
        else:
            self.show_route(inspection.query.text, inspection.route)

    def show_route(self, query: str, route: RouteDecision) -> None:
        """Show a decision on a query."""
        if query != self.query:
            self.area.verticalScrollBar().setValue(0)
        self.query, self.route = query, route
        self._redraw()
        self.stack.setCurrentWidget(self.body)
        self.teach.let_teach(on=True)
        self.ask.setVisible(can_ask(route))

    def show_nothing(self) -> None:
        """There is no decision, because nothing was asked or routing is off."""
        self.query, self.route = "", None
        is_off = self._core_state is not None and not self._core_state.settings.route.enabled
        self.stack.setCurrentWidget(self.off if is_off else self.empty)
        self.teach.let_teach(on=False)
        self.ask.setVisible(False)

    def follow(self) -> None:
        """Follow the query of the window again, whoever types it."""
        self._is_typed_here = False

    def _redraw(self) -> None:
        settings = None if self._core_state is None else self._core_state.settings.route
        limits, has_stores = ((), False) if settings is None else ((settings.threshold,), settings.has_stores)
        shown = None if self.route is None else route_view(self.query, self.route, limits, has_stores=has_stores)
        self.sheet.show_view(shown)

    def _on_typed(self, text: str) -> None:
        self._is_typed_here = True
        self.typed.emit(text)
        if not text.strip():
            self.show_nothing()

    def _on_chosen(self, label: str) -> None:
        if self.query:
            self.teach_asked.emit(self.query, label)
