"""Vectors for what is taught: from the store where they are known, from the encoder where they are not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.ports import Embedder, Library, Vectors

CHUNK = 16
"""So many texts are encoded at once; a query that needs the encoder waits for at most one chunk."""

KEPT_AT_ONCE = 256
"""So many new vectors are stored in one transaction, and reported as one step of progress."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the texts that lacked a vector have one now."""

    done: int
    total: int


async def vectors_of(
    texts: Sequence[str],
    library: Library,
    encoder: Embedder,
    take: Callable[[Mapping[str, NDArray[np.float32]]], object],
    *,
    store: Executor,
    encode: Executor,
) -> AsyncIterator[Progress]:
    """Hand `take` the vector of every text, stored ones first, and store the new ones chunk by chunk.

    Store calls run on `store`, the encoder on `encode`. Texts of like length are encoded together. Closing the
    iterator stops after the current chunk; what was stored until then is kept.
    """
    loop = asyncio.get_running_loop()
    known = await loop.run_in_executor(store, library.embeddings, encoder.provenance, texts)
    take(known)
    missing = sorted((text for text in texts if text not in known), key=len)
    yield Progress(0, len(missing))
    for start in range(0, len(missing), KEPT_AT_ONCE):
        texts = missing[start : start + KEPT_AT_ONCE]
        parts: list[Vectors] = []
        for place in range(0, len(texts), CHUNK):
            part = await loop.run_in_executor(encode, encoder.encode, texts[place : place + CHUNK])
            take(dict(zip(texts[place : place + CHUNK], part, strict=True)))
            parts.append(part)
        await loop.run_in_executor(store, library.put_embeddings, encoder.provenance, texts, np.concatenate(parts))
        yield Progress(start + len(texts), len(missing))


class QueryVectors:
    """The vectors of recent queries, so that a query typed again, or settled twice, is encoded once."""

    MOST = 512

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[np.float32]] = {}

    def get(self, text: str) -> NDArray[np.float32] | None:
        return self._kept.get(text)

    def encode(self, encode: Callable[[Sequence[str]], Vectors], text: str) -> NDArray[np.float32]:
        """The vector of one query; shape (dimension,). May block."""
        vector: NDArray[np.float32] = encode([text])[0]
        if len(self._kept) >= self.MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[text] = vector
        return vector
