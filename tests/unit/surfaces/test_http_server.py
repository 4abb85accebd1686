"""Tests of the server on loopback: access, limits, resumption, end, and the help for assistants."""

import asyncio
import json
import os
import re
import select
import socket
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from app.adapters.secrets import FileSecrets
from app.domain.errors import KnownError
from app.services.system.clients import CLIENTS
from app.settings.model import Settings
from app.surfaces import http_guard, http_server
from app.surfaces.http_guard import (
    BODY_SECONDS,
    HEALTH_PATH,
    MCP_PATH,
    MOST_BYTES,
    MOST_DEPTH,
    MOST_HEADERS,
    Backlog,
    TokenBucket,
)
from app.surfaces.http_server import IDLE_SECONDS, MOST_SESSIONS, Endpoint, listen, token_in
from app.surfaces.mcp.power_tools import LONGEST
from app.surfaces.mcp.schemas import NoArguments
from app.surfaces.mcp.tools import LOOKED_THROUGH, OWN_TOOLS
from tests.unit.surfaces.assistants import Noted, PretendedPowers
from tests.unit.surfaces.http_servers import TOKEN, Served, served, status_of
from tests.unit.surfaces.test_http_attacks import ACCEPT, BODY, GOOD, OPEN, request
from tests.waiting import PATIENCE, wait_for

SHORT = 0.2


class Watch:
    def __init__(self) -> None:
        self.ms = 0.0

    def __call__(self) -> float:
        return self.ms


