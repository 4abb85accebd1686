"""Preview of an edited power: its rank for one query, before anything is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.detect.resolve import resolve, with_tiers
from app.domain.library import Power
from app.domain.match import Match, Query, Tier
from app.domain.running import ActivationBlocker, activation_blocker
from app.domain.scope.inspection import WEAK
from app.scoring.columns.exact import ScoredText
from app.scoring.index.ranking import confidences, rank, tier_of
from app.scoring.index.trigger_index import AnswerKey, TriggerIndex, key_of
from app.scoring.text import words
from app.services.core import Core
from app.services.engine.embedding import QueryVector

UNSTORED = 0
"""Key of a draft without a stored power; stored keys start at 1."""

MOST_VECTORS = 2_000
"""Limit of cached vectors of draft texts."""


@dataclass(frozen=True, slots=True)
class PowerRank:
    """Rank of one enabled power for a query, from 1, of `among`, and its tier; tied powers share a rank.

    `lack` is what blocks its activation although the confidence suffices.
    """

    confidence: float
    rank: int
    among: int
    tier: Tier
    lack: ActivationBlocker | None = None


@dataclass(frozen=True, slots=True)
class PowerEffect:
    """Rank of a power as stored and as drafted; None if it does not answer.

    `knows_meaning` is False without an encoder: keywords and lexical scores decide then.
    """

    query: str
    before: PowerRank | None
    after: PowerRank | None
    knows_meaning: bool


class PowerTrial:
    """Index of the powers alone, in which a draft can replace the stored one.

    Lives on the engine's thread. Powers and memories share no scores, so the results equal those of the full index.
    """

    def __init__(self, bench: Core) -> None:
        self._bench = bench
        self._encoder: object = None
        self._tried: dict[str, QueryVector] = {}
        self._index = TriggerIndex(1)

    async def standings(self, text: str) -> Mapping[int, PowerRank]:
        """Return the rank of every enabled power by key; raises EncoderError."""
        await self._prepared(text, ())
        return {key: place for (_, key), place in self._scored(text).items()}

    async def effect(self, text: str, draft: Power) -> PowerEffect:
        """Return the rank of the power before and after storing the draft; raises EncoderError."""
        tried = draft if draft.key is not None else replace(draft, key=UNSTORED)
        key = key_of(tried)
        vectors = await self._prepared(text, tried.triggers)
        before = self._scored(text).get(key)
        stored = self._index.answer(key)
        self._put([tried], vectors)
        try:
            after = self._scored(text).get(key)
        finally:
            self._index.remove(key)
            self._put([stored] if isinstance(stored, Power) else [], vectors)
        return PowerEffect(text, before, after, bool(vectors))

    async def _prepared(self, text: str, triggers: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Synchronise the index with the powers; return all vectors, {} without an encoder."""
        engine = self._bench.engine
        scored_text = Query.of(text).scored
        wanted = [scored_text, *triggers]
        while missing := self._missing_texts(wanted, scored_text):
            made = await self._bench.encoded_both(missing)
            if engine.encoder is not self._encoder:
                continue  # all vectors here have one provenance (S2.15)
            if made is None:
                break
            if len(self._tried) > MOST_VECTORS:
                self._tried = {}
            self._tried |= {one: QueryVector(*both) for one, *both in zip(missing, *made, strict=True)}
            break
        powers = {key: one for key, one in engine.index.answers().items() if isinstance(one, Power)}
        texts = {one for power in powers.values() for one in power.triggers}
        found = {one: vector for one in {*texts, *wanted} if (vector := self._known_vector(one)) is not None}
        self._sync_index(powers, found)
        return found

    def _missing_texts(self, texts: Iterable[str], scored_text: str) -> list[str]:
        """Return the texts without known vectors; a changed encoder resets the index."""
        if self._bench.engine.encoder is not self._encoder:
            self._encoder, self._tried = self._bench.engine.encoder, {}
            self._index = TriggerIndex(1)
        return [
            one
            for one in dict.fromkeys(texts)
            if (self._both_vectors if one == scored_text else self._known_vector)(one) is None
        ]

    def _both_vectors(self, text: str) -> QueryVector | None:
        return self._tried.get(text) or self._bench.engine.vectors.both(text)

    def _known_vector(self, text: str) -> NDArray[np.float32] | None:
        """Return the vector of a taught, query or draft text."""
        engine = self._bench.engine
        if engine.encoder is None:
            return None
        column = engine.index.semantic
        for row in engine.index.exact.rows(text):
            if column.known[row]:
                vector: NDArray[np.float32] = column.vectors[row]
                return vector
        both = self._both_vectors(text)
        return None if both is None else both.scored

    def _sync_index(self, powers: Mapping[AnswerKey, Power], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        if vectors and not self._index.embedded():
            self._index = TriggerIndex(len(next(iter(vectors.values()))))
        present = self._index.answers()
        for key in present.keys() - powers.keys():
            self._index.remove(key)
        self._put([power for key, power in powers.items() if present.get(key) != power], vectors)

    def _put(self, powers: Sequence[Power], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        self._index.put(powers)
        missing = self._index.unembedded()
        self._index.embed({text: vectors[text] for text in missing if text in vectors})

    def _scored(self, text: str) -> dict[AnswerKey, PowerRank]:
        """Return the rank of every indexed power."""
        index, settings = self._index, self._bench.settings
        scored = Query.of(text).scored
        if not scored.strip() or not index.candidates:
            return {}
        both = self._both_vectors(scored)
        query = ScoredText(scored) if both is None else both.scored_text(scored)
        index.score_as_part_of(whole := self._bench.engine.index, whole.bm25.frequencies)
        scores = index.score(query, name_counts=settings.name_counts)
        values = np.clip(np.nan_to_num(confidences(scores, settings)), 0.0, 1.0)
        order = np.argsort(-values, kind="stable").tolist()
        found: list[Match] = []
        for place in order:
            power, value = index.candidate(int(scores.layout.slots[place])).answer, float(values[place])
            found.append(Match(power, value, {}, (), power.name, tier=tier_of(value, settings)))
        ranking = rank(scores, settings, WEAK)
        resolution = resolve("", found, (), settings, shared=ranking.any_power, best_scores=ranking.best_scores)
        descending = np.sort(-values)
        ranks: dict[AnswerKey, PowerRank] = {}
        for match in with_tiers(found, resolution):
            tier, place = match.tier or Tier.NOT_FOUND, int(np.searchsorted(descending, -match.confidence)) + 1
            lack = None
            if tier is Tier.ACTIVATED and isinstance(match.answer, Power):
                lack = activation_blocker(match.answer)
            ranks[key_of(match.answer)] = PowerRank(match.confidence, place, len(order), tier, lack)
        return ranks


def holders_by_keyword(powers: Iterable[Power], draft: Power) -> dict[str, int]:
    """Count the enabled powers, draft included, that declare each of its keywords (S2.7)."""
    others = [power for power in powers if not power.paused and power.key != draft.key]
    declared = [{words(keyword) for keyword in power.keywords} for power in others]
    return {keyword: 1 + sum(words(keyword) in phrases for phrases in declared) for keyword in draft.keywords}
