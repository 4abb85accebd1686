"""Where the calls of assistants arrive: a line that can be let go of, answered while the engine still loads."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from threading import Thread
from types import FrameType
from typing import Any, Protocol, Self, cast

from mcp.server.stdio import stdio_server

from app.display.visible import visible
from app.domain.history import Source
from app.domain.inspection import Inspection
from app.domain.running import Activation, PowerRun, ToolResult
from app.ports.power import Progress
from app.services.core import EncoderState, Status
from app.services.events import Event
from app.services.workbench import Workbench

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

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
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
        held, is_cut = bytearray(), False
        while chunk := self._chunk():
            if is_cut:
                _, end, chunk = chunk.partition(b"\n")
                is_cut = not end
                if is_cut:
                    continue
            *whole, held = (held + chunk).split(b"\n")
            for line in whole:
                self._put(line)
            if len(held) > MOST_LINE_BYTES:
                self._put(held)
                held, is_cut = bytearray(), True
        if held.strip():
            self._put(held)
        self._put(None)

    def _chunk(self) -> bytes:
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


@asynccontextmanager
async def standard_streams() -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of MCP over standard input and output, for `Server.run`.

    Meanwhile 0 is the null device and 1 is stderr, so that neither children nor stray prints touch the line.
    """
    line_in = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout.flush()
    try:
        lines = Lines(line_in)
        async with stdio_server(stdin=cast("Any", lines)) as streams:
            try:
                yield streams
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


# ---- Where the calls of assistants arrive: it answers at once that it is there, while the engine behind it still
# loads.


WAITING_SECONDS = 0.1
"""So often a caller hears that the engine still loads."""

LEARNING_SECONDS = 5.0
"""What was learned before is there in less; a new fit of a large library is not waited for any longer."""


class Powers(Protocol):
    """What assistants may do with powers: `services.gateway`, of which the approvals are a person's."""

    run_changed: Event[PowerRun]

    def runs(self) -> Mapping[str, PowerRun]: ...
    async def activate(self, name: str) -> Activation: ...
    async def deactivate(self, name: str) -> None: ...
    async def call(
        self, power: str, tool: str, arguments: Mapping[str, Any], *, progress: Progress | None = None
    ) -> ToolResult: ...
    async def approvals(self) -> frozenset[str]: ...
    async def steering(self, name: str) -> str: ...
    def turn(self) -> None: ...


class Past(Protocol):
    """What keeps the queries that were asked."""

    def note(self, inspection: Inspection, source: Source = ...) -> None: ...


class Reception:
    """A workbench for assistants, opened in the background and closed at the end, with powers and past queries."""

    def __init__(self, workbench: Workbench, powers: Powers, past: Past) -> None:
        self.workbench, self.powers, self.past = workbench, powers, past
        self._opening: asyncio.Task[None] | None = None
        self._told: dict[str, str] = {}
        workbench.status_changed.subscribe(self._tell_faults)

    async def __aenter__(self) -> Self:
        self._opening = asyncio.create_task(self.workbench.open())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._opening is not None
        # Half-way through, library and encoder could not be let go of in order.
        await asyncio.wait([self._opening])
        await self.workbench.close()

    def _tell_faults(self, status: Status) -> None:
        """What does not work is reported on stderr, each thing once: assistants keep that as the server's log."""
        for part, sentence in status.faults.items():
            if self._told.get(part) != sentence:
                print(f"intentscope: {visible(sentence)}", file=sys.stderr, flush=True)
        self._told = dict(status.faults)

    async def settled(self) -> None:
        """Wait until it is known whether the library can be opened."""
        assert self._opening is not None, "it is used as a context"
        await asyncio.shield(self._opening)

    async def opened(self) -> Workbench:
        """The workbench with its library; StoreError if it cannot be opened."""
        await self.settled()
        self.workbench.library  # noqa: B018  (StoreError)
        return self.workbench

    async def ready(self, tell: Progress) -> Workbench:
        """The workbench once queries are scored by meaning, or known not to be; tells while it waits."""
        workbench = await self.opened()
        await until_scored(workbench, tell)
        return workbench


async def until_scored(workbench: Workbench, tell: Progress, learning_seconds: float = LEARNING_SECONDS) -> None:
    """Wait until queries are scored by meaning and by what is learned, or it is known that they cannot be; whatever
    becomes of the LLM. A fit of a library that has changed may take long, and is not waited for to its end."""
    waited = 0
    everything = asyncio.create_task(workbench.ready())
    try:
        while not (everything.done() or _is_scored(workbench)):
            await asyncio.wait([everything], timeout=WAITING_SECONDS)
            waited += 1
            if not _is_scored(workbench):
                await tell(waited, None, _what_loads(workbench))
        with suppress(TimeoutError):
            await asyncio.wait_for(workbench.lessons_learned(), learning_seconds)
    finally:
        everything.cancel()


def _is_scored(workbench: Workbench) -> bool:
    status = workbench.status()
    return status.encoder_state is not EncoderState.LOADING and status.embedded >= status.to_embed


def _what_loads(workbench: Workbench) -> str:
    status = workbench.status()
    if status.encoder_state is EncoderState.LOADING:
        return f"The encoder {status.encoder} is loading."
    return f"Vectors: {status.embedded:,} of {status.to_embed:,}."
