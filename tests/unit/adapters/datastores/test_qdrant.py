"""Tests of Qdrant: invalid and missing answers, and interrupted writes that are repeated."""

from __future__ import annotations

from contextlib import closing
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from app.domain.datastore import Document
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery
from tests.qdrant_server import ELSEWHERE, Answer, qdrant_server, served
from tests.store_servers import needed
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from app.adapters.datastores.qdrant import QdrantStore

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
