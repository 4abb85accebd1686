"""MCP over the pipes of a process: one message a line, each line bounded, and nothing that cannot be given up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
from anyio.abc import ByteReceiveStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from app.adapters.mcp.wire import BYTES_A_SECOND, BYTES_AT_ONCE, MESSAGE_BYTES, Ends, Incoming, Pace, Wire
from app.adapters.process.child import Child, ending

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
            "garbage", f"It writes text to its standard output that is no MCP message and was passed over: “{shown}”."
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
