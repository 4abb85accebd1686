"""Standard input and output as a line to an assistant, which can be let go of at any moment."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Thread
from types import FrameType
from typing import Any, Self, cast

from mcp.server.stdio import stdio_server

from app.surfaces.mcp.handshake import Handshake

MOST_LINE_BYTES = 4 * 2**20
"""Of a longer message only the start is read, which is then no message any more."""

CHUNK_BYTES = 65_536
WAITING_LINES = 64


HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""How JSON writes half of a character beyond the first 65,536."""


def whole_text(line: str) -> str:
    """The message with halves of characters that lack the other half replaced: whoever cuts a text in the middle of an
    emoji sends one, and a message with it is refused as a whole, without an answer to wait for."""
    if not HALF.search(line):
        return line
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return json.dumps(message, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Lines:
    """The lines of a file descriptor as text, read on a thread that nobody waits for: a read cannot be cancelled."""

    def __init__(self, descriptor: int, buffered: bytes = b"") -> None:
        self._descriptor = descriptor
        self._first = buffered
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue(WAITING_LINES)
        self._loop = asyncio.get_running_loop()
        self._has_ended = False
        Thread(target=self._read, name="standard input", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        line = None if self._has_ended else await self._waiting.get()
        if line is None or self._has_ended:
            raise StopAsyncIteration
        return line

    def end(self) -> None:
        """Let whoever waits for a line see the end."""
        self._has_ended = True
        if self._waiting.empty():
            self._waiting.put_nowait(None)

    def _read(self) -> None:
        buffered, is_cut = bytearray(), False
        while chunk := self._chunk():
            if is_cut:
                _, end, chunk = chunk.partition(b"\n")
                is_cut = not end
                if is_cut:
                    continue
            *whole, buffered = (buffered + chunk).split(b"\n")
            for line in whole:
                self._put(line)
            if len(buffered) > MOST_LINE_BYTES:
                self._put(buffered)
                buffered, is_cut = bytearray(), True
        if buffered.strip():
            self._put(buffered)
        self._put(None)

    def _chunk(self) -> bytes:
        if self._first:
            buffered, self._first = self._first, b""
            return buffered
        try:
            return os.read(self._descriptor, CHUNK_BYTES)
        except OSError:
            return b""  # a closed terminal is an end too

    def _put(self, line: bytearray | None) -> None:
        text = None if line is None else whole_text(line.decode("utf-8", "replace"))
        if self._loop.is_closed():
            return
        put = self._waiting.put(text)
        try:
            asyncio.run_coroutine_threadsafe(put, self._loop).result()
        except RuntimeError:
            put.close()  # the program is ending


class Unrepeated:
    """Decorator: a stream of messages that leaves out the answer to one request, which has been given."""

    def __init__(self, stream: Any, number: int | str) -> None:
        self._stream, self._number = stream, number
        self._is_left_out = False

    async def send(self, message: Any) -> None:
        """Send it, or let it go."""
        said = message.message
        if not self._is_left_out and getattr(said, "id", None) == self._number and not hasattr(said, "method"):
            self._is_left_out = True
            return
        await self._stream.send(message)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._stream.__aexit__(*raised)


@asynccontextmanager
async def standard_streams(handshake: Handshake) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of MCP over standard input and output, for `Server.run`; it does not answer again what the
    greeting has answered.

    Meanwhile 0 is the null device and 1 is stderr, so that neither children nor stray prints touch the line.
    """
    line_in = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout.flush()
    try:
        lines = Lines(line_in, handshake.buffered)
        async with stdio_server(stdin=cast("Any", lines)) as (read, write):
            try:
                yield read, write if handshake.answered_id is None else Unrepeated(write, handshake.answered_id)
            finally:
                lines.end()
    finally:
        os.dup2(line_in, 0)


# --------------------------------------------------------------------------------------------------------------------
# How a server ends: by a signal, once and in order; a second signal ends it at once

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signal() -> Iterator[asyncio.Event]:
    """An event that SIGINT and SIGTERM set; on threads other than the main one nobody sets it."""
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
