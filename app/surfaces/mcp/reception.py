"""Where the calls of assistants arrive: it answers at once that it is there, while the engine behind it still loads."""

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
from app.domain.review.use import UsageCounter, turns_outcome
from app.domain.running import Activation, PowerRun, ToolResult
from app.domain.scope.inspection import Inspection
from app.ports.power import Progress
from app.services.core import EncoderState, Status
from app.services.events import Event
from app.services.workbench import Workbench

WAITING_SECONDS = 0.1
"""So often a caller hears that the engine still loads."""

LEARNING_SECONDS = 5.0
"""What was learned before is there in less; a new fit of a large library is not waited for any longer."""

MOST_SEARCHES = 64
"""Of so many sessions it is remembered what they look for."""

SESSION = ContextVar[str | None]("SESSION", default="")
"""Of the assistant that is being answered, None where calls belong to no session: set where a call enters, and taken
along by all that it starts."""


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

    def note(self, inspection: Inspection, source: Source = ..., accesses: Sequence[Access] = ...) -> None: ...
    def note_chosen(self, inspection: Inspection, answer: Answer, source: Source) -> None: ...


@dataclass
class Search:
    """What an assistant has done to find a power that it has not used yet: how often it asked, and what it was offered
    to choose from."""

    asks: int = 0
    offered: dict[str, tuple[Inspection, Answer]] = field(default_factory=dict)


class Reception:
    """A workbench for assistants, opened in the background and closed at the end, with powers and past queries."""

    def __init__(self, workbench: Workbench, powers: Powers, past: Past) -> None:
        self.workbench, self.powers, self.past = workbench, powers, past
        self._opening: asyncio.Task[None] | None = None
        self._told: dict[str, str] = {}
        self._searches: dict[str, Search] = {}
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

    def asked(self, inspection: Inspection, offered: Sequence[Answer]) -> None:
        """Remember that the assistant of this session asked for a power, and what it may choose from now; the oldest
        sessions are forgotten."""
        session = SESSION.get()
        if session is None:
            return
        search = self._searches.pop(session, Search())
        search.asks += 1
        search.offered = {answer.name: (inspection, answer) for answer in offered}
        self._searches[session] = search
        while len(self._searches) > MOST_SEARCHES:
            del self._searches[next(iter(self._searches))]

    def chosen(self, name: str) -> None:
        """An assistant took an answer by its name: if it was offered among several, a person is asked whether that was
        right. Nothing is taught by itself."""
        search = self._searches.get(SESSION.get() or "")
        if SESSION.get() is not None and search is not None and name in search.offered:
            self.past.note_chosen(*search.offered[name], Source.MCP)
            search.offered = {}

    def called(self) -> None:
        """An assistant uses a power: what it looked for is found, after so many turns."""
        session = SESSION.get()
        search = None if session is None else self._searches.pop(session, None)
        if search is not None:
            self.workbench.use.count(UsageCounter.TURNS, turns_outcome(search.asks - 1))

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
