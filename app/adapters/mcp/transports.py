"""MCP over streamable HTTP and over the pipes of a process, with limits."""

from __future__ import annotations

import asyncio
import re
import time
from base64 import b64decode
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import anyio
import anyio.lowlevel
import anyio.to_thread
from anyio.abc import ByteReceiveStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage

from app.adapters.mcp.answers import OPENING
from app.adapters.mcp.child import Child, ending
from app.adapters.mcp.http_client import HttpClient
from app.adapters.mcp.wire import BYTES_A_SECOND, BYTES_AT_ONCE, MESSAGE_BYTES, Ends, Incoming, Pace, Wire, tapped
from app.domain.errors import PowerError
from app.domain.running import shown

NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""Valid name of a header (RFC 9110, 5.1)."""

VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?", re.ASCII)
"""Valid value of a header (RFC 9110, 5.5), as all servers accept it."""

OWN = frozenset(
    "accept accept-encoding connection content-encoding content-length content-type host last-event-id "
    "mcp-protocol-version mcp-session-id te trailer transfer-encoding upgrade".split()
)
"""Headers reserved for the connection."""


def sendable(given: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with a value; raises PowerError, without the value, if one is invalid."""
    for name, value in given.items():
        if not NAME.fullmatch(name):
            raise PowerError(f"“{name[:60]}” cannot be the name of a header: mend it on the power's page.")
        if name.lower() in OWN:
            raise PowerError(f"The header {name[:60]} is the connection's own: take it out on the power's page.")
        if value and not VALUE.fullmatch(value):
            raise PowerError(f"The value of the header {name[:60]} cannot be sent: enter it again on the power's page.")
    return {name: value for name, value in given.items() if value}


BASIC = re.compile(r"basic\s+((?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2,3}=*)?)\s*", re.IGNORECASE)
"""Value of a header with a user and a password in Base64."""


def secrets_of(headers: Mapping[str, str]) -> list[str]:
    """Return the values to mask: all, the part after a scheme such as "Bearer …", and passwords."""
    behind = (value.partition(" ")[2].strip() for value in headers.values())
    basic = (b64decode(f"{found[1]}==") for value in headers.values() if (found := BASIC.fullmatch(value)))
    passwords = (value.decode("utf-8", "replace").partition(":")[2] for value in basic)
    return [*headers.values(), *filter(None, (*behind, *passwords))]


def lacking(given: Iterable[str], sent: Mapping[str, str]) -> str:
    """Return a sentence on headers without a value; "" if all have one."""
    names = [name for name in given if name not in sent]
    return f"No value is stored for {', '.join(names)}, so it was asked without." if names else ""


# ---- MCP over HTTP: the MCP client's transports over an HTTP client with limits and repairs

ENDPOINT_SECONDS = 5.0
"""Time-out in seconds for the message address of an old server."""

Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def connected(url: str, wire: Wire, given: Mapping[str, str], *, is_old: bool = False) -> AsyncIterator[Streams]:
    """Open the client's streams to a server at an address; on leaving, the session ends.

    The headers in `given` with a value are sent to this address only; raises PowerError if one is invalid. The old
    way is MCP 2024-11-05: an event stream, and an address for messages.
    """
    headers = sendable(given)
    ends = Ends()
    make = partial(HttpClient, wire, url, headers, lacking(given, headers), ends if is_old else None)
    client = await anyio.to_thread.run_sync(make)  # reads the machine's certificates
    async with AsyncExitStack() as opened:
        opened.callback(ends.close)
        if is_old:
            async with asyncio.timeout(ENDPOINT_SECONDS):
                reads, writes = await opened.enter_async_context(
                    sse_client(url, httpx_client_factory=lambda headers=None, timeout=None, auth=None: client)
                )
            wire.notes["old"] = "It speaks HTTP with SSE, the old way of MCP: ask its maker for a streamable address."
        else:
            await opened.enter_async_context(client)
            reads, writes = await opened.enter_async_context(
                streamable_http_client(url, http_client=client, max_sse_event_size=2 * MESSAGE_BYTES)
            )
        yield await opened.enter_async_context(tapped(wire, reads, writes, ends))


# ---- MCP over the pipes of a process: one message per line, with limits, cancellable.


READ_BYTES = 64 * 1024
STDERR_BYTES_A_SECOND, STDERR_BYTES_AT_ONCE = 1_000_000.0, 4_000_000.0
"""Reading pace of a flooded standard error, of which only the end is kept."""

TURN_SECONDS = 0.01
"""Longest time in seconds that lines are read before other tasks run."""

MOST_GARBAGE = 1_000
"""Number of consecutive invalid lines after which the server counts as no MCP server."""

PAUSE_SECONDS = 0.5
"""Pause in seconds after which an incomplete message is given up, and its request fails."""

MOST_TRIED = 2 * MESSAGE_BYTES
"""Number of bytes read repeatedly before a multi-line message is given up."""

GONE = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)
"""Exceptions of a pipe that is closed at its other end."""


