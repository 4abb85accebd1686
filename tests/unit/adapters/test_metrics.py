"""Tests of metrics: available to callers on this machine, but not to web pages."""

import http.client
import json
import re
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from app.adapters import metrics
from app.adapters.metrics import MOST_CONNECTIONS, MeasuresCollector, serve_metrics
from app.domain.errors import KnownError
from app.domain.history import UsageCounter
from app.domain.inspection import RouteDecision
from app.domain.llm import LlmOutcome
from app.services.engine.metrics import EngineMetrics
from tests.store_servers import free_ports
from tests.waiting import PATIENCE, wait_for


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(metrics, "POLL_SECONDS", 0.01)
    (number,) = free_ports(1)
    stop = serve_metrics(EngineMetrics(), number)
    yield number
    stop()


def asked(port: int, headers: dict[str, str]) -> tuple[int, bytes]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    line.request("GET", "/metrics", headers=headers)
    answer = line.getresponse()
    try:
        assert not [name for name, _ in answer.getheaders() if name.lower().startswith("access-control")]
        return answer.status, answer.read()
    finally:
        line.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST"])
def test_that_a_caller_on_this_machine_is_told(port: int, name: str) -> None:
    status, text = asked(port, {"Host": f"{name}:{port}"})
    assert status == 200
    assert b"search_intent_llm_started_total 0.0" in text


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Host": "evil.example:{port}"}, {"Host": "127.0.0.1:1"}, {"Origin": "null"}]
)
def test_that_a_page_is_not(port: int, headers: dict[str, str]) -> None:
    status, text = asked(port, {name: value.replace("{port}", str(port)) for name, value in headers.items()})
    assert status == 403
    assert b"search_intent" not in text


def test_that_only_loopback_is_opened_and_a_taken_port_is_told(port: int) -> None:
    with pytest.raises(KnownError, match=f"Metrics cannot be served on port {port}"):
        serve_metrics(EngineMetrics(), port)


