"""MCP over standard input and output, cancellable at any moment."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from threading import Thread
from types import FrameType
from typing import Any, Self, cast

from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError

from app.surfaces.mcp.handshake import Handshake
from app.surfaces.mcp.repair import answered_to, repaired, too_long

MOST_LINE_BYTES = 4 * 2**20
"""Maximum bytes of a message; a longer one is refused."""

ENDS_BYTES = 300
"""Bytes kept of either end of a message that is too long, for its id."""

CHUNK_BYTES = 65_536
WAITING_LINES = 64


class StdinLines:
    """Lines of a file descriptor, read on a daemon thread, since a read cannot be cancelled."""

    def __init__(self, descriptor: int, buffered: bytes = b"") -> None:
        self._descriptor = descriptor
        self._first = buffered
        self._waiting: asyncio.Queue[str | JSONRPCError | None] = asyncio.Queue(WAITING_LINES)
        self.reply: Callable[[SessionMessage], Awaitable[None]] | None = None
        """Sends an error in reply to an unacceptable line."""
        self._loop = asyncio.get_running_loop()
        self._has_ended = False
        Thread(target=self._read, name="standard input", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        while not self._has_ended:
            line = await self._waiting.get()
            if isinstance(line, JSONRPCError):
                if self.reply is not None:
                    await self.reply(SessionMessage(line))
            elif line is None:
                break
            elif not self._has_ended:
                return line
        raise StopAsyncIteration

    def end(self) -> None:
        """End the iteration for whoever waits for a line."""
        self._has_ended = True
        if self._waiting.empty():
            self._waiting.put_nowait(None)

    def _read(self) -> None:
        buffered, ends = bytearray(), b""
        while chunk := self._chunk():
            if ends:
                more, end, chunk = chunk.partition(b"\n")
                ends = ends[:ENDS_BYTES] + (ends[ENDS_BYTES:] + more)[-ENDS_BYTES:]
                if not end:
                    continue
                self._put([too_long(ends.decode("utf-8", "replace"), MOST_LINE_BYTES)])
                ends = b""
            *whole, buffered = (buffered + chunk).split(b"\n")
            for line in whole:
                self._put(repaired(line.decode("utf-8", "replace")))
            if len(buffered) > MOST_LINE_BYTES:
                buffered, ends = bytearray(), bytes(buffered[:ENDS_BYTES] + buffered[-ENDS_BYTES:])
        if ends:
            self._put([too_long(ends.decode("utf-8", "replace"), MOST_LINE_BYTES)])
        elif buffered.strip():
            self._put(repaired(buffered.decode("utf-8", "replace")))
        self._put([None])

    def _chunk(self) -> bytes:
        if self._first:
            buffered, self._first = self._first, b""
            return buffered
        try:
            return os.read(self._descriptor, CHUNK_BYTES)
        except OSError:
            return b""  # a closed terminal counts as the end

    def _put(self, items: Iterable[str | JSONRPCError | None]) -> None:
        for item in items:
            if self._loop.is_closed():
                return
            put = self._waiting.put(item)
            try:
                asyncio.run_coroutine_threadsafe(put, self._loop).result()
            except RuntimeError:
                put.close()  # the program is ending


class OriginalIds:
    """Decorator of the message stream: restores the client's original IDs.

    The answer to the request `answered`, which was sent before, is dropped once.
    """

    def __init__(self, stream: Any, answered: int | str | None) -> None:
        self._stream, self._answered = stream, answered

    async def send(self, message: Any) -> None:
        said = message.message
        if self._answered is not None and getattr(said, "id", None) == self._answered and not hasattr(said, "method"):
            self._answered = None
            return
        await self._stream.send(replace(message, message=answered_to(said)))

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._stream.__aexit__(*raised)


@asynccontextmanager
async def standard_streams(handshake: Handshake) -> AsyncIterator[tuple[Any, Any]]:
    """Open both streams of MCP over standard input and output, for `Server.run`.

    The handshake's answer is not repeated. Meanwhile 0 is the null device and 1 is stderr, so that neither child
    processes nor stray prints disturb the protocol.
    """
    line_in = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout.flush()
    try:
        lines = StdinLines(line_in, handshake.buffered)
        async with stdio_server(stdin=cast("Any", lines)) as (read, write):
            answers = OriginalIds(write, handshake.answered_id)
            lines.reply = answers.send
            try:
                yield read, answers
            finally:
                lines.end()
    finally:
        os.dup2(line_in, 0)


# ---- Shutdown: a first signal ends the server in order; a second one at once

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signal() -> Iterator[asyncio.Event]:
    """Make an event that SIGINT and SIGTERM set; outside the main thread it is never set."""
    stop = asyncio.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def heard(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        loop.call_soon_threadsafe(stop.set)

    try:
        for number in SIGNALS:
            signal.signal(number, heard)
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
