"""Page of routing: decision, log and stores; routes, trends and simulation as panels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.display.library.tables import Choice, Column, Facet
from app.display.review.history import AGES
from app.display.routing.metrics import (
    FLATLINE_ADVICE,
    FLATLINE_TITLE,
    Dashboard,
    Measure,
    TargetState,
    dashboard,
    flatlines,
    problem_sentence,
    taught_message,
)
from app.display.routing.rows import log_filter
from app.display.routing.simulation import rollback_sentence, rollout_table
from app.display.words import with_titles
from app.domain.inspection import Inspection, RouteDecision
from app.domain.language import plural, quantity
from app.domain.route import RouteFilter
from app.domain.route_alerts import RECENT
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.jobs import Job, Subscription
from app.gui.kit.controls import EmptyState, PaneHeader, SegmentedControl, button, single_shot
from app.gui.kit.document import DocumentView, icon_html, span, tables_html
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.page import Action, CoreState, Group, Page
from app.gui.kit.pane_parts import FaultLine, Section, WrappedLabel
from app.gui.kit.sheet import ScrollArea
from app.gui.kit.tables import table_columns
from app.gui.kit.tables.filter_bar import FacetChip
from app.gui.kit.tables.table import Grid
from app.gui.kit.theme import Theme, styled
from app.gui.routing.answers import ANSWERS, RouteAnswersPart
from app.gui.routing.custom_routes import CustomRoutesPart
from app.gui.routing.decision import RouteDecisionPart
from app.gui.routing.log import RouteLogPart
from app.gui.routing.simulation import RouteSimulationPart
from app.services.routing.routes import RoutingState

if TYPE_CHECKING:
    from app.services.workbench import Workbench


DECISION, GROUNDS, LOG = "decision", "grounds", "log"
ROUTES, METRICS, SIMULATE = "routes", "metrics", "simulate"
PARTS: Mapping[str, str] = {
    DECISION: "Decision",
    GROUNDS: "Rules and examples",
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
        self._jobs = Job(worker, self, self.refuse)
        self.watch = Subscription(
            worker, lambda bench: bench.routing.changed, lambda bench: bench.routing.state(), self
        )
        self._flat = ""
        self._has_begun = False
        self._followed: Section | None = None
        self.shown = DECISION
        """Panel that replaces the page; DECISION for none."""
        self.views = SegmentedControl(theme, "What is shown", [(key, PARTS[key]) for key in ABOUT])
        self.fault = FaultLine(theme)
        self.flatline = FaultLine(theme)
        self.decision = RouteDecisionPart(theme)
        self.answers = RouteAnswersPart(self, worker)
        self.head = PaneHeader(theme, "Routing", self.answers.servers, self.views)
        self.log = RouteLogPart(self, worker)
        self.metrics = RouteMetricsPart(theme, worker)
        self.simulation = RouteSimulationPart(self, worker)
        self.own = CustomRoutesPart(self, worker)
        self.sections = {GROUNDS: self.decision.grounds, LOG: self.log.section, ANSWERS: self.answers.section}
        self.front = QWidget()
        fill(spaced(QVBoxLayout(self.front)), self.decision, (self.log.section, 1), self.answers.section, 0)
        self.area = ScrollArea(self.front, "Decision, log and stores")
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
        self.log.section.set_open(True)
        self._flat_timer = single_shot(self, _FLAT_AFTER_MS, self._check_flatline)
        self._show_panel()
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
        return [*stops[self.shown](), self.answers.servers, self.views]

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


# ---- Dashboard since a day: alerts, metrics with targets and trends, latencies, shares.


_PAD, _HEAD, _ROW, _PLOT = 16, 48, 28, 240
_WIDE_FROM, _WIDEST = 860, 840
"""Minimum width for the curve beside the table, and maximum width of the tables below, in units."""

_TONES: Mapping[TargetState, str] = {
    TargetState.MET: "success",
    TargetState.MISSED: "warning",
    TargetState.ALARM: "danger",
    TargetState.NO_DATA: "text_2",
}

MEASURE_COLUMNS: tuple[Column[Measure], ...] = (
    Column("name", "Measure", lambda one: one.name, 190),
    Column("value", "Value", lambda one: one.value, 84, is_number=True),
    Column("target", "Target", lambda one: one.target, 110, is_number=True),
    Column("state", "State", lambda one: one.word, 70, tone=lambda one: _TONES[one.state]),
    Column("note", "Detail", lambda one: one.note, 200, is_quiet=True),
)


def _alarms_html(shown: Dashboard) -> str:
    """Return the alerts of the dashboard, and how to read its curves."""
    alerts = "".join(_alert_html("warning", 14, span(sentence)) for sentence in shown.alerts)
    if shown.flatlines:
        lines = "".join(span(line, "body strong", "p") for line in shown.flatlines)
        title = span(FLATLINE_TITLE, "danger title", "p")
        alerts = _alert_html("danger", 20, f"{title}{lines}{span(FLATLINE_ADVICE)}") + alerts
    return alerts + span(shown.legend, "small text_2", "p")


def _alert_html(token: str, size: int, said: str) -> str:
    icon = f'<td class="alert {token}_soft">{icon_html("warning", token, size)}</td>'
    text = f'<td width="100%" class="alert {token}_soft">{said}</td>'
    return f'<table width="100%" cellspacing="0"><tr>{icon}{text}</tr></table>'


# ---- Measures and the curve of the current one


class MeasuresPart(QWidget):
    """Table of the measures beside the curve of the current one, or above it if narrow."""

    def __init__(self, theme: Theme) -> None:
        from app.gui.kit.chart import LinesPlot  # heavy, so imported when needed

        super().__init__()
        self.theme = theme
        self.table = Grid(theme, "Measures", MEASURE_COLUMNS)
        self.title, self.empty = styled(QLabel(), role="title"), WrappedLabel(role="note")
        self.title.setContentsMargins(theme.px(_PAD), 0, 0, 0)
        self.empty.setContentsMargins(theme.px(_PAD), 0, theme.px(_PAD), 0)
        self.plot = LinesPlot(theme, "Curve of the measure")
        side = QWidget()
        fill(spaced(QVBoxLayout(side), theme.px(4), 0, theme.px(8), 0, 0), self.title, self.empty, (self.plot, 99), 1)
        self.plot.setMinimumHeight(theme.px(_PLOT))
        self._row = fill(QBoxLayout(QBoxLayout.Direction.LeftToRight, self), (self.table, 3), (side, 2))
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setAlignment(self.table, Qt.AlignmentFlag.AlignTop)
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.table.picked.connect(self._show_current)

    def show_measures(self, rows: Sequence[Measure]) -> None:
        """Show these measures; the current one stays."""
        policy = self.plot.sizePolicy()
        policy.setRetainSizeWhenHidden(any(not one.is_empty for one in rows))  # the tables below stay in place
        self.plot.setSizePolicy(policy)
        self.table.show_rows(rows, self.table.current_key or 0)
        self.table.setFixedHeight(self.theme.px(_HEAD + _ROW * len(rows)))

    def _show_current(self) -> None:
        if (one := self.table.current) is not None:
            self.title.setText(f"{one.name}, over time")
            self.empty.show_text("No curve yet: too few periods have a value." if one.is_empty else "")
            self.plot.setVisible(not one.is_empty)
            self.plot.setAccessibleName(self.title.text())
            self.plot.show_content(one.chart)

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = self.width() >= self.theme.px(_WIDE_FROM)
        self._row.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)


# ---- Dashboard since a chosen day


_NEWS_AFTER_MS = 1_500
MOST_LIVE = 20_000
"""Limit of decisions up to which the dashboard refreshes by itself."""


async def _summarized(wanted: RouteFilter, bench: Workbench) -> Dashboard:
    rollout, settings = bench.routing.rollout, bench.settings
    found, sides = await bench.routing.log.metrics(wanted), await rollout.metrics()
    has_stores, use = settings.route.has_any_store, await bench.usage.totals()
    shown = dashboard(found, use, has_stores=has_stores, routes=settings.all_routes)
    return shown if sides is None else replace(shown, tables=(*shown.tables, rollout_table(sides, rollout.state)))


class RouteMetricsPart(QWidget):
    """Part that is computed on the engine's thread, and only while visible."""

    loaded = Signal(Dashboard)

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__()
        self.theme, self._job = theme, Job(worker, self, self._on_refused)
        self.shown: Dashboard | None = None
        self._is_stale, self._is_asking = True, False
        ages = tuple(Choice(days, word) for days, word in AGES)
        self.since = FacetChip(theme, Facet("age", "Decided", ages))
        self.intent = FacetChip(theme, Facet("intent", "Route", ()))
        self.count = WrappedLabel(role="caption")
        self.again = button("Refresh", press=self.refresh)
        self.sheet = DocumentView(theme, "Alarms", is_whole=True)
        self.measures: MeasuresPart | None = None
        self.tables = DocumentView(theme, "By method, by route, and over time", is_whole=True, widest=_WIDEST)
        self.area = ScrollArea(self._body(), "Measures, targets and alarms")
        self.empty = EmptyState(theme, "chart", "", "")
        self._news = single_shot(self, _NEWS_AFTER_MS, self.refresh)
        self._arrange()
        for chip in (self.since, self.intent):
            chip.changed.connect(self.refresh)

    def _arrange(self) -> None:
        px = self.theme.px
        top = fill(
            spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(8)),
            self.since,
            self.intent,
            (self.count, 1),
            self.again,
        )
        self.stack = fill(QStackedWidget(), self.area, self.empty)
        fill(spaced(QVBoxLayout(self)), top, (self.stack, 1))

    def _body(self) -> QWidget:
        made = QWidget()
        self._column = fill(spaced(QVBoxLayout(made), self.theme.px(8)), self.sheet, self.tables, 1)
        return made

    def focus_stops(self) -> list[QWidget]:
        chips = [self.since, self.intent]
        if self.stack.currentWidget() is self.empty or self.measures is None:
            return list(chips)
        return [self.measures.table, *chips]

    def note_news(self) -> None:
        """Note a new decision or a cleared log."""
        self._is_stale = True
        self._begin_wait()

    def _begin_wait(self) -> None:
        """Let a running request finish: repeated requests would never get an answer."""
        is_live = self.shown is None or self.shown.n <= MOST_LIVE
        if self.isVisible() and is_live and not self._is_asking and not self._news.isActive():
            self._news.start()

    def load(self) -> None:
        """Refresh a stale dashboard, as it becomes visible."""
        if self._is_stale and not self._is_asking:
            self.refresh()

    def refresh(self) -> None:
        """Compute the dashboard again."""
        self._news.stop()
        self._is_stale = not self.isVisible()
        if not self._is_stale:
            self._is_asking = True
            self.count.show_text("The log is being summarized.")
            chosen = {"age": self.since.value, "intent": self.intent.value}
            self._job.run(partial(_summarized, log_filter("", chosen, time.time())), self._on_dashboard_loaded)

    def _on_refused(self, sentence: str) -> None:
        self._is_asking = False
        self.count.show_text(sentence)

    def _on_dashboard_loaded(self, shown: Dashboard) -> None:
        self._is_asking = False
        self.shown = shown
        self.intent.show_facet(Facet("intent", "Route", tuple(Choice(one, with_titles(one)) for one in shown.intents)))
        self.count.show_text(quantity(shown.n, "decision"))
        self.stack.setCurrentIndex(0 if shown.n else 1)
        if not shown.n:
            self._show_empty_hint()
        else:
            if self.measures is None:
                self.measures = MeasuresPart(self.theme)
                self._column.insertWidget(1, self.measures)
            self.tables.show_html(with_titles(tables_html(shown.tables)))
            self.measures.show_measures(shown.measures)
        self.sheet.show_html(_alarms_html(shown))
        if self._is_stale:
            self._begin_wait()
        self.loaded.emit(shown)

    def _show_empty_hint(self) -> None:
        if self.since.value is None and self.intent.value is None:
            self.empty.set_text(
                "No decision yet", "Every settled query of the window, the command line and MCP adds one."
            )
        else:
            self.empty.set_text("No such decision", "Choose a longer time above, or all routes.")
