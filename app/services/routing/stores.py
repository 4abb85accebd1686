"""Data stores behind the router: queried by route, compared and filled from the library."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256

from app.detect.store_query import Vocabulary, criteria_of
from app.domain.datastore import (
    ID,
    KIND,
    LOOK,
    MAPPED,
    REPLACES,
    SHARED_CACHE,
    STAND_IN,
    WAYS,
    Document,
    Hit,
    Source,
    StoreAnswer,
    fused,
    secret_of,
)
from app.domain.encoder import Provenance
from app.domain.errors import DataStoreError, EncoderError, StoreError
from app.domain.filters import MemoryFilter
from app.domain.inspection import RouteDecision
from app.domain.library import Dated, Memory, Power
from app.domain.match import Query
from app.domain.route import RouteIntent
from app.ports.datastore import DataStore, MappedStore, StoreQuery
from app.ports.encoder import Embedder, Vectors
from app.ports.store import Library
from app.services.core import Core
from app.services.engine.adapters import Adapters
from app.services.engine.typing_priority import chunks
from app.services.routing.guarded_server import SERVER_SECONDS, GuardedServer
from app.services.routing.routes import Routing
from app.settings.sections import RouteSettings

HITS = 10
"""Number of hits per store."""

STARTS = 3
"""Number of nearest documents from which a graph walk starts if the query names none."""

GRACE_SECONDS = 1.0
"""Additional wait for a hanging server beyond its own time-out."""

NO_STORES = "No data stores are set up."


@dataclass(frozen=True, slots=True)
class StoreReply:
    """Reply of one store: by which server, or why not; `is_routed` if the decision names it."""

    store: str
    by: str
    way: RouteIntent
    is_routed: bool
    answer: StoreAnswer | None = None
    fault: str = ""
    exact: tuple[str, ...] = ()
    """Hits of an exact search, if compared with a server's vector or filter search."""


@dataclass(frozen=True, slots=True)
class StoreRun:
    """Progress of one query: decision, documents filled of all, replies so far, pending stores.

    `hits` are the routed answer: those of the only routed store, or of several fused by reciprocal rank.
    """

    decision: RouteDecision
    filled: tuple[int, int] = (0, 0)
    replies: tuple[StoreReply, ...] = ()
    waiting: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()

    @property
    def is_over(self) -> bool:
        return bool(self.replies) and not self.waiting


@dataclass(frozen=True, slots=True)
class StoreState:
    """State of a store or the shared cache: which server answers, and its numbers of documents.

    `held` documents are stored, `late` ones missing or outdated, `others` belong to other libraries; `fault` is why
    this is unknown.
    """

    store: str
    by: str
    held: int = 0
    late: int = 0
    fault: str = ""
    others: int = 0
    is_unready: bool = False
    """True if filling would first build something that speeds up queries, such as an index."""
    mapped: str = ""
    """Mapping of foreign documents that a server only reads; `others` counts them."""


