"""Contract of every DataStore."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.adapters.datastores.embedded import EmbeddedStore
from app.detect.store_query import period_of_time
from app.domain.datastore import Document, Period
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.library import Memory
from app.domain.route import RouteIntent
from app.ports.datastore import DataStore, StoreQuery
from app.ports.encoder import Vectors
from app.services.routing.stores import documents_of
from tests.fakes import MemoryLibrary
from tests.store_servers import PASSWORD, StoreServer, free_ports, freeze
from tests.waiting import wait_for

VECTOR, HYBRID, GRAPH, TEMPORAL = RouteIntent.VECTOR, RouteIntent.HYBRID, RouteIntent.GRAPH, RouteIntent.TEMPORAL
SIZE = 8
STATE = "as it is"


def axis(*places: int) -> Vectors:
    vector = np.zeros(SIZE, np.float32)
    vector[list(places)] = 1.0
    return vector


def document(name: str, *tags: str, text: str = "", since: str = "2024-01-01 00:00:00", until: str = "") -> Document:
    fields = {"kind": ("memory",), "tag": tags} if tags else {"kind": ("memory",)}
    return Document(f"memory:{name}", name, (text or name,), fields, f"about {name}", since, until)


LIBRARY = (
    document("alpha", "build", text="compile the kernel"),
    document("beta", "build", "ci", text="pipeline is red", since="2025-06-01 12:00:00"),
    document("gamma", "ci", text="Grüße aus 東京 🚀", since="2026-01-01 00:00:00"),
    document("delta", "food", text="soup of the day", until="2025-01-01 00:00:00"),
    Document("power:empty", "empty", ()),
)
VECTORS = {
    "compile the kernel": axis(0),
    "pipeline is red": axis(0, 1),
    "Grüße aus 東京 🚀": axis(2),
    "soup of the day": axis(3) * 7,
}


Opens = Callable[[str], DataStore]
"""Function that opens a store for the library of this name."""


def on_postgres(request: pytest.FixtureRequest) -> Opens:
    address = request.getfixturevalue("postgres")
    from app.adapters.datastores.postgres import PostgresStore

    return lambda library: PostgresStore(address, library)


def on_qdrant(request: pytest.FixtureRequest) -> Opens:
    address = request.getfixturevalue("qdrant")
    from app.adapters.datastores.qdrant import QdrantStore

    return lambda library: QdrantStore(address, library)


def on_neo4j(request: pytest.FixtureRequest) -> Opens:
    address = request.getfixturevalue("bolt").address
    from app.adapters.datastores.neo4j import Neo4jStore

    return lambda library: Neo4jStore(address, library, PASSWORD)


def on_graphiti(request: pytest.FixtureRequest) -> Opens:
    address = request.getfixturevalue("falkor").address
    from app.adapters.datastores.graphiti import GraphitiStore

    return lambda library: GraphitiStore(address, library)


ANY_WAY = frozenset({VECTOR, HYBRID, GRAPH, TEMPORAL})
STORES: dict[str, tuple[frozenset[RouteIntent], Callable[[pytest.FixtureRequest], Opens]]] = {
    "embedded": (ANY_WAY, lambda _: lambda _: EmbeddedStore()),
    "postgresql": (ANY_WAY, on_postgres),
    "qdrant": (frozenset({VECTOR}), on_qdrant),
    "neo4j": (frozenset({GRAPH, TEMPORAL}), on_neo4j),
    "graphiti": (frozenset({GRAPH, TEMPORAL}), on_graphiti),
}
"""Stores with their supported kinds of search; they declare not to support the others."""

QUICK = ("embedded", "postgresql")
"""Stores for large tests.