class Pipes:
    """Pipes of one running server."""

    def __init__(self, child: Child, wire: Wire) -> None:
        self._child, self._wire = child, wire
        self._ends = Ends()
        self._garbage = 0
        self._begun: list[str] = []
        """Lines of an incomplete message."""
        self._begun_size = self._tried = 0
        self.end = ""
        """Description of its end, to follow the server's name; "" while running."""

    @asynccontextmanager
    async def opened(
        self,
    ) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
        """Open the client's streams; on leaving, the process and its children are ended."""
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
        turn_ends = 0.0
        try:
            async for line in self._lines():
                if isinstance(line, int):
                    self._wire.log.note(f"({line:,} bytes, left out)", sent=False)
                    await self._pass_on(self._wire.left_out(f"{line:,} bytes"), "")
                elif line is None:
                    await self._give_up_begun()
                else:
                    await self._take(line.decode(errors="replace").rstrip("\r"))
                if time.monotonic() > turn_ends:  # a chunk may have thousands of lines
                    await anyio.lowlevel.checkpoint()
                    turn_ends = time.monotonic() + TURN_SECONDS
                if self._garbage > MOST_GARBAGE:
                    self.end = "was stopped"
                    break
            await self._give_up_begun()
        except GONE:
            pass
        await self._record_end()

    async def _record_end(self) -> None:
        """Record how it ended, before the client notices."""
        if not self.end:
            await self._child.wait(1.0)
            self.end = ending(self._child.code)
        self._wire.closed.set()
        self._ends.to_client.close()

    async def _take(self, line: str) -> None:
        """Process one line: messages, part of a multi-line one, or other text."""
        if self._begun and OPENING.search(line) is None:
            await self._go_on(line)
            return
        messages, begun = self._wire.read(line)
        if messages:
            await self._give_up_begun()
            self._garbage = 0
            self._begin(begun)
            await self._pass_on(messages, line)
        elif self._begun:
            await self._go_on(line)
        elif begun:
            self._begin(begun)
        elif line.strip():
            await self._note_garbage(line)

    def _begin(self, begun: str) -> None:
        self._begun = [begun] if begun else []
        self._begun_size, self._tried = len(begun), 0

    async def _go_on(self, line: str) -> None:
        """Add a line to an incomplete message."""
        self._begun.append(line)
        self._begun_size += len(line) + 1
        last = line.strip()
        if last.endswith(("}", "]")) and (len(last) > 1 or last == line):  # an indented bracket only ends a part of it
            text = "\n".join(self._begun)
            self._tried += len(text)
            messages, begun = self._wire.read(text)
            if messages:
                self._begin("")
                await self._pass_on(messages, text)
            elif not begun:
                await self._give_up_begun()
        if self._begun_size > MESSAGE_BYTES or self._tried > MOST_TRIED:
            await self._give_up_begun()

    async def _give_up_begun(self) -> None:
        """Give up an incomplete message: its request fails."""
        text = "\n".join(self._begun)
        self._begin("")
        if text:
            failures = self._wire.unreadable(text, "its end is missing")
            await self._pass_on(failures, "")
            await self._note_garbage(text, is_told=bool(failures))

    async def _pass_on(self, messages: list[JSONRPCMessage], text: str) -> None:
        await self._wire.pass_on(messages, self._ends, text)

    async def _note_garbage(self, text: str, *, is_told: bool = False) -> None:
        """Record text that is no message; `is_told`: a call has failed because of it."""
        self._garbage += 1
        self._wire.log.note(text, sent=False)
        if not is_told:
            self._wire.log.note_printed(text)
            said = shown(self._wire.log.masked(text[:1_000]), 200)
            note = f"It writes text to its standard output that is no MCP message and was passed over: “{said}”."
            self._wire.notes.setdefault("garbage", note)

    async def _lines(self) -> AsyncIterator[bytes | int | None]:
        """Yield lines without ends; the length of a line that is too long; None after a pause.

        An unterminated line is yielded after a pause, and at the end.
        """
        pace = Pace(BYTES_A_SECOND, BYTES_AT_ONCE)
        parts: list[bytes] = []
        length = 0
        is_paused = False
        while True:
            chunk: bytes | None = None
            wait = PAUSE_SECONDS if (self._begun or parts) and not is_paused else None
            with anyio.move_on_after(wait) as pause:
                try:
                    chunk = await self._child.stdout.receive(READ_BYTES)
                except GONE:
                    break
            is_paused = pause.cancelled_caught
            if chunk is None:
                rest = b"".join(parts)
                if rest and (self._begun or self._wire.read(rest.decode(errors="replace"))[0]):
                    yield rest
                    parts, length = [], 0
                yield None
                continue
            await pace.spend(len(chunk))
            *whole, rest = chunk.split(b"\n")
            for piece in whole:
                length += len(piece)
                if length or self._begun:  # other empty lines say nothing
                    yield length if length > MESSAGE_BYTES else b"".join((*parts, piece))
                parts, length = [], 0
            length += len(rest)
            if length > MESSAGE_BYTES:
                parts = []
            elif rest:
                parts.append(rest)
        if parts:
            yield b"".join(parts)

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
