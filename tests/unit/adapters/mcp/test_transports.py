"""Tests of powers behind a token: an SDK server on loopback that requires its header."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response

from app.adapters.formats.records import FileKind
from app.adapters.formats.table import FORMATS, format_of
from app.adapters.mcp.runner import McpRunner
from app.adapters.mcp.transports import sendable
from app.adapters.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.domain.errors import PowerError
from app.domain.library import Line, Power
from tests.build import some
from tests.servers.powers import Server
from tests.unit.adapters.mcp.test_http_client import order, started

TOKEN = "hush-hush-7391"
HEADERS = {"Authorization": f"Bearer {TOKEN}", "X-Team": "shop-floor"}


@contextmanager
def guarded() -> Iterator[str]:
    """Return the address of a server that requires both headers and records them."""

    async def guard(request: Request, go_on: RequestResponseEndpoint) -> Response:
        sent = {name: request.headers.get(name) for name in HEADERS}
        return await go_on(request) if sent == HEADERS else Response(status_code=401)

    server = MCPServer("guarded")

    @server.tool()
    def told() -> str:
        return f"It is {TOKEN}."

    app = server.streamable_http_app()
    app.add_middleware(BaseHTTPMiddleware, dispatch=guard)
    endpoint = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [endpoint]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{endpoint.getsockname()[1]}/mcp"
    finally:
        running.should_exit = True
        thread.join()
        endpoint.close()


async def test_that_a_server_behind_a_token_is_started_and_asked_and_the_token_stays_unseen() -> None:
    with guarded() as url:
        async with started(url, HEADERS) as server:
            assert [tool.name for tool in server.tools] == ["told"]
            assert (await server.call("told", {})).content[0]["text"] == "It is •••."
            assert all(TOKEN not in each.text for each in server.exchanges())


def test_that_a_missing_or_wrong_token_is_told_in_words() -> None:
    with guarded() as url:
        with pytest.raises(PowerError, match=r"401 \(Unauthorized\)\. No value is stored for X-Team, so it was asked"):
            asyncio.run(McpRunner().start(order(url, {**HEADERS, "X-Team": ""})))
        with pytest.raises(PowerError, match=r"status 401 \(Unauthorized\)") as refused:
            asyncio.run(McpRunner().start(order(url, {**HEADERS, "Authorization": "Bearer wrong-one"})))
    assert "wrong-one" not in str(refused.value)
    assert "No value is stored" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("A B", "x", "cannot be the name of a header"),
        ("Host", "example.org", "is the connection's own"),
        ("Authorization", "Bearer a\r\nX: secret", "The value of the header Authorization cannot be sent"),
        ("Authorization", "schlüssel-secret", "The value of the header Authorization cannot be sent"),
    ],
)
def test_that_what_cannot_be_sent_is_refused_without_its_value(name: str, value: str, words: str) -> None:
    with pytest.raises(PowerError) as refused:
        sendable({name: value})
    assert words in str(refused.value)
    assert "secret" not in str(refused.value)


def test_that_headers_of_an_assistant_become_secrets_and_never_go_out_again(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"web": {"url": "https://h.test/mcp", "headers": HEADERS}}}))
    (line,) = format_of(file).read(file, FileKind.POWERS)
    assert isinstance(line, Line)
    assert isinstance(line.value, Power)
    library = SqlLibrary.open(tmp_path / "profile", FileSecrets(tmp_path / "secrets.json"))
    try:
        library.add("powers", [line.value])
        (stored,) = library.powers()
        assert library.environment(stored) == HEADERS
        assert TOKEN not in repr(stored)
        assert TOKEN.encode() not in (tmp_path / "profile" / "library.db").read_bytes()
        for name, format_ in FORMATS.items():
            if format_.write is not None and FileKind.POWERS in format_.kinds:
                _comes_back(tmp_path / f"out.{name}", name, stored)
    finally:
        library.close()


def _comes_back(path: Path, name: str, stored: Power) -> None:
    """Check that a written file names the headers without values, and reads as the same."""
    write = some(FORMATS[name].write)
    with path.open("wb") as stream:
        write(stream, [stored])
    assert TOKEN not in path.read_text("utf-8")
    (line,) = FORMATS[name].read(path, FileKind.POWERS, None)
    assert isinstance(line, Line)
    assert isinstance(line.value, Power)
    assert line.value.transport == stored.transport


# ---- Powers at an address: called over HTTP, within limits, with a message for failures.


class Speaking(BaseHTTPRequestHandler):
    """Server of tests/servers with one JSON document per POST; the path is its mode."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        mode = self.path.strip("/")
        if mode.isdigit():
            self.say(int(mode), b"")
        elif "id" not in message:
            self.say(202, b"")
        else:
            answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"], "result": Server(mode).answer(message)}
            self.say(200, json.dumps(answer).encode())

    def do_GET(self) -> None:
        self.say(405, b"")

    def say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the client has received enough

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


@contextmanager
def spoken() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Speaking)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_that_a_server_at_an_address_is_asked_like_any_other() -> None:
    with spoken() as url:
        async with started(f"{url}/good") as server:
            assert [tool.name for tool in server.tools] == ["echo", "where", "good"]
            assert (await server.call("echo", {"text": "hello"})).content[0]["text"] == "hello"
            assert (server.pid, server.load()) == (None, None)
            assert any("tools/call" in each.text and each.sent for each in server.exchanges())


async def test_that_a_huge_answer_is_given_up() -> None:
    with spoken() as url:
        async with started(f"{url}/huge") as server:
            with pytest.raises(PowerError, match="longer than 4,000,000 bytes"):
                await server.call("huge", {})
            assert (await server.call("echo", {"text": "on"})).content


@pytest.mark.parametrize(("path", "words"), [("401", "status 401 (Unauthorized)"), ("404", "status 404 (Not Found)")])
def test_that_a_refusal_is_told_with_its_status(path: str, words: str) -> None:
    with spoken() as url, pytest.raises(PowerError) as refused:
        asyncio.run(McpRunner().start(order(f"{url}/{path}")))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("url", "words"),
    [("http://127.0.0.1:9/mcp", "cannot be reached at http://127.0.0.1:9/mcp"), ("nonsense", "cannot be reached")],
)
def test_that_an_address_where_nobody_is_is_named(url: str, words: str) -> None:
    with pytest.raises(PowerError) as refused:
        asyncio.run(McpRunner().start(order(url)))
    assert words in str(refused.value)


def test_that_an_address_never_tells_whose_it_is() -> None:
    with pytest.raises(PowerError) as refused:
        asyncio.run(McpRunner().start(order("http://me:hush-hush@127.0.0.1:9/?token=abcd1234")))
    assert "hush" not in str(refused.value)
    assert "abcd1234" not in str(refused.value)
