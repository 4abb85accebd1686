"""Powers that are reached at an address: asked over HTTP, bounded, and told in a sentence where it fails."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from app.adapters.mcp.runner import McpRunner
from app.domain.errors import PowerError
from app.domain.library import Transport
from app.ports.power import StartOrder
from tests.servers.powers import Server


class Speaking(BaseHTTPRequestHandler):
    """The server of tests/servers, one JSON document for each POST; the path is its mode."""

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
            self.close_connection = True  # the client has heard enough

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


@contextmanager
def spoken() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Speaking)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_that_a_server_at_an_address_is_asked_like_any_other() -> None:
    async def work(url: str) -> None:
        server = await McpRunner().start(StartOrder("web", Transport(url=f"{url}/good")))
        try:
            assert [tool.name for tool in server.tools] == ["echo", "where", "good"]
            assert (await server.call("echo", {"text": "hello"})).content[0]["text"] == "hello"
            assert (server.pid, server.load()) == (None, None)
            assert any("tools/call" in each.text and each.sent for each in server.exchanges())
        finally:
            await server.stop()

    with spoken() as url:
        asyncio.run(work(url))


def test_that_a_huge_answer_is_given_up() -> None:
    async def work(url: str) -> None:
        server = await McpRunner().start(StartOrder("web", Transport(url=f"{url}/huge")))
        try:
            with pytest.raises(PowerError, match="longer than 4,000,000 bytes"):
                await server.call("huge", {})
            assert (await server.call("echo", {"text": "on"})).content
        finally:
            await server.stop()

    with spoken() as url:
        asyncio.run(work(url))


@pytest.mark.parametrize(("path", "words"), [("401", "status 401 (Unauthorized)"), ("404", "status 404 (Not Found)")])
def test_that_a_refusal_is_told_with_its_status(path: str, words: str) -> None:
    with spoken() as url, pytest.raises(PowerError) as refused:
        asyncio.run(McpRunner().start(StartOrder("web", Transport(url=f"{url}/{path}"))))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("url", "words"),
    [("http://127.0.0.1:9/mcp", "cannot be reached at http://127.0.0.1:9/mcp"), ("nonsense", "cannot be reached")],
)
def test_that_an_address_where_nobody_is_is_named(url: str, words: str) -> None:
    with pytest.raises(PowerError) as refused:
        asyncio.run(McpRunner().start(StartOrder("web", Transport(url=url))))
    assert words in str(refused.value)


def test_that_an_address_never_tells_whose_it_is() -> None:
    with pytest.raises(PowerError) as refused:
        asyncio.run(
            McpRunner().start(StartOrder("web", Transport(url="http://me:hush-hush@127.0.0.1:9/?token=abcd1234")))
        )
    assert "hush" not in str(refused.value)
    assert "abcd1234" not in str(refused.value)
