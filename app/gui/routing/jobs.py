"""Jobs of the route page: log, dashboard, audits, teaching, stores, simulation and rollout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.display.routing.dashboard import Dashboard
from app.display.routing.rollout import RolloutView, rollout_view
from app.display.routing.simulation import SimulationView
from app.display.routing.stores import mapping_setting
from app.domain.filters import SearchResult, View
from app.domain.route import Route, RouteFilter, RouteOrder
from app.domain.scope.resolution import RouteDecision
from app.gui.bridge.engine_thread import Operation, Worker
from app.gui.bridge.jobs import Job, Progress
from app.services.evaluation.simulation.simulator import Change
from app.services.routing.custom_routes import Removal
from app.services.routing.routes import AuditProgress
from app.services.routing.store_evaluation import StoreEvaluation, evaluate_stores_on_cases
from app.services.routing.stores import StoreRun

if TYPE_CHECKING:
    from app.services.workbench import Workbench


LOG, CASES = "log", "cases"
"""Sources of simulated queries, beside files."""


class RouteJobs(QObject):
    """Jobs of the page; of searches and audits only the latest is reported."""

    found = Signal(SearchResult)
    rows_loaded = Signal(Mapping, Sequence)  # decisions by key, the requested keys
    dashboard_loaded = Signal(Dashboard)
    flat_found = Signal(Sequence)  # sentences on a router that always decides alike
    taught = Signal(str, bool)  # label, True if the query had none before
    answered = Signal(str, RouteDecision)  # the query, and its decision by all methods
    cleared = Signal(str, int)  # "cache" or "log", number of entries
    audit_progressed = Signal(AuditProgress)
    audit_finished = Signal(str)  # a sentence if it was interrupted
    run_progressed = Signal(StoreRun)
    judged = Signal(StoreEvaluation)
    run_finished = Signal(str)  # a sentence if it was interrupted
    fill_requested = Signal(str, str)  # the store, and the statements to prepare it
    fill_progressed = Signal(int, int)
    states_found = Signal(Sequence)  # a StoreState of each store
    sources_found = Signal(str, Sequence)  # the store, and the foreign tables on its server
    mapped = Signal(str)  # the store whose address or mapping changed
    password_stored = Signal(str, bool)  # the store, True if it has a password now
    simulation_progressed = Signal(int, int)
    simulated = Signal(SimulationView)
    simulation_refused = Signal(str)
    rollout_shown = Signal(RolloutView)
    uses_found = Signal(Sequence)  # a RouteUse of each route
    removal_found = Signal(Removal)
    removed = Signal(str)  # a sentence
    route_stored = Signal(str)  # name of the route
    route_refused = Signal(str)
    refused = Signal(str)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._search, self._reckoning, self._flat, self._audit, self._run, self._states = (
            Job(worker, self) for _ in range(6)
        )
        self._simulation, self._routes, self._rollout = (Job(worker, self) for _ in range(3))

    # ---- reading

    def find(self, wanted: RouteFilter, order: RouteOrder, descending: bool, view: View) -> None:
        """Search decisions; results of an older search are dropped."""
        self._search.run(
            lambda bench: bench.routing.log.find(wanted, order, descending=descending, view=view),
            self.found.emit,
            self.refused.emit,
        )

    def fetch(self, keys: Sequence[int]) -> None:
        """Load the decisions of these keys."""
        self._do(lambda bench: bench.routing.log.page(keys), lambda rows: self.rows_loaded.emit(rows, keys))

    def load_dashboard(self, wanted: RouteFilter) -> None:
        """Load the dashboard of the decisions that match a filter."""

        async def act(bench: Workbench) -> Any:
            from app.display.routing.dashboard import dashboard
            from app.display.routing.rollout import rollout_table

            rollout = bench.routing.rollout
            found, sides = await bench.routing.log.metrics(wanted), await rollout.metrics()
            settings, use = bench.settings, await bench.usage.totals()
            has_stores = settings.route.are_stores_there
            shown = dashboard(found, use, has_stores=has_stores, routes=settings.all_routes)
            if sides is None:
                return shown
            return replace(shown, tables=(*shown.tables, rollout_table(sides, rollout.state)))

        self._reckoning.run(act, self.dashboard_loaded.emit, self.refused.emit)

    def check_flatline(self) -> None:
        """Check if the newest decisions are all alike."""

        async def act(bench: Workbench) -> Any:
            from app.display.routing.dashboard import dashboard
            from app.domain.review.route_alerts import RECENT

            found = await bench.routing.log.metrics(RouteFilter(limit=RECENT))
            return dashboard(found, has_stores=bench.settings.route.are_stores_there).flatlines

        self._flat.run(act, self.flat_found.emit, self.refused.emit)

    def list_routes(self) -> None:
        """Load all routes."""
        self._routes.run(lambda bench: bench.routes.listed(), self.uses_found.emit, self.refused.emit)

    # ---- actions

    def _do(self, act: Operation, then: Callable[[Any], object]) -> None:
        """Run an operation that no newer one replaces; a refusal is emitted."""
        self._search.do(act, then, self.refused.emit)

    def store_route(self, route: Route, was: str) -> None:
        """Store a route under its old name `was`; "" for a new one."""

        async def act(bench: Workbench) -> None:
            if not was:
                await bench.routes.add(route)
            elif was == route.name:
                await bench.routes.change(route)
            else:
                await bench.routes.rename(was, route)

        self._search.do(act, lambda _: self._on_route(route.name), self.route_refused.emit)

    def switch_route(self, name: str, *, on: bool) -> None:
        """Enable or disable a route."""
        self._do(lambda bench: bench.routes.switch(name, on=on), lambda _: self.list_routes())

    def reset_route(self, name: str) -> None:
        """Reset a shipped route."""
        self._do(lambda bench: bench.routes.reset([name]), lambda _: self.list_routes())

    def ask_removal(self, name: str) -> None:
        """Load the effects of removing a route."""
        self._do(lambda bench: bench.routes.removal(name), self.removal_found.emit)

    def remove_route(self, name: str) -> None:
        """Remove a route with its rules and examples."""
        self._do(lambda bench: bench.routes.remove(name), self._on_removed)

    def _on_route(self, name: str) -> None:
        self.route_stored.emit(name)
        self.list_routes()

    def _on_removed(self, found: Removal) -> None:
        from app.display.routing.routes import removed_message

        self.removed.emit(removed_message(found))
        self.list_routes()

    def teach(self, text: str, label: str) -> None:
        """Save the query as a case of exactly this route, as one step."""
        self._do(lambda bench: bench.routing.teach(text, label), lambda is_new: self.taught.emit(label, is_new))

    def ask_llm(self, text: str) -> None:
        """Route the query by all methods, including the LLM, which typing leaves out."""

        async def act(bench: Workbench) -> RouteDecision:
            decision = await bench.routing.route(text)
            bench.routing.log.note(text, decision)
            return decision

        self._do(act, lambda decision: self.answered.emit(text, decision))

    def clear_cache(self) -> None:
        """Clear the cached LLM answers."""
        self._do(lambda bench: bench.routing.clear_cache(), lambda n: self.cleared.emit("cache", n))

    def clear_log(self) -> None:
        """Delete all logged decisions."""
        self._do(lambda bench: bench.routing.log.clear(), lambda n: self.cleared.emit("log", n))

    def audit(self, *, ask: bool) -> None:
        """Audit a sample of the log, replacing a running audit."""

        def begin(bench: Workbench) -> Any:
            from app.services.routing.routes import audit_steps

            return audit_steps(bench.routing, ask=ask)

        self._audit.follow(begin, self.audit_progressed.emit, self.audit_finished.emit, whole_steps=True)

    def run(self, text: str, *, compare: bool) -> None:
        """Query the routed stores, or all, replacing a running query."""
        self._run.follow(
            lambda bench: bench.stores.run(text, compare=compare), self.run_progressed.emit, self.run_finished.emit
        )

    def judge(self) -> None:
        """Evaluate the stores on the labelled queries, replacing a running job."""
        self._run.follow(
            lambda bench: evaluate_stores_on_cases(bench, bench.stores), self.judged.emit, self.run_finished.emit
        )

    def load_states(self) -> None:
        """Load the state of each server."""
        self._states.run(lambda bench: bench.stores.states(), self.states_found.emit, self.refused.emit)

    def connect_store(self, name: str, address: str) -> None:
        """Set the address of a store's server; "" for none."""
        self._choose(name, f"route.{name}", address)

    def store_password(self, name: str, password: str) -> None:
        """Save the password of a server, or delete it if empty."""
        self._do(
            lambda bench: bench.stores.keep_password(name, password),
            lambda _: self.password_stored.emit(name, bool(password)),
        )

    def load_sources(self, name: str) -> None:
        """Load the foreign tables on a server."""
        self._do(lambda bench: bench.stores.sources(name), lambda sources: self.sources_found.emit(name, sources))

    def map(self, name: str, mapping: str) -> None:
        """Map a store to a foreign table on its server; "" for its own data."""
        self._choose(name, mapping_setting(name), mapping)

    def _choose(self, name: str, key: str, value: str) -> None:
        self._do(lambda bench: bench.choose(key, value or None), lambda _: self.mapped.emit(name))

    def ask_fill(self, name: str) -> None:
        """Request the statements that filling this store would run."""
        self._do(lambda bench: bench.stores.setup(name), lambda setup: self.fill_requested.emit(name, setup))

    def fill(self, name: str) -> None:
        """Fill a store from the library, replacing a running job."""
        self._run.follow(
            lambda bench: bench.stores.fill(name),
            lambda filled: self.fill_progressed.emit(*filled),
            self.run_finished.emit,
            whole_steps=True,
        )

    def stop_run(self) -> None:
        """Cancel the job of the stores; stored documents stay."""
        self._run.cancel()

    def stop_audit(self) -> None:
        """Cancel the audit; its results so far stay."""
        self._audit.cancel()

    def simulate(self, source: Path | str, change: Change) -> None:
        """Simulate the queries of a file, or of LOG or CASES, under a change."""

        async def act(bench: Workbench, tell: Progress) -> SimulationView:
            from app.display.routing.simulation import simulation_view

            simulator = bench.simulator
            if isinstance(source, Path):
                queries = await simulator.read(source)
            else:
                queries = await (simulator.labelled() if source == CASES else simulator.logged())
            found = await simulator.run(queries, change, tell)
            return simulation_view(found, change)

        self._simulation.run_with_progress(
            act, self.simulation_progressed.emit, self.simulated.emit, self.simulation_refused.emit
        )

    def stop_simulation(self) -> None:
        """Cancel the simulation; answers of the LLM stay cached."""
        self._simulation.cancel()

    def load_rollout(self) -> None:
        """Load the metrics of the rollout."""

        async def act(bench: Workbench) -> RolloutView:
            rollout = bench.routing.rollout
            found = await rollout.metrics()
            return rollout_view(rollout.state, found)

        self._rollout.run(act, self.rollout_shown.emit, self.refused.emit)

    def roll_out(self, share: int, changes: Mapping[str, str]) -> None:
        """Route this percentage of queries by these settings, or by those of the candidate."""
        self._do(lambda bench: bench.routing.rollout.roll_out(share, changes), lambda _: self.load_rollout())
