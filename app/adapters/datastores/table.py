"""Table of data stores: one row for each that can answer a routed query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from app.domain.datastore import STAND_IN, secret_of
from app.domain.errors import DataStoreError
from app.logs import remember_sent
from app.ports.datastore import DataStore
from app.ports.store import SharedAnswerCache
from app.settings.sections import RouteSettings

Secret = Callable[[str], str | None]
"""Function that returns the secret of a name; raises StoreError."""

NEO4J, GRAPHITI, QDRANT, POSTGRESQL = "neo4j", "graphiti", "qdrant", "postgresql"


@contextmanager
def _needs(extra: str) -> Iterator[None]:
    """Report the missing extra if its library is not installed."""
    try:
        yield
    except ImportError as error:
        message = f"The extra “{extra}” is not installed; see Running a route in the help."
        raise DataStoreError(message) from error


def _embedded(settings: RouteSettings, secret: Secret, library: str) -> DataStore:
    # Its libraries are loaded only to run queries.
    from app.adapters.datastores.embedded import EmbeddedStore

    return EmbeddedStore()


def _neo4j(settings: RouteSettings, secret: Secret, library: str) -> DataStore | None:
    if not settings.neo4j:
        return None
    with _needs("stores-neo4j"):
        from app.adapters.datastores.neo4j import MappedNeo4j, Neo4jStore
    address, password = settings.neo4j, remember_sent(secret(secret_of(NEO4J)))
    mapping = settings.mapping(NEO4J)
    return Neo4jStore(address, library, password) if mapping is None else MappedNeo4j(address, mapping, password)


def _graphiti(settings: RouteSettings, secret: Secret, library: str) -> DataStore | None:
    if not settings.graphiti:
        return None
    with _needs("stores-graphiti"):
        from app.adapters.datastores.graphiti import GraphitiStore
    return GraphitiStore(settings.graphiti, library, remember_sent(secret(secret_of(GRAPHITI))))


def _qdrant(settings: RouteSettings, secret: Secret, library: str) -> DataStore | None:
    if not settings.qdrant:
        return None
    with _needs("stores-qdrant"):
        from app.adapters.datastores.qdrant import MappedQdrant, QdrantStore
    address, password = settings.qdrant, remember_sent(secret(secret_of(QDRANT)))
    mapping = settings.mapping(QDRANT)
    return QdrantStore(address, library, password) if mapping is None else MappedQdrant(address, mapping, password)


def _postgresql(settings: RouteSettings, secret: Secret, library: str) -> DataStore | None:
    if not settings.postgresql:
        return None
    with _needs("postgres"):
        from app.adapters.datastores.postgres import MappedPostgres, PostgresStore
    address, password = settings.postgresql, remember_sent(secret(secret_of(POSTGRESQL)))
    mapping = settings.mapping(POSTGRESQL)
    return PostgresStore(address, library, password) if mapping is None else MappedPostgres(address, mapping, password)


def shared_answers(settings: RouteSettings, password: str | None) -> SharedAnswerCache:
    """Return the shared cache of LLM answers, not connected yet; raises DataStoreError."""
    with _needs("stores-redis"):
        from app.adapters.datastores.redis_answers import RedisAnswers
    return RedisAnswers(settings.redis, settings.redis_ms / 1000.0, remember_sent(password))


DATA_STORES: dict[str, Callable[[RouteSettings, Secret, str], DataStore | None]] = {
    STAND_IN: _embedded,
    NEO4J: _neo4j,
    GRAPHITI: _graphiti,
    QDRANT: _qdrant,
    POSTGRESQL: _postgresql,
}
"""Functions that open a store for a library, not connected yet; None if not set up.

Raises DataStoreError.
"""
