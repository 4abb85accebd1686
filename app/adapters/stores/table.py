"""The table of data stores: one row for each that can answer a routed query."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.domain.datastore import STAND_IN
from app.ports.datastore import DataStore


def _embedded() -> DataStore:
    # Its libraries are loaded by those who run a query.
    from app.adapters.stores.embedded import EmbeddedStore

    return EmbeddedStore()


DATA_STORES: Mapping[str, Callable[[], DataStore]] = {STAND_IN: _embedded}
"""What opens each; DataStoreError."""
