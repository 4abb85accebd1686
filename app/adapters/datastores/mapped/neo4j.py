"""Existing nodes of a label in Neo4j, with walks along any relationships."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from app.adapters.datastores.client import clean, timed_out
from app.adapters.datastores.mapped.read_only import MAX_VALUES, ReadOnlyStore, time_of
from app.adapters.datastores.neo4j import Neo4jStore, copied, hit_of
from app.domain.datastore import Source, StoreAnswer, StoreMapping
from app.domain.errors import DataStoreError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery

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

_WALK = """UNWIND $anchors AS anchor
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
            return self._values()

    def _values(self) -> Mapping[str, tuple[str, ...]]:
        self._check()
        found: dict[str, tuple[str, ...]] = {}
        for name in self.mapping.fields:
            rows = self._read(self._filled(_VALUES, name=_quoted(name), most=MAX_VALUES))
            each = [value for row in rows for value in _listed(row["value"])]
            found[name] = tuple(dict.fromkeys(value for value in each if isinstance(value, str)))
        return found

    def search(self, query: StoreQuery) -> StoreAnswer:
        with self._loop.within(query.seconds):
            return self._searched(query)

    def _searched(self, query: StoreQuery) -> StoreAnswer:
        begun = perf_counter()
        self._check(query.seconds)
        anchors = [clean(each) for each in query.anchors]
        if not anchors and query.text:
            asked = self._filled(_NAMED, id=self._id("n"))
            anchors = [row["id"] for row in self._read(asked, {"text": query.text}, query.seconds)]
        statement, values = self._walk(query, anchors)
        rows = self._read(statement, values, query.seconds) if anchors else []
        ms = (perf_counter() - begun) * 1000.0
        if ms > query.seconds * 1000.0:
            raise DataStoreError(timed_out(query.seconds))
        hits = tuple(hit_of({**row, "since": time_of(row["since"])}) for row in rows)
        return StoreAnswer(hits, ms, copied(statement, values))

    def _walk(self, query: StoreQuery, anchors: list[str]) -> tuple[str, dict[str, Any]]:
        mapping = self.mapping
        values: dict[str, Any] = {
            "anchors": anchors, "k": query.k, "start": query.started.start, "end": query.started.end,
            "held_from": query.valid.start, "held_to": query.valid.end,
        }  # fmt: skip
        since = _time("d", mapping.since)
        holds = [
            f"($start = '' OR {since} >= $start) AND ($end = '' OR ({since} <> '' AND {since} < $end))",
            _holds("d", mapping),
        ]
        for n, (name, wanted) in enumerate(query.filters.items()):
            values[f"wanted{n}"] = [clean(each) for each in wanted]
            held = f"d.{_quoted(name)}"
            of_field = f"any(one IN $wanted{n} WHERE one IN coalesce([] + {held}, []))"
            holds.append(of_field if name in mapping.fields else "false")
        newest = "since DESC, " if query.intent is RouteIntent.TEMPORAL and mapping.since else ""
        name = _quoted(mapping.name)
        return self._filled(
            _WALK, hops=int(query.hops), anchor_id=self._id("a"), id=self._id("d"), since=since, newest=newest,
            holds=" AND ".join(holds), between=_holds("n", mapping), before="id(nodes(p)[-2])",
            step=f"coalesce(toString(n.{name}), head(labels(n)))",
        ), values  # fmt: skip

    def _id(self, node: str) -> str:
        own = self.mapping.id or self.mapping.name
        return f"toString({node}.{_quoted(own)})"

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
    """Quote a name for Cypher."""
    return f"`{name.replace('`', '``')}`"


def _time(node: str, name: str) -> str:
    """Return the expression for a time in the documents' format: from text, or Neo4j's types."""
    if not name:
        return "''"
    told = f"toString({node}.{_quoted(name)})"
    midnight = f"CASE size({told}) WHEN 10 THEN ' 00:00:00' ELSE '' END"
    return f"coalesce(left(replace({told}, 'T', ' ') + {midnight}, 19), '')"


def _holds(node: str, mapping: StoreMapping) -> str:
    since, until = _time(node, mapping.since), _time(node, mapping.until)
    began, lasted = (
        f"($held_to = '' OR {since} < $held_to)",
        f"($held_from = '' OR {until} = '' OR {until} > $held_from)",
    )
    return f"({began} AND {lasted})"


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
