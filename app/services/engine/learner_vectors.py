"""Vectors that a learner reads: of taught texts in bulk from the store, of a query directly.

A LayeredEncoder returns separate learner vectors in the same pass. With any other encoder a learner reads the vectors
that are compared.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from app.domain.encoder import Provenance
from app.ports.encoder import Embedder, LayeredEncoder, Vectors
from app.ports.store import VectorStore
from app.services.engine.typing_priority import TypingPriority

READ_AT_ONCE = 4_096
"""Batch size of reading stored vectors; 6 MB while they are passed on."""

CHUNK = 8
"""Batch size of encoding in the background: a query waits for at most 15 ms."""

KEPT_AT_ONCE = 256


def provenance_read(encoder: Embedder) -> Provenance:
    """Return the provenance of the vectors that a learner reads with this encoder."""
    return encoder.layers if isinstance(encoder, LayeredEncoder) else encoder.provenance


def encode_both(encoder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
    """Encode texts in one pass, for cosines and for the learner. May block; raises EncoderError."""
    if isinstance(encoder, LayeredEncoder):
        return encoder.encode_layers(texts)
    vectors = encoder.encode(texts)
    return vectors, vectors


def store_both(library: VectorStore, encoder: Embedder, texts: Sequence[str], both: tuple[Vectors, Vectors]) -> None:
    """Store the result of `encode_both`; learner vectors in half precision, which suffices."""
    library.put_embeddings(encoder.provenance, texts, both[0])
    if isinstance(encoder, LayeredEncoder):
        library.put_embeddings(encoder.layers, texts, both[1].astype(np.float16))


async def taught_vectors(
    texts: Sequence[str], library: VectorStore, encoder: Embedder, *, store: Executor, typing_priority: TypingPriority
) -> tuple[NDArray[np.bool_], NDArray[np.float16]]:
    """Return which texts have a learner vector, and the vectors, one per row, zeros if missing.

    They are read in batches on the store's thread: 100,000 take 77 MB in memory.
    """
    loop, source = asyncio.get_running_loop(), provenance_read(encoder)
    known = np.zeros(len(texts), np.bool_)
    vectors = np.zeros((len(texts), source.dimension), np.float16)
    for start in range(0, len(texts), READ_AT_ONCE):
        some = texts[start : start + READ_AT_ONCE]
        found = await loop.run_in_executor(store, library.embeddings, source, some)
        for place, text in enumerate(some, start):
            if text in found:
                known[place], vectors[place] = True, found[text]
        await typing_priority.turn()
    return known, vectors


def is_behind(library: VectorStore, encoder: Embedder) -> bool:
    """Check if texts have a vector of this encoder but no learner vector (an older library).

    Both are stored and deleted together, so comparing two counts suffices. On the store's thread.
    """
    counts = library.vector_counts()
    return counts.get(provenance_read(encoder), 0) < counts.get(encoder.provenance, 0)


async def make_missing(
    texts: Sequence[str],
    library: VectorStore,
    encoder: Embedder,
    *,
    store: Executor,
    encode: Executor,
    typing_priority: TypingPriority,
    wanted: Callable[[], bool],
) -> int:
    """Compute the learner vectors of texts that only have the other vector; return their number.

    Runs while the user is idle, and ends early once the vectors are no longer `wanted`; raises EncoderError,
    StoreError.
    """
    loop, made = asyncio.get_running_loop(), 0
    source = provenance_read(encoder)
    for start in range(0, len(texts), READ_AT_ONCE):
        some = texts[start : start + READ_AT_ONCE]
        missing = await loop.run_in_executor(store, _lacking, library, encoder, some)
        for first in range(0, len(missing), KEPT_AT_ONCE):
            lot, parts = missing[first : first + KEPT_AT_ONCE], list[Vectors]()
            for place in range(0, len(lot), CHUNK):
                await typing_priority.come()
                if not wanted():
                    return made
                both = await loop.run_in_executor(encode, encode_both, encoder, lot[place : place + CHUNK])
                parts.append(both[1])
            vectors = np.concatenate(parts).astype(np.float16)
            await loop.run_in_executor(store, library.put_embeddings, source, lot, vectors)
            made += len(lot)
    return made


def _lacking(library: VectorStore, encoder: Embedder, texts: Sequence[str]) -> list[str]:
    """Return texts with a vector of this encoder but no learner vector, sorted by length."""
    known = library.embeddings(provenance_read(encoder), texts).keys()
    return sorted(library.embeddings(encoder.provenance, [text for text in texts if text not in known]), key=len)
