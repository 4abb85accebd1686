"""The measures are told to callers on this machine, and to no page of a browser."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator

import pytest

from app.adapters.prometheus_exporter import serve_measures
from app.ports import KnownError
from app.services.measures import Measures


@pytest.fixture
def port() -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    stop = serve_measures(Measures(), number)
    yield number
    stop()


def asked(port: int, headers: dict[str, str]) -> tuple[int, bytes]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
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
    "headers",
    [{"Host": "evil.example"}, {"Host": "evil.example:{port}"}, {"Host": "127.0.0.1:1"}, {"Origin": "null"}],
)
def test_that_a_page_is_not(port: int, headers: dict[str, str]) -> None:
    status, text = asked(port, {name: value.replace("{port}", str(port)) for name, value in headers.items()})
    assert status == 403
    assert b"search_intent" not in text


def test_that_only_loopback_is_opened_and_a_taken_port_is_told(port: int) -> None:
    with pytest.raises(KnownError, match=f"Metrics cannot be served on port {port}"):
        serve_measures(Measures(), port)
