"""001's dashboard in words: metrics with targets, alarms and days, and the router's state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.display import numbers
from app.display.routing.metrics import Measure, measures, moments, share_tables
from app.display.routing.path import dollars
from app.display.system.metrics import NO_USE, Row, Table
from app.domain.language import plural
from app.domain.review.route_alerts import RouteAlarm
from app.domain.review.usage import UsageCounter, UsageTotals
from app.domain.route import DOCUMENTED, ROUTE_NAMES, CacheLookup, CircuitName, RouteIntent, Routes, RouteStage
from app.domain.scope.resolution import RouteDecision
from app.evaluation.routing import RoutingMetrics
from app.services.engine.route_llm import NOT_WHILE_TYPING
from app.services.routing.routes import RoutingState


@dataclass(frozen=True, slots=True)
class Dashboard:
    """View model of the routing metrics. `flatlines` are alarms of a router that never varies.

    `is_judged`: values are compared with their targets, which assume connected stores. `intents` are those in the log.
    """

    n: int
    measures: tuple[Measure, ...]
    flatlines: tuple[str, ...]
    alerts: tuple[str, ...]
    tables: tuple[Table, ...]
    intents: tuple[str, ...]
    is_judged: bool = False

    @property
    def legend(self) -> str:
        """Legend of the curves, or why they have no targets."""
        if self.is_judged:
            return "Shaded: within the target. Dashed: where it is an alarm. Times are UTC."
        return "No store is set up, so there are neither targets nor alarms. Times are UTC."


def dashboard(
    found: RoutingMetrics, use: UsageTotals = NO_USE, *, has_stores: bool = False, routes: Routes = DOCUMENTED
) -> Dashboard:
    """Make the dashboard of a log; without stores every route is advice, without targets."""
    over_time = (moments(found),) if len(found.over_time) > 1 else ()
    caches = cache_tables(use) if found.cache_hits is not None else ()
    every, nothing = measures(found, is_judged=has_stores), (numbers.ABSENT, dollars(0.0))
    return Dashboard(
        n=found.count,
        measures=tuple(one for one in every if one.target or one.value not in nothing),
        flatlines=flatlines(found) if has_stores else (),
        alerts=tuple(alert.sentence for alert in found.alerts if has_stores and alert.name is not RouteAlarm.FLATLINE),
        tables=(*share_tables(found, routes), *caches, *over_time),
        intents=found.intents,
        is_judged=has_stores,
    )


def flatlines(found: RoutingMetrics) -> tuple[str, ...]:
    return tuple(alert.sentence for alert in found.alerts if alert.name is RouteAlarm.FLATLINE)


FLATLINE_TITLE = "Flatline: the router looks stuck"
FLATLINE_ADVICE = (
    "Different queries should get different decisions. Check whether the rules match at all, whether the encoder "
    "is ready, and whether the same query is repeated."
)


CACHES: Mapping[str, tuple[CacheLookup, CacheLookup]] = {
    "Redis": (CacheLookup.REDIS_HIT, CacheLookup.REDIS_MISS),
    "This library": (CacheLookup.TABLE_HIT, CacheLookup.TABLE_MISS),
}
"""Caches in order of look-up, with the counters of hits and misses."""


def cache_tables(use: UsageTotals) -> tuple[Table, ...]:
    """Make the table of cache look-ups and hits, Redis first; empty without look-ups."""
    rows = []
    for name, (hit, miss) in CACHES.items():
        hits = use[UsageCounter.ROUTE_CACHES, hit]
        if looks := hits + use[UsageCounter.ROUTE_CACHES, miss]:
            rows.append(Row(name, (numbers.count(looks), numbers.count(hits), numbers.percent(hits, looks))))
    gone = use[UsageCounter.ROUTE_CACHES, CacheLookup.REDIS_GONE]
    told = plural(
        gone, "Redis did not answer {n} time; the table did.", "Redis did not answer {n} times; the table did."
    )
    heads = ("Looked up", "Found", "Hit rate")
    title = f"Cached answers of the LLM, last {use.days} days"
    return (Table(title, heads, tuple(rows), told if gone else ""),) if rows else ()


# ---- Router as a whole: its inputs, a silent LLM, results of clearing and teaching.


MOST_CHOICES = 9
"""Maximum number of routes with a digit."""

SHORT: dict[str, str] = {
    RouteIntent.GRAPH: "Graph",
    RouteIntent.VECTOR: "Vector",
    RouteIntent.HYBRID: "Hybrid",
    RouteIntent.TEMPORAL: "Temporal",
    RouteIntent.MULTI: "Several",
}
"""Names of the five intents, short enough for a button."""

CIRCUITS: dict[CircuitName, str] = {
    CircuitName.CLOSED: "in use",
    CircuitName.HALF_OPEN: "on trial after failures",
    CircuitName.OPEN: "left alone after failures",
}


def teachable_routes(state: RoutingState | None, routes: Routes) -> tuple[str, ...]:
    """Return the routes with a digit: the enabled ones, or custom labels without a route."""
    own = state.labels if state is not None else ()
    if own and not routes.own and ROUTE_NAMES.isdisjoint(own):
        return tuple(own[:MOST_CHOICES])
    return tuple(row.name for row in routes.on)[:MOST_CHOICES]


def route_button_text(label: str, routes: Routes) -> str:
    """Return the label of a route's button: its title or short name, otherwise its name."""
    row = routes.find(label)
    return row.title if row is not None and row.title else SHORT.get(label, label)


