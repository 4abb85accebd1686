"""Common code of read-only stores: refusal of writes, and checks of the mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from app.detect.store_query import utc
from app.domain.datastore import Document, StoreMapping
from app.domain.errors import DataStoreError
from app.ports.encoder import Vectors

MAX_VALUES = 1_000
"""Maximum number of known values of a field."""

MAX_NAMED = 20
"""Maximum number of names in a sentence."""


class ReadOnlyStore:
    """Base class of a MappedStore without own documents, which refuses writes."""

    mapping: StoreMapping

    def setup(self) -> str:
        self._refuse()

    def prepare(self) -> None:
        self._refuse()

    def put(self, documents: Iterable[tuple[Document, str]], vectors: Mapping[str, Vectors]) -> None:
        self._refuse()

    def drop(self, ids: Sequence[str]) -> None:
        self._refuse()

    def stored_states(self) -> Mapping[str, str]:
        return {}

    def _refuse(self) -> NoReturn:
        told = (
            f"“{self.mapping.source}” is only read, nothing is written there. Empty the mapping "
            "in the settings to fill a place of its own on this server."
        )
        raise DataStoreError(told)

    def check(self, columns: Mapping[str, str], sources: Iterable[str]) -> None:
        """Raise DataStoreError for missing mapped names; `sources` are suggested instead."""
        source = self.mapping.source
        if not columns:
            others = ", ".join(list(sources)[:MAX_NAMED]) or "nothing that can be read"
            raise DataStoreError(f"The server has no “{source}”; it has {others}.")
        if lacking := [name for name in self.mapping.columns if name not in columns]:
            told = (
                f"“{source}” has no “{lacking[0]}”: it has {', '.join(list(columns)[:MAX_NAMED])}. Correct the mapping."
            )
            raise DataStoreError(told)


def wrong_encoder(column: str, held: int, length: int) -> str:
    """Return the sentence for vectors of another encoder."""
    return (
        f"The vectors in “{column}” have {held} numbers, those of this encoder {length}: "
        "choose the encoder that made them (encoder.name), or leave them out of the mapping."
    )


def time_of(value: object) -> str:
    """Convert a server's time to the documents' format; "" if invalid."""
    with suppress(ValueError):
        return utc(str(value or ""))
    return ""
