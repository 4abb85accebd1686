"""Neo4j: documents and values as nodes, walked in Cypher; or an existing graph, only read."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import perf_counter
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit, urlunsplit

from neo4j import READ_ACCESS, WRITE_ACCESS, AsyncDriver, AsyncGraphDatabase, AsyncSession, Query
from neo4j.exceptions import DriverError, Neo4jError

from app.adapters.datastores.client import (
    INVALID,
    MAX_VALUES,
    NOT_FILLED,
    DeadlineLoop,
    ReadOnlyStore,
    clean,
    elapsed_ms,
    first_line,
    gathered,
    refused,
    time_of,
    timed_out,
    unreachable,
)
from app.domain.datastore import Document, Hit, Source, StoreAnswer, StoreMapping, node_of
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from app.ports.encoder import Vectors
from app.services.engine.typing_priority import chunks

# It would print errors that are reported already.
logging.getLogger("neo4j").setLevel(logging.CRITICAL)

Result = TypeVar("Result")

SETUP = """CREATE CONSTRAINT intentscope IF NOT EXISTS
FOR (n:Intentscope) REQUIRE (n.library, n.id) IS UNIQUE"""

_HELD = """MATCH (d:Intentscope) WHERE d.library = $library AND d.state IS NOT NULL AND d.id > $after
RETURN d.id AS id, d.state AS state ORDER BY id LIMIT $page"""

_OTHERS = "MATCH (d:Intentscope) WHERE d.library <> $library AND d.state IS NOT NULL RETURN count(d) AS count"

_DROP = "UNWIND $ids AS id MATCH (d:Intentscope {library: $library, id: id}) DETACH DELETE d"

_PRUNE = "MATCH (v:Intentscope) WHERE v.library = $library AND v.state IS NULL AND NOT (v)--() DELETE v"
"""Statement that deletes values without a document."""

_PUT = """UNWIND $documents AS one MERGE (d:Intentscope {library: $library, id: one.id})
SET d.name = one.name, d.since = one.since, d.until = one.until, d.values = one.values, d.state = one.state"""

_LINK = """UNWIND $links AS link MATCH (d:Intentscope {library: $library, id: link.id})
MERGE (v:Intentscope {library: $library, id: link.node}) MERGE (d)-[:LINKED {name: link.name}]->(v)"""

_HOLDS = "(($held_to = '' OR {n}.since < $held_to) AND ($held_from = '' OR {n}.until = '' OR {n}.until > $held_from))"

_WALK = f"""UNWIND $anchors AS anchor
MATCH p = (a:Intentscope {{{{library: $library, id: anchor}}}})-[:LINKED*0..{{hops}}]-(d:Intentscope)
WHERE d.state IS NOT NULL AND {_HOLDS.format(n="d")}
  AND ($start = '' OR d.since >= $start) AND ($end = '' OR (d.since <> '' AND d.since < $end))
  AND all(n IN nodes(p)[1..] WHERE n.state IS NULL OR {_HOLDS.format(n="n")})
  AND all(wanted IN $filters WHERE any(value IN wanted WHERE value IN d.values))
