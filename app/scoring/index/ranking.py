"""Best candidates by exact scores, and matches with their explanations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Kind
from app.domain.match import Band, Breakdown, Match, MatchedKeyword, Operand, Step, Tier, TriggerScores, compared_chance
from app.domain.scope.inspection import BestScores
from app.scoring.arithmetic import Explanation, contributions
from app.scoring.columns.column import Floats, Places
from app.scoring.columns.exact import KeywordHit
from app.scoring.combiners import combiner_for, is_negated, shown_scorers
from app.scoring.index.layout import utc_now
from app.scoring.index.scales import Scale, as_chances, confidences, scale_for, within_for
from app.scoring.index.scores import Scores
from app.scoring.index.search import NOTHING, Search
from app.scoring.index.trigger_index import Candidate, TriggerIndex
from app.scoring.scorers import SCORERS
from app.scoring.shares import SHARED, LabelShares, Shares, Within, WithinFeatures
from app.settings.model import Settings


def best(values: Floats, count: int) -> NDArray[np.intp]:
    """Return the positions of the `count` largest values, best first, ties by position."""
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    threshold = -np.partition(-values, count - 1)[count - 1]
    places = np.flatnonzero(values >= threshold)
    chosen: NDArray[np.intp] = places[np.argsort(-values[places], kind="stable")][:count]
    return chosen


@dataclass(frozen=True, slots=True)
class Ranking:
    """Best candidates of each kind, best first: positions among live slots, and confidences."""

    memories: NDArray[np.intp]
    powers: NDArray[np.intp]
    confidences: Mapping[int, float]
    scales: Mapping[bool, Scale | None] = field(default_factory=dict)
    """Calibration or shares, by whether it is for powers; None: confidences as combined."""

    others: Mapping[int, int] | None = None
    """Number of other memories with the label of each ranked one.

    None if memories are not grouped.
    """

    best_scores: BestScores | None = None
    """Best scores of powers, where their confidences are shares."""

    within: Within | None = None
    """Division of labels among their memories; None if none compete, or if ranked by label."""

    @property
    def any_power(self) -> float | None:
        """Probability that any power is right; None where powers' confidences are not shares."""
        scale = self.scales.get(True)
        return scale.any if isinstance(scale, Shares) else None


def rank(scores: Scores, settings: Settings, count: int, *, by_label: bool = False) -> Ranking:
    """Rank the `count` best memories and powers, as by exact scores of all candidates.

    `by_label` treats the memories of one label as one answer (S1.3), represented by the best.
    """
    assert scores.quick is not None, "only the index's own scores are ranked"
    quick, layout = scores.quick, scores.layout
    found, scales = {False: NOTHING, True: NOTHING}, dict[bool, Scale | None]()
    memories, powers = layout.memory_places, layout.power_places
    within: Within | None = None
    for power, own, others in ((False, memories, powers), (True, powers, memories)):
        if len(own):
            labels = layout.groups if by_label and not power else None
            combiner = combiner_for(settings, power=power)
            is_whole = scores.lapsed is None and (by_label or not layout.is_grouped)
            tells = combiner.is_shared and (power or is_whole)
            # Where `tells`, the best candidates include the best of their labels, which share the whole.
            most, apart, also = max(count, SHARED) if tells else count, scores.apart, list[tuple[Places, Floats]]()
            if not (tells or power):
                scale = scales[power] = scale_for(scores, settings, power=power)
                within = None if by_label else within_for(scores, settings, scale)
                also += _passed_over(scores, settings, count, scale)
                if by_label and scores.lapsed is not None:
                    apart = np.flatnonzero(scores.lapsed.slots)
                elif within is not None:
                    apart = np.concatenate((apart, within.places))
                    also.append((within.places, within.chances))
            places, combined = Search(quick, combiner, settings, power, labels).best(others, most, apart)
            if power not in scales:
                scales[power] = scale_for(scores, settings, power=power, best=combined if tells else None)
            found[power] = places[:count], as_chances(scales[power], combined[:count])
            for more in also:
                found[power] = _merged(found[power], more, count)
    confidence_of = {
        place: value
        for places, values in found.values()
        for place, value in zip(places.tolist(), values.tolist(), strict=True)
    }
    same_label, first = None, found[False][0]
    if by_label:
        same_label = dict(
            zip(first.tolist(), (np.bincount(layout.groups)[layout.groups[first]] - 1).tolist(), strict=True)
        )
    best_scores = scores.best_of_powers if isinstance(scales.get(True), Shares) else None
    return Ranking(found[False][0], found[True][0], confidence_of, scales, same_label, best_scores, within)


