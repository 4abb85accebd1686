"""The address that knows the newest version is asked once, and nothing it says is trusted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from app.adapters.local.bounded_http import MOST_BYTES, newest_version


class Address:
    """A server on loopback that says one thing."""

    def __init__(self) -> None:
        self.body, self.status, self.asked = b"", 200, list[str]()
        address = self

        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address.asked.append(self.path)
                self.send_response(address.status)
                if address.status == 302:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(address.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/version.json"

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[Address]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = Address()
    yield made
    made.close()


def ask(url: str) -> str:
    return asyncio.run(newest_version(url))


def test_that_the_version_is_read_with_one_get(address: Address) -> None:
    address.body = b'{"version": "1.2.0", "more": [1]}'
    assert ask(address.url) == "1.2.0"
    assert address.asked == ["/version.json"]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b""),
        (200, b"[]"),
        (200, b'{"version": 1}'),
        (200, b'{"version": "' + b"1" * 50 + b'"}'),
        (200, b'{"version": "1.0"}' + b" " * MOST_BYTES),
        (200, b"\xff\xfe"),
        (200, b"[" * 50_000),
        (404, b'{"version": "1.0"}'),
        (302, b'{"version": "1.0"}'),
    ],
    ids=range(9),
)
def test_that_anything_else_is_no_version(address: Address, status: int, body: bytes) -> None:
    address.status, address.body = status, body
    assert ask(address.url) == ""
    assert len(address.asked) == 1


def test_that_nobody_there_is_no_version(address: Address) -> None:
    address.close()
    assert ask(address.url) == ""
