"""The page of routes as tabs: decision, answers, matrix of rules, log, metrics, simulation, and custom routes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.display.routing.dashboard import (
    Dashboard,
    cache_cleared_message,
    clear_log_question,
    log_cleared_message,
    problem_sentence,
    taught_message,
)
from app.display.routing.rollout import rollback_sentence
from app.display.routing.routes import removal_question
from app.display.routing.rows import MatrixRow, matrix_columns, matrix_sentence
from app.display.routing.stores import fill_question
from app.domain.filters import SearchResult
from app.domain.language import plural
from app.domain.scope.inspection import Inspection
from app.domain.scope.resolution import RouteDecision
from app.gui.bridge.engine_thread import Worker
from app.gui.bridge.events import Subscription
from app.gui.kit.action import Action, Group
from app.gui.kit.controls import EmptyState, PaneHeader, SegmentedControl, button
from app.gui.kit.fault_line import FaultLine
from app.gui.kit.layouts import spaced
from app.gui.kit.page import CoreState, Page
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables import table_columns
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.theme.theme import Theme
from app.gui.routing.answers import RouteAnswersPart
from app.gui.routing.custom_routes import CustomRoutesPart
from app.gui.routing.decision import RouteDecisionPart
from app.gui.routing.jobs import RouteJobs
from app.gui.routing.log import RouteLogPart
from app.gui.routing.measures import RouteMetricsPart
from app.gui.routing.simulation import RouteSimulationPart
from app.services.routing.custom_routes import Removal
from app.services.routing.routes import RoutingState

if TYPE_CHECKING:
    from app.services.workbench import Workbench


EDIT = "route:edit_rule"
DECISION, ANSWERS, MATRIX, LOG, METRICS, OWN = "decision", "answers", "matrix", "log", "metrics", "routes"
SIMULATE = "simulate"
PARTS: tuple[tuple[str, str], ...] = (
    (DECISION, "Decision"),
    (ANSWERS, "Stores"),
    (MATRIX, "Matrix"),
    (LOG, "Log"),
    (METRICS, "Metrics"),
    (SIMULATE, "Simulator"),
    (OWN, "Routes"),
)
"""The parts in their order, and what they are called."""

_FLAT_AFTER_MS = 500


class RoutePage(Page):
    """Only the open tab requests data."""

    def __init__(self, theme: Theme, worker: Worker) -> None:
        super().__init__(theme, "Routing")
        self.worker = worker
        self.jobs = RouteJobs(worker, self)
        self.watch = Subscription(worker, lambda bench: bench.routing.changed, _state, self)
        self._rule = self._flat = ""
        self._has_begun = False
        self.tabs = SegmentedControl(theme, "Parts of the page", [(key, word) for key, word in PARTS])
        self.tabs.chosen.connect(self.open_part)
        self.head = PaneHeader(theme, "Routing", self.tabs)
        self.fault = FaultLine(theme)
        self.flatline = FaultLine(theme)
        self.decision = RouteDecisionPart(theme)
        self.answers = RouteAnswersPart(theme, self.jobs)
        self.matrix = RouteMatrixPart(theme)
        self.log = RouteLogPart(theme, self.jobs)
        self.metrics = RouteMetricsPart(theme, self.jobs)
        self.simulation = RouteSimulationPart(theme, self.jobs)
        self.own = CustomRoutesPart(theme, self.jobs)
        self.stack = QStackedWidget()
        for part in (self.decision, self.answers, self.matrix, self.log, self.metrics, self.simulation, self.own):
            self.stack.addWidget(part)
        whole = spaced(QVBoxLayout(self), 0, 0, theme.px(4), 0, 0)
        for above in (self.head, self.fault, self.flatline):
            whole.addWidget(above)
        whole.addSpacing(theme.px(6))
        whole.addWidget(self.stack, 1)
        self._flat_timer = QTimer(self, singleShot=True, interval=_FLAT_AFTER_MS)
        self._connect()

    def _connect(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        jobs, decision = self.jobs, self.decision
        self.watch.received.connect(self._on_state)
        self.worker.inspected.connect(self._on_inspected)
        decision.typed.connect(self.query_typed)
        decision.teach_requested.connect(jobs.teach)
        decision.llm_requested.connect(jobs.ask_llm)
        decision.switch_on_requested.connect(partial(self.worker.choose, "route.enabled", "true"))
        self.answers.typed.connect(self.query_typed)
        jobs.fill_requested.connect(self._ask_to_fill, queued)
        self.answers.copied.connect(lambda sentence: self.notified.emit(sentence, False, False), queued)
        self.matrix.edit_requested.connect(self._edit_rule)
        self.log.open_requested.connect(self._open_in_scope)
        self.simulation.open_requested.connect(self._open_in_scope)
        self.log.clear_log_requested.connect(self._ask_to_clear)
        self.log.privacy_requested.connect(partial(self.worker.choose, "history.privacy", "full"))
        jobs.listed.connect(self.matrix.show_rows)
        jobs.taught.connect(self._on_taught, queued)
        jobs.answered.connect(self._on_answered, queued)
        jobs.cleared.connect(self._on_cleared, queued)
        jobs.removal_found.connect(self._ask_to_remove, queued)
        jobs.removed.connect(lambda sentence: self.notified.emit(sentence, True, False), queued)
        jobs.refused.connect(lambda sentence: self.notified.emit(sentence, False, True), queued)
        jobs.dashboard_loaded.connect(self._on_dashboard_loaded)
        jobs.flat_found.connect(self._on_flat)
        self._flat_timer.timeout.connect(self._check_flatline)

    # ---- the page in the window

    def persist_in(self, folder: Path) -> None:
        for table in (self.matrix.table, self.log.table, self.log.audit.table, self.own.table):
            table.persist_in(folder / table_columns.FILE)

    def go_to(self, key: str) -> None:
        if key in dict(PARTS):
            self.open_part(key)

    def focus_stops(self) -> list[QWidget]:
        return [*self._part_focus_stops(), self.tabs]

    def _part_focus_stops(self) -> list[QWidget]:
        focus_stops: dict[str, Callable[[], list[QWidget]]] = {
            DECISION: self.decision.focus_stops,
            ANSWERS: self.answers.focus_stops,
            MATRIX: self.matrix.focus_stops,
            LOG: self.log.focus_stops,
            METRICS: self.metrics.focus_stops,
            SIMULATE: self.simulation.focus_stops,
            OWN: self.own.focus_stops,
        }
        return focus_stops[self.tabs.current]()

    def action_rows(self) -> Sequence[Action]:
        parts = (
            Action(
                f"route:{key}",
                f"Route: {word}",
                Group.PAGES,
                partial(self.page_requested.emit, "route", key),
                icon="route",
            )
            for key, word in PARTS
        )
        edit = Action(
            EDIT,
            "Edit the selected rule of the decision matrix",
            Group.LIBRARY,
            lambda: self.page_requested.emit("rules", self._rule),
            icon="rules",
            refusal=lambda: "" if self.matrix.rows else "Open the decision matrix, and select a rule there.",
        )
        return (*parts, edit)

    def open_part(self, key: str) -> None:
        """Show a part of the page."""
        self.tabs.set_current(key)
        self.stack.setCurrentIndex([part for part, _ in PARTS].index(key))
        self._show_flatline()
        self._refresh()

    def show_core_state(self, core_state: CoreState) -> None:
        before = self.core_state
        super().show_core_state(core_state)
        if before is not None and before.settings.route.are_stores_there != core_state.settings.route.are_stores_there:
            self.metrics.refresh()
            self._check_flatline()
        if before is not None and before.settings.routes != core_state.settings.routes:
            self._refresh()
        self.decision.show_core_state(core_state)
        self.answers.show_core_state(core_state)
        self.matrix.show_core_state(core_state)
        self.log.show_core_state(core_state)
        self._begin()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.decision.follow()
        self.decision.show_inspection(self.worker.answer)
        self.answers.follow()
        self.answers.show_inspection(self.worker.answer)
        self._refresh()
        self._check_flatline()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.log.audit.cancel()
        self.answers.cancel()
        self.simulation.cancel()

    def _begin(self) -> None:
        """The workbench is open: listen, and show what there is."""
        if not self._has_begun:
            self._has_begun = True
            self.watch.begin()
            self._refresh()
            self._check_flatline()

    def _refresh(self) -> None:
        """Have fetched what the open part shows."""
        if not self.isVisible() or not self._has_begun:
            return
        if self.tabs.current == MATRIX:
            self.jobs.list_matrix()
        elif self.tabs.current == LOG:
            self.log.search()
        elif self.tabs.current == METRICS:
            self.metrics.load()
        elif self.tabs.current == OWN:
            self.jobs.list_routes()
        elif self.tabs.current == SIMULATE:
            self.simulation.load_rollout()

    def _check_flatline(self) -> None:
        if self.isVisible() and self._has_begun:
            self.jobs.check_flatline()

    # ---- what comes

    def _on_inspected(self, generation: int, inspection: Inspection) -> None:
        if self.isVisible():
            self.decision.show_inspection(inspection)
            self.answers.show_inspection(inspection)

    def _on_state(self, state: RoutingState) -> None:
        self.fault.show_fault(" ".join(filter(None, (problem_sentence(state), rollback_sentence(state.rollout)))))
        self.simulation.show_state(state.rollout)
        self.decision.show_state(state)
        self.log.show_state(state)
        self._flat_timer.start()
        self.metrics.note_news()
        if self.tabs.current in (MATRIX, OWN):
            self._refresh()

    def _on_answered(self, query: str, decision: RouteDecision) -> None:
        if query == self.decision.query:
            self.decision.show_route(query, decision)

    def _on_taught(self, label: str, is_new: bool) -> None:
        self.decision.teach.clear()
        self.notified.emit(taught_message(label, is_new=is_new), True, False)

    def _on_dashboard_loaded(self, shown: Dashboard) -> None:
        if self.metrics.intent.value is not None:
            return  # of one route alone
        count = len(shown.flatlines) + len(shown.alerts)
        alarms = plural(count, "Metrics, {n} alarm", "Metrics, {n} alarms")
        self.tabs.set_words({METRICS: alarms if count else "Metrics"})

    def _on_flat(self, sentences: Sequence[str]) -> None:
        self._flat = " ".join(sentences)
        self._show_flatline()

    def _show_flatline(self) -> None:
        """The metrics tell it themselves, and larger."""
        sentence = f"The router looks stuck. {self._flat}"
        self.flatline.show_fault(sentence if self._flat and self.tabs.current != METRICS else "")

    # ---- what is done

    def _edit_rule(self, rule: str) -> None:
        self._rule = rule
        self.action_requested.emit(EDIT)

    def _open_in_scope(self, query: str) -> None:
        self.query_typed.emit(query)
        self.action_requested.emit("query")

    def _ask_to_clear(self, count: int) -> None:
        verb = "Forget"
        self.confirm(verb, clear_log_question(count), verb, self.jobs.clear_log)

    def _ask_to_fill(self, name: str, setup: str) -> None:
        verb = f"Fill {name}"
        act = partial(self.answers.fill_store, name)
        self.confirm(verb, fill_question(name, setup), verb, act, verbatim=setup)

    def _ask_to_remove(self, found: Removal) -> None:
        verb = "Remove"
        title = f"Remove {found.name}"
        self.confirm(title, removal_question(found), verb, partial(self.jobs.remove_route, found.name))

    def _on_cleared(self, what: str, count: int) -> None:
        self.notified.emit(
            cache_cleared_message(count) if what == "cache" else log_cleared_message(count), False, False
        )
        self.log.refresh()
        self.metrics.note_news()

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, self.head.y() + self.head.height(), self.width(), 1)


async def _state(bench: Workbench) -> RoutingState:
    return bench.routing.state()


# ---- The decision matrix: which pattern leads to which intent and stores, and how surely; edited on the rules page.


DEFAULT_THRESHOLD = 0.9


class RouteMatrixPart(QWidget):
    """Read only; Enter or a double click opens the rule on the rules page."""

    edit_requested = Signal(str)  # the id of the rule, "" for none

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rows: tuple[MatrixRow, ...] = ()
        self._threshold = DEFAULT_THRESHOLD
        self.message = WrappedLabel(role="caption")
        self.edit = button(
            "Edit on the rules page",
            tip="Open the rules page with the selected rule (Enter)",
            press=self._edit,
        )
        self.table = LibraryTable(theme, "Decision matrix", matrix_columns(self._threshold), "route matrix")
        self.table.entered.connect(self._edit)
        self.table.doubleClicked.connect(lambda _: self._edit())
        self.empty = EmptyState(
            theme,
            "rules",
            "No rule leads to a route",
            "Taught examples and the LLM decide alone. A rule for routes is added on the rules page.",
        )
        px = theme.px
        top = spaced(QHBoxLayout(), px(8), px(16), px(4), px(16), px(8))
        top.addWidget(self.message, 1)
        top.addWidget(self.edit)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        whole = spaced(QVBoxLayout(self))
        whole.addLayout(top)
        whole.addWidget(self.stack, 1)

    def focus_stops(self) -> list[QWidget]:
        """The focus stops, in order."""
        return [self.table, self.edit] if self.rows else [self.edit]

    def show_core_state(self, core_state: CoreState) -> None:
        """The threshold of the rules may have changed."""
        if core_state.settings.route.threshold != self._threshold:
            self._threshold = core_state.settings.route.threshold
            self.table.paged.columns = matrix_columns(self._threshold)
            self.show_rows(self.rows)

    def show_rows(self, rows: Sequence[MatrixRow]) -> None:
        """Show these rules."""
        self.rows = tuple(rows)
        current = self.table.current_key
        place = current if current is not None and current < len(rows) else 0 if rows else None
        selected = () if place is None else ((place, place),)
        keys = [row.key for row in rows]
        self.table.show_found(SearchResult(keys, len(rows), {row.key: row for row in rows}, selected, place))
        self.message.show_text(matrix_sentence(rows, self._threshold))
        self.stack.setCurrentWidget(self.table if rows else self.empty)

    def _edit(self) -> None:
        key = self.table.current_key
        self.edit_requested.emit(self.rows[key].rule.id if key is not None and key < len(self.rows) else "")
