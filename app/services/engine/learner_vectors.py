"""The vectors that a learner reads: of what is taught, in bulk from the store; of a query, with the one that is scored.

An encoder that has more to tell of a text than the vector that is compared (LayeredEncoder) tells it in the same pass.
Of any other a learner reads the vectors that are compared.
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
"""So many stored vectors are looked for at a time; 6 MB while they are handed on."""

CHUNK = 8
"""So many texts are encoded at once where nobody waits for them: a query that comes meanwhile waits for 15 ms."""

KEPT_AT_ONCE = 256


def provenance_read(encoder: Embedder) -> Provenance:
    """The provenance of the vectors that a learner reads beside this encoder."""
    return encoder.layers if isinstance(encoder, LayeredEncoder) else encoder.provenance


def encode_both(encoder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
    """The vectors that are compared and those that a learner reads, in one pass. May block; EncoderError."""
    if isinstance(encoder, LayeredEncoder):
        return encoder.encode_layers(texts)
    vectors = encoder.encode(texts)
    return vectors, vectors


def store_both(library: VectorStore, encoder: Embedder, texts: Sequence[str], both: tuple[Vectors, Vectors]) -> None:
    """Store the result of `encode_both`; a learner's vectors in half precision, which is more than it needs."""
    library.put_embeddings(encoder.provenance, texts, both[0])
    if isinstance(encoder, LayeredEncoder):
        library.put_embeddings(encoder.layers, texts, both[1].astype(np.float16))


async def taught_vectors(
    texts: Sequence[str], library: VectorStore, encoder: Embedder, *, store: Executor, typing_priority: TypingPriority
) -> tuple[NDArray[np.bool_], NDArray[np.float16]]:
    """Which of these texts have a vector that a learner reads, and the vectors, one a row, zeros where there is none.

    They are read from the store on its thread, some at a time: 100,000 take 77 MB as long as they are held.
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
    """Whether some texts have a vector of this encoder and none that a learner reads, as where theirs are older.

    They are stored one after the other and forgotten together, so two counts tell. On the store's thread.
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
    """Have a learner's vectors made of those of these texts that have the other one only, while nobody types; of how
    many it did.

    It ends early once they are not `wanted` any more; EncoderError, StoreError.
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
    """Those of these texts that have a vector of this encoder, and none that a learner reads; of like length together.

    What has none at all is left to those who make both.
    """
    known = library.embeddings(provenance_read(encoder), texts).keys()
    return sorted(library.embeddings(encoder.provenance, [text for text in texts if text not in known]), key=len)
