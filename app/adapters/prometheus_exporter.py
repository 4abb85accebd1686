"""This session's measures for Prometheus, on loopback and only where they were asked for (S4.15)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from app.ports import KnownError
from app.services.measures import BUCKETS, LLM_STATUSES, Durations, Measures

LOOPBACK = "127.0.0.1"


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
            "search_intent_detection_duration_seconds", "Time to detect the intent, by source", labels=["source"]
        )
        for source, found in list(measures.durations.items()):
            durations.add_metric([source], _cumulative(found), found.total)
        yield durations


def _cumulative(durations: Durations) -> list[tuple[str, float]]:
    total = 0
    buckets: list[tuple[str, float]] = []
    for bound, count in zip((*map(str, BUCKETS), "+Inf"), durations.counts, strict=True):
        total += count
        buckets.append((bound, total))
    return buckets


def serve_measures(measures: Measures, port: int) -> Callable[[], None]:
    """Answer /metrics on loopback until the returned function is called; KnownError if the port is taken."""
    registry = CollectorRegistry()
    registry.register(MeasuresCollector(measures))
    try:
        server, thread = start_http_server(port, addr=LOOPBACK, registry=registry)
    except OSError as error:
        raise KnownError(f"Metrics cannot be served on port {port}: {error.strerror or error}.") from error

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop
