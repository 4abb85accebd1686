"""Vectors of texts in the library's file, so that no text is encoded twice by one encoder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from app.adapters.store.access import SqlAccess
from app.adapters.store.rows import embeddings as sql_embeddings
from app.ports.encoder import Provenance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.ports.encoder import Vectors


class SqlVectors:
    """Vectors by provenance and text; every call waits for its transaction."""

    _access: SqlAccess

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Read-only vectors of shape (dimension,), for those of the texts that have one."""
        return self._access.read(lambda connection: sql_embeddings.selected(connection, provenance, texts))

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors) -> None:
        """Store vectors of shape (len(texts), dimension); ValueError for another shape."""
        self._access.write(lambda connection: sql_embeddings.put(connection, provenance, texts, vectors))

    def prune_embeddings(self, kept: Iterable[str], most: int) -> int:
        """Forget vectors of at most so many texts that are not among these; how many vectors went."""
        return self._access.write(lambda connection: sql_embeddings.prune(connection, kept, most))

    def vector_counts(self) -> Mapping[Provenance, int]:
        """How many vectors are stored, by where they come from."""
        return self._access.read(sql_embeddings.counted)
