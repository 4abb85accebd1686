"""Tests of data stores: Qdrant, Redis answers, and the table with its messages."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pydantic import ValidationError

from app.adapters.datastores.client import first_line, unreachable
from app.adapters.datastores.table import DATA_STORES
from app.domain.datastore import Document
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.llm import LlmAnswer
from app.domain.route import CachedRoute, RouteIntent
from app.ports.datastore import StoreQuery
from app.settings.sections import STORE_ADDRESSES, RouteSettings
from tests.qdrant_server import ELSEWHERE, Answer, qdrant_server, served
from tests.store_servers import freeze, needed, redis_server
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from app.adapters.datastores.qdrant import QdrantStore
    from app.adapters.datastores.redis_answers import RedisAnswers


DOCUMENTS = "intentscope"
QUERY = StoreQuery("", RouteIntent.VECTOR, np.ones(8, np.float32), seconds=1.0)
THERE = {"result": {"collections": [{"name": DOCUMENTS}, {"name": f"{DOCUMENTS}_8"}]}, "status": "ok", "time": 0.0}


def opened(address: str, *secret: str) -> QdrantStore:
    """Open a store; its client takes a second to import, which other tests need not wait for."""
    needed("qdrant_client")
    from app.adapters.datastores.qdrant import QdrantStore

    return QdrantStore(address, "one", *secret)


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
        (500, {"status": {"error": "disk is full"}}, DataStoreGoneError, "500 disk is full"),
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
