"""Workbench behind the MCP server: opened in the background, so that clients do not wait."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from app.display.words import visible
from app.domain.history import Access, Source, UsageCounter, turns_outcome
from app.domain.inspection import Inspection
from app.domain.library import Answer
from app.domain.match import Match
from app.domain.running import Activation, PowerRun, ToolResult
from app.ports.power import Progress
from app.services.events import Event
from app.services.status import EncoderState, Status
from app.services.workbench import Workbench

WAITING_SECONDS = 0.1
"""Interval of progress reports while the engine loads, in seconds."""

LEARNING_SECONDS = 5.0
"""Longest wait for trained examples in seconds; stored ones take less, a new fit may not."""

MOST_SEARCHES = 64
"""Maximum number of sessions whose searches are stored."""

SESSION = ContextVar[str | None]("SESSION", default="")
"""Session of the current call, None outside sessions; inherited by every task of a call."""


class Powers(Protocol):
    """Assistants' access to powers: the gateway without approval."""

    run_changed: Event[PowerRun]

    def runs(self) -> Mapping[str, PowerRun]: ...
    async def activate(self, name: str) -> Activation: ...
    async def deactivate(self, name: str) -> None: ...
    async def call(
        self, power: str, tool: str, arguments: Mapping[str, Any], *, progress: Progress | None = None
    ) -> ToolResult: ...
    async def approvals(self) -> frozenset[str]: ...
    async def steering(self, name: str) -> str: ...
    def begin_turn(self) -> None: ...


class HistoryLog(Protocol):
    """Part of the history that assistants write to."""

    def note(
        self,
        inspection: Inspection,
        source: Source = ...,
        accesses: Sequence[Access] = ...,
        *,
        first: Match | None = ...,
    ) -> None: ...
    def note_chosen(self, inspection: Inspection, answer: Answer, source: Source) -> None: ...


@dataclass
class PowerSearch:
    """A session's search for a power: number of queries, and the offered answers."""

    asks: int = 0
    offered: dict[str, tuple[Inspection, Answer]] = field(default_factory=dict)


class AssistantWorkbench:
    """Async context: a workbench for assistants with powers and history, opened in background."""

    def __init__(self, workbench: Workbench, powers: Powers, history: HistoryLog) -> None:
        self.workbench, self.powers, self.history = workbench, powers, history
        self._opening: asyncio.Task[None] | None = None
        self._reported: dict[str, str] = {}
        self._searches: dict[str, PowerSearch] = {}
        workbench.status_changed.subscribe(self._report_faults)

    async def __aenter__(self) -> Self:
        self._opening = asyncio.create_task(self.workbench.open())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._opening is not None
        # During opening, library and encoder could not be closed in order.
        await asyncio.wait([self._opening])
        await self.workbench.close()

    def _report_faults(self, status: Status) -> None:
        """Report each fault once on stderr, which assistants store as the server's log."""
        told = {**status.faults, **({"environment": said} if (said := status.notes.get("environment")) else {})}
        for part, sentence in told.items():
            if self._reported.get(part) != sentence:
                print(f"intentscope: {visible(sentence)}", file=sys.stderr, flush=True)
        self._reported = told

    def note_search(self, inspection: Inspection, offered: Sequence[Answer]) -> None:
        """Count a session's query for a power and store the offers; the oldest are evicted."""
        session = SESSION.get()
        if session is None:
            return
        search = self._searches.pop(session, PowerSearch())
        search.asks += 1
        search.offered = {answer.name: (inspection, answer) for answer in offered}
        self._searches[session] = search
        while len(self._searches) > MOST_SEARCHES:
            del self._searches[next(iter(self._searches))]

    def note_choice(self, name: str) -> None:
        """Record the assistant's choice among several offers, for a user's review."""
        search = self._searches.get(SESSION.get() or "")
        if SESSION.get() is not None and search is not None and name in search.offered:
            self.history.note_chosen(*search.offered[name], Source.MCP)
            search.offered = {}

    def note_call(self) -> None:
        """Record a tool call: the session's search ends, its number of turns is counted."""
        session = SESSION.get()
        search = None if session is None else self._searches.pop(session, None)
        if search is not None:
            self.workbench.usage.count(UsageCounter.TURNS, turns_outcome(search.asks - 1))

    async def wait_open(self) -> None:
        """Wait until the library is open, or cannot be opened."""
        assert self._opening is not None, "it is used as a context"
        await asyncio.shield(self._opening)

    async def opened(self) -> Workbench:
        """Return the workbench with its library; raises StoreError if it cannot be opened."""
        await self.wait_open()
        self.workbench.library  # noqa: B018  (StoreError)
        return self.workbench

    async def ready(self, progress: Progress) -> Workbench:
        """Return the workbench once scoring is complete or cannot be, with progress reports."""
        workbench = await self.opened()
        await until_scored(workbench, progress)
        return workbench


async def until_scored(workbench: Workbench, progress: Progress, learning_seconds: float = LEARNING_SECONDS) -> None:
    """Wait until queries are scored with vectors and trained examples, or cannot be.

    Does not wait for the LLM, and for a long fit at most `learning_seconds`.
    """
    waited = 0
    all_ready = asyncio.create_task(workbench.ready())
    try:
        while not (all_ready.done() or _is_scored(workbench)):
            await asyncio.wait([all_ready], timeout=WAITING_SECONDS)
            waited += 1
            if not _is_scored(workbench):
                await progress(waited, None, _loading_state(workbench))
        with suppress(TimeoutError):
            await asyncio.wait_for(workbench.examples_trained(), learning_seconds)
    finally:
        all_ready.cancel()


def _is_scored(workbench: Workbench) -> bool:
    status = workbench.status()
    return status.encoder_state is not EncoderState.LOADING and status.embedded >= status.to_embed


def _loading_state(workbench: Workbench) -> str:
    status = workbench.status()
    if status.encoder_state is EncoderState.LOADING:
        return f"The encoder {status.encoder} is loading."
    return f"Vectors: {status.embedded:,} of {status.to_embed:,}."
