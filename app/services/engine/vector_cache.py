"""Keeps the index's vectors in a mapped file beside the library: restored at the start, saved when all is quiet.

The store stays the source of truth. A file that is missing, of another version or truncated is ignored; one that is
damaged is dropped, and its vectors are read from the store, while people type on.
"""

from __future__ import annotations

import asyncio
import logging

import numpy as np

from app.domain.errors import CacheError
from app.ports.encoder import Embedder, MappedArrays, VectorCache
from app.scoring.index import vectors as index_vectors
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import TypingPriority

log = logging.getLogger(__name__)

LEAST_ROWS = 2_000
"""For fewer triggers the store is fast enough without a cache."""

CHECK_SECONDS = 10.0
"""The interval of checks; an index that has changed, but not within the last interval, is saved."""

RESTORED_AT_ONCE = 512


class VectorCacheSync:
    """Synchronises one engine's index with its cache file. All methods run on the asyncio thread; slow work on
    others."""

    def __init__(self, cache: VectorCache | None, engine: Engine, typing_priority: TypingPriority) -> None:
        self._cache = cache
        self._engine = engine
        self._typing_priority = typing_priority
        self._saved_at = -1

    async def restore(self, encoder: Embedder) -> bool:
        """Restore the cached vectors of this encoder into an index without any; whether there were some.

        False also if the index or the encoder was changed meanwhile, and nothing has been given then.
        """
        index, cache = self._engine.index, self._cache
        if cache is None or len(index) < LEAST_ROWS or index.embedded():
            return False
        changes, texts = index.changes, index.texts()
        mapped = await asyncio.to_thread(cache.load, encoder.provenance)
        if mapped is None:
            return False
        digests = mapped.arrays["digests"][: mapped.rows["digests"]]
        if not await asyncio.to_thread(index_vectors.is_own_order, digests, texts):
            return await self._restore_some(mapped, encoder)
        if index.changes != changes:
            return False
        try:
            made = await asyncio.to_thread(index.making_of(mapped.arrays))
        except KeyError:  # kept where vectors had no int8 copies
            return await self._restore_some(mapped, encoder)
        if index.changes != changes or self._engine.encoder is not encoder:
            return False
        index.take_up(*made)
        mapped.release()
        self._saved_at = index.changes
        return True

    async def verify(self, encoder: Embedder) -> bool:
        """Verify the checksum of what was restored; if it fails, the cache and the index's vectors are dropped."""
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
        """Save whenever the index has changed and is quiet, until cancelled."""
        seen = self._engine.index.changes
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            before, seen = seen, self._engine.index.changes
            if before == seen and not self._typing_priority.is_typing:
                await self.save()

    async def save(self) -> None:
        """Save the vectors if all are there and something has changed; a change meanwhile cancels the save."""
        index, encoder, cache = self._engine.index, self._engine.encoder, self._cache
        changes = index.changes
        if cache is None or encoder is None or len(index) < LEAST_ROWS or changes == self._saved_at:
            return
        try:
            arrays = await asyncio.to_thread(index_vectors.kept, index)
            if arrays is None or index.changes != changes:
                return
            await asyncio.to_thread(cache.save, encoder.provenance, arrays)
        except LookupError:  # changed while it was read
            return
        except CacheError as error:
            log.info("%s Vectors will be read from the library at the next start.", error)
        self._saved_at = changes

    async def _restore_some(self, mapped: MappedArrays, encoder: Embedder) -> bool:
        """Restore the vectors of the texts that are found, a few at a time."""
        index = self._engine.index
        digests = mapped.arrays["digests"][: mapped.rows["digests"]]
        found = list((await asyncio.to_thread(index_vectors.places, digests, index.unembedded())).items())
        for start in range(0, len(found), RESTORED_AT_ONCE):
            if self._engine.encoder is not encoder:
                return False
            some = found[start : start + RESTORED_AT_ONCE]
            vectors = np.array(mapped.arrays["vectors"][[place for _, place in some]])
            index.embed(dict(zip((text for text, _ in some), vectors, strict=True)))
            await self._typing_priority.turn()
        return bool(found)