def _passed_over(
    scores: Scores, settings: Settings, count: int, scale: Scale | None
) -> Iterator[tuple[Places, Floats]]:
    """Yield the best memories that are not valid, with the confidence if they were."""
    if len(scores.apart) and scores.quick is not None:
        search = Search(scores.quick, combiner_for(settings, power=False), settings, power=False)
        valid = np.setdiff1d(scores.layout.memory_places, scores.apart)
        places, combined = search.best(scores.layout.power_places, count, valid)
        if isinstance(scale, Shares):
            yield places, np.array([scale.beside(one)(one) for one in combined.tolist()])
        else:
            yield places, as_chances(scale, combined)


def _merged(one: tuple[Places, Floats], other: tuple[Places, Floats], count: int) -> tuple[Places, Floats]:
    """Return the `count` largest of both, best first, ties by position."""
    places, values = (np.concatenate(parts) for parts in zip(one, other, strict=True))
    order = np.lexsort((places, -values))[:count]
    return places[order], values[order]


__all__ = ["Ranking", "Reckoning", "band_of", "best", "confidences", "matches", "rank", "tier_of"]

SHOWN_TRIGGERS = 20
"""Maximum number of triggers per match with their own scores."""

Listed = list[float | None]

PER_TRIGGER = tuple(row.name for row in SCORERS.values() if row.per_trigger)

KEYWORD = "keyword"

TELLING = ("semantic", "token_overlap", "fuzzy")
"""Scorers whose best trigger is shown if the decisive ones have none."""


def matches(index: TriggerIndex, scores: Scores, ranking: Ranking, settings: Settings) -> tuple[Match, ...]:
    """Build the ranked memories, then powers, as matches, each best first with leads.

    The explanation stays in plain numbers until it is accessed.
    """
    assert scores.quick is not None, "matches are of the index itself"
    places = _in_order(scores, ranking)
    closely = scores.quick.at(places)
    by_slot, apart = _plain(closely.by_slot), set(scores.apart.tolist())
    by_row = _plain(closely.by_row) if len(closely.rows) > len(places) else None
    nothing: Listed = [None] * len(places)
    combiners = {power: combiner_for(settings, power=power) for power in (False, True)}
    shown = {power: shown_scorers(settings, power=power) for power in combiners}
    breakdowns = list(zip(*[by_slot.get(name, nothing) for name in SCORERS], strict=True))
    slots, firsts = scores.layout.slots[places].tolist(), closely.firsts.tolist()
    found: list[Match] = []
    behind: dict[tuple[bool, bool], float] = {}
    # Last first, so that each knows the next one's confidence.
    for place in range(len(slots) - 1, -1, -1):
        candidate = index.candidate(slots[place])
        every = dict(zip(SCORERS, breakdowns[place], strict=True))
        is_power = candidate.answer.kind is Kind.POWER
        breakdown = {name: every[name] for name in shown[is_power]}
        if combiners[is_power].lowers_negated and is_negated(every):
            breakdown["regression"] = every["regression"]
        by_trigger, own_rows = None, slice(firsts[place], firsts[place] + len(candidate.rows))
        if by_row is not None and len(candidate.rows) > 1:
            by_trigger = {name: column[own_rows] for name, column in by_row.items()}
        hits = scores.hits.get(slots[place], ())
        lapse = index.lapses.of(candidate.answer, utc_now())
        scale = ranking.scales.get(is_power)
        if isinstance(scale, Shares) and places[place] in apart:
            scale = scale.beside(combiners[is_power].explain(breakdown, settings).confidence)
        confident = Confident(combiners[is_power].explain, settings, scale)
        explanation = confident.explained(breakdown)
        others = None if ranking.others is None else ranking.others.get(int(places[place]))
        within = None if is_power else ranking.within
        label = None if within is None else within.by_group.get(candidate.group)
        tells = None if within is None or label is None else within.of(int(places[place]))
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
            label,
            tells,
        )
        found.append(match if lapse is None else replace(match, lapse=lapse))
        behind[is_power, lapse is None] = match.confidence
    return tuple(found[::-1])