async def resolved(served_at: Served, mode: str) -> tuple[str, str]:
    async with client_at(served_at, mode) as client:
        found = await client.call_tool("resolve_intent", {"query": "run a postgres query"})
        names = {tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools}
    assert "postgres__query" in names
    assert found.structured_content is not None
    return found.structured_content["status"], found.structured_content["power"]["name"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_that_a_client_with_the_token_resolves_over_http(seeded: Path, mode: str) -> None:
    with served(seeded, PretendedPowers({"postgres"})) as running:
        assert asyncio.run(resolved(running, mode)) == ("activated", "postgres")


@pytest.mark.parametrize("name", [rb"tea \ud83c", b"a\tb", b"caf\xe9"])
def test_that_a_request_that_a_strict_parser_refuses_is_answered(seeded: Path, name: bytes) -> None:
    body = b"\xef\xbb\xbf" + BODY.replace(b'"clientInfo": {"name": "', b'"clientInfo": {"name": "' + name)
    assert name in body
    with served(seeded) as running:
        heard = running.answer(request(*GOOD, body=body).replace(b"{host}", running.host.encode()))
    assert status_of(heard) == 200, heard[:300]


@asynccontextmanager
async def client_at(served_at: Served, mode: str = "legacy") -> AsyncIterator[Client]:
    async with (
        create_mcp_http_client({"Authorization": f"Bearer {TOKEN}"}) as http,
        Client(streamable_http_client(served_at.url, http_client=http), mode=mode) as client,
    ):
        yield client


def test_that_a_choice_belongs_to_the_session_that_it_was_offered_to(seeded: Path) -> None:
    past = Noted()

    async def ask(served_at: Served) -> None:
        async with client_at(served_at) as one, client_at(served_at) as other:
            await one.call_tool("resolve_intent", {"query": "check my database"})
            await other.call_tool("activate_power", {"name": "mysql"})
            assert past.chosen == []
            await other.call_tool("resolve_intent", {"query": "run a postgres query"})
            await one.call_tool("activate_power", {"name": "mysql"})

    with served(seeded, PretendedPowers({"mysql", "postgres"}), past) as running:
        asyncio.run(ask(running))
    assert past.chosen == [("check my database", "mysql")]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", "", "127.0.0.1.example.org"])
def test_that_no_other_address_than_loopback_is_opened(host: str) -> None:
    with pytest.raises(KnownError, match="is not a loopback address"):
        listen(host, 0)


def test_that_a_port_in_use_is_told_in_a_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(KnownError, match=f"Port {port} of 127.0.0.1 is in use: .*--port"):
            listen("127.0.0.1", port)


def test_that_the_token_is_made_once_kept_privately_and_can_be_made_anew(tmp_path: Path) -> None:
    secrets = FileSecrets(tmp_path / "secrets.json")
    first = token_in(secrets)
    assert len(first) >= 43
    assert token_in(secrets) == first
    assert token_in(secrets, anew=True) != first
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600


def test_that_a_door_does_not_show_its_token() -> None:
    assert TOKEN not in repr(Endpoint("127.0.0.1", 1, TOKEN))


def test_that_an_allowance_is_used_up_and_comes_back_with_time() -> None:
    watch = Watch()
    allowance = TokenBucket(watch, rate=2.0, burst=3.0)
    assert [allowance.take() for _ in range(4)] == [True, True, True, False]
    watch.ms = 500.0
    assert [allowance.take() for _ in range(2)] == [True, False]
    watch.ms = 1_000_000.0
    assert [allowance.take() for _ in range(4)] == [True, True, True, False]


@pytest.fixture
def impatient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(http_server, "HEAD_SECONDS", 300.0)
    monkeypatch.setattr(http_guard, "BODY_SECONDS", SHORT)
    monkeypatch.setattr(http_server, "MOST_CONNECTIONS", 4)
    monkeypatch.setattr(http_server, "MOST_SESSIONS", 2)
    with served(tmp_path) as running:
        yield running


@pytest.mark.parametrize("start", [b"", b"POST /mcp HTTP/1.1\r\nHost: x\r\n", b"G"])
def test_that_a_head_that_does_not_come_ends_the_connection(
    impatient: Served, monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    monkeypatch.setattr(http_server, "HEAD_SECONDS", SHORT)
    assert impatient.answer(start) == b""


def test_that_a_body_that_does_not_come_ends_the_request(impatient: Served) -> None:
    slow = request(*GOOD).replace(b"{host}", impatient.host.encode())[:-10]
    heard = impatient.answer(slow)
    assert status_of(heard) == 408
    assert b"connection: close" in heard.lower()


def test_that_a_second_request_that_is_slow_ends_the_connection_too(
    impatient: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = f"GET /health HTTP/1.1\r\nHost: {impatient.host}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", impatient.port), PATIENCE) as line:
        line.sendall(asked)
        heard = b""
        while not heard.endswith(b"ok\n"):
            heard += line.recv(1024)
        monkeypatch.setattr(http_server, "HEAD_SECONDS", SHORT)
        line.sendall(asked[:9])
        assert line.recv(1024) == b""


def test_that_connections_are_counted(impatient: Served) -> None:
    lines = [socket.create_connection(("127.0.0.1", impatient.port), PATIENCE) for _ in range(4)]
    try:
        for line in lines[1:]:
            line.sendall(b"GET /health HTTP/1.1\r\nHost: ")
        hello = request(line="GET /health HTTP/1.1", length=None, body=b"").replace(b"{host}", impatient.host.encode())
        assert status_of(impatient.answer(hello)) == 200, "who only holds connections keeps others out"
        assert _is_over(lines[0]), "the one that was silent for longest goes"
        lines[3].settimeout(0.2)
        with pytest.raises(TimeoutError):
            lines[3].recv(1)
    finally:
        for line in lines:
            line.close()


@pytest.mark.parametrize("headers", [GOOD, GOOD[:2]], ids=["with the token", "without the token"])
def test_that_requests_whose_body_stalls_keep_nobody_out(
    impatient: Served, monkeypatch: pytest.MonkeyPatch, headers: tuple[str, ...]
) -> None:
    monkeypatch.setattr(http_guard, "BODY_SECONDS", 300.0)
    monkeypatch.setattr(TokenBucket.__init__, "__defaults__", (1e-6, 2.0))
    half = request(*headers, length="Content-Length: 1000").replace(b"{host}", impatient.host.encode())
    with ExitStack() as closed:
        for _ in range(40):
            line = closed.enter_context(socket.create_connection(("127.0.0.1", impatient.port), PATIENCE))
            with suppress(ConnectionError):  # it may have been disconnected already
                line.sendall(half)
        hello = request(*GOOD).replace(b"{host}", impatient.host.encode())
        assert [status_of(impatient.answer(hello)) for _ in range(2)] == [200, 200]


def test_that_who_has_shown_the_token_is_let_go_after_who_has_not(
    impatient: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "FIRST_READ_SECONDS", 0.0)
    monkeypatch.setattr(http_guard, "BODY_SECONDS", 300.0)
    asked = request(*GOOD, "Expect: 100-continue", length="Content-Length: 1000")
    half = asked.replace(b"{host}", impatient.host.encode())
    with ExitStack() as closed:
        address = "127.0.0.1", impatient.port
        lines = [closed.enter_context(socket.create_connection(address, PATIENCE)) for _ in range(4)]
        lines[0].sendall(half)
        assert status_of(lines[0].recv(1024)) == 100, "its head is read"
        for line in lines[1:]:
            line.sendall(half[:40])
        hello = request(*GOOD).replace(b"{host}", impatient.host.encode())
        assert status_of(impatient.answer(hello)) == 200
        assert _is_over(lines[1]), "the oldest of those without the token goes"
        lines[0].settimeout(SHORT)
        with pytest.raises(TimeoutError):
            lines[0].recv(1)


def test_that_connections_that_wait_for_another_request_keep_nobody_out(impatient: Served) -> None:
    asked = request(line="GET /health HTTP/1.1", length=None, body=b"").replace(b"{host}", impatient.host.encode())
    with ExitStack() as closed:
        for _ in range(8):
            line = closed.enter_context(socket.create_connection(("127.0.0.1", impatient.port), PATIENCE))
            line.sendall(asked)
            assert line.recv(12) == b"HTTP/1.1 200"
        assert status_of(impatient.answer(asked)) == 200


def test_that_many_connections_that_come_at_once_are_counted_too(impatient: Served) -> None:
    lines = [socket.socket() for _ in range(60)]
    try:
        for line in lines:
            line.setblocking(False)
            line.connect_ex(("127.0.0.1", impatient.port))
        wait_for(lambda: len(select.select(lines, [], [], 0)[0]) == 56)  # what is closed can be read
    finally:
        for line in lines:
            line.close()


def _is_over(line: socket.socket) -> bool:
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True


def opened_session(server: Served) -> str:
    heard = server.answer(request(*GOOD).replace(b"{host}", server.host.encode()))
    assert status_of(heard) == 200
    lines = heard.lower().split(b"\r\n")
    (session,) = [line.partition(b": ")[2] for line in lines if line.startswith(b"mcp-session-id")]
    return session.decode()


def listening_in(server: Served, session: str) -> socket.socket:
    listening = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
    ask = request(GOOD[1], GOOD[2], f"Mcp-Session-Id: {session}", line="GET /mcp HTTP/1.1", body=b"")
    listening.sendall(ask.replace(b"{host}", server.host.encode()))
    assert listening.recv(12) == b"HTTP/1.1 200"
    return listening


def status_in(server: Served, session: str) -> int | None:
    ping = b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}'
    asked = request(*GOOD, f"Mcp-Session-Id: {session}", body=ping)
    return status_of(server.answer(asked.replace(b"{host}", server.host.encode())))


