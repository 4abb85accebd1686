"""Embedding of triggers and queries, also for learning: stored vectors first, then new ones."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from app.domain.encoder import Provenance
from app.ports.encoder import Embedder, LayeredEncoder, LengthAware, Vectors
from app.ports.store import VectorStore
from app.scoring.text import QueryVector, sentences
from app.services.engine.typing_priority import TypingPriority, chunks

CHUNK, QUIET_CHUNK = 8, 32
"""Batch sizes of encoding while the user types and while idle.

A query that needs the encoder waits for at most one batch. In a batch of 8 a text takes half the time of a single one,
in a batch of 32 two fifths, and larger batches gain little (`python -m tests.benchmarks.window --encoder`).
"""

KEPT_AT_ONCE = 256
"""New vectors per transaction and per progress report."""

MOST_SENTENCES = 48
"""Maximum number of sentences of a query that get a vector of their own."""

TAKEN_AT_ONCE, FOUND_AT_ONCE = 512, 16_384
"""Batch sizes of passing on and of reading stored vectors."""


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """Progress of embedding: texts done, of those without a vector."""

    done: int
    total: int


async def vectors_of(
    texts: Sequence[str],
    library: VectorStore,
    encoder: Embedder,
    take: Callable[[Mapping[str, NDArray[np.float32]]], object],
    *,
    store: Executor,
    encode: Executor,
    typing_priority: TypingPriority,
    wanted: Callable[[], bool] = lambda: True,
    is_taught: Callable[[str], bool] = lambda text: True,
) -> AsyncIterator[EmbeddingProgress]:
    """Pass the vector of every text to `take`, stored ones first; embed and store the rest.

    Store calls run on `store`, the encoder on `encode`; learner vectors are made in the same pass and only stored.
    Texts of similar length share a batch, which is smaller while the user types. Closing the iterator stops after the
    current batch; stored vectors stay. It also ends once the vectors are no longer `wanted`. A text that is no longer
    `is_taught` (undone or deleted meanwhile) is skipped from the next batch on.
    """
    loop = asyncio.get_running_loop()
    missing: list[str] = []
    for some in chunks(texts, FOUND_AT_ONCE):
        known = await loop.run_in_executor(store, library.embeddings, encoder.provenance, some)
        missing += [text for text in some if text not in known]
        await _hand_on(known, take, typing_priority)
    missing = await _by_length(missing, encoder, encode)
    yield EmbeddingProgress(0, len(missing))
    done, waiting = 0, deque(missing)
    while waiting:
        made: list[str] = []
        parts: list[tuple[Vectors, Vectors]] = []
        while waiting and len(made) < KEPT_AT_ONCE:
            if not wanted():
                return
            size = min(CHUNK if typing_priority.is_typing else QUIET_CHUNK, KEPT_AT_ONCE - len(made))
            if chunk := _next_texts(waiting, size, is_taught):
                part = await loop.run_in_executor(encode, encode_both, encoder, chunk)
                take(dict(zip(chunk, part[0], strict=True)))
                parts.append(part)
                made += chunk
        if made:
            scored, learned = (np.concatenate(each) for each in zip(*parts, strict=True))
            await loop.run_in_executor(store, store_both, library, encoder, made, (scored, learned))
        done += len(made)
        yield EmbeddingProgress(done, done + len(waiting))


def _next_texts(waiting: deque[str], size: int, is_taught: Callable[[str], bool]) -> list[str]:
    """Take the next taught texts; if one is no longer taught, drop all that are not."""
    chunk: list[str] = []
    while waiting and len(chunk) < size:
        text = waiting.popleft()
        if is_taught(text):
            chunk.append(text)
        else:
            left = [other for other in waiting if is_taught(other)]
            waiting.clear()
            waiting.extend(left)
    return chunk


async def _by_length(texts: Sequence[str], encoder: Embedder, encode: Executor) -> list[str]:
    """Sort texts by length in tokens, so that batches need little padding."""
    if not isinstance(encoder, LengthAware):
        return sorted(texts, key=len)
    loop = asyncio.get_running_loop()
    lengths: list[int] = []
    for some in chunks(texts, KEPT_AT_ONCE):
        lengths += await loop.run_in_executor(encode, encoder.lengths, some)
    return [texts[place] for place in sorted(range(len(texts)), key=lengths.__getitem__)]


async def _hand_on(
    known: Mapping[str, NDArray[np.float32]],
    take: Callable[[Mapping[str, NDArray[np.float32]]], object],
    typing_priority: TypingPriority,
) -> None:
    """Pass vectors on in batches, and yield to typing after each."""
    for some in chunks(known.items(), TAKEN_AT_ONCE):
        take(dict(some))
        await typing_priority.turn()


class QueryVectors:
    """Cache of the vectors of recent queries, so that a repeated query is encoded once."""

    MOST = 512

    def __init__(self, corrected: Callable[[str], str] = str) -> None:
        self._corrected = corrected
        self._kept: dict[str, QueryVector] = {}
        """Vectors by the corrected text, which a change of the library may change."""

    def both(self, text: str) -> QueryVector | None:
        return self._kept.get(self._corrected(text))

    def get(self, text: str) -> NDArray[np.float32] | None:
        """Return the cached vector for cosines, shape (dimension,); None if not cached."""
        kept = self.both(text)
        return None if kept is None else kept.scored

    def encode(self, encoder: Embedder, text: str) -> QueryVector:
        """Encode one corrected query and cache it and its sentences. May block; raises EncoderError."""
        made = query_vectors(encoder, [text], self._kept)[0]
        for sentence, vector in made.sentences.items():
            self._keep(sentence, vector)
        return self._keep(text, made)

    def keep(self, text: str, vector: QueryVector) -> QueryVector:
        """Cache a query's vectors; the oldest are evicted."""
        return self._keep(self._corrected(text), vector)

    def _keep(self, text: str, vector: QueryVector) -> QueryVector:
        if len(self._kept) >= self.MOST and text not in self._kept:
            del self._kept[next(iter(self._kept))]
        self._kept[text] = vector
        return vector


