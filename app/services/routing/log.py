"""Log of the router's decisions, as far as the history's privacy allows (S6.5)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from app.domain.errors import StoreError
from app.domain.filters import WHOLE, SearchResult, View, search_result
from app.domain.inspection import Inspection, RouteDecision
from app.domain.route import CachedRoute, LoggedRoute, RouteFilter, RouteMethod, RouteOrder, RouteStage
from app.evaluation.routing import RoutingMetrics, is_right, metrics_of
from app.ports.store import Library, RouteStore
from app.services.core import Core
from app.services.engine.route_llm import month_start
from app.services.engine.typing_priority import REST_SECONDS
from app.services.events import Event

MOST_KEPT = 10_000
"""Limit of stored LLM answers."""

EVERYTHING = RouteFilter(limit=100_000)

DAY = 86_400.0

FAULT = "routes"
"""Part of the status for its faults."""

T = TypeVar("T")


class RouteLog:
    """`workbench.routing.log`: decisions of a profile's router, on the asyncio thread.

    `wall_seconds` gives seconds since 1970; `notify` is called after something was written or cleared.
    """

    def __init__(self, core: Core, wall_seconds: Callable[[], float], notify: Callable[[], None]) -> None:
        self.noted = Event[RouteDecision]()
        """Notified of final decisions, stored or not."""
        self.judged = Event[bool]()
        """Notified of stored decisions with a case: True if right."""
        self._core = core
        self._wall_seconds = wall_seconds
        self._notify = notify
        self._unwritten: list[LoggedRoute] = []
        self._unkept: list[CachedRoute] = []
        self._noted: tuple[str, str, str, float] | None = None
        self._resting: Inspection | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None

    # ---- writing

    def note(self, text: str, decision: RouteDecision, source: str = "window") -> None:
        """Log a decision, as the history's privacy allows. Returns at once."""
        if not decision.is_final or not text.strip():
            return
        self.noted.notify(decision)
        if self._core.settings.history.privacy == "off":
            return
        self._unwritten.append(logged(text, decision, source, self._wall_seconds()))
        self._begin_writing()

    def note_inspected(self, inspection: Inspection) -> None:
        """Log the route of an inspected query, if it has one.

        The query on screen is inspected again after every change; an equal decision is logged once.
        """
        route = inspection.route
        if route is None or not route.is_final:
            return
        noted = (inspection.query.text, route.intent, route.method, route.confidence)
        if noted != self._noted:
            self._noted = noted
            self.note(inspection.query.text, route, "window")

    def note_rested(self, inspection: Inspection) -> None:
        """Note a final answer in the window: its route is logged if no key follows. Returns at once."""
        self.note_key()
        left = max(0.0, REST_SECONDS - self._core.typing_priority.quiet_seconds)
        self._resting = inspection
        self._timer = asyncio.get_running_loop().call_later(left, self._rested)

    def note_key(self) -> None:
        """Note a key in the window: the final answer before it is dropped. Returns at once."""
        self._resting = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _rested(self) -> None:
        resting = self._resting
        self.note_key()
        if resting is not None:
            self.note_inspected(resting)

    def keep(self, answer: CachedRoute) -> None:
        """Store an LLM answer, if texts may be stored. Returns at once."""
        if self._core.settings.history.privacy == "full":
            self._unkept.append(answer)
            self._begin_writing()

    def _begin_writing(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = self._core.in_background(self._write())

    async def _write(self) -> None:
        while self._unwritten or self._unkept:
            lines, self._unwritten = self._unwritten, []
            answers, self._unkept = self._unkept, []
            hashed = self._core.settings.history.privacy == "hashed"
            judged = await self._in_store(partial(_write, lines=lines, answers=answers, hashed=hashed))
            for one in judged or ():
                self.judged.notify(one)
        self._notify()

    async def _in_store(self, call: Callable[[RouteStore], T]) -> T | None:
        """Run a call whose failure is only reported, since its data is not needed now."""
        try:
            found = await self._core.in_store(lambda library: call(library.routes))
        except StoreError as error:
            self._core.note_fault(FAULT, str(error))
            return None
        self._core.note_fault(FAULT, None)
        return found

    async def flushed(self) -> None:
        """Wait until pending decisions are written."""
        while self._writing is not None and not self._writing.done():
            await asyncio.wait({self._writing})

    async def close(self) -> None:
        """Write pending decisions."""
        self._rested()
        await self.flushed()

    # ---- reading

    async def decisions(self, wanted: RouteFilter = EVERYTHING) -> list[LoggedRoute]:
        """Return the newest matching decisions, newest first; raises StoreError."""
        await self.flushed()
        return await self._core.in_store(lambda library: library.routes.find(wanted))

    async def find(
        self, wanted: RouteFilter, order: RouteOrder, *, descending: bool, view: View = WHOLE
    ) -> SearchResult:
        """Return the keys of matching decisions in order, with the visible ones; raises StoreError."""
        await self.flushed()

        def look(library: Library) -> SearchResult:
            keys = library.routes.keys(wanted, order, descending=descending)
            return search_result(keys, library.routes.count(), view, lambda some: _page(library.routes, some))

        return await self._core.in_store(look)

    async def page(self, keys: Sequence[int]) -> dict[int, LoggedRoute]:
        """Return the existing decisions of these keys, by key; raises StoreError."""
        return await self._core.in_store(lambda library: _page(library.routes, keys))

    async def metrics(self, wanted: RouteFilter = EVERYTHING) -> RoutingMetrics:
        """Return the metrics of matching decisions, with 001's targets, and over time.

        Raises StoreError.
        """
        await self.flushed()
        # Decisions of all intents are read, since the others are listed, too.
        every = replace(wanted, intent=None)

        # On the store's thread: 100,000 decisions would delay a query.
        return await self._core.in_store(lambda library: metrics_of(library.routes.columns(every), wanted.intent))

    # ---- deletion

    async def prune(self) -> None:
        """Delete decisions older than the history's limit; raises StoreError.

        A clock far ahead of the newest decision before yesterday makes none old.
        """
        now = self._wall_seconds()
        earlier = replace(EVERYTHING, until=now - DAY, limit=1)
        for newest in await self._core.in_store(lambda library: library.routes.find(earlier)):
            now = min(now, newest.at + DAY)
        # The costs of the current month must remain known.
        before = min(now - self._core.settings.history.days * DAY, month_start(now))
        await self._core.in_store(lambda library: library.routes.prune(before))

    async def clear(self) -> int:
        """Delete all decisions except this month's costs; return their number; raises StoreError."""
        await self.flushed()
        month = month_start(self._wall_seconds())
        gone = await self._core.in_store(lambda library: _clear(library.routes, month))
        self._notify()
        return gone


def _page(routes: RouteStore, keys: Sequence[int]) -> dict[int, LoggedRoute]:
    return {row.key: row for row in routes.page(keys) if row.key is not None}


def _write(
    routes: RouteStore, lines: Sequence[LoggedRoute], answers: Sequence[CachedRoute], *, hashed: bool
) -> list[bool]:
    """Write lines and answers; return the correctness of lines whose text has a case."""
    routes.add(lines, hashed=hashed)
    for kept in answers:
        routes.keep(kept, MOST_KEPT)
    labels = routes.labels(one.text for one in lines)
    labelled = [replace(one, labels=labels[one.text]) for one in lines if one.text in labels]
    return [is_right(one) for one in labelled if one.labels]


def _clear(routes: RouteStore, month: float) -> int:
    whole = routes.count()
    spent = [one for one in routes.find(replace(EVERYTHING, since=month)) if one.cost]
    routes.prune(math.inf)
    # The budget counts them until the end of the month.
    routes.add([replace(one, text="", labels=()) for one in spent], hashed=True)
    return whole - len(spent)


def logged(text: str, decision: RouteDecision, source: str, at: float) -> LoggedRoute:
    """Return a decision as a log entry; `at` is in seconds since 1970."""
    asked = next((step for step in decision.steps if step.stage is RouteStage.LLM), None)
    return LoggedRoute(
        at=at,
        text=text,
        source=source,
        intent=decision.intent,
        databases=decision.databases,
        confidence=decision.confidence,
        method=RouteMethod(decision.method),
        rule_confidence=decision.rule_confidence,
        reasoning=decision.reasoning,
        ms=decision.ms,
        cost=decision.cost,
        llm=decision.llm_outcome,
        rule_intent=decision.rule_intent,
        llm_intent=decision.llm_intent if asked is not None else "",
        configuration=decision.configuration,
    )
