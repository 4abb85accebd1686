"""Graphiti on FalkorDB: facts with validity periods, for walks as of any time."""

from __future__ import annotations

import json
import logging
import os
import warnings
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit
from uuid import NAMESPACE_URL, uuid5

from falkordb.asyncio.graph import AsyncGraph
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, RedisError, ResponseError

from app.adapters.datastores.client import (
    INVALID,
    NOT_FILLED,
    PAGE,
    DeadlineLoop,
    clean,
    elapsed_ms,
    first_line,
    gathered,
    refused,
    timed_out,
    unreachable,
)
from app.domain.datastore import Document, Hit, Period, StoreAnswer, node_of
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from app.ports.encoder import Vectors
from app.services.engine.typing_priority import chunks


@contextmanager
def _by_itself() -> Iterator[None]:
    """Import Graphiti without reading an .env file and without its warnings."""
    before = os.environ.get(_NO_ENV_FILE)
    os.environ[_NO_ENV_FILE] = "true"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        del os.environ[_NO_ENV_FILE]
        if before is not None:
            os.environ[_NO_ENV_FILE] = before


_NO_ENV_FILE = "PYTHON_DOTENV_DISABLED"

os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
with _by_itself():
    from graphiti_core.driver.falkordb_driver import FalkorDriver
    from graphiti_core.edges import EntityEdge
    from graphiti_core.nodes import EntityNode
    from graphiti_core.search.search_filters import ComparisonOperator, DateFilter, SearchFilters
    from graphiti_core.search.search_utils import edge_bfs_search

# Its logs would contain queries.
logging.getLogger("graphiti_core").setLevel(logging.CRITICAL)

Result = TypeVar("Result")

GRAPH = "intentscope_"
"""Prefix of a library's graph, which is also Graphiti's group."""

_INDEXES = {
    "Entity": "CREATE INDEX FOR (n:Entity) ON (n.uuid, n.group_id)",
    "RELATES_TO": "CREATE INDEX FOR ()-[e:RELATES_TO]-() ON (e.uuid, e.group_id)",
}
_MISLEADING = ("valid_at", "invalid_at", "created_at", "expired_at")
"""Properties whose indexes by Graphiti make FalkorDB miss facts compared with a time."""

_HELD = (
    "MATCH (n:Entity) WHERE n.state IS NOT NULL AND n.uuid > $after "
    f"RETURN n.uuid AS id, n.state AS state ORDER BY id LIMIT {PAGE}"
)
_COUNT = "MATCH (n:Entity) WHERE n.state IS NOT NULL RETURN count(n) AS count"
_DROP = "MATCH (n:Entity) WHERE n.uuid IN $ids DETACH DELETE n"
_PRUNE = "MATCH (n:Entity) WHERE n.state IS NULL AND NOT (n)--() DELETE n"
_FINISH = "UNWIND $states AS one MATCH (n:Entity {uuid: one.id}) SET n.state = one.state"

_WHERE_A_WALK_BEGINS = ("(origin {uuid:", "(origin:Entity {uuid:")
"""Start of a walk in Graphiti, and its replacement with a label, so that an index is used."""

_CHUNK = 500
_MOST = 50_000
"""Maximum number of facts per answer."""
_LONGEST_ANSWER = 64_000_000
"""Maximum size in bytes of an answer with that many facts."""
_PORT = 6379
_CONNECT_SECONDS = 5.0
_SERVER_SECONDS = 30.0


