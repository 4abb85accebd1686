"""Cached vectors of the index: restored at the start, saved when idle.

The store remains the source of truth. A missing, truncated or outdated file is ignored; a damaged one is deleted, and
its vectors are read from the store in the background.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.errors import CacheError
from app.ports.encoder import Embedder, MappedArrays, VectorCache
from app.scoring.index.trigger_index import TriggerIndex
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority, chunks

log = logging.getLogger(__name__)

LEAST_ROWS = 2_000
"""Minimum number of triggers for a cache; for fewer the store is fast enough."""

CHECK_SECONDS = 10.0
"""Interval of checks, in seconds; an index that changed before the last interval is saved."""

RESTORED_AT_ONCE = 512


class VectorCacheSync:
    """Synchronises an engine's index with its cache file, on the asyncio thread.

    Slow work runs on other threads.
    """

    def __init__(self, cache: VectorCache | None, engine: Engine, typing_priority: TypingPriority) -> None:
        self._cache = cache
        self._engine = engine
        self._typing_priority = typing_priority
        self._saved_at = -1

    async def restore(self, encoder: Embedder) -> bool:
        """Restore the cached vectors of this encoder into an index without any; return True if done.

        False also if the index or the encoder changed meanwhile; then nothing is restored.
        """
        index, cache = self._engine.index, self._cache
        if cache is None or len(index) < LEAST_ROWS or index.embedded():
            return False
        changes, texts = index.changes, index.texts()
        mapped = await asyncio.to_thread(cache.load, encoder.provenance)
        if mapped is None:
            return False
        digests = mapped.arrays["digests"][: mapped.rows["digests"]]
        if not await asyncio.to_thread(is_own_order, digests, texts):
            return await self._restore_some(mapped, encoder)
        if index.changes != changes:
            return False
        try:
            made = await asyncio.to_thread(index.column_builder(mapped.arrays))
        except KeyError:  # saved before vectors had int8 copies
            return await self._restore_some(mapped, encoder)
        if index.changes != changes or self._engine.encoder is not encoder:
            return False
        index.adopt(*made)
        mapped.release()
        self._saved_at = index.changes
        return True

    async def verify(self, encoder: Embedder) -> bool:
        """Verify the checksum of the restored vectors; on failure drop the cache and the vectors."""
        cache, index = self._cache, self._engine.index
        if cache is None or await asyncio.to_thread(cache.is_sound, encoder.provenance):
            return True
        log.info("The cache of vectors is damaged; they are read from the library again.")
        cache.drop(encoder.provenance)
        if self._engine.encoder is encoder:
            index.forget_vectors()
        self._saved_at = -1
        return False

    async def save_periodically(self) -> None:
        """Save an index that has changed, once it is idle, until cancelled."""
        seen = self._engine.index.changes
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            before, seen = seen, self._engine.index.changes
            if before == seen and not self._typing_priority.is_typing:
                await self.save()

    async def save(self) -> None:
        """Save the vectors if all are present and any has changed; a concurrent change cancels it."""
        index, encoder, cache = self._engine.index, self._engine.encoder, self._cache
        changes = index.changes
        if cache is None or encoder is None or len(index) < LEAST_ROWS or changes == self._saved_at:
            return
        try:
            arrays = await asyncio.to_thread(kept, index)
            if arrays is None or index.changes != changes:
                return
            await asyncio.to_thread(cache.save, encoder.provenance, arrays)
        except LookupError:  # changed during the read
            return
        except CacheError as error:
            log.info("%s Vectors will be read from the library at the next start.", error)
        self._saved_at = changes

    async def _restore_some(self, mapped: MappedArrays, encoder: Embedder) -> bool:
        """Restore the vectors of the texts that are found, in batches."""
        index = self._engine.index
        digests = mapped.arrays["digests"][: mapped.rows["digests"]]
        found = await asyncio.to_thread(places, digests, index.unembedded())
        for some in chunks(found.items(), RESTORED_AT_ONCE):
            if self._engine.encoder is not encoder:
                return False
            vectors = np.array(mapped.arrays["vectors"][[place for _, place in some]])
            index.embed(dict(zip((text for text, _ in some), vectors, strict=True)))
            await self._typing_priority.turn()
        return bool(found)


# ---- Cache format of an index's vectors, as arrays.
#
# Rows are stored in the order of a newly filled index, with a digest of each text. An index with exactly these rows
# adopts the arrays, which may be memory-mapped; any other copies the vectors of known texts.


DIGEST_BYTES = 16

Arrays = Mapping[str, NDArray[Any]]


def digests(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Return a digest of each text; shape (len(texts), DIGEST_BYTES)."""
    joined = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest() for text in texts
    )
    return np.frombuffer(joined, np.uint8).reshape(-1, DIGEST_BYTES)


def kept(index: TriggerIndex) -> Arrays | None:
    """Return the arrays to cache; None unless every live row has its vector.

    The index may not change meanwhile.
    """
    rows = index.rows_by_key()
    if not index.semantic.known[rows].all():
        return None
    return {"digests": digests([index.text(row) for row in rows.tolist()]), **index.semantic.kept(rows)}


def is_own_order(kept_digests: NDArray[Any], texts: Sequence[str]) -> bool:
    """Return whether stored digests are those of these texts, in order."""
    return len(kept_digests) == len(texts) and bool(np.array_equal(kept_digests, digests(texts)))


def places(kept_digests: NDArray[Any], texts: Sequence[str]) -> dict[str, int]:
    """Return the position of each text with a stored digest."""
    known = {digest.tobytes(): place for place, digest in enumerate(kept_digests)}
    own = zip(texts, digests(texts), strict=True)
    return {text: known[key] for text, digest in own if (key := digest.tobytes()) in known}
