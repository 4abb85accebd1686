"""From arrays of scores to the best matches, each with its breakdown and the way to its arithmetic and triggers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from app.domain.library import Kind
from app.domain.match import Band, Breakdown, Match, MatchedKeyword, Operand, Step, Tier, TriggerScores
from app.scoring.arithmetic import Explanation
from app.scoring.columns.column_answer import Floats, Places
from app.scoring.columns.keywords import KeywordHit
from app.scoring.combiners import combiner_for, shown_scorers
from app.scoring.contributions import contributions
from app.scoring.index.best import Ranking, best, rank
from app.scoring.index.lapses import utc_now
from app.scoring.index.scales import Scale, confidences
from app.scoring.index.trigger_index import Candidate, Scores, TriggerIndex
from app.scoring.scorers import SCORERS
from app.scoring.shares import Shares
from app.settings.model import Settings

__all__ = ["Ranking", "Reckoning", "band_of", "best", "confidences", "matches", "rank", "tier_of"]

SHOWN_TRIGGERS = 20
"""So many triggers of one match carry their own scores."""

Listed = list[float | None]

PER_TRIGGER = tuple(row.name for row in SCORERS.values() if row.per_trigger)

KEYWORD = "keyword"

TELLING = ("semantic", "token_overlap", "fuzzy")
"""Whose best trigger is shown where the deciding scorers have none."""


def matches(index: TriggerIndex, scores: Scores, ranking: Ranking, settings: Settings) -> tuple[Match, ...]:
    """The ranked memories, then the ranked powers, as matches; each list best first, with leads over the next of it.

    Here is worked out what a list shows of every match; its account is kept in plain numbers until somebody asks.
    """
    assert scores.quick is not None, "matches are of the index itself"
    now = utc_now()
    places = _in_order(index, scores, ranking, now)
    closely = scores.quick.at(places)
    by_slot = _plain(closely.by_slot)
    by_row = _plain(closely.by_row) if len(closely.rows) > len(places) else None
    nothing: Listed = [None] * len(places)
    combiners = {power: combiner_for(settings, power=power) for power in (False, True)}
    shown = {power: shown_scorers(settings, power=power) for power in combiners}
    breakdowns = list(zip(*[by_slot.get(name, nothing) for name in SCORERS], strict=True))
    slots, firsts = scores.layout.slots[places].tolist(), closely.firsts.tolist()
    found: list[Match] = []
    behind: dict[tuple[bool, bool], float] = {}
    # From the last on, so that each knows whom it leads.
    for place in range(len(slots) - 1, -1, -1):
        candidate = index.candidate(slots[place])
        every = dict(zip(SCORERS, breakdowns[place], strict=True))
        is_power = candidate.answer.kind is Kind.POWER
        breakdown = {name: every[name] for name in shown[is_power]}
        by_trigger = None if by_row is None else _of_triggers(by_row, firsts[place], len(candidate.rows))
        hits = scores.hits.get(slots[place], ())
        lapse = index.lapses.of(candidate.answer, now)
        confident = Confident(combiners[is_power].explain, settings, ranking.scales.get(is_power))
        explanation = confident.explained(breakdown)
        others = None if ranking.others is None else ranking.others.get(int(places[place]))
        match = _match(
            index,
            candidate,
            breakdown,
            explanation,
            confident,
            by_trigger,
            hits,
            behind.get((is_power, lapse is None)),
            others,
        )
        found.append(match if lapse is None else replace(match, lapse=lapse))
        behind[is_power, lapse is None] = match.confidence
    return tuple(found[::-1])


def _in_order(index: TriggerIndex, scores: Scores, ranking: Ranking, now: str) -> Places:
    """The places of the memories, then those of the powers; best first each, memories that do not hold behind those
    that do."""
    memories = ranking.memories
    if index.lapses.most:
        slots = scores.layout.slots[memories].tolist()
        lapsed = np.array([index.lapses.of(index.candidate(slot).answer, now) is not None for slot in slots], np.bool_)
        memories = np.concatenate((memories[~lapsed], memories[lapsed]))
    if not len(ranking.powers):
        return memories
    ordered: Places = np.concatenate((memories, ranking.powers))
    return ordered


class Confident(NamedTuple):
    """How the confidence of a breakdown comes about for one query: by a combination, settings and a scale."""

    explain: Callable[[Breakdown, Settings], Explanation]
    settings: Settings
    scale: Scale | None

    def explained(self, scores: Breakdown) -> Explanation:
        """The account of the confidence of these scores."""
        combined = self.explain(scores, self.settings)
        if isinstance(self.scale, Shares):
            return self.scale.as_share(combined)
        return combined if self.scale is None else combined.as_chance(self.scale)

    def confidence(self, scores: Breakdown) -> float:
        """The confidence in [0, 1] of these scores."""
        return min(1.0, max(0.0, self.explained(scores).confidence))


def _match(
    index: TriggerIndex,
    candidate: Candidate,
    scores: Breakdown,
    explanation: Explanation,
    confident: Confident,
    by_trigger: Mapping[str, Listed] | None,
    hits: Sequence[KeywordHit],
    behind: float | None,
    others: int | None,
) -> Match:
    answer, settings = candidate.answer, confident.settings
    is_power = answer.kind is Kind.POWER
    confidence = min(1.0, max(0.0, explanation.confidence))
    threshold = index.thresholds.of(answer) if settings.label_thresholds else None
    reckoning = Reckoning(scores, explanation, confident, answer.triggers or (answer.name,), by_trigger, hits)
    return Match(
        answer,
        confidence,
        scores,
        explanation.winners,
        reckoning.telling_trigger(),
        reckoning,
        index.centroids.size(candidate.group),
        None if is_power else band_of(confidence, settings, threshold),
        tier_of(confidence, settings) if is_power else None,
        None if behind is None else confidence - behind,
        others,
        threshold,
    )


def band_of(confidence: float, settings: Settings, threshold: float | None = None) -> Band:
    """How good a memory's match is (S2.13), inclusive at the lower end; `threshold` is its label's, if it counts."""
    if confidence < (settings.fallback_threshold if threshold is None else threshold):
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


class Reckoning(NamedTuple):
    """The account of a match in plain numbers, made into words for people whenever it is asked; good for ever, as
    it holds nothing of the index.

    `by_trigger` has a list over `texts` for each scorer that looks at triggers; None where there is one trigger, whose
    scores are the match's own.
    """

    scores: Breakdown
    explanation: Explanation
    confident: Confident
    texts: tuple[str, ...]
    by_trigger: Mapping[str, Listed] | None
    hits: Sequence[KeywordHit]

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.explanation.steps

    @property
    def best_trigger(self) -> Mapping[str, str | None]:
        found = {name: self.best_of(name) for name in (*PER_TRIGGER, KEYWORD)}
        return {name: text for name, text in found.items() if text is not None}

    @property
    def triggers(self) -> tuple[TriggerScores, ...]:
        columns = self.by_trigger
        if columns is None:
            own = {name: self.scores[name] for name in PER_TRIGGER if name in self.scores}
            return (TriggerScores(self.texts[0], own),)
        given = [(name, columns.get(name)) for name in PER_TRIGGER if name in self.scores]
        return tuple(
            TriggerScores(text, {name: None if column is None else column[place] for name, column in given})
            for place, text in enumerate(self.texts[:SHOWN_TRIGGERS])
        )

    @property
    def keywords(self) -> tuple[MatchedKeyword, ...]:
        return tuple(MatchedKeyword(hit.keyword, hit.holders) for hit in self.hits)

    def contributions_over(self, rival: Breakdown) -> tuple[Operand, ...]:
        """What each scorer adds over the confidence of other scores (app.scoring.contributions)."""
        return contributions(self.scores, rival, self.confident)

    def best_of(self, name: str) -> str | None:
        """The trigger, or keyword, that gave this scorer's best; None where it scored none."""
        if name == KEYWORD:
            return self.hits[0].keyword if self.hits else None
        if name not in PER_TRIGGER or not self.scores.get(name):
            return None
        if self.by_trigger is None:
            return self.texts[0]
        own = [value or 0.0 for value in self.by_trigger[name]]
        return self.texts[own.index(max(own))]

    def telling_trigger(self) -> str:
        """The trigger to show: the deciding scorer's, else the most meaningful one that scored."""
        for name in (*self.explanation.winners, *TELLING):
            if text := self.best_of(name):
                return text
        return self.texts[0]


def _of_triggers(by_row: Mapping[str, Listed], first: int, count: int) -> Mapping[str, Listed] | None:
    """The part of each list that is one candidate's, of so many triggers; None where it has one."""
    return None if count == 1 else {name: column[first : first + count] for name, column in by_row.items()}


def _plain(columns: Mapping[str, Floats]) -> Mapping[str, Listed]:
    """Plain numbers by scorer, None for what is absent."""
    # Differences from itself is NaN.
    return {name: [None if value != value else value for value in columns[name].tolist()] for name in columns}  # noqa: PLR0124