class GraphitiStore:
    """DataStore with Graphiti's nodes, facts and search, in its own graph of FalkorDB.

    Documents and field values are entities; each link is a fact in both directions, as Graphiti follows arrows,
    with the validity of its document. No LLM and no telemetry is used; items are written as they are, without
    vectors. FalkorDB has no transactions: a document gets its state only after its facts.
    """

    intents = frozenset({RouteIntent.GRAPH, RouteIntent.TEMPORAL})

    def __init__(self, address: str, library: str, password: str | None = None) -> None:
        self._client = _Client(_redis(address, password))
        self._graph = f"{GRAPH}{library}"
        # Created outside of a loop, as it would start to write indexes.
        self._driver = FalkorDriver(falkor_db=self._client, database=self._graph)
        self._loop = DeadlineLoop(_LONGEST_ANSWER)

    # ---- Content

    def setup(self) -> str:
        return "\n".join(f"GRAPH.QUERY {self._graph} {json.dumps(each)}" for each in self._lacking())

    def prepare(self) -> None:
        for statement in self._lacking():
            self._write(self._driver.execute_query(statement))

    def _lacking(self) -> list[str]:
        with self._loop.within(_SERVER_SECONDS):
            try:
                rows = self._rows("CALL db.indexes() YIELD label, properties RETURN label, properties")
            except DataStoreError as error:
                if isinstance(error, DataStoreGoneError) or str(error) != NOT_FILLED:
                    raise
                return list(_INDEXES.values())
            known = {row["label"]: row["properties"] for row in rows}
            lacking = [each for label, each in _INDEXES.items() if label not in known]
            unfit = [name for name in _MISLEADING if name in known.get("RELATES_TO", ())]
            return lacking + [f"DROP INDEX ON :RELATES_TO({name})" for name in unfit]

    def stored_states(self) -> Mapping[str, str]:
        with self._loop.within(_SERVER_SECONDS):
            return gathered(self._page_of_states)

    def _page_of_states(self, after: str | None) -> tuple[Mapping[str, str], str | None]:
        rows = self._read(self._driver.execute_query(_HELD, after=after or ""))[0]
        return {row["id"]: row["state"] for row in rows}, rows[-1]["id"] if len(rows) == PAGE else None

    def count_foreign(self) -> int:
        with self._loop.within(_SERVER_SECONDS):
            names = self._read(self._client.execute_command("GRAPH.LIST"))
            others = [name for name in names if name.startswith(GRAPH) and name != self._graph]
            return sum(int(self._rows(_COUNT, name)[0]["count"]) for name in others)

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        kept = [(document, state) for document, state in documents]
        for some in chunks(kept, _CHUNK):
            self._remove([document.id for document, _ in some])
            self._write(self._save(some))

    async def _save(self, some: Sequence[tuple[Document, str]]) -> None:
        links = [(document, name, node) for document, _ in some for name, node in document.links]
        values = {clean(node): None for _, _, node in links}
        nodes = [self._entity(document) for document, _ in some]
        nodes += [EntityNode(uuid=each, name=each, group_id=self._graph) for each in values]
        await self._driver.entity_node_ops.save_bulk(self._driver, nodes)
        facts = [each for link in links for each in self._facts(*link)]
        for each in chunks(facts, _CHUNK):
            await self._driver.entity_edge_ops.save_bulk(self._driver, each)
        states = [{"id": clean(document.id), "state": state} for document, state in some]
        await self._driver.execute_query(_FINISH, states=states)

    def drop(self, ids: Sequence[str]) -> None:
        self._remove(ids)
        self._write(self._driver.execute_query(_PRUNE))

    def _remove(self, ids: Sequence[str]) -> None:
        for some in chunks([clean(each) for each in ids], _CHUNK):
            self._write(self._driver.execute_query(_DROP, ids=some))

    def _entity(self, document: Document) -> Any:
        values = [clean(node_of(name, value)) for name, each in document.fields.items() for value in each]
        return EntityNode(
            uuid=clean(document.id), name=clean(document.name), group_id=self._graph,
            attributes={"since": document.since, "until": document.until, "state": "", "values": values},
        )  # fmt: skip

    def _facts(self, document: Document, name: str, node: str) -> Iterator[Any]:
        own, value = clean(document.id), clean(node)
        for source, target in ((own, value), (value, own)):
            yield EntityEdge(
                uuid=str(uuid5(NAMESPACE_URL, "\0".join((source, name, target)))), source_node_uuid=source,
                target_node_uuid=target, name=clean(name), fact=f"{clean(document.name)}: {value}",
                group_id=self._graph, created_at=datetime.now(UTC),
                valid_at=_time(document.since), invalid_at=_time(document.until),
            )  # fmt: skip

    # ---- Search

    def search(self, query: StoreQuery) -> StoreAnswer:
        with self._loop.within(query.seconds):
            begun = perf_counter()
            anchors = [clean(each) for each in dict.fromkeys(query.anchors)]
            facts, nodes = self._read(self._found(anchors, query), query.seconds) if anchors else ([], [])
            holding = {each.uuid for each in nodes if _is_valid_in(each, query.valid)}
            links = [
                (each.source_node_uuid, each.target_node_uuid)
                for each in facts
                if {each.source_node_uuid, each.target_node_uuid} <= holding.union(anchors)
            ]
            walk = _LinkWalk(anchors, links, query.hops)
            fitting = {each.uuid: each for each in nodes if each.uuid in holding and _fits(each, query)}
            names = {each.uuid: each.name for each in nodes}
            newest = {uuid: each.attributes["since"] for uuid, each in fitting.items()}
            ranked = walk.ranked(fitting, newest if query.intent is RouteIntent.TEMPORAL else {})[: query.k]
            hits = tuple(
                Hit(uuid, names[uuid], score, "", tuple(names.get(n, n) for n in walk.path(uuid)), newest[uuid])
                for uuid, score in ranked
            )
            return StoreAnswer(hits, elapsed_ms(begun, query.seconds), self._copied(), is_exact=len(facts) < _MOST)

    async def _found(self, anchors: list[str], query: StoreQuery) -> tuple[list[Any], list[Any]]:
        """Return the facts within the hops of the anchors, and the entities that they join."""
        wanted = SearchFilters()
        unknown = [DateFilter(comparison_operator=ComparisonOperator.is_null)]
        if query.valid.end:
            begun = [DateFilter(date=_time(query.valid.end), comparison_operator=ComparisonOperator.less_than)]
            wanted.valid_at = [begun, unknown]
        if query.valid.start:
            lasting = [DateFilter(date=_time(query.valid.start), comparison_operator=ComparisonOperator.greater_than)]
            wanted.invalid_at = [lasting, unknown]
        facts = await edge_bfs_search(self._driver, anchors, query.hops, wanted, [self._graph], _MOST)
        ends = dict.fromkeys(end for each in facts for end in (each.source_node_uuid, each.target_node_uuid))
        return facts, await EntityNode.get_by_uuids(self._driver, list(dict.fromkeys([*anchors, *ends])))

    def _copied(self) -> str:
        """Format the last statements, for copying."""
        return "\n\n".join(
            "\n".join(
                (
                    f"GRAPH.RO_QUERY {self._graph}",
                    *(f"CYPHER {k}={_short(v)}" for k, v in values.items()),
                    "\n".join(line.strip() for line in asked.splitlines() if line.strip()),
                )
            )
            for asked, values in self._client.asked
        )

    # ---- Calls

    def _rows(self, statement: str, graph: str = "") -> list[dict[str, Any]]:
        driver = self._driver.clone(graph) if graph else self._driver
        found: list[dict[str, Any]] = self._read(driver.execute_query(statement))[0]
        return found

    def _read(self, work: Coroutine[Any, Any, Result], seconds: float = _SERVER_SECONDS) -> Result:
        self._client.reads_within(seconds)
        with _known_errors(seconds), self._loop.within(seconds):
            return self._loop.run(work, seconds)

    def _write(self, work: Coroutine[Any, Any, Any]) -> None:
        self._client.writes()
        with _known_errors(_SERVER_SECONDS), self._loop.within(_SERVER_SECONDS):
            self._loop.run(work, _SERVER_SECONDS)

    def close(self) -> None:
        with suppress(DataStoreError, RedisError):
            self._loop.run(self._driver.close(), _CONNECT_SECONDS)
        self._loop.close()


