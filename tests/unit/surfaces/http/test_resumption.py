"""Tests of resumption: a client gets missed events of its own session only."""

from __future__ import annotations

import json
import re
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from app.surfaces.http import guard
from app.surfaces.http.guard import Backlog
from tests.unit.surfaces.http.test_http_attacks import ACCEPT, BODY, GOOD, OPEN, request
from tests.unit.surfaces.http_servers import Served, served, status_of
from tests.waiting import PATIENCE

NEW = "2025-11-25"


def greeted(server: Served, version: str = NEW) -> tuple[str, str]:
    """Open a session, and return it with the events received."""
    hello = BODY.replace(b"2025-06-18", version.encode())
    heard = server.answer(filled(server, request(*GOOD, body=hello))).decode()
    found = re.search(r"mcp-session-id: (\w+)", heard, re.IGNORECASE)
    assert found
    return found[1], heard


def filled(server: Served, asked: bytes) -> bytes:
    return asked.replace(b"{host}", server.host.encode())


def pinged(server: Served, session: str, number: int) -> str:
    ping = json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode()
    names = (f"Mcp-Session-Id: {session}", f"Mcp-Protocol-Version: {NEW}")
    heard = server.answer(filled(server, request(*GOOD, *names, body=ping)))
    assert status_of(heard) == 200
    return heard.decode()


QUIET_SECONDS = 0.2
"""Silence after which a stream is taken to have nothing to replay."""


def resumed(server: Served, session: str, event: str, until: bytes = b"") -> str:
    """Return the events after this one up to these bytes; without them, until no more arrive."""
    names = (f"Mcp-Session-Id: {session}", f"Mcp-Protocol-Version: {NEW}", f"Last-Event-ID: {event}")
    ask = request(ACCEPT, OPEN, *names, line="GET /mcp HTTP/1.1", body=b"", length=None)
    heard = b""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as line:
        line.sendall(filled(server, ask))
        with suppress(TimeoutError):
            while not (until and until in heard) and (piece := line.recv(65_536)):
                heard += piece
                if not until:
                    line.settimeout(QUIET_SECONDS)
    assert status_of(heard) == 200
    return heard.decode()


def events(heard: str) -> list[str]:
    return re.findall(r"^id: (\S+)", heard, re.MULTILINE)


def test_that_a_stream_begins_with_an_event_to_come_back_to_and_a_time_to_wait(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        session, _ = greeted(server)
        heard = pinged(server, session, 7)
    priming, answer = events(heard)
    assert re.search(rf"id: {priming}\r?\ndata: ?\r?\nretry: 1000\r?\n", heard)
    assert heard.index(f"\nid: {answer}") > heard.index("retry: 1000")  # another header's name ends with “id: ”


def test_that_an_older_client_hears_no_empty_event(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        _, heard = greeted(server, "2025-06-18")
    assert "retry:" not in heard
    assert len(events(heard)) == 1


def test_that_a_client_that_comes_back_gets_the_answer_that_it_missed(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        session, _ = greeted(server)
        priming, answer = events(pinged(server, session, 7))
        again = resumed(server, session, priming, until=b'"id":7')
        nothing_new = resumed(server, session, answer)
    assert '"id":7' in again
    assert '"id":7' not in nothing_new


def test_that_another_session_gets_nothing_of_it(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        mine, _ = greeted(server)
        other, heard = greeted(server)
        seen = events(pinged(server, mine, 7))
        for event in (*seen, "0", "", "99", *events(heard)):
            told = resumed(server, other, event) if event else ""
            assert '"id":7' not in told, event
        both = {number: pinged(server, session, 1) for number, session in enumerate((mine, other))}
        assert all(len(events(one)) == 2 for one in both.values())
        after = resumed(server, mine, events(both[0])[0], until=b'"jsonrpc"')
    assert after.count('"jsonrpc"') == 1


def test_that_a_backlog_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_EVENTS", 3)
    from mcp.types import JSONRPCResponse

    backlog = Backlog()
    for number in range(10):
        backlog.keep("1", JSONRPCResponse(jsonrpc="2.0", id=number, result={}))
    assert backlog.after("7") is None
    assert [event.number for event in backlog.after("8") or ()] == [8, 9, 10]
    monkeypatch.setattr(guard, "MOST_EVENT_BYTES", 200)
    backlog.keep("1", JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "x" * 500}))
    assert backlog.after("11") is None
    assert backlog._bytes == 0
