"""The stores behind the router: the routed ones answer a query, and beside them all others, to compare."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.detect.store_query import Vocabulary, asked_of
from app.domain.datastore import STAND_IN, WAYS, Hit, StoreAnswer, fused
from app.domain.errors import DataStoreError, EncoderError
from app.domain.language import say
from app.domain.match import Query
from app.domain.resolution import RouteDecision
from app.domain.route import RouteIntent
from app.ports.datastore import DataStore, StoreQuery
from app.ports.encoder import Vectors
from app.services.core import Core
from app.services.engine.adapters import Adapters
from app.services.routing.mirror import documents_of, mirrored
from app.services.routing.routes import Routing

HITS = 10
"""So many hits are asked of each store."""

STARTS = 3
"""Where a query names nothing that is known, a walk starts from so many of the documents nearest to it."""

NO_STORES = say("No data stores are set up.")


@dataclass(frozen=True, slots=True)
class Reply:
    """What one of 001's stores answered, `by` which store, or the sentence why it did not; `is_routed` where the
    decision leads to it."""

    store: str
    by: str
    way: RouteIntent
    is_routed: bool
    answer: StoreAnswer | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class StoreRun:
    """One query run, as far as it is: the decision, how many documents of how many have been brought to the stores, the
    replies so far in the order of stores, and those still to come.

    `hits` are the routed answer: the only routed store's, or those of several fused by reciprocal rank.
    """

    query: str
    decision: RouteDecision
    filled: tuple[int, int] = (0, 0)
    replies: tuple[Reply, ...] = ()
    waiting: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()

    @property
    def is_over(self) -> bool:
        return bool(self.replies) and not self.waiting


class Stores:
    """The data stores of one profile: `workbench.stores`. All methods run on the workbench's asyncio thread."""

    def __init__(self, core: Core, routing: Routing, adapters: Adapters) -> None:
        self._core, self._routing = core, routing
        self._make = adapters.data_stores
        self._wall_seconds = adapters.wall_seconds
        self._open: dict[str, OpenStore] = {}
        self._filling = asyncio.Lock()
        self._known = Vocabulary()

    async def run(self, text: str, *, compare: bool = False) -> AsyncGenerator[StoreRun, None]:
        """Decide, bring the stores up to date, and have the routed stores answer, with `compare` all of them.

        The decision comes first, whatever the stores do; then each reply as it comes. KnownError where routing is
        switched off or nothing can be asked.
        """
        run = StoreRun(text, await self._routing.route(text))
        names = tuple(dict.fromkeys((*(WAYS if compare else ()), *run.decision.databases)))
        run = replace(run, waiting=names)
        yield run
        if not self._make:
            raise DataStoreError(NO_STORES)
        if Query.of(text).is_empty:
            yield replace(run, waiting=())
            return
        async for filled in self._filled():
            run = replace(run, filled=filled)
            yield run
        queries = await self._queries(text, names)
        asking = [asyncio.ensure_future(self._ask(name, query, run.decision)) for name, query in queries.items()]
        try:
            for next_one in asyncio.as_completed(asking):
                run = _with(run, await next_one, names)
                yield run
        finally:
            for each in asking:
                each.cancel()

    async def close(self) -> None:
        """Let go of every store."""
        for each in self._open.values():
            each.close()
        self._open = {}

    # ---- how

    async def _filled(self) -> AsyncGenerator[tuple[int, int], None]:
        async with self._filling:
            documents = await self._core.in_store(documents_of)
            self._known = Vocabulary.of(documents)
            held = self._store(STAND_IN)
            async for filled in mirrored(self._core, documents, held.store, held.thread):
                yield filled

    async def _queries(self, text: str, names: tuple[str, ...]) -> Mapping[str, StoreQuery]:
        scored = Query.of(text).scored
        try:
            made = await self._core.encoded([scored])
        except EncoderError:
            made = None
        vector = None if made is None else made[0]
        seconds = self._core.settings.route.store_seconds
        today = datetime.fromtimestamp(self._wall_seconds(), UTC).date()
        nearest: tuple[str, ...] | None = None
        queries: dict[str, StoreQuery] = {}
        for name in names:
            way = WAYS.get(name, RouteIntent.VECTOR)
            asked = asked_of(text, way, self._known, today)
            anchors = asked.anchors
            if not anchors and way in {RouteIntent.GRAPH, RouteIntent.TEMPORAL}:
                nearest = anchors = await self._nearest(scored, vector, seconds) if nearest is None else nearest
            queries[name] = StoreQuery(
                scored, way, vector, HITS, asked.filters, asked.made, asked.as_of, anchors, seconds=seconds
            )
        return queries

    async def _nearest(self, text: str, vector: Vectors | None, seconds: float) -> tuple[str, ...]:
        """The documents that a walk starts from where the query names none."""
        query = StoreQuery(text, RouteIntent.HYBRID, vector, STARTS, seconds=seconds)
        try:
            answer = await self._store(STAND_IN).search(query)
        except DataStoreError:
            return ()  # the walk says what is the matter
        return tuple(hit.id for hit in answer.hits)

    async def _ask(self, name: str, query: StoreQuery, decision: RouteDecision) -> Reply:
        reply = Reply(name, STAND_IN, query.way, name in decision.databases)
        if name not in WAYS:
            return replace(reply, by="", fault=say("No store “{store}” is connected.", store=name))
        try:
            return replace(reply, answer=await self._store(STAND_IN).search(query))
        except DataStoreError as error:
            return replace(reply, fault=str(error))

    def _store(self, name: str) -> OpenStore:
        if name not in self._open:
            self._open[name] = OpenStore(self._make[name](), ThreadPoolExecutor(1, f"store {name}"))
        return self._open[name]


@dataclass(frozen=True, slots=True)
class OpenStore:
    """A store and the one thread that it is called on."""

    store: DataStore
    thread: ThreadPoolExecutor

    async def search(self, query: StoreQuery) -> StoreAnswer:
        """What the store says within the query's seconds; DataStoreError, also where it says nothing."""
        asking = asyncio.get_running_loop().run_in_executor(self.thread, self.store.search, query)
        return await asking

    def close(self) -> None:
        self.thread.submit(self.store.close)
        self.thread.shutdown(wait=False)


def _with(run: StoreRun, reply: Reply, names: tuple[str, ...]) -> StoreRun:
    """The run with one reply more."""
    replies = {each.store: each for each in (*run.replies, reply)}
    ordered = tuple(replies[name] for name in names if name in replies)
    routed = [each.answer.hits for each in ordered if each.is_routed and each.answer is not None]
    return replace(
        run,
        replies=ordered,
        waiting=tuple(name for name in names if name not in replies),
        hits=routed[0] if len(routed) == 1 else _fused(routed),
    )


def _fused(answers: list[tuple[Hit, ...]]) -> tuple[Hit, ...]:
    best: dict[str, Hit] = {}
    for hits in answers:
        for hit in hits:
            best.setdefault(hit.id, hit)
    ranked = fused([[hit.id for hit in hits] for hits in answers])
    return tuple(replace(best[each], score=score) for each, score in ranked[:HITS])
