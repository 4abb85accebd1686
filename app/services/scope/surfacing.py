"""Surfacing service: the memories injected for a query, and those left out because unscored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.detect.surfacing import (
    SURFACING,
    Cut,
    Limits,
    Surfaced,
    Weighed,
    entries,
    is_complete,
    is_silent,
    most_surfaced,
    namespace_weight,
    ordered,
    parts_of,
    success_factor,
    weigh,
)
from app.domain.encoder import Provenance
from app.domain.errors import EncoderError
from app.domain.filters import MemoryFilter
from app.domain.inspection import LETTERS_PER_TOKEN, Inspection, estimated_tokens
from app.domain.library import Memory
from app.domain.why_not import Expectation, Injection
from app.ports.encoder import TokenCounter
from app.ports.store import Memories
from app.scoring.columns.column import Places
from app.scoring.index.layout import Layout, utc_now
from app.scoring.index.ranking import rank
from app.scoring.index.scales import as_chances, combined_at, scale_for, within_for
from app.scoring.index.scores import Scores
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.shares import Shares
from app.scoring.text import ScoredText
from app.services.core import Core
from app.services.engine.engine import Engine
from app.services.engine.typing_priority import chunks
from app.settings.model import Settings

FIRST, TIMES = 64, 8
"""Size of the first round of candidates, and the growth factor of further rounds."""

FEW = 2_048
"""Limit of memories of heavy namespaces scored individually instead of a wider round."""

Weight = Callable[[str], float]
"""Returns the weight of a namespace."""


class Pool:
    """Candidate pool of one index; caches the memories by namespace until the index changes."""

    def __init__(self) -> None:
        self._layout: Layout | None = None
        self._of: Mapping[str, Places] = {}
        """Slots of the memories with a response."""
        self._answering = 0

    def best(
        self, index: TriggerIndex, scores: Scores, settings: Settings, weight: Weight, count: int, least: float = 0.0
    ) -> tuple[list[Weighed], int]:
        """Return the memories with the `count` largest products above 0, and the number examined.

        Memories must have a response; those with a confidence of at least `least` are ranked separately, too.
        Examination starts with the best by confidence. Then only namespaces heavy enough to lift a lower confidence
        over the last product matter: their memories are scored individually, or the round is widened.
        """
        self._update_layout(index, scores.layout)
        if self._answering < len(scores.layout.memory_places) and self._answering <= FEW:
            found = _exact_scores(scores, settings, np.sort(np.concatenate([*self._of.values(), np.zeros(0, np.intp)])))
            return self._weighed(index, scores, settings, found, weight), len(found)
        highest = success_factor(1.0, settings.search_intent.surfacing_success)
        weights = {namespace: weight(namespace) * highest for namespace in self._of}
        size = FIRST
        while True:
            ranking = rank(scores, settings, size)
            found = {place: ranking.confidences[place] for place in ranking.memories.tolist()}
            last = min(found.values(), default=0.0)
            weighed, most = self._weighed(index, scores, settings, found, weight), max(weights.values(), default=0.0)
            wanted = [weighed]
            if last >= least > 0.0:  # otherwise all of that confidence are in the round
                wanted.append([one for one in weighed if one.confidence >= least])
            if len(found) < size or last <= 0.0 or all(is_complete(one, count, last, most) for one in wanted):
                return weighed, len(found)
            if all(len(one) >= count for one in wanted):
                reached = min(one[count - 1].product for one in wanted)
                heavy = [self._of[name] for name, one in weights.items() if last * one >= reached]
                if sum(map(len, heavy)) <= FEW:
                    found |= _exact_scores(scores, settings, np.sort(np.concatenate(heavy)))
                    return self._weighed(index, scores, settings, found, weight), len(found)
            size *= TIMES

    def refused(
        self, index: TriggerIndex, scores: Scores, settings: Settings, weight: Weight, enough: float, least: float
    ) -> list[tuple[Weighed, Cut]]:
        """Return leading memories that are lapsed or have no response, with the reason.

        They have a confidence of at least `least` and a product of at least `enough`.
        """
        if self._answering == len(scores.layout.memory_places) and not index.lapses.most:
            return []
        ranking, now = rank(scores, settings, FIRST), utc_now()
        places = ranking.memories.tolist()
        pairs = [(_memory(index, scores.layout, place), ranking.confidences[place]) for place in places]
        cuts = {memory.key: cut for memory, _ in pairs if (cut := _refusal(index, memory, now)) is not None}
        refused = (pair for pair in pairs if pair[0].key in cuts)
        weighed = weigh(refused, weight, settings.search_intent.surfacing_success)
        near = (one for one in weighed if one.product > 0.0 and one.product >= enough and one.confidence >= least)
        return [(one, cuts[one.memory.key]) for one in near]

    def those(
        self, index: TriggerIndex, scores: Scores, settings: Settings, weight: Weight, keys: Container[int | None]
    ) -> list[Weighed]:
        """Return the memories of these keys with a product above 0, best first."""
        if scores.layout is not self._layout:
            own = (p for p in scores.layout.memory_places.tolist() if _memory(index, scores.layout, p).key in keys)
            self._layout, self._of = scores.layout, {"": np.fromiter(own, np.intp)}
        return self._weighed(index, scores, settings, _exact_scores(scores, settings, self._of[""]), weight)

    def _update_layout(self, index: TriggerIndex, layout: Layout) -> None:
        if layout is self._layout:
            return
        of: dict[str, list[int]] = {}
        for place in layout.memory_places.tolist():
            if not is_silent(memory := _memory(index, layout, place)):
                of.setdefault(memory.namespace, []).append(place)
        self._answering = sum(map(len, of.values()))
        self._layout, self._of = layout, {name: np.array(places, np.intp) for name, places in of.items()}

    def _weighed(
        self, index: TriggerIndex, scores: Scores, settings: Settings, found: Mapping[int, float], weight: Weight
    ) -> list[Weighed]:
        """Return the injectable memories with a product above 0; equal ones in ranking order."""
        now = utc_now()
        pairs = ((_memory(index, scores.layout, place), found[place]) for place in sorted(found) if found[place] > 0.0)
        spoken = (pair for pair in pairs if _refusal(index, pair[0], now) is None)
        counts = settings.search_intent.surfacing_success
        weighed = [one for one in weigh(spoken, weight, counts) if one.product > 0.0]
        chances = _label_chances(scores, settings, found)
        by_key = {_memory(index, scores.layout, place).key: chance for place, chance in chances.items()}
        thresholds = index.thresholds if settings.label_thresholds else None
        return [
            replace(
                one,
                threshold=0.0 if thresholds is None else thresholds.of(one.memory) or 0.0,
                label_chance=by_key.get(one.memory.key),
            )
            for one in weighed
        ]


def _refusal(index: TriggerIndex, memory: Memory, now: str) -> Cut | None:
    """Return why a memory is never injected, whatever its score; None if it may be."""
    lapse = index.lapses.of(memory, now)
    if lapse is not None:
        return Cut(lapse.kind.value)
    return Cut.SILENT if is_silent(memory) else None


def _memory(index: TriggerIndex, layout: Layout, place: int) -> Memory:
    answer = index.candidate(int(layout.slots[place])).answer
    assert isinstance(answer, Memory), "only memories are looked at"
    return answer


def _exact_scores(scores: Scores, settings: Settings, places: Places) -> dict[int, float]:
    """Return the exact confidences of these memories."""
    assert scores.quick is not None, "only the index's own scores are looked at"
    scale = scale_for(scores, settings, power=False)
    values = as_chances(scale, combined_at(scores, settings, places))
    found = dict(zip(places.tolist(), values.tolist(), strict=True))
    within = within_for(scores, settings, scale)
    if within is not None:
        chances = zip(within.places.tolist(), within.chances.tolist(), strict=True)
        found |= {place: chance for place, chance in chances if place in found}
    return found


def _label_chances(scores: Scores, settings: Settings, found: Mapping[int, float]) -> Mapping[int, float]:
    """Return the chances of memories' labels by place; none if confidences are no shares."""
    scale = scale_for(scores, settings, power=False)
    if not isinstance(scale, Shares):
        return {}
    within = within_for(scores, settings, scale)
    known = {} if within is None else {group: one.chance for group, one in within.by_group.items()}
    groups = scores.layout.groups
    return {place: known.get(int(groups[place]), chance) for place, chance in found.items()}


