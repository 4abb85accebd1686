"""Tests of data stores: Qdrant, Redis answers, and the table with its messages."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pydantic import ValidationError

from app.adapters.datastores.client import first_line, unreachable
from app.adapters.datastores.postgres import PostgresStore
from app.adapters.datastores.relay import Place, Relay, password_of
from app.adapters.datastores.table import DATA_STORES
from app.domain.datastore import Document
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.llm import LlmAnswer
from app.domain.route import CachedRoute, RouteIntent
from app.ports.datastore import StoreQuery
from app.settings.sections import STORE_ADDRESSES, RouteSettings
from tests.build import of_type
from tests.qdrant_server import ELSEWHERE, Answer, qdrant_server, served
from tests.servers.hostile_stores import BOLT, EARLY, HTTP, POSTGRES, REDIS, hostile
from tests.store_servers import free_ports, freeze, needed, redis_server
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from app.adapters.datastores.qdrant import QdrantStore
    from app.adapters.datastores.redis_answers import RedisAnswers


DOCUMENTS = "intentscope"
QUERY = StoreQuery("", RouteIntent.VECTOR, np.ones(8, np.float32), seconds=1.0)
THERE = {"result": {"collections": [{"name": DOCUMENTS}, {"name": f"{DOCUMENTS}_8"}]}, "status": "ok", "time": 0.0}


def opened(address: str, secret: str | None = None) -> QdrantStore:
    """Open a store; its client takes a second to import, which other tests need not wait for."""
    needed("qdrant_client")
    from app.adapters.datastores.qdrant import QdrantStore

    return of_type(DATA_STORES["qdrant"](RouteSettings(qdrant=address), lambda _: secret, "one"), QdrantStore)


@pytest.mark.parametrize(
    ("status", "said", "kind", "told"),
    [
        (
            400,
            {"status": {"error": "Wrong input: expected dim: 8"}},
            DataStoreError,
            "400 Wrong input: expected dim: 8",
        ),
        (401, "Must provide an API key", DataStoreError, "refused: 401"),
        (308, None, DataStoreError, f"308 it redirects to {ELSEWHERE}; set that address"),
        (500, {"status": {"error": "disk of secret is full"}}, DataStoreGoneError, "500 disk of .hidden. is full"),
        (503, None, DataStoreGoneError, "503"),
        (200, {"result": "nonsense"}, DataStoreError, "."),
    ],
)
def test_that_what_a_server_refuses_is_told(status: int, said: object, kind: type[Exception], told: str) -> None:
    keys: list[str] = []

    def answer(method: str, _: Any, __: Any, headers: Any) -> tuple[int, Any]:
        keys.append(headers["api-key"])
        return (200, THERE) if method == "GET" else (status, said)

    with served(answer) as address, closing(opened(address, "secret")) as store:
        with pytest.raises(DataStoreError, match=told) as found:
            store.search(QUERY)
        assert type(found.value) is kind
        assert set(keys) == {"secret"}
        assert "secret" not in str(found.value)


def test_that_a_server_that_hangs_is_given_up() -> None:
    release = Event()
    answer: Answer = lambda method, *_: (200, THERE if method == "GET" else release.wait(PATIENCE))  # noqa: E731
    given_up = pytest.raises(DataStoreGoneError, match="within 1 s")
    with served(answer) as address, closing(opened(address)) as store:
        with given_up:
            store.search(QUERY)
        release.set()


def test_that_a_server_that_is_gone_is_told() -> None:
    with served(lambda *_: (200, THERE)) as address:
        gone = opened(address)
    with closing(gone), pytest.raises(DataStoreGoneError, match="cannot be reached"):
        gone.stored_states()


def test_that_a_key_is_not_sent_in_clear() -> None:
    with pytest.raises(DataStoreError, match="https:// alone"):
        opened("http://qdrant.example:6333", "secret")
    opened("https://qdrant.example:6333", "secret").close()
    with pytest.raises(DataStoreError, match="cannot be reached"):
        opened("http://qdrant.example:six")


def test_that_what_a_crash_left_half_written_is_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with qdrant_server() as address, closing(opened(address)) as store:
        assert store.setup().startswith(f"PUT /collections/{DOCUMENTS} ")
        with pytest.raises(DataStoreError, match="fill it first"):
            store.search(QUERY)
        store.prepare()
        one = Document("memory:one", "one", ("a", "b"))
        vectors = {text: np.ones(8, np.float32) for text in one.texts}

        def crash(*_: Any) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(store, "_texts", crash)
            with pytest.raises(KeyboardInterrupt):
                store.put([(one, "state")], vectors)
        assert store.stored_states() == {one.id: ""}
        store.put([(one, "state")], vectors)
        store.put([(Document("memory:one", "one", ("a",)), "later")], vectors)
        assert store.stored_states() == {one.id: "later"}
        assert store._client.count(f"{DOCUMENTS}_8").count == 1


ANSWER = LlmAnswer(
    "graph_traversal",
    0.875,
    "json",
    reasoning="because “日本” ü",
    distribution={"graph_traversal": 0.875, "hybrid_search": 0.1},
)
KEPT = CachedRoute("who knows whom", "digest", ANSWER, 1_800_000_000.5)


def at(address: str, password: str | None = None, seconds: float = 2.0) -> RedisAnswers:
    from app.adapters.datastores.redis_answers import RedisAnswers

    return RedisAnswers(address, seconds, password)


@pytest.fixture(scope="session")
def redis_address() -> Iterator[str]:
    with redis_server() as server:
        yield server.address


@pytest.fixture
def server(redis_address: str) -> Iterator[Any]:
    from redis import Redis

    with closing(Redis.from_url(redis_address)) as made:
        made.flushall()
        yield made


@pytest.fixture
def cache(redis_address: str, server: Any) -> Iterator[RedisAnswers]:
    with closing(at(redis_address)) as made:
        yield made


def test_that_an_answer_is_kept_for_its_time_under_digests_alone(cache: RedisAnswers, server: Any) -> None:
    assert cache.get(KEPT.digest, KEPT.text) is None
    cache.put(KEPT, 60.0)
    assert cache.get(KEPT.digest, KEPT.text) == KEPT
    assert cache.get("other", KEPT.text) is None
    assert cache.get(KEPT.digest, "who knows") is None
    (key,) = server.keys()
    assert b"knows" not in key
    assert 59_000 < int(server.pttl(key)) <= 60_000
    cache.put(replace(KEPT, text="late"), 0.0)
    assert cache.get(KEPT.digest, "late") is None
    odd = replace(KEPT, text="half \ud83d", answer=replace(ANSWER, reasoning="half \ud83d", distribution=None))
    cache.put(odd, 60.0)
    assert cache.get(odd.digest, odd.text) == replace(odd, answer=replace(odd.answer, reasoning="half ?"))


def test_that_the_answers_of_one_digest_are_counted_and_forgotten_and_those_of_a_query_under_all(
    cache: RedisAnswers,
) -> None:
    for n in range(30):
        cache.put(replace(KEPT, text=f"query {n}"), 60.0)
    for digest in ("digest2", "digest3"):
        cache.put(replace(KEPT, digest=digest, text="query 4"), 60.0)
    assert cache.forget("digest", ["query 4"]) == 3
    cache.put(replace(KEPT, text="query 4"), 60.0)
    cache.put(replace(KEPT, digest="digest2"), 60.0)
    assert cache.forget("digest", ["query 3", "query 30"]) == 1
    cache.put(replace(KEPT, text="query 3"), 60.0)
    assert (cache.count("digest"), cache.forget("digest"), cache.forget("digest"), cache.count("digest2")) == (
        30,
        30,
        0,
        1,
    )


@pytest.mark.parametrize(
    "told",
    [
        b"", b"no JSON", b"[]", b"null", b"7", b'{"intent": "graph_traversal"}',
        b'{"intent": "", "confidence": 0.5, "mode": "", "reasoning": "", "distribution": null, "at": 1}',
        b'{"intent": "a", "confidence": 7, "mode": "", "reasoning": "", "distribution": null, "at": 1}',
        b'{"intent": "a", "confidence": 0.5, "mode": [], "reasoning": "", "distribution": null, "at": 1}',
        b'{"intent": "a", "confidence": 0.5, "mode": "", "reasoning": "", "distribution": [1], "at": 1}',
        b'{"intent": "a", "confidence": 0.5, "mode": "", "reasoning": "", "distribution": null, "at": "soon"}',
        b" " * 100_001,
    ],
)  # fmt: skip
def test_that_what_is_no_answer_is_none(cache: RedisAnswers, server: Any, told: bytes) -> None:
    cache.put(KEPT, 60.0)
    (key,) = server.keys()
    server.set(key, told)
    assert cache.get(KEPT.digest, KEPT.text) is None
    server.delete(key)
    server.lpush(key, told)
    with pytest.raises(DataStoreError, match="refused"):
        cache.get(KEPT.digest, KEPT.text)


def test_that_a_server_that_hangs_or_is_killed_is_told_within_its_time() -> None:
    with redis_server() as server, closing(at(server.address, seconds=0.05)) as cache:
        cache.put(KEPT, 60.0)
        freeze(server.process.pid)
        with pytest.raises(DataStoreGoneError, match=r"did not answer within 0\.05 s"):
            cache.get(KEPT.digest, KEPT.text)
        os.kill(server.process.pid, signal.SIGCONT)
        with closing(at(server.address)) as patient:
            assert patient.get(KEPT.digest, KEPT.text) == KEPT
        server.process.kill()
        server.process.wait()
        for _ in range(2):
            with pytest.raises(DataStoreGoneError, match="cannot be reached"):
                cache.get(KEPT.digest, KEPT.text)
        with pytest.raises(DataStoreGoneError):
            cache.ping()


def test_that_a_password_is_wanted_and_never_told() -> None:
    with redis_server("open sesame") as server:
        with closing(at(server.address, "open sesame")) as cache:
            cache.ping()
        for wrong in (None, "close sesame"):
            with closing(at(server.address, wrong)) as cache:
                with pytest.raises(DataStoreGoneError, match="refuses the password, or wants one") as told:
                    cache.ping()
                assert "sesame" not in str(told.value)


ADDRESS = "postgresql://me@db.example:5432/notes?sslmode=verify-full"


def no_secret(name: str) -> str | None:
    return None


def test_that_a_server_is_set_up_by_its_address_alone() -> None:
    opened = {name: row(RouteSettings(), no_secret, "one") for name, row in DATA_STORES.items()}
    assert [name for name, store in opened.items() if store is not None] == ["embedded"]


@pytest.mark.parametrize(
    ("store", "extra"),
    [
        ("postgresql", "postgres"),
        ("qdrant", "stores-qdrant"),
        ("neo4j", "stores-neo4j"),
        ("graphiti", "stores-graphiti"),
    ],
)
def test_that_a_missing_extra_is_said(monkeypatch: pytest.MonkeyPatch, store: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, f"app.adapters.datastores.{extra.removeprefix('stores-')}", None)
    settings = RouteSettings.model_validate({store: STORE_ADDRESSES[store][1]})
    with pytest.raises(DataStoreError, match=f"“{extra}” is not installed"):
        DATA_STORES[store](settings, no_secret, "one")


@pytest.mark.parametrize("store", STORE_ADDRESSES)
def test_that_every_address_is_looked_at(store: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(f"begins with {STORE_ADDRESSES[store][0][0]}")):
        RouteSettings.model_validate({store: "mysql://db.example/notes"})
    with pytest.raises(ValidationError, match=f"--password {store}"):
        RouteSettings.model_validate({store: STORE_ADDRESSES[store][0][0] + "me:secret@db.example"})


@pytest.mark.parametrize(
    "address",
    [
        ADDRESS,
        "postgresql://db.example:5432/notes?user=me@corp",
        "postgresql://me@[::1]:5432/notes",
        "postgresql://[::1]:5432/notes?user=me@corp",
        "postgresql://one:5432,two:5433/notes?application_name=a:b@c&passfile=/home/me/.pgpass",
    ],
)
def test_that_an_address_without_a_password_is_taken(address: str) -> None:
    assert RouteSettings(postgresql=address).postgresql == address


def test_that_an_unreachable_server_is_told_in_a_line_that_ends() -> None:
    error = ConnectionError("Couldn't connect to db:7687 (resolved to ('192.0.2.1:7687', '192.0.2.2:7687')):\nFailed")
    assert unreachable(first_line(error)) == "The server cannot be reached: Couldn't connect to db:7687"
    assert first_line(ConnectionError()) == "ConnectionError"


SECONDS = 0.2
"""Time-out of a store in seconds; floods end sooner, by their size."""
MOST_SECONDS = PATIENCE
"""Maximum duration in seconds of a short operation on a slow machine."""
MOST_MEMORY = 400_000_000
SLOW = ("below",)
"""Modes whose answer takes a client seconds to read."""


@contextmanager
def bounded() -> Iterator[None]:
    begun, peak, is_over = time.monotonic(), [0], Event()
    held = Path("/proc/self/statm")

    def now() -> int:
        return int(held.read_text("ascii").split()[1]) * 4096

    def watch() -> None:
        while not is_over.wait(0.005):
            peak[0] = max(peak[0], now())

    thread = Thread(target=watch, daemon=True)
    before = 0
    if sys.platform == "linux":
        before = now()
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        if thread.is_alive():
            thread.join()
    assert time.monotonic() - begun < MOST_SECONDS
    assert peak[0] - before < MOST_MEMORY


def sentence(work: Callable[[], Any]) -> str:
    with pytest.raises(DataStoreError) as refused, bounded():
        work()
    said = str(refused.value)
    assert said.isprintable()
    assert len(said) < 500
    return said


@pytest.mark.parametrize("mode", REDIS)
def test_that_a_redis_that_lies_is_left(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("redis")
    from app.adapters.datastores import redis_answers

    monkeypatch.setattr(redis_answers, "COUNT_SECONDS", SECONDS)
    with (
        hostile("redis", mode) as port,
        closing(redis_answers.RedisAnswers(f"redis://127.0.0.1:{port}", SECONDS)) as it,
    ):
        if mode != "scan":
            sentence(lambda: it.get("digest", "text"))
        sentence(lambda: it.count("digest"))
        sentence(lambda: it.forget("digest", ["text"]))


@pytest.mark.parametrize("mode", HTTP)
def test_that_a_qdrant_that_lies_is_left(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("qdrant_client")
    from app.adapters.datastores import qdrant

    monkeypatch.setattr(qdrant, "_SERVER_SECONDS", SECONDS)
    query = StoreQuery("", RouteIntent.VECTOR, np.ones(8, np.float32), seconds=SECONDS)
    with hostile("http", mode) as port, closing(qdrant.QdrantStore(f"http://127.0.0.1:{port}", "one")) as store:
        if mode != "pages":
            sentence(lambda: store.search(query))
            sentence(store.setup)
        sentence(store.stored_states)


@pytest.mark.parametrize("mode", [*(mode for mode in BOLT if mode not in SLOW), "handshake"])
def test_that_a_neo4j_that_lies_is_left(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("neo4j")
    from app.adapters.datastores import neo4j

    monkeypatch.setattr(neo4j, "_SERVER_SECONDS", SECONDS)
    query = StoreQuery("", RouteIntent.GRAPH, anchors=("memory:one",), seconds=SECONDS)
    with hostile("bolt", mode) as port, closing(neo4j.Neo4jStore(f"bolt://127.0.0.1:{port}", "one")) as store:
        sentence(lambda: store.search(query))
        sentence(store.stored_states)


@pytest.mark.parametrize("mode", REDIS)
def test_that_a_falkordb_that_lies_is_left(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("graphiti_core", "falkordb")
    from app.adapters.datastores import graphiti

    monkeypatch.setattr(graphiti, "_SERVER_SECONDS", SECONDS)
    query = StoreQuery("", RouteIntent.GRAPH, anchors=("memory:one",), seconds=SECONDS)
    with hostile("redis", mode) as port, closing(graphiti.GraphitiStore(f"falkor://127.0.0.1:{port}", "one")) as store:
        sentence(lambda: store.search(query))
        sentence(store.stored_states)
        sentence(store.count_foreign)


@pytest.mark.parametrize("mode", [*POSTGRES, *EARLY])
def test_that_a_postgresql_that_lies_is_left(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("psycopg")
    from app.adapters.datastores import postgres

    for name, value in (("_READ_SECONDS", SECONDS), ("FROZEN_SECONDS", 0.0), ("_CONNECT_SECONDS", 1)):
        monkeypatch.setattr(postgres, name, value)
    query = StoreQuery("soup", RouteIntent.GRAPH, anchors=("memory:one",), seconds=SECONDS)
    address = "postgresql://me@127.0.0.1:{}/notes"
    with hostile("postgres", mode) as port, closing(postgres.PostgresStore(address.format(port), "one", "p")) as store:
        assert ("add sslmode=require" in sentence(lambda: store.search(query))) == (mode == "cleartext")
        sentence(store.stored_states)


@pytest.mark.parametrize("mode", ["huge", "rows"])
def test_that_the_relay_is_quick_enough_for_an_answer_to_end_by_its_bytes(mode: str) -> None:
    needed("psycopg")
    from app.adapters.datastores.postgres import PostgresStore

    address = "postgresql://me@127.0.0.1:{}/notes"
    query = StoreQuery("soup", RouteIntent.GRAPH, anchors=("memory:one",), seconds=MOST_SECONDS)
    with hostile("postgres", mode) as port, closing(PostgresStore(address.format(port), "one")) as store:
        assert "longer than 16,000,000 bytes" in sentence(lambda: store.search(query))


AT = Place("db.example", "db.example", "5432")


def test_that_a_socket_is_found_by_its_folder_and_port() -> None:
    assert Place("/run/pg", "/run/pg", "6").path == "/run/pg/.s.PGSQL.6"
    assert Place("@pg", "@pg", "6").path == "\0pg/.s.PGSQL.6"
    assert AT.path == ""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no modes of files")
@pytest.mark.parametrize(
    ("lines", "password"),
    [
        ("db.example:5432:notes:me:open sesame", "open sesame"),
        ("*:*:*:me:any", "any"),
        ("# comment\nother:5432:notes:me:no\ndb.example:*:notes:me:yes\n*:*:*:*:late", "yes"),
        (r"db.example:5432:notes:me:a\:b\\c", r"a:b\c"),
        ("db.example:5433:notes:me:other port", None),
        ("db.example:5432:notes", None),
        ("", None),
    ],
)
def test_that_the_password_of_a_server_is_looked_up_by_its_own_port(
    tmp_path: Path, lines: str, password: str | None
) -> None:
    file = tmp_path / "pgpass"
    file.write_text(lines)
    file.chmod(0o600)
    settings = {"passfile": str(file), "user": "me", "dbname": "notes"}
    assert password_of(settings, AT) == password
    assert password_of({**settings, "password": "told"}, AT) is None
    file.chmod(0o644)
    assert password_of(settings, AT) is None  # libpq ignores a file that others may read
    assert password_of({**settings, "passfile": str(tmp_path / "none")}, AT) is None


def test_that_an_unreachable_server_is_told_by_its_own_port() -> None:
    (port,) = free_ports(1)
    with (
        closing(PostgresStore(f"postgresql://me@127.0.0.1:{port}/notes", "one")) as store,
        pytest.raises(DataStoreGoneError, match=f"port {port} failed: ") as refused,
    ):
        store.stored_states()
    assert "127.0.0.1" in str(refused.value)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such sockets")
def test_that_nobody_else_reaches_the_relay_of_a_server_on_a_socket(tmp_path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as server, closing(Relay()) as relay:
        server.bind(str(tmp_path / ".s.PGSQL.6"))
        server.listen()
        near = relay.lead_to(Place(str(tmp_path), str(tmp_path), "6"), 5.0)
        folder = Path(near["host"])
        assert near["hostaddr"] == ""
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / f".s.PGSQL.{near['port']}").is_socket()
    assert not folder.exists()
