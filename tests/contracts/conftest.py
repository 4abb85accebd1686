"""The library of most contracts, and servers for those of data stores, each started once.

PostgreSQL is that of `tests.team`. FalkorDB sometimes stops answering anybody: it is started again.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from app.ports.store import Library
from tests.memory_library import MemoryLibrary
from tests.qdrant_server import qdrant_server
from tests.store_servers import StoreServer, bolt_server, falkor_server
from tests.waiting import PATIENCE


@pytest.fixture
def library() -> Library:
    return MemoryLibrary()


@pytest.fixture(scope="session")
def qdrant() -> Iterator[str]:
    with qdrant_server() as address:
        yield address


@pytest.fixture(scope="session")
def bolt() -> Iterator[StoreServer]:
    with bolt_server() as server:
        yield server


@pytest.fixture(scope="session")
def answering_falkor() -> Iterator[Callable[[], StoreServer]]:
    """Function that gives a server that answers, starting another one where the last one does not."""
    with ExitStack() as servers:
        started: list[StoreServer] = []

        def answering() -> StoreServer:
            if not started or not _answers(started[-1].address):
                started.append(servers.enter_context(falkor_server()))
            return started[-1]

        yield answering


@pytest.fixture
def falkor(answering_falkor: Callable[[], StoreServer]) -> StoreServer:
    return answering_falkor()


def _answers(address: str) -> bool:
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
    except OSError:
        return False