def _in_order(scores: Scores, ranking: Ranking) -> Places:
    """Return the positions of memories, then powers, best first, invalid memories last."""
    memories = ranking.memories
    if scores.lapsed is not None:
        lapsed = scores.lapsed.slots[memories]
        memories = np.concatenate((memories[~lapsed], memories[lapsed]))
    ordered: Places = np.concatenate((memories, ranking.powers))
    return ordered


class Confident(NamedTuple):
    """Computation of a confidence for one query: combination, settings and scale."""

    explain: Callable[[Breakdown, Settings], Explanation]
    settings: Settings
    scale: Scale | None

    def explained(self, scores: Breakdown) -> Explanation:
        """Explain the confidence of these scores."""
        combined = self.explain(scores, self.settings)
        if isinstance(self.scale, Shares):
            return self.scale.as_share(combined)
        return combined if self.scale is None else combined.as_chance(self.scale)

    def confidence(self, scores: Breakdown) -> float:
        """Compute the confidence of these scores, in [0, 1]."""
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
    label: LabelShares | None,
    tells: WithinFeatures | None,
) -> Match:
    answer, settings = candidate.answer, confident.settings
    is_power = answer.kind is Kind.POWER
    alone = min(1.0, max(0.0, explanation.confidence))
    if label is not None and tells is not None and alone > 0.0:
        explanation = label.as_share(explanation, tells)
    confidence = min(1.0, max(0.0, explanation.confidence))
    is_share = isinstance(confident.scale, Shares) and not is_power
    label_chance = (label.chance if label is not None and alone > 0.0 else confidence) if is_share else None
    threshold = index.thresholds.of(answer) if settings.label_thresholds else None
    reckoning = Reckoning(scores, explanation, confident, answer.triggers or (answer.name,), by_trigger, hits)
    return Match(
        answer,
        confidence,
        scores,
        explanation.winners,
        reckoning.decisive_trigger(),
        reckoning,
        index.centroids.size(candidate.group),
        None if is_power else band_of(confidence, settings, threshold, label_chance),
        tier_of(confidence, settings) if is_power else None,
        None if behind is None else confidence - behind,
        others,
        threshold,
        label_chance=label_chance,
        label_log_odds=math.log(confidence / alone) if confidence > 0.0 and label is not None else 0.0,
    )


def band_of(
    confidence: float, settings: Settings, threshold: float | None = None, label_chance: float | None = None
) -> Band:
    """Return the band of a memory's match (S2.13), lower ends inclusive.

    `threshold` is its label's, if in force.
    """
    if compared_chance(confidence, label_chance) < (settings.fallback_threshold if threshold is None else threshold):
        return Band.FALLBACK
    if confidence >= settings.bands.high:
        return Band.HIGH
    return Band.MEDIUM if confidence >= settings.bands.medium else Band.LOW


def tier_of(confidence: float, settings: Settings) -> Tier:
    """Return the tier of one power by its confidence (S5.1), lower ends inclusive."""
    tiers = settings.tiers
    if confidence >= tiers.high:
        return Tier.ACTIVATED
    if confidence >= tiers.medium:
        return Tier.MULTIPLE_MATCHES
    return Tier.WEAK_MATCHES if confidence >= tiers.weak else Tier.NOT_FOUND


class Reckoning(NamedTuple):
    """Explanation of a match in plain numbers, formatted on access, independent of the index.

    `by_trigger` has a list over `texts` for each scorer of triggers; None for a single trigger, whose scores are
    the match's.
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
        """Return each scorer's contribution over another answer's scores.

        See app.scoring.arithmetic.
        """
        return contributions(self.scores, rival, self.confident)

    def best_of(self, name: str) -> str | None:
        """Return the trigger, or keyword, with this scorer's best score; None without one."""
        if name == KEYWORD:
            return self.hits[0].keyword if self.hits else None
        if name not in PER_TRIGGER or not self.scores.get(name):
            return None
        if self.by_trigger is None:
            return self.texts[0]
        own = [value or 0.0 for value in self.by_trigger[name]]
        return self.texts[own.index(max(own))]

    def decisive_trigger(self) -> str:
        """Return the trigger to show: the decisive scorer's best, else the semantically nearest."""
        for name in (*self.explanation.winners, *TELLING):
            if text := self.best_of(name):
                return text
        return self.texts[0]


def _plain(columns: Mapping[str, Floats]) -> Mapping[str, Listed]:
    """Convert to plain numbers by scorer, None for absent ones."""
    # Only NaN differs from itself.
    return {name: [None if value != value else value for value in columns[name].tolist()] for name in columns}  # noqa: PLR0124
