"""MCP over streamable HTTP and over the pipes of a process, every line and every answer bounded."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import urlsplit

import anyio
import anyio.lowlevel
import anyio.to_thread
import httpx2
from anyio.abc import ByteReceiveStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from app.adapters.local.bounded_http import AS_IT_IS, PACKED, Bound, bounded, is_packed
from app.adapters.mcp.wire import BYTES_A_SECOND, BYTES_AT_ONCE, MESSAGE_BYTES, Ends, Incoming, Pace, Wire, tapped
from app.adapters.process.child import Child, ending
from app.domain.errors import PowerError

NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""What the name of a header may be (RFC 9110, 5.1)."""

VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?", re.ASCII)
"""What its value may be (RFC 9110, 5.5), as far as every server takes it."""

OWN = frozenset(
    "accept accept-encoding connection content-encoding content-length content-type host last-event-id "
    "mcp-protocol-version mcp-session-id te trailer transfer-encoding upgrade".split()
)
"""Headers that the connection itself needs as they are."""


def sendable(given: Mapping[str, str]) -> dict[str, str]:
    """The headers that have a value; PowerError, which tells no value, if one cannot be sent."""
    for name, value in given.items():
        if not NAME.fullmatch(name):
            raise PowerError(f"“{name[:60]}” cannot be the name of a header: mend it on the power's page.")
        if name.lower() in OWN:
            raise PowerError(f"The header {name[:60]} is the connection's own: take it out on the power's page.")
        if value and not VALUE.fullmatch(value):
            raise PowerError(f"The value of the header {name[:60]} cannot be sent: enter it anew on the power's page.")
    return {name: value for name, value in given.items() if value}


def secrets_of(headers: Mapping[str, str]) -> list[str]:
    """What is never to be shown of them: the values, and of one such as "Bearer …" also what stands behind the word."""
    behind = (value.partition(" ")[2].strip() for value in headers.values())
    return [*headers.values(), *filter(None, behind)]


def lacking(given: Iterable[str], sent: Mapping[str, str]) -> str:
    """Which of them had no value, in a sentence; "" if all had one."""
    names = [name for name in given if name not in sent]
    return f"No value is stored for {', '.join(names)}, so it was asked without." if names else ""


# --------------------------------------------------------------------------------------------------------------------
# MCP over streamable HTTP: the client's own transport, with answers bounded and faults told in words

CONNECT_SECONDS = 10.0
ASKED_TO_SIGN_IN = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
READ_SECONDS = 300.0
"""A stream of events may be silent for so long, and any other answer takes no longer in all."""


class _Body(httpx2.AsyncByteStream):
    """The body of a response within a bound; httpx2.StreamError or httpx2.ReadTimeout beyond."""

    def __init__(self, body: httpx2.AsyncByteStream, bound: Bound) -> None:
        self._body, self._bound = body, bound

    async def __aiter__(self) -> AsyncIterator[bytes]:
        until = asyncio.get_running_loop().time() + self._bound.seconds
        async for part in bounded(self._body, self._bound, until, _too_long, httpx2.ReadTimeout):
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()


def _too_long(sentence: str) -> httpx2.StreamError:
    return httpx2.StreamError(sentence)


@asynccontextmanager
async def connected(
    url: str, wire: Wire, given: Mapping[str, str]
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
    """The client's ends of the streams to a server at an address; on leaving, the session is over.

    Of the headers `given` those with a value are sent with every request, to this address alone; PowerError if one
    cannot be.
    """
    headers = sendable(given)

    async def look(response: httpx2.Response) -> None:
        if response.status_code >= 400 and response.request.method == "POST":
            said = f"It answered with status {response.status_code} ({_phrase(response.status_code)})."
            without = lacking(given, headers) if response.status_code in ASKED_TO_SIGN_IN else ""
            wire.notes["http"] = f"{said} {without}".rstrip()
        if is_packed(response.headers):
            wire.notes["http"] = f"{PACKED[:1].upper()}{PACKED[1:]}."
            raise httpx2.DecodingError(PACKED)
        streams = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        if not streams and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Body(response.stream, Bound(MESSAGE_BYTES, READ_SECONDS))

    make = partial(
        httpx2.AsyncClient,
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=READ_SECONDS),
        headers={**headers, **AS_IT_IS},
        event_hooks={"response": [look]},
        follow_redirects=False,  # the headers are for this address
        trust_env=not _is_here(url),  # no proxy stands between a machine and itself
    )
    async with (
        await anyio.to_thread.run_sync(make) as client,  # reads the certificates of this machine
        streamable_http_client(url, http_client=client, max_sse_event_size=MESSAGE_BYTES) as (reads, writes),
        tapped(wire, reads, writes) as ends,
    ):
        yield ends


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "unknown"