WITH anchor, d, length(p) AS depth, nodes(p)[-2].id AS before, [n IN nodes(p) | coalesce(n.name, n.id)] AS path
WITH anchor, d, depth, count(DISTINCT before) AS links, min(path) AS path ORDER BY depth
WITH anchor, d, collect({{{{depth: depth, links: links, path: path}}}})[0] AS nearest
WITH d, sum(1.0 / (1 + nearest.depth)) / size($anchors) AS score, sum(nearest.links) AS links, collect(nearest) AS ways
RETURN d.id AS id, d.name AS name, d.since AS since, score, links, ways
ORDER BY score DESC, {{newest}}links DESC, id LIMIT $k"""

_CHUNK = 1_000
"""Number of rows per statement; a call is one transaction."""
_PAGE = 2_000
"""Number of documents per page."""
_LONGEST_ANSWER = 1_000_000
"""Maximum size in bytes of an answer; larger ones block the client for seconds."""
_CONNECT_SECONDS = 5.0
_SERVER_SECONDS = 30.0
_USER = "neo4j"
"""Default user of a password."""


class Neo4jStore:
    """DataStore with Neo4j's own driver over Bolt; nothing is created before `prepare`.

    `address` is the driver's (neo4j+s://user@host:7687/database). It follows links and has no vectors.
    """

    intents = frozenset({RouteIntent.GRAPH, RouteIntent.TEMPORAL})

    def __init__(self, address: str, library: str, password: str | None = None) -> None:
        parts = urlsplit(address)
        user, _, host = parts.netloc.rpartition("@")
        self._address = urlunsplit(parts._replace(netloc=host, path=""))
        self._database = parts.path.strip("/") or None
        self._auth = (unquote(user) or _USER, password or "") if user or password else None
        self._library = library
        self._loop = DeadlineLoop(_LONGEST_ANSWER)
        self._driver: AsyncDriver | None = None

    # ---- Content

    def setup(self) -> str:
        return "" if self._read("SHOW CONSTRAINTS YIELD name WHERE name = 'intentscope' RETURN name") else SETUP

    def prepare(self) -> None:
        self._write((SETUP, {}))

    def stored_states(self) -> Mapping[str, str]:
        with self._loop.within(_SERVER_SECONDS):
            return gathered(self._page_of_states)

    def _page_of_states(self, after: str | None) -> tuple[Mapping[str, str], str | None]:
        rows = self._read(_HELD, {"after": after or "", "page": _PAGE})
        return {row["id"]: row["state"] for row in rows}, rows[-1]["id"] if len(rows) == _PAGE else None

    def count_foreign(self) -> int:
        with self._loop.within(_SERVER_SECONDS):
            return sum(int(row["count"]) for row in self._read(_OTHERS))

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        kept = list(documents)
        links = [link for document, _ in kept for link in _links(document)]
        self._write(
            *self._dropped([document.id for document, _ in kept]),
            *((_PUT, {"documents": some}) for some in chunks((_row(*each) for each in kept), _CHUNK)),
            *((_LINK, {"links": some}) for some in chunks(links, _CHUNK)),
        )

    def drop(self, ids: Sequence[str]) -> None:
        self._write(*self._dropped(ids), (_PRUNE, {}))

    def _dropped(self, ids: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        return ((_DROP, {"ids": some}) for some in chunks(map(clean, ids), _CHUNK))

    # ---- Search

    def search(self, query: StoreQuery) -> StoreAnswer:
        begun = perf_counter()
        newest = "since DESC, " if query.intent is RouteIntent.TEMPORAL else ""
        statement = _WALK.format(hops=int(query.hops), newest=newest)
        values: dict[str, Any] = {
            "library": self._library,
            "anchors": [clean(each) for each in query.anchors],
            **query.bounds,
            "filters": [[clean(node_of(name, value)) for value in wanted] for name, wanted in query.filters.items()],
            "k": query.k,
        }
        with self._loop.within(query.seconds):
            hits = tuple(map(hit_of, self._read(statement, values, query.seconds)))
        if not hits and self.setup():
            raise DataStoreError(NOT_FILLED)
        return StoreAnswer(hits, elapsed_ms(begun, query.seconds), copied(statement, values))

    # ---- Calls

    def _read(
        self, statement: str, values: Mapping[str, Any] | None = None, seconds: float = _SERVER_SECONDS
    ) -> list[dict[str, Any]]:
        async def work(session: AsyncSession) -> list[dict[str, Any]]:
            asked = Query(statement, timeout=seconds)  # only the number of hops is not a parameter
            found = await session.run(asked, {"library": self._library, **(values or {})})
            return [row.data() async for row in found]

        return self._call(work, READ_ACCESS, seconds)

    def _write(self, *statements: tuple[str, dict[str, Any]]) -> None:
        """Run the statements in one transaction."""

        async def work(session: AsyncSession) -> None:
            async with await session.begin_transaction(timeout=_SERVER_SECONDS) as transaction:
                for statement, values in statements:
                    await (await transaction.run(statement, {"library": self._library, **values})).consume()
                await transaction.commit()

        self._call(work, WRITE_ACCESS, _SERVER_SECONDS)

    def _call(self, work: Callable[[AsyncSession], Awaitable[Result]], access: str, seconds: float) -> Result:
        async def called() -> Result:
            session = self._opened().session(database=self._database, default_access_mode=access)
            try:
                async with session:
                    return await work(session)
            except asyncio.CancelledError:
                session.cancel()  # if this interrupted its closing, it still holds the connection
                await session.close()
                raise

        with _known_errors(seconds), self._loop.within(seconds):
            return self._loop.run(called(), seconds)

    def _opened(self) -> AsyncDriver:
        if self._driver is None:
            try:
                self._driver = AsyncGraphDatabase.driver(
                    self._address, auth=self._auth, connection_timeout=_CONNECT_SECONDS, max_connection_pool_size=1,
                    max_transaction_retry_time=0.0, notifications_min_severity="OFF", telemetry_disabled=True,
                )  # fmt: skip
            except ValueError as error:
                raise DataStoreError(unreachable(first_line(error))) from error
        return self._driver

    def close(self) -> None:
        if self._driver is not None:
            with suppress(DataStoreError, DriverError, Neo4jError):
                self._loop.run(self._driver.close(), _CONNECT_SECONDS)
        self._loop.close()


@contextmanager
def _known_errors(seconds: float) -> Iterator[None]:
    try:
        yield
    except Neo4jError as error:
        if "TransactionTimedOut" in (error.code or ""):
            raise DataStoreGoneError(timed_out(seconds)) from error
        raise DataStoreError(refused(first_line(error.message))) from error
    except (DriverError, OSError) as error:
        raise DataStoreGoneError(unreachable(first_line(error))) from error
    except ValueError as error:
        raise DataStoreError(INVALID) from error


def _row(document: Document, state: str) -> dict[str, Any]:
    values = [clean(node_of(name, value)) for name, each in document.fields.items() for value in each]
    row = {"id": document.id, "name": document.name, "since": document.since, "until": document.until, "state": state}
    return {**{key: clean(each) for key, each in row.items()}, "values": values}


def _links(document: Document) -> Iterator[dict[str, str]]:
    for name, node in document.links:
        yield {"id": clean(document.id), "name": clean(name), "node": clean(node)}


def hit_of(row: Mapping[str, Any]) -> Hit:
    """Convert a row to a hit with the shortest path, from the nearest anchor."""
    nearest = min(row["ways"], key=lambda way: (way["depth"], way["path"]))
    return Hit(row["id"], row["name"], min(1.0, row["score"]), "", tuple(nearest["path"]), row["since"])


def copied(statement: str, values: Mapping[str, Any]) -> str:
    """Format the statement with its parameters, for Neo4j's browser."""
    bound = "\n".join(f":param {key} => {json.dumps(value, ensure_ascii=False)};" for key, value in values.items())
    return f"{bound}\n{statement};"