# ---- Vectors that a learner reads: of taught texts in bulk from the store, of a query directly.


READ_AT_ONCE = 4_096
"""Batch size of reading stored vectors; 6 MB while they are passed on."""


def provenance_read(encoder: Embedder) -> Provenance:
    """Return the provenance of the vectors that a learner reads with this encoder."""
    return encoder.layers if isinstance(encoder, LayeredEncoder) else encoder.provenance


def encode_both(encoder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
    """Encode texts in one pass, for cosines and for the learner. May block; raises EncoderError."""
    if isinstance(encoder, LayeredEncoder):
        return encoder.encode_layers(texts)
    vectors = encoder.encode(texts)
    return vectors, vectors


def query_vectors(encoder: Embedder, texts: Sequence[str], known: Mapping[str, QueryVector] = {}) -> list[QueryVector]:
    """Encode queries, and their sentences that are not `known`. May block; raises EncoderError."""
    parts = [[] if (some := sentences(text)) == [text.strip()] else some[:MOST_SENTENCES] for text in texts]
    of = {part: own for some in parts for part in some if (own := known.get(part)) is not None}
    missing = list(dict.fromkeys(part for some in parts for part in some if part not in of))
    if missing:
        of |= zip(missing, starmap(QueryVector, zip(*encode_both(encoder, missing), strict=True)), strict=True)
    whole = zip(parts, *encode_both(encoder, texts), strict=True)
    return [QueryVector(own, learned, {part: of[part] for part in some}) for some, own, learned in whole]


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
    for some in chunks(texts, READ_AT_ONCE):
        missing = await loop.run_in_executor(store, _lacking, library, encoder, some)
        for lot in chunks(missing, KEPT_AT_ONCE):
            parts: list[Vectors] = []
            for batch in chunks(lot, CHUNK):
                await typing_priority.wait_until_quiet()
                if not wanted():
                    return made
                both = await loop.run_in_executor(encode, encode_both, encoder, batch)
                parts.append(both[1])
            vectors = np.concatenate(parts).astype(np.float16)
            await loop.run_in_executor(store, library.put_embeddings, source, lot, vectors)
            made += len(lot)
    return made


def _lacking(library: VectorStore, encoder: Embedder, texts: Sequence[str]) -> list[str]:
    """Return texts with a vector of this encoder but no learner vector, sorted by length."""
    known = library.embeddings(provenance_read(encoder), texts).keys()
    return sorted(library.embeddings(encoder.provenance, [text for text in texts if text not in known]), key=len)