# ---- MCP over the pipes of a process: one message a line, each line bounded, and nothing that cannot be given up.


READ_BYTES = 64 * 1024
STDERR_BYTES_A_SECOND, STDERR_BYTES_AT_ONCE = 1_000_000.0, 4_000_000.0
"""A standard error that is flooded is read at this pace; only the last of it is kept."""

MOST_GARBAGE = 1_000
"""After so many lines in a row that are no messages, the server is taken for something else."""

GONE = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)
"""How a pipe says that nobody is at its other end."""


class Pipes:
    """The pipes of one server at work."""

    def __init__(self, child: Child, wire: Wire) -> None:
        self._child, self._wire = child, wire
        self._ends = Ends()
        self._garbage = 0
        self.end = ""
        """How it ended, in words that follow the server's name; "" while it has not."""

    @asynccontextmanager
    async def opened(
        self,
    ) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
        """The client's ends of the streams; on leaving, the process is ended with all below it."""
        try:
            async with anyio.create_task_group() as group:
                for pump in (self._read, self._write, self._read_stderr):
                    group.start_soon(pump)
                try:
                    yield self._ends.read, self._ends.write
                finally:
                    self.end = self.end or "was stopped"
                    group.cancel_scope.cancel()
        finally:
            self._ends.close()
            await self._child.end()

    async def _read(self) -> None:
        try:
            async for line in self._lines():
                await self._take(line)
                if self._garbage > MOST_GARBAGE:
                    self.end = "was stopped"
                    break
        except GONE:
            pass
        await self._tell_end()

    async def _tell_end(self) -> None:
        """Say how it ended before the client sees that it did."""
        if not self.end:
            await self._child.wait(1.0)
            self.end = ending(self._child.code)
        self._wire.closed.set()
        self._ends.to_client.close()

    async def _take(self, line: bytes | int) -> None:
        """One line, or the length of one that was too long."""
        if isinstance(line, int):
            self._wire.log.note(f"({line:,} bytes, left out)", sent=False)
            for failed in self._wire.left_out(f"{line:,} bytes"):
                await self._ends.to_client.send(failed)
            return
        text = line.decode(errors="replace").strip()
        if not text:
            return
        message = self._wire.parsed(text)
        if message is None:
            await self._note_garbage(text)
            return
        self._garbage = 0
        if await self._wire.heard(message, text):
            await self._ends.to_client.send(SessionMessage(message))

    async def _note_garbage(self, text: str) -> None:
        self._garbage += 1
        await anyio.lowlevel.checkpoint()
        self._wire.log.note(text, sent=False)
        shown = self._wire.log.masked(text[:200])
        self._wire.notes.setdefault(
            "garbage",
            f"It writes text to its standard output that is no MCP message and was passed over: “{shown}”.",
        )

    async def _lines(self) -> AsyncIterator[bytes | int]:
        """Lines without their ends; of one that is too long, which is not kept, its length."""
        pace = Pace(BYTES_A_SECOND, BYTES_AT_ONCE)
        parts: list[bytes] = []
        length = 0
        while True:
            chunk = await self._child.stdout.receive(READ_BYTES)
            await pace.spend(len(chunk))
            *whole, rest = chunk.split(b"\n")
            for piece in whole:
                length += len(piece)
                yield length if length > MESSAGE_BYTES else b"".join((*parts, piece))
                parts, length = [], 0
            length += len(rest)
            if length <= MESSAGE_BYTES:
                parts.append(rest)
            else:
                parts = []

    async def _write(self) -> None:
        try:
            async for item in self._ends.from_client:
                await self._child.stdin.send(f"{self._wire.sent(item.message)}\n".encode())
        except GONE:
            self._ends.from_client.close()

    async def _read_stderr(self) -> None:
        pace = Pace(STDERR_BYTES_A_SECOND, STDERR_BYTES_AT_ONCE)
        try:
            async for chunk in _chunks(self._child.stderr):
                self._wire.log.note_stderr(chunk.decode(errors="replace"))
                await pace.spend(len(chunk))
        except GONE:
            return


async def _chunks(stream: ByteReceiveStream) -> AsyncIterator[bytes]:
    while True:
        yield await stream.receive(READ_BYTES)
