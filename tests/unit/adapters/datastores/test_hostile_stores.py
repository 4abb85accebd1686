"""Tests of data stores with endless or oversized answers: bounded in time and memory."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from app.domain.errors import DataStoreError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from tests.servers.hostile_stores import BOLT, EARLY, HTTP, POSTGRES, REDIS, hostile
from tests.store_servers import needed
from tests.waiting import PATIENCE

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