class Stores:
    """The data stores of one profile: `workbench.stores`. All methods run on the asyncio thread."""

    def __init__(self, core: Core, routing: Routing, adapters: Adapters) -> None:
        self._core, self._routing = core, routing
        self._make, self._secrets = adapters.data_stores, adapters.secrets
        self._identity = adapters.library_identity
        self._wall_seconds = adapters.wall_seconds
        self._open: dict[str, OpenStore] = {}
        self._filling = asyncio.Lock()
        self._known = Vocabulary()
        self._theirs: dict[str, tuple[OpenStore, Vocabulary]] = {}

    async def run(self, text: str, *, compare: bool = False) -> AsyncGenerator[StoreRun, None]:
        """Route a query, update the stores, and query the routed stores, or all with `compare`.

        The decision comes first, whatever the stores do; then each reply as it arrives. Raises KnownError if routing is
        switched off or no store can be queried.
        """
        run = StoreRun(await self._routing.route(text))
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

    async def filled(self) -> Sequence[Document]:
        """Fill the in-memory stores; return all documents. Raises DataStoreError, StoreError."""
        if not self._make:
            raise DataStoreError(NO_STORES)
        async for _ in self._filled():
            pass
        return await self._core.in_store(documents_of)

    async def answered(self, text: str) -> StoreRun:
        """Query every store, and an exact search for comparison; the LLM is not asked for the route.

        Raises KnownError if routing is switched off.
        """
        settings = self._core.settings
        alone = settings.model_copy(update={"route": settings.route.model_copy(update={"use_llm": False})})
        run = StoreRun(await self._routing.route(text, alone))
        names = tuple(dict.fromkeys((*WAYS, *run.decision.databases)))
        for name, query in (await self._queries(text, names)).items():
            run = _with(
                run, await self._with_exact_comparison(await self._ask(name, query, run.decision), query), names
            )
        return run

    async def _with_exact_comparison(self, reply: StoreReply, query: StoreQuery) -> StoreReply:
        is_own = reply.by == STAND_IN or self._core.settings.route.mapping(reply.store) is not None
        if reply.answer is None or is_own or query.intent not in {RouteIntent.VECTOR, RouteIntent.HYBRID}:
            return reply
        try:
            exact = await self._store(STAND_IN).search(query)
        except DataStoreError:
            return reply  # one query less in the recall
        return replace(reply, exact=tuple(hit.id for hit in exact.hits))

    # ---- servers

    async def states(self) -> tuple[StoreState, ...]:
        """Return the state of each store and of the shared cache. Raises StoreError."""
        documents = await self._core.in_store(documents_of)
        states = [await self._state(name, documents) for name in WAYS]
        return (*states, StoreState(SHARED_CACHE, *await self._routing.shared.state()))

    async def setup(self, name: str) -> str:
        """Return the statements of the first filling, "" for none; raises DataStoreError."""
        return await self._server(name).call(lambda store: store.setup(), SERVER_SECONDS)

    async def sources(self, name: str) -> Sequence[Source]:
        """List a server's foreign tables or collections that could be mapped; raises DataStoreError."""
        if name not in MAPPED:
            raise DataStoreError(
                f"“{name}” cannot read documents that others wrote. Choose one of {', '.join(MAPPED)}."
            )
        settings = self._core.settings.route.model_copy(update={f"{name}_mapping": str(LOOK)})
        looking = self._new_store(name, settings)
        if looking is None:
            raise DataStoreError(f"No store “{name}” is connected.")
        try:
            return await looking.call(
                lambda store: store.sources() if isinstance(store, MappedStore) else (), SERVER_SECONDS
            )
        finally:
            looking.close()

    async def fill(self, name: str) -> AsyncGenerator[tuple[int, int], None]:
        """Prepare the store and mirror the library to it; yields documents done and in total.

        Closing early keeps what was stored, and it is not stored again. Raises DataStoreError, StoreError.
        """
        server = self._server(name)
        async with self._filling:
            is_new = await self._prepared(server)
            documents = await self._core.in_store(documents_of)
            async for filled in mirrored(self._core, documents, await server.opened(), server.thread):
                yield filled
            if is_new:  # the approved index over many documents is built faster once they are stored
                await self._prepared(server)

    async def _prepared(self, server: OpenStore) -> bool:
        """Prepare a store; return whether it was not prepared before."""
        needed = await server.call(lambda store: store.setup(), SERVER_SECONDS)
        if needed:
            await server.call(lambda store: store.prepare(), None)
        return bool(needed)

    async def keep_password(self, name: str, password: str) -> None:
        """Save a server's password in the secrets, or delete it if empty; raises StoreError."""
        if name not in WAYS and name != SHARED_CACHE:
            raise DataStoreError(f"No store “{name}” is connected.")
        secrets, key = self._secrets, secret_of(name)
        await self._core.in_store(lambda _: secrets.put(key, password) if password else secrets.forget(key))
        self._routing.shared.release()
        if (held := self._open.pop(name, None)) is not None:
            held.close()

    async def close(self) -> None:
        """Close every store, without waiting for a hanging one."""
        closing = [asyncio.wrap_future(each.close()) for each in self._open.values()]
        self._open = {}
        if closing:
            await asyncio.wait(closing, timeout=GRACE_SECONDS)

    # ---- internals

    async def _filled(self) -> AsyncGenerator[tuple[int, int], None]:
        async with self._filling:
            documents = await self._core.in_store(documents_of)
            self._known = Vocabulary.of(documents)
            held = self._store(STAND_IN)
            async for filled in mirrored(self._core, documents, await held.opened(), held.thread):
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
            theirs = await self._vocabulary_of(name)
            asked = criteria_of(text, way, self._known if theirs is None else theirs, today)
            anchors = asked.anchors
            if theirs is None and not anchors and way in {RouteIntent.GRAPH, RouteIntent.TEMPORAL}:
                nearest = anchors = await self._nearest(scored, vector, seconds) if nearest is None else nearest
            queries[name] = StoreQuery(
                scored, way, vector, HITS, asked.filters, asked.made, asked.held, anchors, seconds=seconds
            )
        return queries

    async def _vocabulary_of(self, name: str) -> Vocabulary | None:
        """Return the filter values of foreign documents; None if the store mirrors the library."""
        if self._core.settings.route.mapping(name) is None or (held := self._answering(name)).name == STAND_IN:
            return None
        if name not in self._theirs or self._theirs[name][0] is not held:
            try:
                values = await held.call(
                    lambda store: store.values() if isinstance(store, MappedStore) else {}, SERVER_SECONDS
                )
            except (DataStoreError, StoreError):
                return Vocabulary()  # the answer reports the fault
            self._theirs[name] = held, Vocabulary.of_values(values)
        return self._theirs[name][1]

    async def _nearest(self, text: str, vector: Vectors | None, seconds: float) -> tuple[str, ...]:
        """Return the documents from which a graph walk starts if the query names none."""
        query = StoreQuery(text, RouteIntent.HYBRID, vector, STARTS, seconds=seconds)
        try:
            answer = await self._store(STAND_IN).search(query)
        except DataStoreError:
            return ()  # the graph walk reports the fault
        return tuple(hit.id for hit in answer.hits)

    async def _ask(self, name: str, query: StoreQuery, decision: RouteDecision) -> StoreReply:
        reply = StoreReply(name, "", query.intent, name in decision.databases)
        if name not in WAYS:
            return replace(reply, fault=f"No store “{name}” is connected.")
        try:
            held = self._answering(name)
            reply = replace(reply, by=held.name)
            return replace(reply, answer=await held.search(query))
        except (DataStoreError, StoreError) as error:
            return replace(reply, by=reply.by or name, fault=str(error))

    async def _state(self, name: str, documents: Sequence[Document]) -> StoreState:
        mapped = str(self._core.settings.route.mapping(name) or "")
        try:
            held = self._answering(name)
            if held.name == STAND_IN:
                return StoreState(name, STAND_IN)
            if mapped:
                count = await held.call(lambda store: store.count_foreign(), SERVER_SECONDS)
                return StoreState(name, name, others=count, mapped=mapped)
            setup = await held.call(lambda store: store.setup(), SERVER_SECONDS)
            try:
                states, others = await held.call(
                    lambda store: (store.stored_states(), store.count_foreign()), SERVER_SECONDS
                )
            except DataStoreError:
                if not setup:
                    raise
                states, others = {}, 0  # nothing was ever stored there
        except (DataStoreError, StoreError) as error:
            return StoreState(name, name, fault=str(error), mapped=mapped)
        late = changes_of(documents, states, self._core.engine.encoder)
        return StoreState(name, name, len(states), late, others=others, is_unready=bool(setup and states))

    def _server(self, name: str) -> OpenStore:
        if name not in WAYS or (held := self._answering(name)).name == STAND_IN:
            raise DataStoreError(f"No store “{name}” is connected.")
        return held

    def _answering(self, name: str) -> OpenStore:
        """Return the configured server of this name, otherwise the in-memory store."""
        return self._opened(name) or self._store(STAND_IN)

    def _store(self, name: str) -> OpenStore:
        held = self._opened(name)
        assert held is not None, "it needs no setting up"
        return held

    def _opened(self, name: str) -> OpenStore | None:
        held = self._open.get(name)
        if held is not None and held.address == _place(self._core.settings.route, name):
            return held
        if held is not None:
            del self._open[name]
            held.close()
        if (made := self._new_store(name, self._core.settings.route)) is not None:
            self._open[name] = made
        return made

    def _new_store(self, name: str, settings: RouteSettings) -> OpenStore | None:
        """Create a store by these settings, not connected yet; None if it is not configured."""
        if name not in self._make or (not getattr(settings, name, "") and name != STAND_IN):
            return None

        def make() -> DataStore | None:
            return self._make[name](settings, self._secrets.get, self._identity())

        return OpenStore(name, _place(settings, name), make, self._wall_seconds)