def test_that_requests_which_do_not_end_hold_few_threads_and_keep_nobody_out(
    monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.setattr(metrics._Quiet, "timeout", 60.0)  # none ends by being silent
    before, lines = threading.active_count(), list[socket.socket]()
    try:
        for _ in range(4 * MOST_CONNECTIONS):
            lines.append(socket.create_connection(("127.0.0.1", port), PATIENCE))
            lines[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
        for line in lines[:-MOST_CONNECTIONS]:
            with suppress(ConnectionResetError):  # the rest of its message was not read
                assert line.recv(1024) == b"", "the oldest go"
        assert asked(port, {"Host": f"127.0.0.1:{port}"})[0] == 200
        wait_for(lambda: threading.active_count() <= before + MOST_CONNECTIONS + 1)
    finally:
        for line in lines:
            line.close()


def test_that_a_silent_connection_is_closed_after_a_time(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    monkeypatch.setattr(metrics._Quiet, "timeout", 0.1)
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as line:
        line.sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
        assert select.select([line], [], [], 30)[0]
        assert line.recv(1024) == b""


# ---- The shipped dashboard requests only exported metrics.


DASHBOARD = Path(__file__).parents[3] / "resources" / "grafana" / "intentscope.json"
NAME = re.compile(r"(?:search_intent|assistant|routing)_\w+")
LABELS = re.compile(r"(\w+)\s*(?:=~|!=|=)\s*\"")
GROUPS = re.compile(r"by \(([^)]*)\)")
OF_PROMETHEUS = {"instance", "le"}


@pytest.fixture(scope="module")
def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def exported() -> str:
    metrics = EngineMetrics()
    metrics.detected("keyword", 0.004)
    metrics.use[UsageCounter.RESOLUTIONS, "multiple_matches"] += 2
    metrics.use[UsageCounter.MARKS, "wrong"] += 1
    metrics.note_route(RouteDecision("hybrid_search", ("postgresql",), 0.9, "rule", 0.9, "by a rule"))
    metrics.record_labelled_route(is_right=True)
    return told(metrics)


def told(metrics: EngineMetrics) -> str:
    registry = CollectorRegistry()
    registry.register(MeasuresCollector(metrics))
    return generate_latest(registry).decode()


def test_that_the_alarms_of_the_router_are_exported_as_they_fire() -> None:
    metrics = EngineMetrics()
    for number in range(200):
        stuck = number >= 100
        found = RouteDecision(
            "a" if stuck else f"i{number}", ("x",), number / 200, "degraded" if stuck else "rule", 0.9, ""
        )
        metrics.note_route(replace(found, llm_outcome=LlmOutcome.FAILED if number < 11 else LlmOutcome.ANSWERED))
        metrics.record_labelled_route(is_right=number % 10 != 0)
    fire = dict(re.findall(r'routing_alarm{alarm="(\w+)"} (\d)', told(metrics)))
    assert fire == {"rule_hits": "1", "fallbacks": "0", "accuracy": "0", "llm_errors": "1", "flatline": "1"}
    metrics.record_labelled_route(is_right=False)
    assert 'routing_alarm{alarm="accuracy"} 1.0' in told(metrics)


def test_that_a_dead_llm_raises_its_alarm_after_three_questions_and_ends_it_with_an_answer() -> None:
    metrics = EngineMetrics()
    found = RouteDecision("a", ("x",), 0.5, "degraded", 0.9, "")
    fires = []
    kinds = (LlmOutcome.TIMED_OUT, LlmOutcome.UNREACHABLE, LlmOutcome.SUPERSEDED, LlmOutcome.FAILED)
    for outcome in (*kinds, None, LlmOutcome.ANSWERED):
        metrics.note_route(replace(found, llm_outcome=outcome))
        fires.append('routing_alarm{alarm="llm_errors"} 1.0' in told(metrics))
    assert fires == [False, False, False, True, True, False]


def test_that_what_assistants_do_and_where_queries_are_routed_is_exported(exported: str) -> None:
    for sample in (
        'assistant_resolutions_total{status="multiple_matches"} 2.0',
        'assistant_resolutions_total{status="not_found"} 0.0',
        'assistant_turns_total{turns="3 or more"} 0.0',
        'assistant_hooks_total{outcome="late"} 0.0',
        'assistant_marks_total{answer="wrong"} 1.0',
        'routing_decisions_total{method="rule",route="hybrid_search"} 1.0',
        'routing_duration_seconds_bucket{le="0.001",method="rule"} 1.0',
        'routing_labelled_total{answer="right"} 1.0',
        'routing_labelled_total{answer="wrong"} 0.0',
    ):
        assert sample in exported


def expressions(dashboard: dict[str, Any]) -> list[str]:
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_that_every_family_it_names_is_exported(dashboard: dict[str, Any], exported: str) -> None:
    samples = {line.split("{")[0].split(" ")[0] for line in exported.splitlines() if not line.startswith("#")}
    named = {name for text in expressions(dashboard) for name in NAME.findall(text)}
    assert named - samples == set()
    families = {"started_total", "completed_total", "timeout_total", "orphaned"}
    assert {f"search_intent_llm_{name}" for name in families} <= named
    assert "search_intent_detection_duration_seconds_bucket" in named
    own = {name for name in samples if name.startswith(("assistant_", "routing_"))}
    assert {name for name in own if not name.endswith(("_sum", "_count", "_created"))} <= named


def test_that_every_label_it_asks_for_is_exported(dashboard: dict[str, Any], exported: str) -> None:
    known = set(LABELS.findall(exported)) | OF_PROMETHEUS
    for text in expressions(dashboard):
        grouped = {label.strip() for group in GROUPS.findall(text) for label in group.split(",")}
        assert set(LABELS.findall(text)) | grouped <= known, text


def test_that_its_panels_lie_side_by_side_and_say_what_they_show(dashboard: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        assert panel["title"]
        assert panel["description"].endswith(".")
        taken |= cells
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(ids)) == len(ids)
