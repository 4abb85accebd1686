"""Contract of every mapped store: it finds what other stores find, and writes nothing."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.detect.store_query import period_of_time
from app.domain.datastore import MAPPED, Document, Period, StoreMapping, suggested
from app.domain.errors import DataStoreError
from app.domain.route import RouteIntent
from app.ports.datastore import MappedStore, StoreQuery
from app.settings.sections import RouteSettings
from tests.contracts.test_data_stores import GRAPH, HYBRID, LIBRARY, SIZE, TEMPORAL, VECTOR, VECTORS, axis, names
from tests.store_servers import PASSWORD

DOCS = [each for each in LIBRARY if each.texts]
MAPPINGS = {
    "postgresql": "Their %s Notes; id=i%d; name=title; text=body; vector=embedding; since=made; until=gone; fields=tag",
    "qdrant": "their-notes; id=own; name=title; text=body; vector=dense; since=made; until=gone; fields=tag",
    "neo4j": "Their Note; id=own; name=title; since=made; until=gone; fields=tag",
}


def tags(document: Document) -> list[str]:
    return list(document.fields.get("tag", ()))


def on_postgres(request: pytest.FixtureRequest) -> tuple[str, Callable[[StoreMapping], MappedStore]]:
    address = request.getfixturevalue("postgres")
    import psycopg

    from app.adapters.datastores.postgres import MappedPostgres

    with psycopg.connect(address, autocommit=True) as sql:
        sql.execute("CREATE EXTENSION IF NOT EXISTS vector")
        sql.execute('DROP TABLE IF EXISTS "Their %s Notes"')
        times = "made timestamptz, gone timestamp"
        columns = f'"i%d" text, title text, body text, embedding vector({SIZE}), {times}, tag text[]'
        sql.execute(f'CREATE TABLE "Their %s Notes" ({columns})'.encode())
        for each in DOCS:
            vector = str(VECTORS[each.texts[0]].tolist())
            row = (each.id, each.name, f"{each.texts[0]} {each.body}", vector, f"{each.since}+00", each.until or None)
            sql.execute('INSERT INTO "Their %%s Notes" VALUES (%s, %s, %s, %s, %s, %s, %s)', (*row, tags(each)))
    return "postgresql", lambda mapping: MappedPostgres(address, mapping)


def on_qdrant(request: pytest.FixtureRequest) -> tuple[str, Callable[[StoreMapping], MappedStore]]:
    address = request.getfixturevalue("qdrant")
    from qdrant_client import QdrantClient, models

    from app.adapters.datastores.qdrant import MappedQdrant

    with closing(QdrantClient(address, check_compatibility=False)) as client:
        if not client.collection_exists("their-notes"):
            size = models.VectorParams(size=SIZE, distance=models.Distance.COSINE)
            client.create_collection("their-notes", vectors_config={"dense": size})
        points = [
            models.PointStruct(
                id=n,
                vector={"dense": VECTORS[each.texts[0]].tolist()},
                payload={"own": each.id, "title": each.name, "body": each.texts[0], "made": f"{each.since}Z"}
                | {"tag": tags(each), **({"gone": f"{each.until}Z"} if each.until else {})},
            )
            for n, each in enumerate(DOCS, 1)
        ]
        client.upsert("their-notes", points)
    return "qdrant", lambda mapping: MappedQdrant(address, mapping)


_NODE = """CREATE (d:`Their Note` {own: $id, title: $name, made: $since, gone: $until, tag: $tags}) WITH d
UNWIND $tags AS tag MERGE (t:Topic {title: tag}) CREATE (d)-[:ABOUT]->(t)"""


def on_neo4j(request: pytest.FixtureRequest) -> tuple[str, Callable[[StoreMapping], MappedStore]]:
    address = request.getfixturevalue("bolt").address
    from app.adapters.datastores.neo4j import MappedNeo4j, Neo4jStore

    with closing(Neo4jStore(address, "", PASSWORD)) as theirs:
        theirs._write(
            ("MATCH (n:`Their Note`) DETACH DELETE n", {}),
            ("MATCH (n:Topic) DETACH DELETE n", {}),
            *(
                (
                    _NODE,
                    {
                        "id": each.id,
                        "name": each.name,
                        "since": f"{each.since.replace(' ', 'T')}Z".removesuffix("T00:00:00Z"),
                        "until": each.until.removesuffix(" 00:00:00") or None,
                        "tags": tags(each),
                    },
                )
                for each in DOCS
            ),
        )
    return "neo4j", lambda mapping: MappedNeo4j(address, mapping, PASSWORD)


SERVERS: Mapping[str, Callable[[pytest.FixtureRequest], tuple[str, Callable[[StoreMapping], MappedStore]]]] = {
    "postgresql": on_postgres,
    "qdrant": on_qdrant,
    "neo4j": on_neo4j,
}
WAYS = {"postgresql": {VECTOR, HYBRID}, "qdrant": {VECTOR}, "neo4j": {GRAPH, TEMPORAL}}


class Opened:
    """Mapped store, a function that opens it with another mapping, and its kinds of search."""

    def __init__(self, name: str, opens: Callable[[StoreMapping], MappedStore]) -> None:
        self.name, self.mapping = name, StoreMapping.of(MAPPINGS[name])
        self._opens, self._opened = opens, list[MappedStore]()
        self.store = self.under()

    def under(self, **changes: Any) -> MappedStore:
        self._opened.append(self._opens(replace(self.mapping, **changes)))
        return self._opened[-1]

    def close(self) -> None:
        for each in self._opened:
            each.close()


@pytest.fixture(params=list(SERVERS))
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    with closing(Opened(*SERVERS[request.param](request))) as made:
        yield made


def query(way: RouteIntent, **more: Any) -> StoreQuery:
    if way in {VECTOR, HYBRID}:
        return StoreQuery("the red pipeline", way, axis(0, 1), **more)
    return StoreQuery("what belongs to BETA?", way, hops=4, **more)


def test_that_documents_of_others_are_found_as_own_ones_are(opened: Opened) -> None:
    store = opened.store
    assert isinstance(store, MappedStore)
    assert store.intents == WAYS[opened.name]
    assert (store.count_foreign(), store.stored_states()) == (len(DOCS), {})
    assert set(store.values()["tag"]) == {"build", "ci", "food"}
    for way in store.intents:
        found = store.search(query(way))
        assert found.hits[0].id == "memory:beta"
        assert found.hits[0].name == "beta"
        assert found.hits[0].since == "2025-06-01 12:00:00"
        assert found.statement
        assert names(store, query(way, filters={"tag": ("ci",)})) == ["beta", "gamma"]
        assert names(store, query(way, filters={"nobody": ("ci",)})) == []
        assert names(store, query(way, valid=period_of_time("2026-06-01 00:00:00")))[0] == "beta"
        assert "delta" not in names(store, query(way, valid=period_of_time("2026-06-01 00:00:00")))
        assert "beta" not in names(store, query(way, valid=period_of_time("2024-06-01 00:00:00")))
        year = Period("2025-01-01 00:00:00", "2026-01-01 00:00:00")
        assert {"gamma", "delta"}.isdisjoint(names(store, query(way, valid=year)))
        assert "gamma" in names(store, query(way, valid=period_of_time(year.end)))
        assert names(store, query(way, started=Period(year.end))) == ["gamma"]
        assert names(store, query(way, started=year)) == ["beta"]
        with pytest.raises(DataStoreError, match="within 0 s"):
            store.search(query(way, seconds=0.0))


def test_that_nothing_is_ever_written_there(opened: Opened) -> None:
    store = opened.store
    for act in (store.setup, store.prepare, lambda: store.drop(["memory:beta"]), lambda: store.put([], {})):
        with pytest.raises(DataStoreError, match="is only read, nothing is written there"):
            act()
    assert store.count_foreign() == len(DOCS)


def test_that_what_is_there_is_listed_and_a_mapping_suggested_that_fits(opened: Opened) -> None:
    found = {source.name: source for source in opened.store.sources()}
    assert not [name for name in found if name.casefold().startswith("intentscope")]
    source = found[opened.mapping.source]
    assert set(opened.mapping.columns) <= source.columns.keys()
    made = suggested(source, opened.name)
    assert all(getattr(made, part) for part in set(MAPPED[opened.name]) - {"id"})
    assert made.vector == opened.mapping.vector
    settings = RouteSettings.model_validate({f"{opened.name}_mapping": str(opened.mapping)})
    assert settings.mapping(opened.name) == opened.mapping


def test_that_a_mapping_that_does_not_fit_says_what_to_do(opened: Opened) -> None:
    way = next(iter(opened.store.intents))
    acts: tuple[Callable[[MappedStore], object], ...] = (
        lambda store: store.count_foreign(),
        lambda store: store.search(query(way)),
    )
    for act in acts:
        with pytest.raises(DataStoreError, match=f"The server has no “unknown”; it has .*{opened.mapping.source}"):
            act(opened.under(source="unknown"))
    if opened.name != "qdrant":  # a payload has no columns
        with pytest.raises(DataStoreError, match=r"has no “o'hara\"`”: it has .*title"):
            opened.under(name="o'hara\"`", id="o'hara\"`").count_foreign()
    if VECTOR in opened.store.intents:
        with pytest.raises(DataStoreError, match="have 8 numbers, those of this encoder 9"):
            opened.store.search(StoreQuery("", VECTOR, np.ones(SIZE + 1, np.float32)))
        with pytest.raises(DataStoreError, match="encoder"):
            opened.store.search(StoreQuery("soup", VECTOR))
    opened.store.close()
    with pytest.raises(DataStoreError):
        opened.store.count_foreign()


def test_that_a_mapping_reads_as_it_is_written() -> None:
    for text in MAPPINGS.values():
        assert str(StoreMapping.of(text)) == text
    assert StoreMapping.of(" docs ;id = a ; fields=b,, c;").columns == ("a", "b", "c")
    for wrong in ("", "; id=a", "docs; id", "docs; ident=a", "docs; id=a; id=b"):
        with pytest.raises(ValueError, match="it is written as in “docs; id=id"):
            StoreMapping.of(wrong)
    with pytest.raises(ValueError, match="has to say where text is"):
        RouteSettings(postgresql_mapping="docs; id=a")
