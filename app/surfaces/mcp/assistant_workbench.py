"""The workbench behind the MCP server: opened in the background, so that clients do not wait for it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from app.display.visible import visible
from app.domain.library import Answer
from app.domain.review.history import Access, Source
from app.domain.review.usage import UsageCounter, turns_outcome
from app.domain.running import Activation, PowerRun, ToolResult
from app.domain.scope.inspection import Inspection
from app.ports.power import Progress
from app.services.core import EncoderState, Status
from app.services.events import Event
from app.services.workbench import Workbench

WAITING_SECONDS = 0.1
"""The interval of progress reports while the engine loads."""

LEARNING_SECONDS = 5.0
"""The longest wait for trained examples: stored ones load in less, a new fit of a large library may take longer."""

MOST_SEARCHES = 64
"""The searches of so many sessions are remembered."""

SESSION = ContextVar[str | None]("SESSION", default="")
"""The session of the current call, None where calls belong to none; inherited by every task that a call starts."""


class Powers(Protocol):
    """What assistants may do with powers: the gateway without approving, which a person does."""

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


class HistoryLog(Protocol):
    """The part of the history that assistants write to."""

    def note(self, inspection: Inspection, source: Source = ..., accesses: Sequence[Access] = ...) -> None: ...
    def note_chosen(self, inspection: Inspection, answer: Answer, source: Source) -> None: ...


@dataclass
class PowerSearch:
    """A session's search for a power: how many queries it took so far, and the answers that were offered."""

    asks: int = 0
    offered: dict[str, tuple[Inspection, Answer]] = field(default_factory=dict)


class AssistantWorkbench:
    """Async context: a workbench for assistants with powers and history, opened in the background."""

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
        # Half-way through, library and encoder could not be let go of in order.
        await asyncio.wait([self._opening])
        await self.workbench.close()

    def _report_faults(self, status: Status) -> None:
        """Report each fault once on stderr, which assistants keep as the server's log."""
        told = {**status.faults, **({"environment": said} if (said := status.notes.get("environment")) else {})}
        for part, sentence in told.items():
            if self._reported.get(part) != sentence:
                print(f"intentscope: {visible(sentence)}", file=sys.stderr, flush=True)
        self._reported = told

    def note_search(self, inspection: Inspection, offered: Sequence[Answer]) -> None:
        """Count a query for a power in this session and remember what was offered; the oldest sessions are evicted."""
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
        """Note which answer the assistant chose: if several were offered, a person is asked whether that was right."""
        search = self._searches.get(SESSION.get() or "")
        if SESSION.get() is not None and search is not None and name in search.offered:
            self.history.note_chosen(*search.offered[name], Source.MCP)
            search.offered = {}

    def note_call(self) -> None:
        """Note that a power's tool is called: the search of this session ends, its turns are counted."""
        session = SESSION.get()
        search = None if session is None else self._searches.pop(session, None)
        if search is not None:
            self.workbench.usage.count(UsageCounter.TURNS, turns_outcome(search.asks - 1))

    async def wait_open(self) -> None:
        """Wait until the library is open, or cannot be opened."""
        assert self._opening is not None, "it is used as a context"
        await asyncio.shield(self._opening)

    async def opened(self) -> Workbench:
        """The workbench with its library; StoreError if it cannot be opened."""
        await self.wait_open()
        self.workbench.library  # noqa: B018  (StoreError)
        return self.workbench

    async def ready(self, progress: Progress) -> Workbench:
        """The workbench, once queries are scored by meaning or cannot be; reports progress while it waits."""
        workbench = await self.opened()
        await until_scored(workbench, progress)
        return workbench


async def until_scored(workbench: Workbench, progress: Progress, learning_seconds: float = LEARNING_SECONDS) -> None:
    """Wait until queries are scored by meaning and by trained examples, or it is known that they cannot be.

    The LLM is not waited for, and a long fit no longer than `learning_seconds`.
    """
    waited = 0
    all_ready = asyncio.create_task(workbench.ready())
    try:
        while not (all_ready.done() or _is_scored(workbench)):
            await asyncio.wait([all_ready], timeout=WAITING_SECONDS)
            waited += 1
            if not _is_scored(workbench):
                await progress(waited, None, _what_loads(workbench))
        with suppress(TimeoutError):
            await asyncio.wait_for(workbench.examples_trained(), learning_seconds)
    finally:
        all_ready.cancel()


def _is_scored(workbench: Workbench) -> bool:
    status = workbench.status()
    return status.encoder_state is not EncoderState.LOADING and status.embedded >= status.to_embed


def _what_loads(workbench: Workbench) -> str:
    status = workbench.status()
    if status.encoder_state is EncoderState.LOADING:
        return f"The encoder {status.encoder} is loading."
    return f"Vectors: {status.embedded:,} of {status.to_embed:,}."