def state_line(state: RoutingState) -> str:
    """Return the router's state in a line: examples; with an LLM also cache, circuit and cost."""
    own = state.examples - state.shipped
    parts = [
        plural(state.shipped, "{n} example that ships", "{n} examples that ship"),
        plural(own, "{n} taught here", "{n} taught here"),
    ]
    if state.has_llm or state.kept:
        parts.append(cached_answers_text(state.kept))
    if state.has_llm:
        spent, budget = dollars(state.spent), dollars(state.budget)
        parts.append(f"LLM {CIRCUITS[state.circuit.name]}")
        parts.append(f"{spent} of {budget} spent this month")
    return " · ".join(parts)


def cached_answers_text(count: int) -> str:
    return plural(count, "{n} answer of the LLM kept", "{n} answers of the LLM kept")


def problem_sentence(state: RoutingState | None) -> str:
    """Return what limits the router, in a sentence; "" for nothing."""
    if state is None:
        return ""
    if state.circuit.name is not CircuitName.CLOSED and state.circuit.sentence:
        why = state.circuit.sentence
        return f"{why} Rules, kept answers and examples decide meanwhile."
    return ""


def can_ask_llm(route: RouteDecision | None) -> bool:
    """Check if the LLM was left out only because the query is being typed."""
    return route is not None and any(
        step.stage is RouteStage.LLM and step.sentence == NOT_WHILE_TYPING for step in route.steps
    )


def taught_message(label: str, *, is_new: bool) -> str:
    """Return what was taught, for the message that offers undo."""
    if is_new:
        return f"Taught: this query goes to {label}."
    return f"Changed: this query goes to {label} from now on."


def cache_cleared_message(count: int) -> str:
    return plural(count, "Forgot {n} answer of the LLM.", "Forgot {n} answers of the LLM.")


def log_cleared_message(count: int) -> str:
    return plural(count, "Forgot {n} decision.", "Forgot {n} decisions.")


def clear_log_question(count: int) -> str:
    asked = plural(
        count,
        "Forget the {n} decision of the log? This cannot be undone.",
        "Forget all {n} decisions of the log? This cannot be undone.",
    )
    more = "What questions to the LLM have cost this month stays, without their texts."
    return f"{asked} {more}"