def _redis(address: str, password: str | None) -> Any:
    try:
        parts = urlsplit(address)
        user, host, port = unquote(parts.username or "") or None, parts.hostname or "localhost", parts.port or _PORT
    except ValueError as error:
        raise DataStoreError(unreachable(first_line(error))) from error
    return Redis(
        host=host, port=port, username=user, password=password, ssl=parts.scheme == "falkors", protocol=2,
        decode_responses=True, socket_connect_timeout=_CONNECT_SECONDS, retry=Retry(NoBackoff(), 1),
    )  # fmt: skip


class _Client:
    """Replacement of FalkorDB's client, which would block on the server when created.

    Reading never creates a graph, and is also limited on the server.
    """

    def __init__(self, redis: Any) -> None:
        self.connection = redis
        self.execute_command = redis.execute_command
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.ms: int | None = None

    def reads_within(self, seconds: float) -> None:
        self.asked, self.ms = [], max(1, round(seconds * 1000.0))

    def writes(self) -> None:
        self.asked, self.ms = [], None

    def select_graph(self, name: str) -> _Graph:
        return _Graph(self, AsyncGraph(self, name))

    async def aclose(self) -> None:
        await self.connection.aclose()


class _Graph:
    def __init__(self, client: _Client, graph: Any) -> None:
        self._client, self._graph = client, graph

    async def query(self, statement: str, values: dict[str, Any]) -> Any:
        statement = statement.replace(*_WHERE_A_WALK_BEGINS)
        self._client.asked.append((statement, values))
        if self._client.ms is None:
            return await self._graph.query(statement, values)
        return await self._graph.ro_query(statement, values, timeout=self._client.ms)


