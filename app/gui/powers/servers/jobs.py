"""Jobs of the pane of a power's server: record, wire log, tools, calls."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.domain.errors import PowerError
from app.domain.running import RunRecord, ToolResult, WireMessage
from app.gui.bridge.engine_thread import Worker

if TYPE_CHECKING:
    from app.services.workbench import Workbench


@dataclass(frozen=True, slots=True)
class StoredPower:
    """The stored state of a power, running or not: its record, and if it is approved."""

    power: str
    record: RunRecord
    is_approved: bool


@dataclass(frozen=True, slots=True)
class WireLog:
    """The messages on the wire, oldest first, and the server's standard error."""

    power: str
    exchanges: tuple[WireMessage, ...]
    stderr: str


class ServerJobs(QObject):
    """Jobs of the pane. A ticket tells a call from a later one; at most one call runs at a time."""

    known = Signal(StoredPower)
    wire_found = Signal(WireLog)
    progressed = Signal(int, float, Real, str)  # ticket, done, of how much or None, what the server says
    called = Signal(int, ToolResult)  # ticket, ToolResult
    call_failed = Signal(int, str)  # ticket, a sentence
    took = Signal(str, bool)  # name, if that changed anything
    refused = Signal(str)  # a sentence

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._call: asyncio.Task[ToolResult] | None = None

    def load(self, name: str) -> None:
        """Load the stored state of a power."""

        async def act(bench: Workbench) -> StoredPower:
            records = await bench.gateway.records()
            return StoredPower(name, records.get(name, RunRecord()), await bench.gateway.is_approved(name))

        self._worker.do(act, self.known.emit, lambda _: None)  # a power that is gone is missing in the table

    def find_wire(self, name: str) -> None:
        """Fetch the messages and the log."""

        async def act(bench: Workbench) -> WireLog:
            # Masking takes up to 0.1 s, for which no query waits.
            exchanges = await asyncio.to_thread(bench.gateway.exchanges, name)
            return WireLog(name, exchanges, await asyncio.to_thread(bench.gateway.stderr, name))

        self._worker.do(act, self.wire_found.emit, self.refused.emit)

    def take_tools(self, name: str) -> None:
        """Let queries be scored against the tools that the server listed, as a step of the journal."""

        async def act(bench: Workbench) -> bool:
            return await bench.gateway.take_tools(name)

        self._worker.do(act, lambda changed: self.took.emit(name, changed), self.refused.emit)

    def saw_tools(self, name: str) -> None:
        """A person has seen the tools as they are."""
        self._worker.do(lambda bench: bench.gateway.saw_tools(name), lambda _: None, self.refused.emit)

    def call(self, ticket: int, power: str, tool: str, arguments: Mapping[str, Any]) -> None:
        """Call a tool."""

        async def progress(done: float, total: float | None, said: str) -> None:
            self.progressed.emit(ticket, done, total, said)

        async def act(bench: Workbench) -> ToolResult:
            call = asyncio.create_task(bench.gateway.call(power, tool, arguments, progress=progress))
            self._call = call
            try:
                await asyncio.wait((call,))
            finally:
                call.cancel()  # nothing goes on if the window is closed meanwhile
            if call.cancelled():
                raise PowerError("The call was cancelled.")
            return call.result()

        self._worker.do(
            act,
            lambda result: self.called.emit(ticket, result),
            lambda sentence: self.call_failed.emit(ticket, sentence),
        )

    def cancel(self) -> None:
        """Cancel the call; the server is notified."""

        async def act(bench: Workbench) -> None:
            if self._call is not None:
                self._call.cancel()

        self._worker.do(act, lambda _: None, lambda _: None)
