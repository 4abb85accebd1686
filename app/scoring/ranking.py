"""From arrays of scores to the best matches, each with its breakdown, arithmetic and triggers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Kind
from app.domain.match import Band, Breakdown, Match, Tier, TriggerScores
from app.scoring.columns import Floats
from app.scoring.combiners import combiner_for
from app.scoring.index import Candidate, Scores, TriggerIndex
from app.scoring.scorers import SCORERS
from app.settings import Settings

SHOWN_TRIGGERS = 20
"""So many triggers of one match carry their own scores."""


def confidences(scores: Scores, settings: Settings) -> Floats:
    """One confidence in [0, 1] per live slot; memories and powers each by their combination."""
    if len(scores.layout.slots) == 0:
        return np.zeros(0)
    for_memory, for_power = combiner_for(settings, power=False), combiner_for(settings, power=True)
    combined = for_memory.combine(scores.by_slot, settings)
    if for_power is not for_memory:
        combined = np.where(scores.layout.is_power, for_power.combine(scores.by_slot, settings), combined)
    return np.clip(np.nan_to_num(combined, nan=0.0), 0.0, 1.0)


def best(values: Floats, count: int) -> NDArray[np.intp]:
    """The places of the `count` largest values, best first; equal ones in the order of their places."""
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    threshold = -np.partition(-values, count - 1)[count - 1]
    places = np.flatnonzero(values >= threshold)
    chosen: NDArray[np.intp] = places[np.argsort(-values[places], kind="stable")][:count]
    return chosen


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best candidates of each kind, best first: places in the arrays of live slots, and their confidences."""

    memories: NDArray[np.intp]
    powers: NDArray[np.intp]
    confidences: Floats


def rank(scores: Scores, settings: Settings, count: int) -> Ranking:
    """The `count` best memories and powers."""
    combined = confidences(scores, settings)
    is_power = scores.layout.is_power
    memories, powers = np.flatnonzero(~is_power), np.flatnonzero(is_power)
    return Ranking(memories[best(combined[memories], count)], powers[best(combined[powers], count)], combined)


def matches(index: TriggerIndex, scores: Scores, ranking: Ranking, settings: Settings) -> tuple[Match, ...]:
    """The ranked candidates of both kinds as matches, best first, each with its lead over the next."""
    places = np.concatenate([ranking.memories, ranking.powers])
    places = places[np.argsort(-ranking.confidences[places], kind="stable")]
    found = [_match(index, scores, int(place), settings) for place in places]
    leads = [ahead.confidence - behind.confidence for ahead, behind in pairwise(found)]
    return tuple(replace(match, lead=lead) for match, lead in zip(found, [*leads, None], strict=False))


def band_of(confidence: float, settings: Settings) -> Band:
    """How good a memory's match is (S2.13); inclusive at the lower end."""
    if confidence < settings.fallback_threshold:
        return Band.FALLBACK
    if confidence >= settings.bands.high:
        return Band.HIGH
    return Band.MEDIUM if confidence >= settings.bands.medium else Band.LOW


def tier_of(confidence: float, settings: Settings) -> Tier:
    """The tier of one power by its own confidence (S5.1); inclusive at the lower end."""
    tiers = settings.tiers
    if confidence >= tiers.high:
        return Tier.ACTIVATED
    if confidence >= tiers.medium:
        return Tier.MULTIPLE_MATCHES
    return Tier.WEAK_MATCHES if confidence >= tiers.weak else Tier.NOT_FOUND


def _match(index: TriggerIndex, scores: Scores, place: int, settings: Settings) -> Match:
    slot = int(scores.layout.slots[place])
    candidate = index.candidate(slot)
    power = candidate.answer.kind is Kind.POWER
    breakdown = {name: _present(scores.by_slot, name, place) for name in SCORERS}
    explanation = combiner_for(settings, power=power).explain(breakdown, settings)
    best_trigger = _best_triggers(index, scores, candidate, slot)
    confidence = min(1.0, max(0.0, explanation.confidence))
    return Match(
        answer=candidate.answer,
        confidence=confidence,
        scores=breakdown,
        winners=explanation.winners,
        steps=explanation.steps,
        trigger=_telling_trigger(candidate, best_trigger, explanation.winners),
        best_trigger=best_trigger,
        triggers=_trigger_scores(index, scores, candidate),
        label_size=index.centroids.size(candidate.group),
        band=None if power else band_of(confidence, settings),
        tier=tier_of(confidence, settings) if power else None,
    )


def _present(columns: Mapping[str, Floats], name: str, place: int) -> float | None:
    column = columns.get(name)
    if column is None or np.isnan(column[place]):
        return None
    return float(column[place])


def _best_triggers(index: TriggerIndex, scores: Scores, candidate: Candidate, slot: int) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name, column in scores.by_row.items():
        own = column[candidate.rows.start : candidate.rows.stop]
        place = 0 if len(own) == 1 else int(np.argmax(np.where(own > 0.0, own, 0.0)))
        if own[place] > 0.0:
            found[name] = index.text(candidate.rows.start + place)
    if hits := scores.hits.get(slot):
        found["keyword"] = hits[0].keyword
    return found


def _telling_trigger(candidate: Candidate, best_trigger: Mapping[str, str | None], winners: tuple[str, ...]) -> str:
    """The trigger to show for a match: the deciding scorer's, else the most meaningful one that scored."""
    for name in (*winners, "semantic", "token_overlap", "fuzzy"):
        if text := best_trigger.get(name):
            return text
    return candidate.answer.triggers[0]


def _trigger_scores(index: TriggerIndex, scores: Scores, candidate: Candidate) -> tuple[TriggerScores, ...]:
    rows = candidate.rows[:SHOWN_TRIGGERS]
    names = [row.name for row in SCORERS.values() if row.per_trigger]

    def breakdown(row: int) -> Breakdown:
        return {name: _present(scores.by_row, name, row) for name in names}

    return tuple(TriggerScores(index.text(row), breakdown(row)) for row in rows)
