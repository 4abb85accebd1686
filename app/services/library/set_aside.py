"""Memories that are not scored because they are paused or have failed too often, as if they were."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.detect.surfacing import Cut
from app.domain.encoder import Provenance
from app.domain.filters import MemoryFilter
from app.domain.library import Memory
from app.ports.store import Memories
from app.scoring.index.layout import Layout
from app.scoring.index.trigger_index import TriggerIndex
from app.services.core import Core
from app.services.engine.engine import Engine
from app.settings.model import Settings

MOST = 2_000
"""So many are looked at, the oldest first."""

AT_ONCE = 256
"""So many go into the index before a waiting keystroke gets its turn."""


class SetAside:
    """An index beside the engine's, made anew when that has changed.

    It holds what is set aside, and what is scored under the same labels, so that a label's mean is that of all its
    memories: the confidence is the one that everything set aside would have if all of it came back.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._making = asyncio.Lock()
        self._layout: Layout | None = None
        self._made_for: tuple[float, Provenance | None, int] | None = None
        self._index: TriggerIndex | None = None
        self.reasons: dict[int | None, Cut] = {}
        self.memories: dict[int | None, Memory] = {}

    async def index(self, settings: Settings) -> TriggerIndex | None:
        """The index for these settings, None where nothing is set aside; StoreError."""
        engine = self._core.engine
        async with self._making:
            return await self._index_for(engine, settings)

    async def _index_for(self, engine: Engine, settings: Settings) -> TriggerIndex | None:
        provenance = None if engine.encoder is None else engine.encoder.provenance
        layout, made_for = engine.index.layout(), (settings.min_score, provenance, engine.index.embedded())
        if layout is not self._layout or made_for != self._made_for:
            self._index = await self._make(engine, settings.min_score, provenance)
            self._layout, self._made_for = layout, made_for
        return self._index

    async def _make(self, engine: Engine, least: float, provenance: Provenance | None) -> TriggerIndex | None:
        apart = await self._core.in_store(lambda library: _apart(library, least))
        self.reasons = {memory.key: Cut.PAUSED if memory.paused else Cut.SUCCESS for memory in apart}
        self.memories = {memory.key: memory for memory in apart}
        if not apart:
            return None
        labels = {memory.answer_label for memory in apart} - {None}
        beside = [
            answer
            for answer in (engine.index.answers().values() if labels else ())
            if isinstance(answer, Memory) and answer.answer_label in labels and answer.key not in self.reasons
        ]
        memories = [*(replace(memory, paused=False) for memory in apart), *beside]
        texts = list(dict.fromkeys(text for memory in memories for text in memory.triggers))
        vectors = await self._vectors(provenance, texts)
        index = TriggerIndex(provenance.dimension if provenance else 1)
        for start in range(0, len(memories), AT_ONCE):
            chunk = memories[start : start + AT_ONCE]
            index.put(chunk)
            index.embed({text: vectors[text] for memory in chunk for text in memory.triggers if text in vectors})
            await asyncio.sleep(0)
        return index

    async def _vectors(self, provenance: Provenance | None, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        if provenance is None:
            return {}
        return await self._core.in_store(lambda library: library.embeddings(provenance, texts))


def _apart(library: Memories, least: float) -> list[Memory]:
    keys = library.find_memories(MemoryFilter(paused=True))
    if least > 0.0:
        keys += library.find_memories(MemoryFilter(success=(0.0, least), paused=False))
    found = [dated.item for dated in library.memories_by_key(sorted(keys)[:MOST])]
    return [memory for memory in found if memory.paused or memory.success < least]