@contextmanager
def _known_errors(seconds: float) -> Iterator[None]:
    try:
        yield
    except (ResponseError, AuthenticationError) as error:
        if "empty key" in str(error):
            raise DataStoreError(NOT_FILLED) from error
        if "timed out" in str(error).lower():
            raise DataStoreGoneError(timed_out(seconds)) from error
        raise DataStoreError(refused(first_line(error))) from error
    except (RedisError, OSError) as error:
        raise DataStoreGoneError(unreachable(first_line(error))) from error
    except ValueError as error:
        raise DataStoreError(INVALID) from error


def _is_valid_in(entity: Any, held: Period) -> bool:
    """Return whether a document was valid in a period; True for values."""
    attributes = entity.attributes
    if attributes.get("state") is None:
        return True
    has_begun = not held.end or attributes["since"] < held.end
    return has_begun and (not held.start or not attributes["until"] or attributes["until"] > held.start)


def _fits(entity: Any, query: StoreQuery) -> bool:
    attributes = entity.attributes
    if attributes.get("state") is None:
        return False
    since, made = attributes["since"], query.started
    if (made.start and since < made.start) or (made.end and not ("" < since < made.end)):
        return False
    wanted = ([clean(node_of(name, value)) for value in values] for name, values in query.filters.items())
    return all(set(attributes["values"]).intersection(each) for each in wanted)


def _time(text: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    return None


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(value)})"


class _LinkWalk:
    """Breadth-first search from each anchor, up to `hops` steps, in both directions."""

    def __init__(self, anchors: Iterable[str], links: Iterable[tuple[str, str]], hops: int) -> None:
        self._next: dict[str, set[str]] = {}
        for one, other in links:
            self._next.setdefault(one, set()).add(other)
            self._next.setdefault(other, set()).add(one)
        self._depths = {anchor: self._from(anchor, hops) for anchor in anchors}

    def _from(self, anchor: str, hops: int) -> dict[str, int]:
        depths, edge = {anchor: 0}, [anchor]
        for depth in range(1, hops + 1):
            edge = list(dict.fromkeys(n for node in edge for n in self._next.get(node, ()) if n not in depths))
            depths |= dict.fromkeys(edge, depth)
        return depths

    def ranked(self, among: Iterable[str], newest: Mapping[str, str]) -> list[tuple[str, float]]:
        """Rank the reached nodes with scores: nearest, newest where timed, most links, then id."""
        found = []
        for node in among:
            reached = [depths for depths in self._depths.values() if node in depths]
            if reached:
                score = sum(1.0 / (1 + depths[node]) for depths in reached) / len(self._depths)
                found.append((node, score, sum(len(self._before(node, depths)) for depths in reached)))
        found.sort(key=lambda one: (-one[2], one[0]))
        found.sort(key=lambda one: newest.get(one[0], ""), reverse=True)
        found.sort(key=lambda one: -one[1])
        return [(node, score) for node, score, _ in found]

    def path(self, node: str) -> list[str]:
        """Return the path from the nearest anchor to this node."""
        depths = min((each for each in self._depths.values() if node in each), key=lambda each: each[node])
        path = [node]
        while before := self._before(path[0], depths):
            path.insert(0, min(before))
        return path

    def _before(self, node: str, depths: Mapping[str, int]) -> list[str]:
        """Return the neighbours one step nearer to the anchor."""
        return [one for one in self._next.get(node, ()) if depths.get(one, depths[node]) < depths[node]]