def test_that_sessions_are_counted_and_the_one_idle_for_longest_makes_room(impatient: Served) -> None:
    first, second = opened_session(impatient), opened_session(impatient)
    assert status_in(impatient, first) == 200  # so that the second has been idle for longer
    third = opened_session(impatient)
    assert [status_in(impatient, one) for one in (first, second, third)] == [200, 404, 200]


def test_that_abandoned_sessions_keep_nobody_out(impatient: Served) -> None:
    assert len({opened_session(impatient) for _ in range(40)}) == 40


def test_that_sessions_in_use_stay_and_a_new_one_is_refused(impatient: Served) -> None:
    lines = [listening_in(impatient, opened_session(impatient)) for _ in range(2)]
    try:
        hello = request(*GOOD).replace(b"{host}", impatient.host.encode())
        assert status_of(impatient.answer(hello)) == 503
    finally:
        for line in lines:
            line.close()


def test_that_what_opens_no_session_ends_none(impatient: Served) -> None:
    first, second = opened_session(impatient), opened_session(impatient)
    stranger = request(*GOOD, body=b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}')
    impatient.answer(stranger.replace(b"{host}", impatient.host.encode()))
    assert [status_in(impatient, one) for one in (first, second)] == [200, 200]


def test_that_too_many_requests_at_once_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TokenBucket.__init__, "__defaults__", (1e-6, 2.0))
    with served(tmp_path) as running:
        hello = request(*GOOD).replace(b"{host}", running.host.encode())
        heard = [running.answer(hello) for _ in range(3)]
        assert [status_of(answer) for answer in heard] == [200, 200, 429]
        assert b"retry-after: 1" in heard[2].lower()
        stranger = hello.replace(TOKEN.encode(), b"wrong")
        assert status_of(running.answer(stranger)) == 401


