"""Metrics of this session: counters and histograms, named as in the source document (S4.15)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from app.domain.errors import KnownError
from app.domain.history import UsageCounter
from app.domain.inspection import Inspection, RouteDecision
from app.domain.route import RouteMethod
from app.domain.route_alerts import HEARD, NO_FAULTS, RECENT, RouteCounts

LLM_STATUSES = ("success", "error", "timeout", "disconnected", "cancelled")

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram's buckets, in seconds; 10 ms and 200 ms are among them."""

KEPT = 10_000
"""Number of latest durations that are stored individually, for the window."""

SHOWN = 500
"""Number of latest detections that are stored in order."""


NO_TYPE = "none"
"""Source of a query without a type."""


@dataclass
class Durations:
    """Histogram: counts per bucket (the last one above all BUCKETS), their sum, latest values."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    total: float = 0.0
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds
        self.latest.append(seconds)


@dataclass
class EngineMetrics:
    """Counters and histograms of the engine.

    `search_intent_llm_started_total`, `_completed_total{status}`, `_timeout_total{reason}`, `_orphaned`, and
    `search_intent_detection_duration_seconds{source}`; `outcomes` counts every displayed LLM outcome.
    """

    llm_started: int = 0
    llm_completed: Counter[str] = field(default_factory=Counter)
    llm_timeouts: Counter[str] = field(default_factory=Counter)
    llm_orphaned: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    llm_seconds: Durations = field(default_factory=Durations)
    durations: dict[str, Durations] = field(default_factory=dict)
    use: Counter[tuple[UsageCounter, str]] = field(default_factory=Counter)
    """Usage by assistants, by the outcomes of USAGE_COUNTERS."""
    routes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Routing decisions by method and route."""
    route_sides: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Routing decisions by side of a rollout ("today" or "candidate") and method."""
    route_seconds: dict[str, Durations] = field(default_factory=dict)
    """Durations of routing, by method."""
    route_llm: Counter[str] = field(default_factory=Counter)
    """Outcomes of the router's requests to the LLM."""
    route_llm_silent: int = 0
    """Number of consecutive failures among the newest of these requests."""
    route_dollars: float = 0.0
    routes_judged: Counter[bool] = field(default_factory=Counter)
    """Routes of labelled queries, by correctness."""
    newest_routes: deque[tuple[str, str, float]] = field(default_factory=lambda: deque(maxlen=RECENT))
    """Method, route and confidence of the latest routes, for flat-line alerts."""
    in_order: deque[tuple[str, float]] = field(default_factory=lambda: deque(maxlen=SHOWN))
    """Source of the type, and seconds until the answer was complete, of the latest queries."""
    stages: dict[str, Durations] = field(default_factory=dict)
    """Durations by stage, for the window."""

    def detected(self, source: str, seconds: float, settled: float = 0.0) -> None:
        """Record a detection; the answer was complete then, or once it had settled."""
        self.durations.setdefault(source, Durations()).add(seconds)
        self.in_order.append((source, max(seconds, settled)))

    def note(self, inspection: Inspection) -> None:
        """Record a detection that has ended, or reached the end of the LLM's budget."""
        trace = inspection.trace
        if inspection.intent is not None:
            self.detected(inspection.intent.source.value, trace.detected_ms / 1000.0, trace.settled_ms / 1000.0)
        else:
            self.in_order.append((NO_TYPE, max(trace.detected_ms, trace.settled_ms) / 1000.0))
        for stage in trace.stages:
            self.stages.setdefault(stage.name, Durations()).add(stage.ms / 1000.0)

    def note_route(self, decision: RouteDecision) -> None:
        self.routes[decision.method, decision.intent] += 1
        self.route_sides["candidate" if decision.configuration else "today", decision.method] += 1
        self.newest_routes.append((decision.method, decision.intent, decision.confidence))
        self.route_seconds.setdefault(decision.method, Durations()).add(decision.ms / 1000.0)
        self.route_dollars += decision.cost or 0.0
        if decision.llm_outcome is not None:
            self.route_llm[decision.llm_outcome.value] += 1
            if decision.llm_outcome in HEARD:
                self.route_llm_silent = 0
            elif decision.llm_outcome not in NO_FAULTS:
                self.route_llm_silent += 1

    def record_labelled_route(self, is_right: bool) -> None:
        """Record if a logged route is the one its case expects."""
        self.routes_judged[is_right] += 1

    @property
    def route_counts(self) -> RouteCounts:
        """Counts for the router's alerts. May be read on another thread."""
        routes, asked, newest = list(self.routes.items()), list(self.route_llm.items()), list(self.newest_routes)
        return RouteCounts(
            decisions=sum(count for _, count in routes),
            rule_hits=sum(count for (method, _), count in routes if method == RouteMethod.RULE),
            fallbacks=sum(count for (method, _), count in routes if method == RouteMethod.LLM_FALLBACK),
            labelled=self.routes_judged[True] + self.routes_judged[False],
            right=self.routes_judged[True],
            llm_calls=sum(count for _, count in asked),
            llm_errors=sum(count for outcome, count in asked if outcome not in NO_FAULTS),
            llm_silent=self.route_llm_silent,
            methods=frozenset(method for method, _, _ in newest),
            intents=frozenset(intent for _, intent, _ in newest),
            confidences=frozenset(confidence for _, _, confidence in newest),
            newest=len(newest),
        )


class MetricsServer:
    """Starts and stops the metrics endpoint; reports a failure to bind in the core's `faults`."""

    def __init__(
        self, metrics: EngineMetrics, serve: Callable[[EngineMetrics, int], Callable[[], None]], faults: dict[str, str]
    ) -> None:
        self._metrics = metrics
        self._serve = serve
        self._faults = faults
        self._stop: Callable[[], None] | None = None

    def on(self, port: int) -> None:
        """Serve on this port only; 0 stops serving."""
        self.stop()
        self._faults.pop("metrics", None)
        if port:
            try:
                self._stop = self._serve(self._metrics, port)
            except KnownError as error:
                self._faults["metrics"] = str(error)

    def stop(self) -> None:
        if self._stop is not None:
            self._stop()
            self._stop = None
