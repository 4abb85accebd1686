"""This session's measures for Prometheus, on loopback and only where they were asked for (S4.15)."""

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
from app.services.engine.measures import (
    BUCKETS,
    HOOKS,
    LLM_STATUSES,
    POWER_EVENTS,
    RESOLUTIONS,
    Durations,
    Measures,
)

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
"""By which names the measures are asked for: a page whose own name was made to point here uses another."""

MOST_CONNECTIONS = 16
SILENT_SECONDS = 5.0
"""A connection on which nothing comes is closed after this time."""


class MeasuresCollector(Collector):
    """Reads the measures each time they are asked for; keeps nothing of its own."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures

    def collect(self) -> Iterator[Metric]:
        measures = self._measures
        yield CounterMetricFamily(
            "search_intent_llm_started", "LLM classifications dispatched", value=measures.llm_started
        )
        completed = CounterMetricFamily(
            "search_intent_llm_completed", "LLM classifications ended, by status", labels=["status"]
        )
        for status in LLM_STATUSES:
            completed.add_metric([status], measures.llm_completed[status])
        yield completed
        timeouts = CounterMetricFamily(
            "search_intent_llm_timeout", "LLM classifications that missed their budget, by reason", labels=["reason"]
        )
        for reason in sorted({"budget", "cold", *measures.llm_timeouts}):
            timeouts.add_metric([reason], measures.llm_timeouts[reason])
        yield timeouts
        yield GaugeMetricFamily(
            "search_intent_llm_orphaned", "Requests still running past their time-out", value=measures.llm_orphaned
        )
        durations = HistogramMetricFamily(
            "search_intent_detection_duration_seconds", "Time to detect the type, by source", labels=["source"]
        )
        for source, found in list(measures.durations.items()):
            durations.add_metric([source], _cumulative(found), found.total)
        yield durations
        yield _by(
            "assistant_resolutions",
            "Powers that assistants asked for, by status",
            "status",
            {status: measures.resolutions[status] for status in RESOLUTIONS},
        )
        yield _by(
            "assistant_powers",
            "Powers that assistants started and called, by outcome",
            "outcome",
            {event: measures.powers[event] for event in POWER_EVENTS},
        )
        yield _by(
            "assistant_hooks",
            "Prompt hooks answered, by outcome",
            "outcome",
            {outcome: measures.hooks[outcome] for outcome in HOOKS},
        )
        yield CounterMetricFamily(
            "assistant_memories_injected", "Memories that joined the context of a prompt", value=measures.injected
        )
        yield _by(
            "assistant_marks",
            "Answers that assistants marked",
            "answer",
            {
                "right": measures.marked[True],
                "wrong": measures.marked[False],
            },
        )


def _by(name: str, documentation: str, label: str, counts: Mapping[str, int]) -> CounterMetricFamily:
    """A counter of each value of one label, those of 0 too: a rate begins with it."""
    family = CounterMetricFamily(name, documentation, labels=[label])
    for value, count in counts.items():
        family.add_metric([value], count)
    return family


def _cumulative(durations: Durations) -> list[tuple[str, float]]:
    total = 0
    buckets: list[tuple[str, float]] = []
    for bound, count in zip((*map(str, BUCKETS), "+Inf"), durations.counts, strict=True):
        total += count
        buckets.append((bound, total))
    return buckets


class _Listener(ThreadingMixIn, WSGIServer):
    """Has a thread for each of so many connections at most; where there are more, the oldest goes.

    Each holds a descriptor too: who only holds connections would have the whole window without any.
    """

    daemon_threads = True
    request_queue_size = 4 * MOST_CONNECTIONS  # else who comes in a crowd waits for seconds

    def __init__(self, *given: Any) -> None:
        self._lock = Lock()
        self._open: list[Any] = []
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.append(request)
            for oldest in self._open[:-MOST_CONNECTIONS]:
                with suppress(OSError):  # whoever it was has gone already
                    oldest.shutdown(SHUT_RDWR)  # its thread reads that it is over, and closes it
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            if request in self._open:
                self._open.remove(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who breaks off or says nothing is no fault of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Quiet(WSGIRequestHandler):
    timeout = SILENT_SECONDS

    def log_message(self, text: str, *args: object) -> None:
        """Each scrape would be a line."""


def _guarded(app: WSGIApplication, port: int) -> WSGIApplication:
    """The application for callers on this machine that are no pages of a browser."""
    hosts = {f"{name}:{port}" for name in NAMES} | ({*NAMES} if port == 80 else set())

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if environ.get("HTTP_HOST", "").lower() in hosts and "HTTP_ORIGIN" not in environ:
            return app(environ, start)
        start("403 Forbidden", [("Content-Type", "text/plain")])
        return [b"Measures are told on this machine only.\n"]

    return answer


def serve_measures(measures: Measures, port: int) -> Callable[[], None]:
    """Answer /metrics on loopback until the returned function is called; KnownError if the port is taken."""
    registry = CollectorRegistry()
    registry.register(MeasuresCollector(measures))
    try:
        server = make_server(LOOPBACK, port, _guarded(make_wsgi_app(registry), port), _Listener, _Quiet)
    except OSError as error:
        raise KnownError(f"Metrics cannot be served on port {port}: {error.strerror or error}.") from error
    thread = Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop
