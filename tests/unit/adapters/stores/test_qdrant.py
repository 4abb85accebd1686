"""What a Qdrant server may answer, or not at all; and that what a crash left half written is written again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from app.domain.datastore import Document
from app.domain.errors import DataStoreError, DataStoreGoneError
from app.domain.route import RouteIntent
from app.ports.datastore import StoreQuery

pytest.importorskip("qdrant_client", reason="`python3 packaging/develop.py test` installs qdrant_client")
from qdrant_client import QdrantClient

from app.adapters.stores.qdrant import DOCUMENTS, SETUP, QdrantStore

QUERY = StoreQuery("", RouteIntent.VECTOR, np.ones(8, np.float32), seconds=1.0)
THERE = {"result": {"collections": [{"name": DOCUMENTS}, {"name": f"{DOCUMENTS}_8"}]}, "status": "ok", "time": 0.0}


class Answers(BaseHTTPRequestHandler):
    """Says what it was told to; keeps the headers of what it was asked."""

    status, said, asked = 200, b"{}", dict[str, str]()
    release = Event()

    def do_GET(self) -> None:
        Answers.asked = dict(self.headers)
        self._say(200, json.dumps(THERE).encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.release.wait(20.0)
        self._say(self.status, self.said)

    def _say(self, status: int, said: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: Any) -> None:
        """Nothing is written."""


@contextmanager
def served(status: int, said: object = None, *, hangs: bool = False) -> Iterator[str]:
    Answers.status, Answers.said = status, json.dumps(said).encode()
    Answers.release.clear() if hangs else Answers.release.set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        Answers.release.set()
        server.shutdown()
        thread.join()
        server.server_close()


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
        (500, {"status": {"error": "disk is full"}}, DataStoreGoneError, "500 disk is full"),
        (503, None, DataStoreGoneError, "503"),
        (200, {"result": "nonsense"}, DataStoreError, "."),
    ],
)
def test_that_what_a_server_refuses_is_told(status: int, said: object, kind: type[Exception], told: str) -> None:
    with served(status, said) as address, closing(QdrantStore.at(address, "one", "secret")) as store:
        with pytest.raises(DataStoreError, match=told) as found:
            store.search(QUERY)
        assert type(found.value) is kind
        assert Answers.asked["api-key"] == "secret"
        assert "secret" not in str(found.value)


def test_that_a_server_that_hangs_is_given_up() -> None:
    given_up = pytest.raises(DataStoreGoneError, match="within 1 s")
    with served(200, hangs=True) as address, closing(QdrantStore.at(address, "one")) as store, given_up:
        store.search(QUERY)


def test_that_a_server_that_is_gone_is_told() -> None:
    with served(200) as address:
        gone = QdrantStore.at(address, "one")
    with closing(gone), pytest.raises(DataStoreGoneError, match="cannot be reached"):
        gone.held()


def test_that_a_key_is_not_sent_in_clear() -> None:
    with pytest.raises(DataStoreError, match="https:// alone"):
        QdrantStore.at("http://qdrant.example:6333", "one", "secret")
    QdrantStore.at("https://qdrant.example:6333", "one", "secret").close()
    with pytest.raises(DataStoreError, match="cannot be reached"):
        QdrantStore.at("http://qdrant.example:six", "one")


@pytest.mark.filterwarnings("ignore:.*payload indexes")
def test_that_what_a_crash_left_half_written_is_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    client = QdrantClient(":memory:")
    store = QdrantStore(client, "one")
    assert store.setup() == SETUP
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
    assert store.held() == {one.id: ""}
    store.put([(one, "state")], vectors)
    store.put([(Document("memory:one", "one", ("a",)), "later")], vectors)
    assert (store.held(), client.count(f"{DOCUMENTS}_8").count) == ({one.id: "later"}, 1)
    store.close()
