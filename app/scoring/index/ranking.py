"""Best candidates by exact scores, and matches with their explanations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.domain.inspection import BestScores
from app.domain.library import Kind
from app.domain.match import Band, Breakdown, Match, MatchedKeyword, Operand, Step, Tier, TriggerScores, compared_chance
from app.scoring.arithmetic import Explanation, contributions
from app.scoring.columns.column import Floats, Places
from app.scoring.columns.exact import KeywordHit
from app.scoring.combiners import combiner_for, is_negated, shown_scorers
from app.scoring.index.layout import utc_now
from app.scoring.index.scales import Scale, as_chances, scale_for, within_for
from app.scoring.index.scores import Scores
from app.scoring.index.search import NOTHING, Search
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.scorers import SCORERS
from app.scoring.shares import SHARED, Shares, Within
from app.settings.model import Settings

Found = tuple[Places, Floats]
"""Positions and confidences, best first."""


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
    """Number of other memories with the label of each ranked one; None if memories are not grouped."""
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
    layout, within, scales = scores.layout, None, dict[bool, Scale | None]()
    memories = powers = NOTHING
    if len(layout.memory_places):
        memories, scales[False], within = _ranked_memories(scores, settings, count, by_label)
    if len(layout.power_places):
        powers, scales[True] = _ranked_alone(scores, settings, count, power=True)
    places, values = (np.concatenate(parts).tolist() for parts in zip(memories, powers, strict=True))
    same_label = None
    if by_label:
        others = np.bincount(layout.groups)[layout.groups[memories[0]]] - 1
        same_label = dict(zip(memories[0].tolist(), others.tolist(), strict=True))
    best_scores = scores.best_of_powers if isinstance(scales.get(True), Shares) else None
    confidence_of = dict(zip(places, values, strict=True))
    return Ranking(memories[0], powers[0], confidence_of, scales, same_label, best_scores, within)


def _ranked_memories(
    scores: Scores, settings: Settings, count: int, by_label: bool
) -> tuple[Found, Scale | None, Within | None]:
    """Rank memories: those that compete by their own chances, then those that are not valid."""
    layout = scores.layout
    labels = layout.groups if by_label else None
    if scores.lapsed is None and (by_label or not layout.is_grouped) and combiner_for(settings, power=False).is_shared:
        return *_ranked_alone(scores, settings, count, power=False, labels=labels), None
    scale = scale_for(scores, settings, power=False)
    within = None if by_label else within_for(scores, settings, scale)
    also, apart = list(_passed_over(scores, settings, count, scale)), scores.apart
    if by_label and scores.lapsed is not None:
        apart = np.flatnonzero(scores.lapsed.slots)
    elif within is not None:
        apart = np.concatenate((apart, within.places))
        also.append((within.places, within.chances))
    places, combined = _search(scores, settings, power=False, labels=labels).best(layout.power_places, count, apart)
    found = places, as_chances(scale, combined)
    for more in also:
        places, values = (np.concatenate(parts) for parts in zip(found, more, strict=True))
        order = np.lexsort((places, -values))[:count]
        found = places[order], values[order]
    return found, scale, within


def _ranked_alone(
    scores: Scores, settings: Settings, count: int, *, power: bool, labels: Places | None = None
) -> tuple[Found, Scale | None]:
    """Rank one kind without separate answers: the best candidates, or their labels, share 1."""
    layout, is_shared = scores.layout, combiner_for(settings, power=power).is_shared
    others = layout.memory_places if power else layout.power_places
    search = _search(scores, settings, power=power, labels=labels)
    places, combined = search.best(others, max(count, SHARED) if is_shared else count)
    scale = scale_for(scores, settings, power=power, best=combined if is_shared else None)
    return (places[:count], as_chances(scale, combined[:count])), scale


def _search(scores: Scores, settings: Settings, *, power: bool, labels: Places | None = None) -> Search:
    assert scores.quick is not None, "only the index's own scores are ranked"
    return Search(scores.quick, combiner_for(settings, power=power), settings, power, labels)


def _passed_over(scores: Scores, settings: Settings, count: int, scale: Scale | None) -> Iterator[Found]:
    """Yield the best memories that are not valid, with the confidence if they were."""
    if len(scores.apart):
        valid = np.setdiff1d(scores.layout.memory_places, scores.apart)
        places, combined = _search(scores, settings, power=False).best(scores.layout.power_places, count, valid)
        if isinstance(scale, Shares):
            yield places, np.array([scale.beside(one)(one) for one in combined.tolist()])
        else:
            yield places, as_chances(scale, combined)


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
    ranked = _Ranked(index, scores, ranking, settings)
    found: list[Match] = []
    behind: dict[tuple[Kind, bool], float] = {}
    # Last first, so that each knows the next one's confidence.
    for number in reversed(range(len(ranked.places))):
        match = ranked.match(number, behind)
        behind[match.kind, match.lapse is None] = match.confidence
        found.append(match)
    return tuple(found[::-1])


class _Ranked:
    """Exact scores of the ranked candidates at `places`, and their matches."""

    def __init__(self, index: TriggerIndex, scores: Scores, ranking: Ranking, settings: Settings) -> None:
        assert scores.quick is not None, "matches are of the index itself"
        self._index, self._scores, self._ranking, self._settings = index, scores, ranking, settings
        self.places = _in_order(scores, ranking)
        closely = scores.quick.at(self.places)
        by_slot, nothing = _plain(closely.by_slot), Listed([None] * len(self.places))
        self._breakdowns = list(zip(*[by_slot.get(name, nothing) for name in SCORERS], strict=True))
        self._by_row = _plain(closely.by_row) if len(closely.rows) > len(self.places) else None
        self._slots, self._firsts = scores.layout.slots[self.places].tolist(), closely.firsts.tolist()
        self._apart = set(scores.apart.tolist())
        self._combiners = {power: combiner_for(settings, power=power) for power in (False, True)}
        self._shown = {power: shown_scorers(settings, power=power) for power in (False, True)}

    def match(self, number: int, behind: Mapping[tuple[Kind, bool], float]) -> Match:
        """Make the match of one candidate; `behind` are the next confidences by kind and validity."""
        index, settings, place, slot = self._index, self._settings, int(self.places[number]), self._slots[number]
        candidate = index.candidate(slot)
        answer, is_power = candidate.answer, candidate.answer.kind is Kind.POWER
        scores = self._breakdown(number, is_power)
        explain, scale = self._combiners[is_power].explain, self._ranking.scales.get(is_power)
        if isinstance(scale, Shares) and place in self._apart:
            scale = scale.beside(explain(scores, settings).confidence)
        confident = Confident(explain, settings, scale)
        explanation = confident.explained(scores)
        alone = _within_bounds(explanation.confidence)
        within = None if is_power else self._ranking.within
        label = None if within is None else within.by_group.get(candidate.group)
        if within is not None and label is not None and alone > 0.0:
            explanation = label.as_share(explanation, within.of(place))
        confidence = _within_bounds(explanation.confidence)
        label_chance = None
        if isinstance(confident.scale, Shares) and not is_power:
            label_chance = label.chance if label is not None and alone > 0.0 else confidence
        by_trigger, rows = None, slice(self._firsts[number], self._firsts[number] + len(candidate.rows))
        if self._by_row is not None and len(candidate.rows) > 1:
            by_trigger = {name: column[rows] for name, column in self._by_row.items()}
        threshold = index.thresholds.of(answer) if settings.label_thresholds else None
        lapse, others, hits = index.lapses.of(answer, utc_now()), self._ranking.others, self._scores.hits.get(slot, ())
        reckoning = Reckoning(scores, explanation, confident, answer.triggers or (answer.name,), by_trigger, hits)
        following = behind.get((answer.kind, lapse is None))
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
            None if following is None else confidence - following,
            None if others is None else others.get(place),
            threshold,
            lapse,
            label_chance,
            math.log(confidence / alone) if confidence > 0.0 and label is not None else 0.0,
        )

    def _breakdown(self, number: int, is_power: bool) -> Breakdown:
        """Return the scores to show; of a negated candidate the regression's too, which says so."""
        every = dict(zip(SCORERS, self._breakdowns[number], strict=True))
        names = self._shown[is_power]
        if self._combiners[is_power].lowers_negated and is_negated(every):
            names = (*names, "regression")
        return {name: every[name] for name in names}


def _within_bounds(confidence: float) -> float:
    return min(1.0, max(0.0, confidence))


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
        return _within_bounds(self.explained(scores).confidence)


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