The stand-ins of the other servers take seconds for ten thousand documents, which says nothing about those.
"""


falkor_may_hang = pytest.mark.flaky(reruns=1, only_rerun="cannot be reached|within 30 s")
"""Run once more where FalkorDB answers nobody any more; its fixture then starts another server."""


def each_of(stores: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=falkor_may_hang if name == "graphiti" else ()) for name in stores]


@pytest.fixture(params=each_of(STORES))
def opens(request: pytest.FixtureRequest) -> Opens:
    return STORES[request.param][1](request)


def answering(way: RouteIntent) -> pytest.MarkDecorator:
    """Parametrize with the stores that support this kind of search."""
    names = [name for name, (ways, _) in STORES.items() if way in ways]
    return pytest.mark.parametrize("opens", each_of(names), indirect=True)


@contextmanager
def opened(opens: Opens, library: str) -> Iterator[DataStore]:
    with closing(opens(library)) as made:
        made.prepare()
        made.drop(list(made.stored_states()))
        yield made


@pytest.fixture
def store(opens: Opens) -> Iterator[DataStore]:
    with opened(opens, "one") as made:
        yield made


@pytest.fixture
def full(store: DataStore) -> DataStore:
    store.put([(each, STATE) for each in LIBRARY], VECTORS)
    return store


def names(store: DataStore, query: StoreQuery) -> list[str]:
    return [hit.name for hit in store.search(query).hits]


def by_vector(*places: int) -> StoreQuery:
    return StoreQuery("", VECTOR, axis(*places), 3)


def from_anchors(*anchors: str, hops: int = 2) -> StoreQuery:
    return StoreQuery("", GRAPH, anchors=anchors, hops=hops)


EVERY_WAY = [
    by_vector(0),
    StoreQuery("red pipeline", HYBRID, axis(0)),
    from_anchors("memory:alpha", hops=4),
    replace(from_anchors("memory:alpha", hops=4), intent=TEMPORAL),
]

each_way = pytest.mark.parametrize(
    ("opens", "query"),
    [
        pytest.param(
            name, query, id=f"{name}-{query.intent.value}", marks=falkor_may_hang if name == "graphiti" else ()
        )
        for name, (ways, _) in STORES.items()
        for query in EVERY_WAY
        if query.intent in ways
    ],
    indirect=["opens"],
)


# ---- content


def test_that_a_store_tells_the_ways_that_it_answers_in(request: pytest.FixtureRequest, store: DataStore) -> None:
    assert store.intents == STORES[request.node.callspec.params["opens"]][0]


def test_that_it_holds_what_was_put_under_its_word(full: DataStore) -> None:
    assert full.stored_states() == {each.id: STATE for each in LIBRARY}
    full.drop(["memory:alpha", "nobody"])
    full.put([(LIBRARY[1], "changed")], VECTORS)
    assert full.stored_states() == {**{each.id: STATE for each in LIBRARY[1:]}, "memory:beta": "changed"}
    for query in EVERY_WAY:
        if query.intent in full.intents:
            assert "alpha" not in names(full, replace(query, k=10, anchors=("tag:build",)))


@answering(VECTOR)
def test_that_what_is_put_again_is_found_by_its_new_meaning(full: DataStore) -> None:
    full.put([(document("alpha", "food", text="soup of the day"), "2")], VECTORS)
    assert names(full, by_vector(3))[:2] == ["alpha", "delta"]


@answering(GRAPH)
def test_that_what_is_put_again_is_found_by_its_new_links(full: DataStore) -> None:
    full.put([(document("alpha", "food", text="soup of the day"), "2")], VECTORS)
    assert set(names(full, from_anchors("tag:food", hops=1))) == {"alpha", "delta"}
    assert names(full, from_anchors("tag:build", hops=1)) == ["beta"]


@each_way
def test_that_an_empty_store_finds_nothing(store: DataStore, query: StoreQuery) -> None:
    assert store.search(query).hits == ()
    assert store.stored_states() == {}


@each_way
def test_that_a_closed_store_says_so(full: DataStore, query: StoreQuery) -> None:
    full.close()
    with pytest.raises(DataStoreError):
        full.search(query)
    with pytest.raises(DataStoreError):
        full.stored_states()


@each_way
def test_that_libraries_on_one_server_keep_find_and_drop_their_own_alone(
    full: DataStore, opens: Opens, query: StoreQuery
) -> None:
    wanted = replace(query, k=10)
    found = full.search(wanted).hits
    with opened(opens, "two") as beside:
        twin = Document("memory:alpha", "twin", ("soup of the day",), {"tag": ("build", "food")}, "red pipeline")
        stranger = document("stranger", "build", "ci", text="compile the kernel")
        beside.put([(twin, "theirs"), (stranger, "theirs")], {text: np.ones(SIZE + 1, np.float32) for text in VECTORS})
        assert beside.stored_states() == dict.fromkeys((twin.id, stranger.id), "theirs")
        assert (full.stored_states(), full.search(wanted).hits) == ({each.id: STATE for each in LIBRARY}, found)
        apart = isinstance(full, EmbeddedStore)
        assert (full.count_foreign(), beside.count_foreign()) == ((0, 0) if apart else (2, len(LIBRARY)))
        full.drop([twin.id])
        assert beside.stored_states() == dict.fromkeys((twin.id, stranger.id), "theirs")
        theirs = replace(wanted, vector=None if query.vector is None else np.ones(SIZE + 1, np.float32))
        assert set(names(beside, theirs)) == {"twin", "stranger"}
        beside.drop(list(beside.stored_states()))
        assert full.stored_states().keys() == {each.id for each in LIBRARY[1:]}


# ---- answers


@answering(VECTOR)
def test_that_the_nearest_by_meaning_come_first_with_their_text(full: DataStore) -> None:
    found = full.search(by_vector(0))
    assert [hit.name for hit in found.hits[:2]] == ["alpha", "beta"]
    assert found.hits[0].score == pytest.approx(1.0, abs=1e-5)
    assert found.hits[1].score == pytest.approx(0.5**0.5, abs=1e-5)
    assert found.hits[1].text == "pipeline is red"
    assert len(found.hits) == 3
    assert found.ms > 0.0
    assert found.statement


@answering(HYBRID)
def test_that_words_and_meaning_are_joined(full: DataStore) -> None:
    assert names(full, StoreQuery("the red pipeline", HYBRID, axis(3)))[:2] == ["beta", "delta"]
    assert names(full, StoreQuery("東京", HYBRID)) == ["gamma"]
    assert names(full, StoreQuery("about delta", HYBRID))[0] == "delta"
    assert names(full, StoreQuery('\' OR "1" -- ; NEAR( * %', HYBRID)) == []


@each_way
def test_that_filters_leave_in_what_has_one_of_the_values_of_each_field(full: DataStore, query: StoreQuery) -> None:
    wanted = replace(query, k=10)
    assert set(names(full, replace(wanted, filters={"tag": ("ci",)}))) <= {"beta", "gamma"}
    assert names(full, replace(wanted, filters={"tag": ("ci", "nothing"), "kind": ("memory",)}))[0] == "beta"
    assert names(full, replace(wanted, filters={"tag": ("ci",), "kind": ("power",)})) == []
    assert names(full, replace(wanted, filters={"o'hara": ("%",)})) == []


@each_way
def test_that_only_what_held_at_a_time_is_found_as_of_it(full: DataStore, query: StoreQuery) -> None:
    late = replace(query, k=10, valid=period_of_time("2026-06-01 00:00:00"))
    assert "delta" not in names(full, late)
    early = names(full, replace(late, valid=period_of_time("2024-06-01 00:00:00")))
    assert "beta" not in early
    assert "gamma" not in early
    assert "alpha" in early
    assert names(full, replace(query, valid=period_of_time("2023-12-31 23:59:59"))) in ([], ["empty"])


@each_way
def test_that_a_period_finds_what_held_at_any_time_of_it_but_not_what_came_at_its_end(
    full: DataStore, query: StoreQuery
) -> None:
    came, went = LIBRARY[1].since, LIBRARY[3].until
    reached = names(full, replace(query, k=10))
    for name, period, is_held in (
        ("beta", Period("", came), False),
        ("beta", period_of_time(came), True),
        ("beta", Period(came), True),
        ("delta", Period(went), False),
        ("delta", Period("2024-12-31 23:59:59"), True),
        ("delta", Period("2020-01-01 00:00:00", went), True),
    ):
        found = names(full, replace(query, k=10, valid=period))
        assert (name in found) is (is_held and name in reached), (name, period)


@each_way
def test_that_a_period_finds_what_came_in_it(full: DataStore, query: StoreQuery) -> None:
    wanted = replace(query, k=10, started=Period("2025-01-01 00:00:00", "2026-01-01 00:00:00"))
    assert names(full, wanted) == ["beta"]


@answering(GRAPH)
def test_that_a_walk_tells_its_path_and_ends_at_its_hops(full: DataStore) -> None:
    near = full.search(from_anchors("memory:alpha"))
    assert [(hit.name, hit.path) for hit in near.hits] == [
        ("alpha", ("alpha",)),
        ("beta", ("alpha", "tag:build", "beta")),
    ]
    assert [hit.score for hit in near.hits] == [1.0, pytest.approx(1 / 3)]
    far = full.search(from_anchors("memory:alpha", hops=4))
    assert far.hits[-1].path == ("alpha", "tag:build", "beta", "tag:ci", "gamma")
    assert names(full, from_anchors("memory:alpha", "tag:ci")) == ["alpha", "beta", "gamma"]
    assert names(full, from_anchors("nobody")) == []
    assert names(full, from_anchors()) == []


@answering(GRAPH)
def test_that_a_walk_leads_to_what_something_came_in_the_place_of(full: DataStore) -> None:
    fields = {"id": ("alpha",), "replaces": ("gone",)}
    full.put([(replace(LIBRARY[0], fields=fields), "2")], VECTORS)
    full.put([(replace(LIBRARY[1], fields={"replaces": ("alpha",)}), "2")], VECTORS)
    full.put([(replace(LIBRARY[0], fields=fields, name="again"), "3")], VECTORS)
    assert [hit.path for hit in full.search(from_anchors("memory:beta")).hits] == [
        ("beta",),
        ("beta", "id:alpha", "again"),
    ]


@answering(TEMPORAL)
def test_that_a_walk_at_a_time_passes_by_nothing_that_did_not_hold_then(full: DataStore) -> None:
    walk = replace(from_anchors("memory:alpha", hops=4), intent=TEMPORAL)
    assert names(full, walk) == ["alpha", "beta", "gamma"]
    assert names(full, replace(walk, valid=period_of_time("2025-01-01 00:00:00"))) == ["alpha"]


# ---- faults


@each_way
def test_that_a_store_gives_up_in_time(full: DataStore, query: StoreQuery) -> None:
    with pytest.raises(DataStoreError, match="within 0 s"):
        full.search(replace(query, seconds=0.0))
    assert full.search(query).hits


@answering(VECTOR)
def test_that_vectors_of_another_length_are_refused_and_nothing_changes(full: DataStore) -> None:
    long = np.ones(SIZE + 1, np.float32)
    with pytest.raises(DataStoreError, match="vectors of 8 numbers"):
        full.put([(document("alpha", text="new"), "2"), (document("late"), "2")], {"new": long})
    with pytest.raises(DataStoreError, match="vectors of 8 numbers"):
        full.search(StoreQuery("", VECTOR, long))
    assert full.stored_states()["memory:alpha"] == STATE
    assert "memory:late" not in full.stored_states()
    assert names(full, by_vector(0))[0] == "alpha"


@answering(VECTOR)
def test_that_without_a_vector_nothing_is_found_by_meaning_alone(full: DataStore) -> None:
    with pytest.raises(DataStoreError, match="encoder"):
        full.search(StoreQuery("soup", VECTOR))


@answering(VECTOR)
def test_that_another_length_fits_once_all_of_the_first_are_gone(full: DataStore) -> None:
    full.drop([each.id for each in LIBRARY])
    full.put([(document("late"), STATE)], {"late": np.ones(3, np.float32)})
    assert names(full, StoreQuery("", VECTOR, np.ones(3, np.float32))) == ["late"]


def test_that_many_documents_are_answered_exactly(request: pytest.FixtureRequest, store: DataStore) -> None:
    rng = np.random.default_rng(7)
    many_there = 10_000 if request.node.callspec.params["opens"] in QUICK else 1_000
    made = rng.normal(size=(many_there, SIZE)).astype(np.float32)
    many = [document(f"n{n}", f"t{n % 100}", text=f"text {n}") for n in range(len(made))]
    store.put([(each, STATE) for each in many], {each.texts[0]: made[n] for n, each in enumerate(many)})
    query = rng.normal(size=SIZE).astype(np.float32)
    if VECTOR in store.intents:
        cosines = made @ query / np.linalg.norm(made, axis=1)
        assert names(store, StoreQuery("", VECTOR, query)) == [f"n{n}" for n in np.argsort(-cosines)[:10]]
        of_tag = [f"n{n}" for n in np.argsort(-cosines) if n % 100 == 3][:10]
        assert names(store, StoreQuery("", VECTOR, query, filters={"tag": ("t3",)})) == of_tag
    for way in store.intents & {GRAPH, TEMPORAL}:
        assert len(names(store, replace(from_anchors("memory:n5"), k=200, intent=way))) == many_there // 100
    slow = next(each for each in EVERY_WAY if each.intent in store.intents)
    with pytest.raises(DataStoreError, match=r"within 0\.0001 s"):
        store.search(replace(slow, seconds=1e-4))
    store.put([(each, "again") for each in many[:300]], {})
    assert len(store.stored_states()) == len(many)
    if HYBRID in store.intents:
        assert names(store, StoreQuery("471", HYBRID))[0] == "n471"


# ---- PostgreSQL only


def test_that_a_server_says_what_is_the_matter(postgres: str) -> None:
    from app.adapters.datastores.postgres import SETUP, PostgresStore

    fresh = PostgresStore(f"{postgres}&options=-csearch_path%3Dpg_temp", "one")
    assert fresh.setup().endswith(SETUP)
    with pytest.raises(DataStoreError, match="fill it first"):
        fresh.stored_states()
    with pytest.raises(DataStoreError, match="fill it first"):
        fresh.search(StoreQuery("", GRAPH, anchors=("a",)))
    fresh.close()
    gone = PostgresStore("postgresql://nobody@/none?host=/nowhere", "one", "secret")
    with pytest.raises(DataStoreGoneError, match="cannot be reached") as told:
        gone.stored_states()
    assert "secret" not in str(told.value)
    gone.close()


def test_that_the_statement_that_an_administrator_must_run_is_told(postgres: str) -> None:
    from app.adapters.datastores.postgres import EXTENSION, SETUP, PostgresStore

    def at(database: str, user: str = "postgres", options: str = "") -> PostgresStore:
        host = postgres.partition("?")[2]
        return PostgresStore(f"postgresql://{user}@/{database}?{host}{options}", "one")

    with closing(at("postgres")) as admin, closing(admin._connected().cursor()) as sql:
        sql.execute("CREATE ROLE small LOGIN")
        sql.execute("CREATE DATABASE bare OWNER small")
    told = r"no pgvector.*postgresql-18-pgvector.*“bare”: CREATE EXTENSION vector;"
    without = at("bare", options="&options=-cextension_control_path%3D/nowhere")
    with closing(without), pytest.raises(DataStoreError, match=told):
        without.setup()
    with closing(at("bare", "small")) as may_not:
        assert may_not.setup() == f"{EXTENSION}\n{SETUP}"
        with pytest.raises(DataStoreError, match="administrator runs in the database “bare”: CREATE EXTENSION vector;"):
            may_not.prepare()
        with closing(at("bare")) as admin:
            admin._connected().execute(EXTENSION.encode())
        assert may_not.setup() == SETUP
        may_not.prepare()
        assert may_not.setup() == ""


def test_that_tables_that_do_not_say_whose_a_row_is_are_made_anew_after_a_yes(postgres: str) -> None:
    from app.adapters.datastores.postgres import ANEW, PostgresStore

    with closing(PostgresStore(f"{postgres}&options=-csearch_path%3Dolder,public", "one")) as store:
        store._connected().execute("CREATE SCHEMA older")
        store._connected().execute("CREATE TABLE older.intentscope_document (id text)")
        assert ANEW in store.setup()
        store.prepare()
        assert (store.setup(), store.stored_states()) == ("", {})


def test_that_a_large_library_is_looked_up_in_an_index_once_filling_has_made_it(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.adapters.datastores import postgres as adapter

    monkeypatch.setattr(adapter, "INDEX_FROM", 40)
    made = np.random.default_rng(3).normal(size=(60, SIZE)).astype(np.float32)
    some = [document(f"n{n}", f"t{n % 3}", text=f"text {n}") for n in range(len(made))]
    vectors = {each.texts[0]: made[n] for n, each in enumerate(some)}
    store, beside = adapter.PostgresStore(postgres, "large"), adapter.PostgresStore(postgres, "one")
    with closing(store), closing(beside):
        store.prepare()
        store.put([(each, STATE) for each in some[:40]], vectors)
        assert store.setup() == ""
        store.put([(each, STATE) for each in some[40:]], vectors)
        assert store.setup() == adapter.INDEX.format(length=SIZE)
        asked = [replace(by_vector(1), k=10), StoreQuery("text 7", HYBRID, axis(1))]
        before = [store.search(query) for query in asked]
        beside.drop(list(beside.stored_states()))
        beside.put([(each, STATE) for each in LIBRARY], VECTORS)
        store.prepare()
        assert store.setup() == ""
        found = [store.search(query) for query in asked]
        assert [answer.is_exact for answer in before + found] == [True, True, False, False]
        assert [answer.hits for answer in found] == [answer.hits for answer in before]
        assert store.search(replace(asked[0], filters={"tag": ("t1",)})).is_exact
        assert names(beside, by_vector(0))[:2] == ["alpha", "beta"]
        beside.drop(list(beside.stored_states()))


def test_that_what_is_too_long_for_an_index_is_taken_all_the_same(postgres: str) -> None:
    from app.adapters.datastores.postgres import PostgresStore

    library = MemoryLibrary()
    tags = tuple(f"{'x' * 30_000} {end}" for end in "ab")
    words = " ".join(f"word{n}" for n in range(40_000))
    library.add("memories", [Memory(("huge", "ü" * 90_000), words, id="i" * 9_000, tags=tags, namespace="n" * 9_000)])
    (huge,) = documents_of(library)
    with closing(PostgresStore(postgres, "huge")) as store:
        store.prepare()
        store.put([(huge, STATE)], {})
        assert store.stored_states() == {huge.id: STATE}
        assert [hit.id for hit in store.search(from_anchors(f"tag:{huge.fields['tag'][1]}", hops=1)).hits] == [huge.id]
    assert len(set(huge.fields["tag"])) == 2


def test_that_a_broken_connection_is_made_anew(postgres: str) -> None:
    from app.adapters.datastores.postgres import PostgresStore

    store, other = PostgresStore(postgres, "one"), PostgresStore(postgres, "one")
    store.prepare()
    other.prepare()
    with other._transaction() as sql:
        sql.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND datname = current_database()"
        )
    with pytest.raises(DataStoreGoneError):
        store.stored_states()
    assert store.stored_states() == other.stored_states()
    assert store.setup() == ""
    store.close()
    other.close()


def test_that_a_server_that_freezes_is_left_and_reached_anew(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.adapters.datastores import postgres as adapter

    monkeypatch.setattr(adapter, "FROZEN_SECONDS", 0.0)
    store = adapter.PostgresStore(postgres, "one")
    store.prepare()
    frozen = store._connected().info.backend_pid
    freeze(frozen)
    try:
        with pytest.raises(DataStoreGoneError, match=r"within 0\.05 s"):
            store.search(StoreQuery("soup", HYBRID, seconds=0.05))
        assert store.setup() == ""
    finally:
        os.kill(frozen, signal.SIGCONT)
        store.close()


def test_that_a_search_writes_nothing_and_ends_in_time(postgres: str) -> None:
    from app.adapters.datastores.postgres import PostgresStore

    store = PostgresStore(postgres, "one")
    with pytest.raises(DataStoreError, match="read-only"), store._transaction(5.0) as sql:
        sql.execute("CREATE TABLE never (a integer)")
    with pytest.raises(DataStoreGoneError, match=r"within 0\.001 s"), store._transaction(0.001) as sql:
        sql.execute("SELECT pg_sleep(20)")
    store.close()


# ---- Neo4j only


def test_that_neo4j_says_what_is_the_matter(bolt: StoreServer) -> None:
    from app.adapters.datastores.neo4j import SETUP, Neo4jStore

    with closing(Neo4jStore(bolt.address, "one", "wrong secret")) as refused:
        with pytest.raises(DataStoreError, match="refused") as told:
            refused.stored_states()
        assert "wrong secret" not in str(told.value)
    elsewhere = closing(Neo4jStore(bolt.address.replace("/notes", "/nothing"), "one", PASSWORD))
    with elsewhere as store, pytest.raises(DataStoreError, match="nothing"):
        store.stored_states()
    (port,) = free_ports(1)
    gone = closing(Neo4jStore(f"bolt://127.0.0.1:{port}", "one"))
    with gone as store, pytest.raises(DataStoreGoneError, match="cannot be reached"):
        store.stored_states()
    with closing(Neo4jStore(bolt.address, "one", PASSWORD)) as fresh:
        fresh._write(("DROP CONSTRAINT intentscope IF EXISTS", {}))
        assert fresh.setup() == SETUP
        with pytest.raises(DataStoreError, match="fill it first"):
            fresh.search(from_anchors("nobody"))
        fresh.prepare()
        assert fresh.setup() == ""


@pytest.mark.parametrize("opens", ["neo4j"], indirect=True)
def test_that_neo4j_keeps_all_of_a_put_or_nothing(full: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.adapters.datastores.neo4j._LINK", "MATCH nonsense")
    with pytest.raises(DataStoreError, match="refused"):
        full.put([(document("alpha", "food"), "2"), (document("late", "food"), "2")], {})
    assert full.stored_states() == {each.id: STATE for each in LIBRARY}
    assert names(full, from_anchors("tag:build", hops=1)) == ["alpha", "beta"]


# ---- Graphiti only


@falkor_may_hang
def test_that_graphiti_says_what_is_the_matter(falkor: StoreServer) -> None:
    from app.adapters.datastores.graphiti import GRAPH as PREFIX
    from app.adapters.datastores.graphiti import GraphitiStore

    (port,) = free_ports(1)
    gone = closing(GraphitiStore(f"falkor://127.0.0.1:{port}", "one"))
    with gone as store, pytest.raises(DataStoreGoneError, match="cannot be reached"):
        store.stored_states()
    with closing(GraphitiStore(falkor.address, "one", "secret")) as refused:
        with pytest.raises(DataStoreError, match="refused") as told:
            refused.stored_states()
        assert "secret" not in str(told.value)
    with closing(GraphitiStore(falkor.address, "new")) as fresh:
        assert f"GRAPH.QUERY {PREFIX}new" in fresh.setup()
        with pytest.raises(DataStoreError, match="fill it first"):
            fresh.search(from_anchors("nobody"))
        assert f"{PREFIX}new" not in fresh._read(fresh._client.execute_command("GRAPH.LIST"))
    with pytest.raises(DataStoreError, match="cannot be reached"):
        GraphitiStore("falkor://127.0.0.1:many", "one")


@falkor_may_hang
def test_that_indexes_that_hide_facts_from_graphiti_are_told_and_dropped(falkor: StoreServer) -> None:
    from app.adapters.datastores.graphiti import GraphitiStore

    with closing(GraphitiStore(falkor.address, "indexed")) as store:
        store._write(store._driver.build_indices_and_constraints())
        assert "DROP INDEX ON :RELATES_TO(valid_at)" in store.setup()
        store.prepare()
        wait_for(lambda: store.setup() == "")  # FalkorDB drops an index in the background
        store.put([(each, STATE) for each in LIBRARY], VECTORS)
        walk = replace(from_anchors("memory:alpha", hops=4), intent=TEMPORAL)
        assert names(store, replace(walk, valid=period_of_time("2025-12-01 00:00:00"))) == ["alpha", "beta"]


@pytest.mark.parametrize("opens", each_of(["graphiti"]), indirect=True)
def test_that_graphiti_writes_again_what_a_crash_left_half_written(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.adapters.datastores.graphiti._FINISH", "MATCH nonsense")
    with pytest.raises(DataStoreError, match="refused"):
        store.put([(LIBRARY[0], STATE)], {})
    monkeypatch.undo()
    assert store.stored_states() == {LIBRARY[0].id: ""}
    store.put([(LIBRARY[0], STATE)], {})
    assert store.stored_states() == {LIBRARY[0].id: STATE}
    assert names(store, from_anchors("tag:build")) == ["alpha"]


@falkor_may_hang
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot have a process pause")
@pytest.mark.parametrize(("opens", "server"), [("neo4j", "bolt"), ("graphiti", "falkor")], indirect=["opens"])
def test_that_a_server_is_given_up_where_it_hangs_and_asked_anew_afterwards(
    request: pytest.FixtureRequest, full: DataStore, server: str
) -> None:
    process = request.getfixturevalue(server).process
    freeze(process.pid)
    try:
        with pytest.raises(DataStoreGoneError, match=r"within 0\.1 s"):
            full.search(replace(from_anchors("memory:alpha"), seconds=0.1))
    finally:
        process.send_signal(signal.SIGCONT)
    assert names(full, replace(from_anchors("memory:alpha"), seconds=60.0)) == ["alpha", "beta"]


def test_that_odd_characters_are_kept_as_they_can_be(store: DataStore) -> None:
    odd = Document("memory:odd", "o'dd \\ %s {x}", ("half \ud83d and \0 nul",), {"tag": ("a%b", '"')}, "$1 :k")
    store.put([(odd, STATE)], {odd.texts[0]: axis(0)})
    for query in EVERY_WAY:
        if query.intent in store.intents:
            asked = replace(query, text="half nul", filters={"tag": ("a%b",)}, anchors=('tag:"',))
            assert names(store, asked) == [odd.name]
