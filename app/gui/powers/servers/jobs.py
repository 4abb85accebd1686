"""Jobs of the server pane: record, wire log, tools, calls."""

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
    """Stored state of a power, running or not: its record and approval."""

    power: str
    record: RunRecord
    is_approved: bool


@dataclass(frozen=True, slots=True)
class WireLog:
    """Messages on the wire, oldest first, and the server's stderr."""

    power: str
    exchanges: tuple[WireMessage, ...]
    stderr: str


class ServerJobs(QObject):
    """Jobs of the pane. A ticket identifies a call; at most one call runs at a time."""

    known = Signal(StoredPower)
    wire_found = Signal(WireLog)
    progressed = Signal(int, float, Real, str)  # ticket, done, total or None, the server's message
    called = Signal(int, ToolResult)  # ticket, ToolResult
    call_failed = Signal(int, str)  # ticket, sentence
    took = Signal(str, bool)  # name, True if that changed anything
    refused = Signal(str)  # sentence

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._call: asyncio.Task[ToolResult] | None = None

    def load(self, name: str) -> None:
        """Load the stored state of a power."""

        async def act(bench: Workbench) -> StoredPower:
            records = await bench.gateway.records()
            return StoredPower(name, records.get(name, RunRecord()), await bench.gateway.is_approved(name))

        self._worker.do(act, self.known.emit, lambda _: None)  # a deleted power is missing in the table

    def find_wire(self, name: str) -> None:
        """Load the messages and the log."""

        async def act(bench: Workbench) -> WireLog:
            # Masking takes up to 0.1 s; no query waits for it.
            exchanges = await asyncio.to_thread(bench.gateway.exchanges, name)
            return WireLog(name, exchanges, await asyncio.to_thread(bench.gateway.stderr, name))

        self._worker.do(act, self.wire_found.emit, self.refused.emit)

    def take_tools(self, name: str) -> None:
        """Score queries against the listed tools, as a journal step."""

        async def act(bench: Workbench) -> bool:
            return await bench.gateway.take_tools(name)

        self._worker.do(act, lambda changed: self.took.emit(name, changed), self.refused.emit)

    def saw_tools(self, name: str) -> None:
        """Mark the present tools as seen."""
        self._worker.do(lambda bench: bench.gateway.saw_tools(name), lambda _: None, self.refused.emit)

    def call(self, ticket: int, power: str, tool: str, arguments: Mapping[str, Any]) -> None:
        async def progress(done: float, total: float | None, said: str) -> None:
            self.progressed.emit(ticket, done, total, said)

        async def act(bench: Workbench) -> ToolResult:
            call = asyncio.create_task(bench.gateway.call(power, tool, arguments, progress=progress))
            self._call = call
            try:
                await asyncio.wait((call,))
            finally:
                call.cancel()  # no call continues after the window is closed
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
