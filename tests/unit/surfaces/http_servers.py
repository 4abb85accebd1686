"""Real server on loopback on its own thread, and requests written byte by byte, for tests."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from app.adapters.machine import now_ms
from app.surfaces.http_server import listen, serving
from tests.unit.surfaces.assistants import Noted, PretendedPowers, received
from tests.waiting import PATIENCE

TOKEN = "a-token-for-tests-only"


@dataclass(frozen=True, slots=True)
class Served:
    port: int

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/mcp"

    def answer(self, request: bytes) -> bytes:
        """Return everything received until the server disconnects or has answered one request."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as line:
            with suppress(OSError):  # the server may disconnect early
                line.sendall(request)
            return _heard(line)


def _heard(line: socket.socket) -> bytes:
    heard = b""
    with suppress(ConnectionResetError):
        while not _is_whole(heard) and (chunk := line.recv(65_536)):
            heard += chunk
    return heard


def _is_whole(heard: bytes) -> bool:
    head, end, body = heard.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head.lower():
        return body.endswith(b"0\r\n\r\n")
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), None)
    return bool(end) and length is not None and len(body) >= length


def status_of(heard: bytes) -> int | None:
    return int(heard.split(b" ", 2)[1]) if heard.startswith(b"HTTP/1.1 ") else None


@contextmanager
def served(profile: Path, powers: PretendedPowers | None = None, past: Noted | None = None) -> Iterator[Served]:
    """Run a server over this profile, and close it at the end."""
    opened = listen("127.0.0.1", 0)
    port = opened.getsockname()[1]
    begun, stop = threading.Event(), threading.Event()
    faults: list[BaseException] = []

    async def serve() -> None:
        async with received(profile, powers, past) as assistants, serving(assistants, opened, TOKEN, now_ms):
            begun.set()
            await asyncio.to_thread(stop.wait)

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            faults.append(error)
            raise
        finally:
            begun.set()

    thread = threading.Thread(target=run, name="server")
    thread.start()
    try:
        assert begun.wait(PATIENCE)
        yield Served(port)
    finally:
        stop.set()
        thread.join(PATIENCE)
    assert not faults
    assert not thread.is_alive()
