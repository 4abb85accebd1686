"""From arrays of scores to the best matches, each with its breakdown, arithmetic and triggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.domain.library import Kind
from app.domain.match import Band, Breakdown, Match, Tier, TriggerScores
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

PER_TRIGGER = tuple(row.name for row in SCORERS.values() if row.per_trigger)


def matches(index: TriggerIndex, scores: Scores, ranking: Ranking, settings: Settings) -> tuple[Match, ...]:
    """The ranked candidates of both kinds as matches, best first, each with its lead over the next."""
    places = np.concatenate([ranking.memories, ranking.powers])
    if not len(places):
        return ()
    values = np.array([ranking.confidences[place] for place in places.tolist()])
    found = _looked_at(index, scores, places[np.argsort(-values, kind="stable")], settings)
    confidence = [min(1.0, max(0.0, one.explanation.confidence)) for one in found]
    leads = [ahead - behind for ahead, behind in pairwise(confidence)]
    return tuple(
        _match(index, one, value, lead, settings)
        for one, value, lead in zip(found, confidence, [*leads, None], strict=True)
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
    by_row: Mapping[str, Sequence[float | None]]
    rows: range
    hits: Sequence[KeywordHit]


def _looked_at(index: TriggerIndex, scores: Scores, places: Places, settings: Settings) -> list[_Looked]:
    assert scores.quick is not None, "matches are of the index itself"
    closely = scores.quick.at(places)
    ends = [*closely.firsts[1:].tolist(), len(closely.rows)]
    by_slot, by_row = _plain(closely.by_slot), _plain(closely.by_row)
    nothing: list[float | None] = [None] * len(places)
    breakdowns = zip(*(by_slot.get(name, nothing) for name in SCORERS), strict=True)
    explain = {kind: combiner_for(settings, power=kind is Kind.POWER).explain for kind in Kind}
    found: list[_Looked] = []
    for slot, values, first, end in zip(
        scores.layout.slots[places].tolist(), breakdowns, closely.firsts.tolist(), ends, strict=True
    ):
        candidate, breakdown = index.candidate(slot), dict(zip(SCORERS, values, strict=True))
        explanation = explain[candidate.answer.kind](breakdown, settings)
        hits = scores.hits.get(slot, ())
        found.append(_Looked(candidate, breakdown, explanation, by_row, range(first, end), hits))
    return found


def _plain(columns: Mapping[str, Floats]) -> dict[str, list[float | None]]:
    """Plain numbers by scorer in the order of SCORERS, None for what is absent."""
    found: dict[str, list[float | None]] = {}
    for name in SCORERS:
        if name in columns:
            column = columns[name]
            found[name] = column.tolist()
            for place in np.flatnonzero(np.isnan(column)).tolist():
                found[name][place] = None
    return found


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
    )


def _best_triggers(index: TriggerIndex, found: _Looked) -> dict[str, str | None]:
    best_trigger: dict[str, str | None] = {}
    start, first, stop = found.candidate.rows.start, found.rows.start, found.rows.stop
    for name, column in found.by_row.items():
        own = [value or 0.0 for value in column[first:stop]]
        most = own[0] if len(own) == 1 else max(own)
        if most > 0.0:
            best_trigger[name] = index.text(start + own.index(most))
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
    shown = slice(found.rows.start, min(found.rows.start + SHOWN_TRIGGERS, found.rows.stop))
    nothing = (None,) * len(found.rows)
    columns = [found.by_row[name][shown] if name in found.by_row else nothing for name in PER_TRIGGER]
    return tuple(
        TriggerScores(index.text(row), dict(zip(PER_TRIGGER, values, strict=True)))
        for row, values in zip(found.candidate.rows, zip(*columns, strict=False), strict=False)
    )