OURS = "Intentscope"

LOOK_SECONDS = 30.0
"""Time-out of listings in seconds."""

_SOURCES = """MATCH (n) WITH n LIMIT 5000 UNWIND labels(n) AS label UNWIND keys(n) AS name
RETURN label, collect(DISTINCT name) AS names ORDER BY label"""
"""Statement for labels and properties of the first nodes; a graph has no schema."""

_KEYS = "MATCH (n:{label}) WITH n LIMIT 1000 UNWIND keys(n) AS name RETURN collect(DISTINCT name) AS names"

_COUNT = "MATCH (n:{label}) RETURN count(n) AS count"

_VALUES = "MATCH (n:{label}) WHERE n.{name} IS NOT NULL RETURN DISTINCT n.{name} AS value LIMIT {most}"

_NAMED = """MATCH (n:{label}) WHERE size(toString(n.{name})) > 2 AND toLower($text) CONTAINS toLower(toString(n.{name}))
RETURN {id} AS id ORDER BY size(toString(n.{name})) DESC, id LIMIT 5"""
"""Statement for nodes whose name is in the query, longest names first."""

_MAPPED_WALK = """UNWIND $anchors AS anchor
MATCH p = (a:{label})-[*0..{hops}]-(d:{label}) WHERE {anchor_id} = anchor AND {holds}
  AND all(n IN nodes(p)[1..] WHERE {between})
WITH anchor, d, length(p) AS depth, {before} AS before, [n IN nodes(p) | {step}] AS path
WITH anchor, d, depth, count(DISTINCT before) AS links, min(path) AS path ORDER BY depth
WITH anchor, d, collect({{depth: depth, links: links, path: path}})[0] AS nearest
WITH d, sum(1.0 / (1 + nearest.depth)) / size($anchors) AS score, sum(nearest.links) AS links, collect(nearest) AS ways
RETURN {id} AS id, toString(d.{name}) AS name, {since} AS since, score, links, ways
ORDER BY score DESC, {newest}links DESC, id LIMIT $k"""