# ---- Injection preview, computed on demand and never while typing

LISTED = 30
"""Number of listed memories, twice the most ever injected: some are cut by count or budget."""

MOST_COUNTED = 4_000
"""Limit of cached token counts."""


class LettersByFour:
    """Fallback without a tokenizer."""

    name = f"estimate: {LETTERS_PER_TOKEN} characters a token"

    def count(self, texts: Sequence[str]) -> list[int]:
        return estimated_tokens(texts)


class Surfacer:
    """Computes the surfaced memories of an inspection (S4.12, S4.13)."""

    def __init__(self, core: Core, make_counter: Callable[[], TokenCounter]) -> None:
        self._core = core
        self._make_counter = make_counter
        self._counter: TokenCounter | None = None
        self._fault = ""
        self._counted: dict[str, int] = {}
        self._pool, self._pool_apart = Pool(), Pool()
        self._set_aside = UnscoredIndex(core)
        core.engine.count_tokens = self.count_tokens

    async def surface(self, inspection: Inspection, settings: Settings) -> Surfaced:
        """Return what the inspected query would surface under these settings, with its given intent.

        The query is scored again with its vector; raises StoreError if unscored memories cannot be read.
        """
        intent, engine = inspection.intent, self._core.engine
        limits = Limits.of(settings)
        row = limits.row(intent)
        if inspection.query.is_empty:
            return Surfaced(intent, None, limits)
        scores = _scored(engine, engine.index, inspection, settings)
        weight, least = namespace_weight(settings, intent), limits.least(row)
        pool, looked_at = self._pool.best(engine.index, scores, settings, weight, LISTED, least)
        listed = ordered(pool, row, limits)[:LISTED]
        count = (row or SURFACING[0]).count
        enough = listed[count - 1].product if len(listed) >= count else 0.0
        unscored_items = await self._apart(inspection, settings, enough, count)
        refused = self._pool.refused(engine.index, scores, settings, weight, enough, least)[:count]
        # On another thread: texts may be long, and a keystroke may be waiting.
        parts = await asyncio.to_thread(parts_of, None if row is None else intent, listed, self.count_tokens)
        return Surfaced(
            intent,
            row,
            limits,
            entries(listed, row, parts, limits, pool),
            (*unscored_items, *refused),
            parts.head,
            parts.head_tokens,
            looked_at,
            len(scores.layout.memory_places),
            self._counter.name if self._counter else "",
            self._fault,
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text; may block."""
        known = self._counted
        if missing := [text for text in dict.fromkeys(texts) if text not in known]:
            if self._counter is None:
                try:
                    self._counter = self._make_counter()
                except EncoderError as error:
                    self._counter, self._fault = LettersByFour(), str(error)
            counts = self._counter.count(missing)
            if len(known) + len(missing) > MOST_COUNTED:
                known = self._counted = {text: known[text] for text in texts if text in known}
            known.update(zip(missing, counts, strict=True))
        return [known[text] for text in texts]

    async def _apart(
        self, inspection: Inspection, settings: Settings, least: float, count: int
    ) -> tuple[tuple[Weighed, Cut], ...]:
        """Return unscored memories that would be among the first `count` with a product >= `least`."""
        index = await self._set_aside.index(settings)
        if index is None:
            return ()
        scores = _scored(self._core.engine, index, inspection, settings)
        reasons, weight = self._set_aside.reasons, namespace_weight(settings, inspection.intent)
        weighed = self._pool_apart.those(index, scores, settings, weight, reasons)
        near = [one for one in weighed if one.product >= least][:count]
        as_stored = self._set_aside.memories
        return tuple((replace(one, memory=as_stored[one.memory.key]), reasons[one.memory.key]) for one in near)


def _scored(engine: Engine, index: TriggerIndex, inspection: Inspection, settings: Settings) -> Scores:
    text = inspection.query.scored
    vectors = engine.vectors.both(text) if engine.encoder is not None else None
    query = ScoredText(text) if vectors is None else engine.index.read(text, vectors, index)
    return index.score(query, name_counts=settings.name_counts)


# ---- Unscored memories (paused or below the success score), ranked as if they were scored.


MOST = 2_000
"""Limit of unscored memories, the oldest first."""

AT_ONCE = 256
"""Batch size of indexing."""


class UnscoredIndex:
    """Second index with the unscored memories, rebuilt after changes of the engine's index.

    It also holds the scored memories with the same labels, so that a label's mean covers all its memories: confidences
    are those after enabling every unscored memory.
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
        """Return the index for these settings, None without unscored memories; raises StoreError."""
        engine = self._core.engine
        async with self._making:
            provenance = None if engine.encoder is None else engine.encoder.provenance
            layout, made_for = engine.index.layout(), (settings.min_score, provenance, engine.index.embedded())
            if layout is not self._layout or made_for != self._made_for:
                self._index = await self._make(engine, settings.min_score, provenance)
                self._layout, self._made_for = layout, made_for
            return self._index

    async def _make(self, engine: Engine, least: float, provenance: Provenance | None) -> TriggerIndex | None:
        unscored_items = await self._core.in_store(lambda library: unscored_memories(library, least))
        self.reasons = {memory.key: Cut.PAUSED if memory.paused else Cut.SUCCESS for memory in unscored_items}
        self.memories = {memory.key: memory for memory in unscored_items}
        if not unscored_items:
            return None
        labels = {memory.answer_label for memory in unscored_items} - {None}
        beside = [
            answer
            for answer in (engine.index.answers().values() if labels else ())
            if isinstance(answer, Memory) and answer.answer_label in labels and answer.key not in self.reasons
        ]
        memories = [*(replace(memory, paused=False) for memory in unscored_items), *beside]
        texts = list(dict.fromkeys(text for memory in memories for text in memory.triggers))
        stored = self._core.in_store
        vectors = {} if provenance is None else await stored(lambda library: library.embeddings(provenance, texts))
        index = TriggerIndex(provenance.dimension if provenance else 1)
        for chunk in chunks(memories, AT_ONCE):
            index.put(chunk)
            index.embed({text: vectors[text] for memory in chunk for text in memory.triggers if text in vectors})
            await asyncio.sleep(0)
        return index


def unscored_memories(library: Memories, least: float) -> list[Memory]:
    """Read the memories that are not scored: paused, or below the success score `least`."""
    keys = library.find_memories(MemoryFilter(paused=True))
    if least > 0.0:
        keys += library.find_memories(MemoryFilter(success=(0.0, least), paused=False))
    found = [dated.item for dated in library.memories_by_key(sorted(keys)[:MOST])]
    return [memory for memory in found if memory.paused or memory.success < least]


# ---- Injection of one expected memory, or why it is left out.


def injection_of(surfaced: Surfaced, expected: Expectation) -> Injection | None:
    """Return if the expected memory, or the first of the label, is injected; None for others."""
    if expected.kind not in ("memory", "intent") or expected.is_type:
        return None
    limits, row = surfaced.limits, surfaced.row
    far = Injection(
        None,
        None,
        least=limits.least(row),
        most=most_surfaced(row),
        budget=limits.tokens,
        type_confidence=0.0 if surfaced.intent is None else surfaced.intent.confidence,
        type_least=limits.threshold,
    )
    for entry in surfaced.entries:
        if _is_meant(entry.memory, expected):
            cut = None if entry.cut is None else entry.cut.value
            near = replace(far, rank=entry.rank, cut=cut, tokens=entry.total, namespace=entry.memory.namespace)
            needed = max(far.least, entry.weighed.threshold)
            own = entry.weighed
            return replace(near, confidence=own.confidence, chance=own.chance, weight=own.weight, least=needed)
    for one, reason in surfaced.set_aside:
        if _is_meant(one.memory, expected):
            return replace(far, cut=reason.value, confidence=one.confidence, weight=one.weight)
    return far


def _is_meant(memory: Memory, expected: Expectation) -> bool:
    return expected.name == (memory.name if expected.kind == "memory" else memory.intent)
