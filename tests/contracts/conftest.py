"""Servers for contracts of data stores, each started once.

PostgreSQL is that of `tests.team`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.qdrant_server import qdrant_server
from tests.store_servers import StoreServer, bolt_server, falkor_server


@pytest.fixture(scope="session")
def qdrant() -> Iterator[str]:
    with qdrant_server() as address:
        yield address


@pytest.fixture(scope="session")
def bolt() -> Iterator[StoreServer]:
    with bolt_server() as server:
        yield server


@pytest.fixture(scope="session")
def falkor() -> Iterator[StoreServer]:
    with falkor_server() as server:
        yield server
