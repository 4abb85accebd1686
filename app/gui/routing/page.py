"""Page of routing: decision, log and stores; routes, trends and simulation as panels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.display.routing.metrics import Dashboard, flatlines, problem_sentence, taught_message
from app.display.routing.simulation import rollback_sentence
from app.domain.language import plural
from app.domain.review.route_alerts import RECENT
from app.domain.route import RouteFilter
from app.domain.scope.inspection import Inspection, RouteDecision
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, Subscription
from app.gui.kit.controls import PaneHeader, SegmentedControl, single_shot
from app.gui.kit.drawing.sheet import scrolled
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import Action, CoreState, Group, Page
from app.gui.kit.pane_parts import FaultLine, Section
from app.gui.kit.tables import table_columns
from app.gui.kit.theme.theme import Theme
from app.gui.routing.answers import ANSWERS, RouteAnswersPart
from app.gui.routing.custom_routes import CustomRoutesPart
from app.gui.routing.decision import RouteDecisionPart
from app.gui.routing.log import RouteLogPart
from app.gui.routing.measures import RouteMetricsPart
from app.gui.routing.simulation import RouteSimulationPart
from app.services.routing.routes import RoutingState

if TYPE_CHECKING:
    from app.services.workbench import Workbench


DECISION, GROUNDS, LOG = "decision", "grounds", "log"
ROUTES, METRICS, SIMULATE = "routes", "metrics", "simulate"
PARTS: Mapping[str, str] = {
    DECISION: "Decision",
    GROUNDS: "Rules, votes and examples",
    LOG: "Log",
    ANSWERS: "Stores",
    ROUTES: "Routes",
    METRICS: "Trends",
    SIMULATE: "Try a change",
}
"""Sections of the page, and the panels that replace it."""

ABOUT: Mapping[str, str] = {
    DECISION: "Which data store an assistant should ask to answer a query, and why",
    ROUTES: "Each route with its stores, rules and examples",
    METRICS: "How good and how quick the decisions of the log are, over time",
    SIMULATE: "Compare other settings on the same queries, then let some or all queries go by them",
}
"""Purpose of the page, and of each panel."""

_FLAT_AFTER_MS = 500


class RoutePage(Page):
    """Page in which only open parts request data."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Routing")
        self.worker = worker
        self._jobs = Job(worker, self, self._refuse)
        self.watch = Subscription(worker, lambda bench: bench.routing.changed, _state, self)
        self._flat = ""
        self._has_begun = False
        self._followed: Section | None = None
        self.shown = DECISION
        """Panel that replaces the page; DECISION for none."""
        self.views = SegmentedControl(theme, "What is shown", [(key, PARTS[key]) for key in ABOUT])
        self.head = PaneHeader(theme, "Routing", self.views)
        self.fault = FaultLine(theme)
        self.flatline = FaultLine(theme)
        self.decision = RouteDecisionPart(theme)
        self.answers = RouteAnswersPart(self, worker, self._refuse)
        self.log = RouteLogPart(self, worker, self._refuse)
        self.metrics = RouteMetricsPart(theme, worker)
        self.simulation = RouteSimulationPart(self, worker, self._refuse)
        self.own = CustomRoutesPart(self, worker, self._refuse)
        self.sections = {GROUNDS: self.decision.grounds, LOG: self.log.section, ANSWERS: self.answers.section}
        self.front = QWidget()
        fill(spaced(QVBoxLayout(self.front)), self.decision, (self.log.section, 1), self.answers.section)
        self.area = scrolled(self.front, "Decision, log and stores")
        self.panels: dict[str, QWidget] = {
            DECISION: self.area,
            ROUTES: self.own,
            METRICS: self.metrics,
            SIMULATE: self.simulation,
        }
        whole = fill(spaced(QVBoxLayout(self), 0, 0, theme.px(4), 0, 0), self.head, self.fault, self.flatline)
        whole.addSpacing(theme.px(6))
        for panel in self.panels.values():
            whole.addWidget(panel, 1)
        self._flat_timer = single_shot(self, _FLAT_AFTER_MS, self._check_flatline)
        self._show_panel()
        self.log.section.set_open(True)
        self._connect()

    def _connect(self) -> None:
        decision = self.decision
        self.watch.received.connect(self._on_state)
        self.views.chosen.connect(self._open_panel)
        self.worker.inspected.connect(self._on_inspected)
        decision.typed.connect(self.query_typed)
        decision.teach_requested.connect(self.teach)
        decision.llm_requested.connect(self._ask_llm)
        decision.switch_on_requested.connect(partial(self.worker.choose, "route.enabled", "true"))
        self.log.cleared.connect(self.metrics.note_news)
        self.metrics.loaded.connect(self._on_dashboard_loaded)
        for section in self.sections.values():
            section.toggled.connect(partial(self._on_toggled, section))
        for verb in (self.answers.begin, self.answers.compare, self.answers.judge_cases):
            verb.clicked.connect(lambda _=False: self.go_to(ANSWERS))
        self.area.verticalScrollBar().rangeChanged.connect(self._follow)

    # ---- page in the window

    def persist_in(self, folder: Path) -> None:
        file = folder / table_columns.FILE
        self.log.table.persist_in(file)
        for key, section in self.sections.items():
            section.persist_in(file, f"routing {key}")

    def _on_toggled(self, section: Section) -> None:
        self._followed = section if section.is_open and self.isVisible() else None

    def go_to(self, key: str) -> None:
        """Open a panel or a section of the page."""
        if key not in PARTS:
            return
        self._open_panel(key if key in self.panels else DECISION)
        if key in self.sections:
            self.sections[key].set_open(True)
            self.sections[key].line.setFocus()
            self._followed = self.sections[key]
            QTimer.singleShot(0, self, self._follow)
        else:
            self.enter()

    def _open_panel(self, key: str) -> None:
        self.shown = key
        self._show_panel()
        self._refresh()

    def _follow(self) -> None:
        """Scroll down as far as the section that was opened last needs."""
        if (section := self._followed) is not None:
            bar, top = self.area.verticalScrollBar(), section.mapTo(self.front, QPoint()).y()
            bar.setValue(max(bar.value(), min(top, top + section.height() - self.area.viewport().height())))

    def _show_panel(self) -> None:
        for key, panel in self.panels.items():
            panel.setVisible(key == self.shown)
        self.views.set_current(self.shown)
        self.head.set_more(f"{ABOUT[self.shown]}.")
        self._show_flatline()

    def focus_stops(self) -> list[QWidget]:
        stops: dict[str, Callable[[], list[QWidget]]] = {
            DECISION: lambda: [*self.decision.focus_stops(), *self.log.focus_stops(), *self.answers.focus_stops()],
            ROUTES: self.own.focus_stops,
            METRICS: self.metrics.focus_stops,
            SIMULATE: self.simulation.focus_stops,
        }
        return [*stops[self.shown](), self.views]

    def action_rows(self) -> Sequence[Action]:
        go = partial(partial, self.page_requested.emit, "route")
        return [
            Action(f"route:{key}", f"Routing: {word}", Group.PAGES, go(key), icon="route")
            for key, word in PARTS.items()
        ]

    def show_core_state(self, core_state: CoreState) -> None:
        before = self.core_state
        super().show_core_state(core_state)
        if before is not None and before.settings.route.has_any_store != core_state.settings.route.has_any_store:
            self.metrics.refresh()
            self._check_flatline()
        if before is not None and before.settings.routes != core_state.settings.routes:
            self._refresh()
        self.decision.show_core_state(core_state)
        self.answers.show_core_state(core_state)
        self.own.show_threshold(core_state.settings.route.threshold)
        self.log.show_core_state(core_state)
        self._begin()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.decision.follow()
        self.decision.show_inspection(self.worker.answer)
        self.answers.show_inspection(self.worker.answer)
        self._refresh()
        self._check_flatline()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.log.audit.cancel()
        self.answers.cancel()
        self.simulation.cancel()

    def _begin(self) -> None:
        """Subscribe and load data, once the workbench is open."""
        if not self._has_begun:
            self._has_begun = True
            self.watch.begin()
            self._refresh()
            self._check_flatline()

    def _refresh(self) -> None:
        """Load the data of the open part."""
        if not self.isVisible() or not self._has_begun:
            return
        if self.shown == DECISION:
            self.log.search()
        loads = {
            DECISION: self.answers.load,
            ROUTES: self.own.load,
            METRICS: self.metrics.load,
            SIMULATE: self.simulation.load_rollout,
        }
        loads[self.shown]()

    def _check_flatline(self) -> None:
        async def look(bench: Workbench) -> Sequence[str]:
            found = await bench.routing.log.metrics(RouteFilter(limit=RECENT))
            return flatlines(found) if bench.settings.route.has_any_store else ()

        def show(sentences: Sequence[str]) -> None:
            self._flat = " ".join(sentences)
            self._show_flatline()

        if self.isVisible() and self._has_begun:
            self._jobs.run(look, show)

    # ---- results

    def _on_inspected(self, generation: int, inspection: Inspection) -> None:
        if self.isVisible():
            if inspection.query.text != self.answers.query:
                self._followed = None
            self.decision.show_inspection(inspection)
            self.answers.show_inspection(inspection)

    def _on_state(self, state: RoutingState) -> None:
        self.fault.show_fault(" ".join(filter(None, (problem_sentence(state), rollback_sentence(state.rollout)))))
        self.simulation.show_state(state.rollout)
        self.decision.show_state(state)
        self.log.show_state(state)
        self._flat_timer.start()
        self.metrics.note_news()
        if self.shown == ROUTES:
            self._refresh()

    def _ask_llm(self, text: str) -> None:
        """Route a query with everything enabled, also with the LLM, which typing leaves out."""

        async def act(bench: Workbench) -> RouteDecision:
            decision = await bench.routing.route(text)
            bench.routing.log.note(text, decision)
            return decision

        def show(decision: RouteDecision) -> None:
            if text == self.decision.query:
                self.decision.show_route(text, decision)

        self._jobs.do(act, show)

    def teach(self, text: str, label: str) -> None:
        """Store a query as a case of this route alone, as one step."""

        def tell(is_new: bool) -> None:
            self.decision.teach.clear()
            self.notified.emit(taught_message(label, is_new=is_new), True, False)

        self._jobs.do(lambda bench: bench.routing.teach(text, label), tell)

    def _refuse(self, sentence: str) -> None:
        self.notified.emit(sentence, False, True)

    def _on_dashboard_loaded(self, shown: Dashboard) -> None:
        if self.metrics.intent.value is not None:
            return  # of one route only
        count = len(shown.flatlines) + len(shown.alerts)
        told = plural(count, ", {n} alarm", ", {n} alarms") if count else ""
        self.views.set_words({METRICS: f"{PARTS[METRICS]}{told}"})

    def _show_flatline(self) -> None:
        """Show the alert, unless the metrics show it."""
        sentence = f"The router looks stuck. {self._flat}"
        self.flatline.show_fault(sentence if self._flat and self.shown != METRICS else "")

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, self.head.y() + self.head.height(), self.width(), 1)


async def _state(bench: Workbench) -> RoutingState:
    return bench.routing.state()