def _place(settings: RouteSettings, name: str) -> str:
    """Return the address of a store and its mapping, as one key."""
    return f"{getattr(settings, name, '')} {settings.mapping(name) or ''}"


class OpenStore(GuardedServer[DataStore]):
    """Open store that can be searched."""

    async def search(self, query: StoreQuery) -> StoreAnswer:
        """Search within the query's seconds; raises DataStoreError, also on a time-out."""
        # The in-memory store has its own time-out and takes several queries at once.
        seconds = None if self.name == STAND_IN else query.seconds + GRACE_SECONDS
        if seconds is not None and not self.is_made:
            await self.opened()  # loading the client library does not count as the server's delay
        return conforming_answer(await self.call(lambda store: store.search(query), seconds), query.k)


def conforming_answer(answer: StoreAnswer, k: int) -> StoreAnswer:
    """Return the answer as the port requires: each document once, best first, at most k."""
    best: dict[str, Hit] = {}
    for hit in sorted(answer.hits, key=lambda hit: -hit.score):
        best.setdefault(hit.id, hit)
    return replace(answer, hits=tuple(best.values())[:k])


def _with(run: StoreRun, reply: StoreReply, names: tuple[str, ...]) -> StoreRun:
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


# ---- Incremental mirror of memories and powers in a data store.


