"""The table of data stores: one row for each that can answer a routed query."""

from __future__ import annotations

from collections.abc import Callable

from app.domain.datastore import STAND_IN, secret_of
from app.domain.errors import DataStoreError
from app.domain.language import say
from app.ports.datastore import DataStore
from app.settings.sections import RouteSettings

Secret = Callable[[str], str | None]
"""What is kept under a name where secrets are; StoreError."""

POSTGRESQL = "postgresql"


def _embedded(settings: RouteSettings, secret: Secret, library: str) -> DataStore:
    # Its libraries are loaded by those who run a query.
    from app.adapters.stores.embedded import EmbeddedStore

    return EmbeddedStore()


def _postgresql(settings: RouteSettings, secret: Secret, library: str) -> DataStore | None:
    if not settings.postgresql:
        return None
    try:
        from app.adapters.stores.postgres import PostgresStore
    except ImportError as error:
        told = say("The extra “{extra}” is not installed; see Running a route in the help.", extra="stores-postgres")
        raise DataStoreError(told) from error
    return PostgresStore(settings.postgresql, library, secret(secret_of(POSTGRESQL)))


DATA_STORES: dict[str, Callable[[RouteSettings, Secret, str], DataStore | None]] = {
    STAND_IN: _embedded,
    POSTGRESQL: _postgresql,
}
"""What opens each for the library of this identity, without reaching it yet; None where it is not set up.
DataStoreError."""
