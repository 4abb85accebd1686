"""Tests of Redis answers: digests as keys, a time to live, and faults in time."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.route import CachedRoute, RouteAnswer
from tests.store_servers import freeze, redis_server

if TYPE_CHECKING:
    from app.adapters.datastores.redis_answers import RedisAnswers

ANSWER = RouteAnswer(
    "graph_traversal", 0.875, "json", "because “日本” ü", {"graph_traversal": 0.875, "hybrid_search": 0.1}
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
    """Connect to the server as its administrator, emptied."""
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
