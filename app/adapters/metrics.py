"""Metrics of this session for Prometheus, on loopback, if enabled (S4.15)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from socket import SHUT_RDWR
from socketserver import ThreadingMixIn
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from app.domain.errors import KnownError
from app.domain.history import USAGE_COUNTERS, UsageCounter
from app.domain.llm import LlmOutcome
from app.domain.route import RouteMethod
from app.domain.route_alerts import RouteAlarm, alerts
from app.services.engine.metrics import BUCKETS, LLM_STATUSES, Durations, EngineMetrics

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
"""Accepted host names, against pages whose own name points here."""

MOST_CONNECTIONS = 16
SILENT_SECONDS = 5.0
"""Time in seconds after which a silent connection is closed."""
POLL_SECONDS = 0.5
"""Longest time in seconds until the server notices that it is to stop."""


FAMILIES: Mapping[UsageCounter, tuple[str, str, str]] = {
    UsageCounter.RESOLUTIONS: ("assistant_resolutions", "Powers that assistants asked for, by status", "status"),
    UsageCounter.POWERS: ("assistant_powers", "Powers that assistants started and called, by outcome", "outcome"),
    UsageCounter.TURNS: (
        "assistant_turns",
        "Powers that assistants came to use, by the times they had to ask anew",
        "turns",
    ),
    UsageCounter.HOOKS: ("assistant_hooks", "Prompt hooks answered, by outcome", "outcome"),
    UsageCounter.MEMORIES: (
        "assistant_memories",
        "Memories that prompts brought up, by whether they joined the context",
        "outcome",
    ),
    UsageCounter.MARKS: ("assistant_marks", "Answers that assistants marked", "answer"),
    UsageCounter.ROUTE_CACHES: ("routing_cache", "Looks for a kept answer of the LLM, by cache and outcome", "outcome"),
}
"""Metric of each usage counter: name, description, and label of its outcomes."""


class MeasuresCollector(Collector):
    """Collector that reads the metrics on each request."""

    def __init__(self, metrics: EngineMetrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        metrics = self._metrics
        yield CounterMetricFamily(
            "search_intent_llm_started", "LLM classifications dispatched", value=metrics.llm_started
        )
        completed = CounterMetricFamily(
            "search_intent_llm_completed", "LLM classifications ended, by status", labels=["status"]
        )
        for status in LLM_STATUSES:
            completed.add_metric([status], metrics.llm_completed[status])
        yield completed
        timeouts = CounterMetricFamily(
            "search_intent_llm_timeout", "LLM classifications that missed their budget, by reason", labels=["reason"]
        )
        for reason in sorted({"budget", "cold", *metrics.llm_timeouts}):
            timeouts.add_metric([reason], metrics.llm_timeouts[reason])
        yield timeouts
        yield GaugeMetricFamily(
            "search_intent_llm_orphaned", "Requests still running past their time-out", value=metrics.llm_orphaned
        )
        durations = HistogramMetricFamily(
            "search_intent_detection_duration_seconds", "Time to detect the type, by source", labels=["source"]
        )
        for source, found in list(metrics.durations.items()):
            durations.add_metric([source], _cumulative(found), found.total)
        yield durations
        for use, (name, documentation, label) in FAMILIES.items():
            family = CounterMetricFamily(name, documentation, labels=[label])
            for outcome in USAGE_COUNTERS[use]:  # including zeros, from which a rate starts
                family.add_metric([outcome], metrics.use[use, outcome])
            yield family
        yield from _routes(metrics)


def _routes(metrics: EngineMetrics) -> Iterator[Metric]:
    decided = CounterMetricFamily(
        "routing_decisions", "Routes decided, by method and route", labels=["method", "route"]
    )
    for (method, route), count in list(metrics.routes.items()):
        decided.add_metric([method, route], count)
    yield decided
    durations = HistogramMetricFamily(
        "routing_duration_seconds", "Time to decide a route, by method", labels=["method"]
    )
    for method in RouteMethod:
        found = metrics.route_seconds.get(method.value, Durations())
        durations.add_metric([method.value], _cumulative(found), found.total)
    yield durations
    asked = CounterMetricFamily("routing_llm", "Questions of the router to the LLM, by outcome", labels=["outcome"])
    for outcome in LlmOutcome:
        asked.add_metric([outcome.value], metrics.route_llm[outcome.value])
    yield asked
    sides = CounterMetricFamily(
        "routing_configurations", "Routes by side of a roll-out and by method", labels=["configuration", "method"]
    )
    for (side, method), count in list(metrics.route_sides.items()):
        sides.add_metric([side, method], count)
    yield sides
    yield CounterMetricFamily("routing_dollars", "What those questions cost", value=metrics.route_dollars)
    judged = CounterMetricFamily(
        "routing_labelled", "Routes whose query a case labels, by whether they are right", labels=["answer"]
    )
    for answer, is_right in (("right", True), ("wrong", False)):
        judged.add_metric([answer], metrics.routes_judged[is_right])
    yield judged
    fire = {alert.name for alert in alerts(metrics.route_counts)}
    alarms = GaugeMetricFamily("routing_alarm", "Alarms of the router over this session: 1 fires", labels=["alarm"])
    for alarm in RouteAlarm:
        alarms.add_metric([alarm.value], float(alarm in fire))
    yield alarms


def _cumulative(durations: Durations) -> list[tuple[str, float]]:
    total = 0
    buckets: list[tuple[str, float]] = []
    for bound, count in zip((*map(str, BUCKETS), "+Inf"), durations.counts, strict=True):
        total += count
        buckets.append((bound, total))
    return buckets


class _Listener(ThreadingMixIn, WSGIServer):
    """Server with a thread for each connection up to a limit; the oldest is dropped."""

    daemon_threads = True
    request_queue_size = 4 * MOST_CONNECTIONS  # otherwise concurrent clients wait for seconds

    def __init__(self, *given: Any) -> None:
        self._lock = Lock()
        self._open: list[Any] = []
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.append(request)
            for oldest in self._open[:-MOST_CONNECTIONS]:
                with suppress(OSError):  # already closed
                    oldest.shutdown(SHUT_RDWR)  # its thread reads the end and closes it
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            if request in self._open:
                self._open.remove(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Quiet(WSGIRequestHandler):
    timeout = SILENT_SECONDS

    def log_message(self, text: str, *args: object) -> None:
        """Ignore requests, which would otherwise be a line each."""


def _guarded(app: WSGIApplication, port: int) -> WSGIApplication:
    """Wrap the application to refuse requests of web pages and other machines."""
    hosts = {f"{name}:{port}" for name in NAMES} | ({*NAMES} if port == 80 else set())

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if environ.get("HTTP_HOST", "").lower() in hosts and "HTTP_ORIGIN" not in environ:
            return app(environ, start)
        start("403 Forbidden", [("Content-Type", "text/plain")])
        return [b"Measures are told on this machine only.\n"]

    return answer


def serve_metrics(metrics: EngineMetrics, port: int) -> Callable[[], None]:
    """Serve /metrics on loopback until the returned function is called; raises KnownError."""
    registry = CollectorRegistry()
    registry.register(MeasuresCollector(metrics))
    try:
        server = make_server(LOOPBACK, port, _guarded(make_wsgi_app(registry), port), _Listener, _Quiet)
    except OSError as error:
        raise KnownError(f"Metrics cannot be served on port {port}: {error.strerror or error}.") from error
    thread = Thread(target=server.serve_forever, args=(POLL_SECONDS,), name="metrics", daemon=True)
    thread.start()

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop
