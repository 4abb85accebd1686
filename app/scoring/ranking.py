"""From arrays of scores to the best matches, each with its breakdown, arithmetic and triggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.domain.library import Kind
from app.domain.match import Band, Breakdown, HeldKeyword, Match, Tier, TriggerScores
from app.scoring.asked import Floats, Places
from app.scoring.best import Ranking, best, confidences, rank
from app.scoring.combiners import Explanation, combiner_for
from app.scoring.groups import KeywordHit
from app.scoring.index import Candidate, Scores, TriggerIndex
from app.scoring.scorers import SCORERS
from app.settings import Settings

__all__ = ["Ranking", "band_of", "best", "confidences", "matches", "rank", "tier_of"]

SHOWN_TRIGGERS = 20
"""So many triggers of one match carry their own scores."""

Listed = list[float | None]

PER_TRIGGER = tuple(row.name for row in SCORERS.values() if row.per_trigger)


def matches(index: TriggerIndex, scores: Scores, ranking: Ranking, settings: Settings) -> tuple[Match, ...]:
    """The ranked candidates of both kinds as matches, best first, each with its lead over the next."""
    places = ranking.memories
    if len(ranking.powers):
        places = np.concatenate((places, ranking.powers))
        values = np.array([ranking.confidences[place] for place in places.tolist()])
        places = places[np.argsort(-values, kind="stable")]
    found = _looked_at(index, scores, places, settings)
    confidence = [min(1.0, max(0.0, one.explanation.confidence)) for one in found]
    leads = [ahead - behind for ahead, behind in pairwise(confidence)]
    return tuple(
        [
            _match(index, one, value, lead, settings)
            for one, value, lead in zip(found, confidence, [*leads, None], strict=False)
        ]
    )


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


@dataclass(slots=True)
class _Looked:
    """A candidate looked at: its scores, and those of its triggers, the part `rows` of each list in `by_row`."""

    candidate: Candidate
    scores: Breakdown
    explanation: Explanation
    by_row: Mapping[str, Listed]
    rows: range
    hits: Sequence[KeywordHit]


def _looked_at(index: TriggerIndex, scores: Scores, places: Places, settings: Settings) -> list[_Looked]:
    assert scores.quick is not None, "matches are of the index itself"
    closely = scores.quick.at(places)
    firsts, count = closely.firsts.tolist(), len(closely.rows)
    by_slot = _plain(closely.by_slot)
    # Where each has one trigger, the scores of triggers are those of the candidates.
    by_row = _plain(closely.by_row, None if count > len(places) else by_slot)
    nothing: list[float | None] = [None] * len(places)
    breakdowns = zip(*[by_slot.get(name, nothing) for name in SCORERS], strict=True)
    explain = {kind: combiner_for(settings, power=kind is Kind.POWER).explain for kind in Kind}
    found: list[_Looked] = []
    for slot, values, first, end in zip(
        scores.layout.slots[places].tolist(), breakdowns, firsts, [*firsts[1:], count], strict=False
    ):
        candidate, breakdown = index.candidate(slot), dict(zip(SCORERS, values, strict=True))
        explanation = explain[candidate.answer.kind](breakdown, settings)
        hits = scores.hits.get(slot, ())
        found.append(_Looked(candidate, breakdown, explanation, by_row, range(first, end), hits))
    return found


def _plain(columns: Mapping[str, Floats], known: Mapping[str, Listed] | None = None) -> Mapping[str, Listed]:
    """Plain numbers by scorer in the order of SCORERS, None for what is absent; those `known` are taken over."""
    names = [name for name in SCORERS if name in columns]
    if known is not None:
        return {name: known[name] for name in names}
    # What differs from itself is NaN.
    return {name: [None if value != value else value for value in columns[name].tolist()] for name in names}  # noqa: PLR0124


def _match(index: TriggerIndex, found: _Looked, confidence: float, lead: float | None, settings: Settings) -> Match:
    candidate, winners = found.candidate, found.explanation.winners
    is_power = candidate.answer.kind is Kind.POWER
    best_trigger = _best_triggers(index, found)
    return Match(
        answer=candidate.answer,
        confidence=confidence,
        scores=found.scores,
        winners=winners,
        steps=found.explanation.steps,
        trigger=_telling_trigger(candidate, best_trigger, winners),
        best_trigger=best_trigger,
        triggers=_trigger_scores(index, found),
        label_size=index.centroids.size(candidate.group),
        band=None if is_power else band_of(confidence, settings),
        tier=tier_of(confidence, settings) if is_power else None,
        lead=lead,
        keywords=tuple(HeldKeyword(hit.keyword, hit.holders) for hit in found.hits),
    )


def _best_triggers(index: TriggerIndex, found: _Looked) -> dict[str, str | None]:
    best_trigger: dict[str, str | None] = {}
    start, first, stop = found.candidate.rows.start, found.rows.start, found.rows.stop
    for name, column in found.by_row.items():
        place = first
        if stop > first + 1:
            place = max(range(first, stop), key=lambda place, column=column: column[place] or 0.0)
        if column[place]:
            best_trigger[name] = index.text(start + place - first)
    if found.hits:
        best_trigger["keyword"] = found.hits[0].keyword
    return best_trigger


def _telling_trigger(candidate: Candidate, best_trigger: Mapping[str, str | None], winners: tuple[str, ...]) -> str:
    """The trigger to show for a match: the deciding scorer's, else the most meaningful one that scored."""
    for name in (*winners, "semantic", "token_overlap", "fuzzy"):
        if text := best_trigger.get(name):
            return text
    return candidate.answer.triggers[0]


def _trigger_scores(index: TriggerIndex, found: _Looked) -> tuple[TriggerScores, ...]:
    first, shown = found.rows.start, min(len(found.rows), SHOWN_TRIGGERS)
    start, columns = found.candidate.rows.start - first, [(name, found.by_row.get(name)) for name in PER_TRIGGER]
    return tuple(
        [
            TriggerScores(
                index.text(start + place), {name: None if column is None else column[place] for name, column in columns}
            )
            for place in range(first, first + shown)
        ]
    )