CHUNK = 500
"""Batch size of writing, and of progress reports."""

LONGEST_VALUE = 300
"""Maximum length of IDs and field values: PostgreSQL indexes 2,704 bytes of a row."""


def documents_of(library: Library) -> list[Document]:
    """Return a document for each enabled memory and power; raises StoreError."""
    keys = library.find_memories(MemoryFilter(paused=False))
    memories = list(library.memories_by_key(keys))
    ends = _ends(memories)
    return [_of_memory(one, ends) for one in memories] + [
        _of_power(power) for power in library.powers() if not power.paused
    ]


def _ends(memories: Sequence[Dated[Memory]]) -> Mapping[str, str]:
    """Return the end of validity by memory ID: the start of the first replacement."""
    ends: dict[str, str] = {}
    for dated in memories:
        since = dated.item.valid_from or dated.created
        ends |= {each: min(ends.get(each, since), since) for each in dated.item.replaces}
    return ends


def _of_memory(dated: Dated[Memory], ends: Mapping[str, str]) -> Document:
    """Make a memory's document; by default valid from its creation until it is replaced."""
    memory, end = dated.item, ends.get(dated.item.id or "", "")
    until = memory.valid_to or (end if end > memory.valid_from else "")
    since = memory.valid_from or ("" if "" < until <= dated.created else dated.created)
    fields = {
        KIND: (memory.kind.value,),
        "namespace": (memory.namespace,),
        "label": (memory.intent,) if memory.intent else (),
        "tag": memory.tags,
        ID: (memory.id,) if memory.id and end else (),
        REPLACES: memory.replaces,
    }
    own = _short(memory.id or str(memory.key))
    return Document(f"memory:{own}", memory.name, memory.triggers, _filled(fields), memory.response, since, until)


def _of_power(power: Power) -> Document:
    fields = {KIND: (power.kind.value,), "keyword": power.keywords, "tool": tuple(tool.name for tool in power.tools)}
    return Document(f"power:{_short(power.name)}", power.name, power.triggers, _filled(fields), power.steering)


def _filled(fields: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    named = {name: tuple(_short(v) for v in dict.fromkeys(values) if v.strip()) for name, values in fields.items()}
    return {name: values for name, values in named.items() if values}


def _short(value: str) -> str:
    """Shorten a value for a server's index, keeping it unique."""
    if len(value) <= LONGEST_VALUE:
        return value
    return f"{value[:LONGEST_VALUE]}… {sha256(value.encode('utf-8', 'replace')).hexdigest()[:16]}"


async def mirrored(
    core: Core, documents: Sequence[Document], store: DataStore, thread: Executor
) -> AsyncGenerator[tuple[int, int], None]:
    """Sync a store with these documents; yields the number written, of all changed ones.

    Written documents stay if it is closed early, and are not written again. Documents with missing vectors are written
    again the next time. Raises DataStoreError, StoreError.
    """
    loop = asyncio.get_running_loop()
    encoder = core.engine.encoder
    provenance = None if encoder is None else encoder.provenance
    held = await loop.run_in_executor(thread, store.stored_states)
    states = {document.id: state_of(document, provenance) for document in documents}
    if gone := [each for each, state in held.items() if states.get(each) != state]:
        await loop.run_in_executor(thread, store.drop, gone)
    late = [document for document in documents if held.get(document.id) != states[document.id]]
    done = 0
    yield done, len(late)
    for some in chunks(late, CHUNK):
        vectors = await core.in_store(partial(_vectors, some, provenance))
        whole = {one.id for one in some if provenance is None or vectors.keys() >= {*one.texts}}
        told = [(one, states[one.id] if one.id in whole else "") for one in some]
        await loop.run_in_executor(thread, store.put, told, vectors)
        done += len(some)
        yield done, len(late)


def changes_of(documents: Sequence[Document], held: Mapping[str, str], encoder: Embedder | None) -> int:
    """Return the number of documents that are missing, different or superfluous in a store."""
    provenance = None if encoder is None else encoder.provenance
    states = {document.id: state_of(document, provenance) for document in documents}
    late = sum(held.get(each) != state for each, state in states.items())
    return late + len(held.keys() - states.keys())


def state_of(document: Document, provenance: Provenance | None) -> str:
    """Return a digest of a document's content and the provenance of its vectors."""
    fields = sorted(document.fields.items())
    told = (document.name, document.texts, fields, document.body, document.since, document.until, provenance)
    return sha256(repr(told).encode("utf-8", "replace")).hexdigest()


def _vectors(documents: Sequence[Document], provenance: Provenance | None, library: Library) -> Mapping[str, Vectors]:
    if provenance is None:
        return {}
    return library.embeddings(provenance, [text for document in documents for text in document.texts])