def test_that_session_ids_cannot_be_guessed(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        hello = request(*GOOD).replace(b"{host}", running.host.encode())
        ids = set()
        for _ in range(5):
            lines = running.answer(hello).lower().split(b"\r\n")
            ids |= {line.partition(b": ")[2] for line in lines if line.startswith(b"mcp-session-id")}
    assert len(ids) == 5
    assert all(len(one) >= 32 for one in ids)


def test_that_the_server_ends_while_somebody_still_listens(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        hello = running.answer(request(*GOOD).replace(b"{host}", running.host.encode()))
        (session,) = [x.split(b": ")[1] for x in hello.split(b"\r\n") if x.lower().startswith(b"mcp-session-id")]
        listening = socket.create_connection(("127.0.0.1", running.port), PATIENCE)
        ask = request(GOOD[1], GOOD[2], f"Mcp-Session-Id: {session.decode()}", line="GET /mcp HTTP/1.1", body=b"")
        listening.sendall(ask.replace(b"{host}", running.host.encode()))
        assert listening.recv(12) == b"HTTP/1.1 200"
    while listening.recv(65_536):
        pass
    listening.close()


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
    monkeypatch.setattr(http_guard, "MOST_EVENTS", 3)
    from mcp.types import JSONRPCResponse

    backlog = Backlog()
    for number in range(10):
        backlog.keep("1", JSONRPCResponse(jsonrpc="2.0", id=number, result={}))
    assert backlog.after("7") is None
    assert [event.number for event in backlog.after("8") or ()] == [8, 9, 10]
    monkeypatch.setattr(http_guard, "MOST_EVENT_BYTES", 200)
    backlog.keep("1", JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "x" * 500}))
    assert backlog.after("11") is None
    assert backlog._bytes == 0


HELP = Path(__file__).parents[3] / "resources" / "help"
PAGE = "\n".join((HELP / f"{name}.md").read_text("utf-8") for name in ("assistants", "assistant-tools", "hook"))
FLOWING = " ".join(PAGE.split())


@pytest.mark.parametrize("name", OWN_TOOLS)
def test_that_the_page_names_each_tool_with_what_it_takes(name: str) -> None:
    arguments = OWN_TOOLS[name].arguments
    given = "" if arguments is NoArguments else ", ".join(arguments.model_fields)
    assert f"| `{name}({given})` |" in PAGE


def test_that_the_page_names_no_tool_that_is_not_there() -> None:
    assert set(re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE)) == set(OWN_TOOLS)


@pytest.mark.parametrize(
    "told",
    [
        f"http://127.0.0.1:{Settings().serve.port}{MCP_PATH}",
        f"`serve.hook_budget_ms` ({Settings().serve.hook_budget_ms:,})",
        f"{MOST_BYTES // 2**20} MB",
        f"{MOST_DEPTH} levels",
        f"{MOST_HEADERS} headers",
        f"{BODY_SECONDS:.0f} seconds",
        f"{MOST_SESSIONS} sessions",
        f"{IDLE_SECONDS / 60:.0f} minutes",
        f"best {LOOKED_THROUGH:,}",
        f"{LONGEST} characters",
        f"`{HEALTH_PATH}`",
    ],
)
def test_that_the_page_tells_the_limits_as_they_are(told: str) -> None:
    assert told in FLOWING


def test_that_every_snippet_can_be_pasted() -> None:
    snippets = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert len(snippets) == 3
    assert all(json.loads(snippet) for snippet in snippets)


def test_that_the_page_names_each_assistant_that_can_be_connected() -> None:
    assert re.findall(r"\| `connect ([\w-]+)` \|", PAGE) == [client.key for client in CLIENTS]


def test_that_an_assistant_is_told_that_an_activated_power_may_not_run() -> None:
    told = OWN_TOOLS["resolve_intent"].description
    assert "It runs only if `started` is true" in told
    assert "`reason` says what a person has to do" in told
