"""A library whose new vectors are kept in memory, so that an encoder is tried and nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from app.domain.encoder import Provenance
from app.ports.encoder import Halves, Vectors
from app.ports.store import Library


class VectorsApart:
    """Decorator: everything else is the library's own.

    What another connection writes makes the one that answers load the library anew, and a trial would for each lot of
    vectors.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._made: dict[Provenance, dict[str, Vectors]] = {}

    @classmethod
    def of(cls, library: Library) -> Library:
        """The same library to whoever takes it."""
        return cast("Library", cls(library))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, Vectors]:
        made = self._made.get(provenance, {})
        found = {text: made[text] for text in texts if text in made}
        return found | self._library.embeddings(provenance, [text for text in texts if text not in found])

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors | Halves) -> None:
        rows = np.asarray(vectors, np.float32)
        self._made.setdefault(provenance, {}).update(zip(texts, rows, strict=True))

    def vector_counts(self) -> Mapping[Provenance, int]:
        counts = dict(self._library.vector_counts())
        return counts | {source: counts.get(source, 0) + len(made) for source, made in self._made.items()}