class MappedNeo4j(ReadOnlyStore, Neo4jStore):
    """MappedStore on one label, with read-only sessions.

    A walk starts from nodes named in the query and follows relationships of any type and direction, also through
    nodes of other labels.
    """

    def __init__(self, address: str, mapping: StoreMapping, password: str | None = None) -> None:
        super().__init__(address, "", password)
        self.mapping = mapping

    def count_foreign(self) -> int:
        with self._loop.within(LOOK_SECONDS):
            self._check()
            return sum(int(row["count"]) for row in self._read(self._filled(_COUNT)))

    def sources(self) -> Sequence[Source]:
        with self._loop.within(LOOK_SECONDS):
            rows = self._read(_SOURCES)
            return [Source(row["label"], dict.fromkeys(row["names"], "")) for row in rows if row["label"] != OURS]

    def values(self) -> Mapping[str, tuple[str, ...]]:
        with self._loop.within(LOOK_SECONDS):
            self._check()
            found: dict[str, tuple[str, ...]] = {}
            for name in self.mapping.fields:
                rows = self._read(self._filled(_VALUES, name=_quoted(name), most=MAX_VALUES))
                lists = [row["value"] for row in rows]
                each = [value for held in lists for value in (held if isinstance(held, list) else [held])]
                found[name] = tuple(dict.fromkeys(value for value in each if isinstance(value, str)))
            return found

    def search(self, query: StoreQuery) -> StoreAnswer:
        with self._loop.within(query.seconds):
            begun = perf_counter()
            self._check(query.seconds)
            anchors = [clean(each) for each in query.anchors]
            if not anchors and query.text:
                asked = self._filled(_NAMED, id=self._id("n"))
                anchors = [row["id"] for row in self._read(asked, {"text": query.text}, query.seconds)]
            statement, values = self._walk(query, anchors)
            rows = self._read(statement, values, query.seconds) if anchors else []
            ms = elapsed_ms(begun, query.seconds)
            hits = tuple(hit_of({**row, "since": time_of(row["since"])}) for row in rows)
            return StoreAnswer(hits, ms, copied(statement, values))

    def _walk(self, query: StoreQuery, anchors: list[str]) -> tuple[str, dict[str, Any]]:
        mapping = self.mapping
        values: dict[str, Any] = {"anchors": anchors, "k": query.k, **query.bounds}
        since = _time("d", mapping.since)
        holds = [
            f"($start = '' OR {since} >= $start) AND ($end = '' OR ({since} <> '' AND {since} < $end))",
            _validity_clause("d", mapping),
        ]
        for n, (name, wanted) in enumerate(query.filters.items()):
            values[f"wanted{n}"] = [clean(each) for each in wanted]
            held = f"d.{_quoted(name)}"
            of_field = f"any(one IN $wanted{n} WHERE one IN coalesce([] + {held}, []))"
            holds.append(of_field if name in mapping.fields else "false")
        newest = "since DESC, " if query.intent is RouteIntent.TEMPORAL and mapping.since else ""
        name = _quoted(mapping.name)
        return self._filled(
            _MAPPED_WALK, hops=int(query.hops), anchor_id=self._id("a"), id=self._id("d"), since=since, newest=newest,
            holds=" AND ".join(holds), between=_validity_clause("n", mapping), before="id(nodes(p)[-2])",
            step=f"coalesce(toString(n.{name}), head(labels(n)))",
        ), values  # fmt: skip

    def _id(self, node: str) -> str:
        return f"toString({node}.{_quoted(self.mapping.id or self.mapping.name)})"

    def _filled(self, template: str, **parts: object) -> str:
        named = {"label": _quoted(self.mapping.source), "name": _quoted(self.mapping.name)}
        return template.format(**{**named, **parts})

    def _check(self, seconds: float = LOOK_SECONDS) -> None:
        rows = self._read(self._filled(_KEYS), None, seconds)
        names = dict.fromkeys(rows[0]["names"] if rows else (), "")
        # Nodes without a value lack the property, so only required properties are checked.
        needed = {name: "" for name in self.mapping.columns if name not in {self.mapping.name, self.mapping.id}}
        self.check({**needed, **names} if names else {}, () if names else (each.name for each in self.sources()))


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _time(node: str, name: str) -> str:
    """Return the expression for a time in the documents' format: from text, or Neo4j's types."""
    if not name:
        return "''"
    text = f"toString({node}.{_quoted(name)})"
    midnight = f"CASE size({text}) WHEN 10 THEN ' 00:00:00' ELSE '' END"
    return f"coalesce(left(replace({text}, 'T', ' ') + {midnight}, 19), '')"


def _validity_clause(node: str, mapping: StoreMapping) -> str:
    since, until = _time(node, mapping.since), _time(node, mapping.until)
    began, lasted = (
        f"($held_to = '' OR {since} < $held_to)",
        f"($held_from = '' OR {until} = '' OR {until} > $held_from)",
    )
    return f"({began} AND {lasted})"
