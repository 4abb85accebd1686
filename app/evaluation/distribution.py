"""Distribution of answers: bands (002), confused answers, tiers and their quality (003)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.domain.case import Task
from app.domain.match import Band, Tier
from app.domain.running import ActivationBlocker
from app.evaluation.answers import Answered, labelled, top_blocker
from app.scoring.combiners import combiner_for
from app.scoring.index.ranking import band_of
from app.settings.model import Settings

QUALITY_TARGET = 0.7
"""Minimum share of high or medium confidences for good retrieval (002)."""

NO_MATCH = "none"
"""Name of "no match" in the confusion; one of the words of S8.5."""

MOST_LABELS = 500
"""Maximum number of labels in the confusion of single memories or powers."""

ANYTHING = ((0.0, 1.0),)

CONFIDENCES: Mapping[str, tuple[tuple[float, float], ...]] = {
    "exact": ((0.0, 0.0), (0.95, 0.95), (0.98, 0.98), (1.0, 1.0)),
    "keyword": ((0.0, 0.0), (math.nextafter(0.5, 1.0), 1.0)),
}
"""Possible ranges of a combination's confidences, ends included (S2.2, S2.7).

Other combinations have ANYTHING.
"""

Confusion = Mapping[str, Mapping[str, int]]


def bands(answers: Sequence[Answered], settings: Settings) -> dict[Band, int]:
    """Count the cases in each of the four bands by top confidence (S2.13)."""
    # A rejected case may lie below a threshold of its label.
    least = (1.0 if answer.rejected else 0.0 for answer in answers)
    counts = Counter(band_of(one.confidence, settings, own) for one, own in zip(answers, least, strict=True))
    return {band: counts[band] for band in Band}


def quality(counts: Mapping[Band, int]) -> float | None:
    """Compute the share of cases in a high or medium band (002); None without cases."""
    total = sum(counts.values())
    return (counts[Band.HIGH] + counts[Band.MEDIUM]) / total if total else None


def tiers(answers: Sequence[Answered]) -> dict[Tier, int]:
    """Count the cases in each of the four tiers (S5.1)."""
    counts = Counter(answer.tier for answer in answers)
    return {tier: counts[tier] for tier in Tier}


def unreachable(settings: Settings) -> tuple[Tier, ...]:
    """Return the tiers that no query can reach with these settings (S5.1, S5.3, S7.7)."""
    limits = settings.tiers
    ranges = CONFIDENCES.get(combiner_for(settings, power=True).name, ANYTHING)

    def is_reached(low: float, below: float) -> bool:
        return low < below and any(most >= low and least < below for least, most in ranges)

    reached = {
        Tier.ACTIVATED: is_reached(limits.high, math.inf),
        Tier.MULTIPLE_MATCHES: is_reached(limits.medium, limits.high),
        Tier.WEAK_MATCHES: is_reached(limits.weak, limits.medium),
        Tier.NOT_FOUND: is_reached(-math.inf, limits.weak),
    }
    reached[Tier.MULTIPLE_MATCHES] |= limits.ambiguity_margin > 0 and reached[Tier.ACTIVATED]
    return tuple(tier for tier in Tier if not reached[tier])


def mistakes(answers: Sequence[Answered]) -> Counter[tuple[str, str]]:
    """Count mistakes by (expected, given)."""
    return Counter(_pair(answer) for answer in labelled(answers) if not answer.is_right)


def confusion(answers: Sequence[Answered], task: Task) -> Confusion:
    """Tabulate {expected: {given: count}}.

    Labels and types: every pair. Single memories and powers, which may be thousands: mistakes only, and nothing
    beyond MOST_LABELS expected labels.
    """
    if task in (Task.INTENT, Task.TYPE):
        pairs = Counter(map(_pair, labelled(answers)))
    elif len({answer.expected_name for answer in answers}) > MOST_LABELS:
        return {}
    else:
        pairs = mistakes(answers)
    table: dict[str, dict[str, int]] = {}
    for (expected, given), count in sorted(pairs.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        table.setdefault(expected, {})[given] = count
    return table


def pairs(answers: Sequence[Answered]) -> Counter[tuple[str | None, str | None]]:
    """Count (expected, given) pairs; None stands for "no match"."""
    return Counter((answer.expected_name, answer.predicted) for answer in labelled(answers))


def _pair(answer: Answered) -> tuple[str, str]:
    return answer.expected_name or NO_MATCH, answer.predicted or NO_MATCH


ACCURACY_TARGET, TOP3_TARGET = 0.9, 0.95
"""Targets of 003: minimum share with the expected tier, and with a right power in the top 3."""

SEARCH_MS, MEAN_MS = (30.0, 50.0), 100.0
"""Limits of 003 in ms: a search alone, and the mean of an answer with server starts."""

Timed = tuple[Tier, float]
"""Tier of a query, and its time in ms."""

Turns = tuple[float, float]
"""Turns of friction: minimum, if the assistant chooses itself, and maximum, if it asks."""


class Offer(StrEnum):
    """Content of an answer: a right power, only wrong ones, or none."""

    RIGHT = "right"
    WRONG = "wrong"
    NOTHING = "nothing"


DISTANCES = ("as_meant", "next", "further")
"""Distance of an answer's tier from the expected one, in the order of Tier."""


@dataclass(frozen=True, slots=True)
class SearchTimes:
    """Search times in ms, one query at a time, nothing started; `by_tier` has means."""

    n: int
    mean: float
    p50: float
    p95: float
    by_tier: Mapping[Tier, float]


@dataclass(frozen=True, slots=True)
class TierQuality:
    """Quality of the statuses in a power evaluation.

    `expecting` cases state a tier, `right` of them reach it; `confusion` is {meant: {got: count}} and `offers`
    {offer: counts by DISTANCES}. `friction` is the mean over cases that expect a power, None without any;
    `blocked` counts the ACTIVATED cases whose power could not be started, by the reason. `wrongly_activated` counts
    cases that would start a wrong power, `wrongly_blocked` those that would if it could be started. `unreachable` tiers
    cannot be reached by any query.
    """

    expecting: int
    right: int
    confusion: Mapping[Tier, Mapping[Tier, int]]
    offers: Mapping[Offer, tuple[int, ...]]
    friction: Turns | None
    wrongly_activated: int
    blocked: Mapping[ActivationBlocker, int]
    wrongly_blocked: int
    unreachable: tuple[Tier, ...]

    @property
    def accuracy(self) -> float | None:
        return self.right / self.expecting if self.expecting else None

    @property
    def served(self) -> float | None:
        """Share of cases that offer a right power in any tier, or correctly nothing."""
        nothing_as_meant = self.offers[Offer.NOTHING][0]
        return (sum(self.offers[Offer.RIGHT]) + nothing_as_meant) / self.expecting if self.expecting else None


def search_times(timed: Sequence[Timed]) -> SearchTimes:
    """Compute means and percentiles of search times; raises ValueError without any."""
    if not timed:
        raise ValueError("nothing to sum up")
    every = [ms for _, ms in timed]
    p50, p95 = (float(np.percentile(every, share)) for share in (50, 95))
    by_tier = {tier: [ms for found, ms in timed if found is tier] for tier in Tier}
    means = {tier: float(np.mean(of_tier)) for tier, of_tier in by_tier.items() if of_tier}
    return SearchTimes(len(every), float(np.mean(every)), p50, p95, means)


def turns(answer: Answered) -> Turns:
    """Compute the turns between a request and the right power (003).

    0 if activated, 0 to 1 among multiple matches; 1 for weak matches, for not found, and if the right power is not
    offered.
    """
    if offer(answer) is not Offer.RIGHT:
        return 1.0, 1.0
    return {Tier.ACTIVATED: (0.0, 0.0), Tier.MULTIPLE_MATCHES: (0.0, 1.0)}.get(
        answer.tier or Tier.NOT_FOUND, (1.0, 1.0)
    )


def offer(answer: Answered) -> Offer:
    if not answer.offered:
        return Offer.NOTHING
    return Offer.RIGHT if answer.rank is not None and answer.rank <= answer.offered else Offer.WRONG


def friction(answers: Sequence[Answered]) -> Turns | None:
    """Compute the mean turns of cases that expect a power; None without any."""
    each = [turns(answer) for answer in answers if answer.acceptable]
    if not each:
        return None
    least, most = (sum(column) / len(each) for column in zip(*each, strict=True))
    return least, most


def tier_quality(answers: Sequence[Answered], settings: Settings) -> TierQuality:
    """Compute the quality of the statuses under the settings that produced them."""
    pairs: dict[Tier, Counter[Tier]] = {}
    offers = {kind: [0] * len(DISTANCES) for kind in Offer}
    order = list(Tier)
    for answer in answers:
        if answer.case.tier is not None and answer.tier is not None:
            pairs.setdefault(answer.case.tier, Counter())[answer.tier] += 1
            apart = abs(order.index(answer.case.tier) - order.index(answer.tier))
            offers[offer(answer)][min(apart, len(DISTANCES) - 1)] += 1
    activated = [(answer, top_blocker(answer)) for answer in answers if answer.tier is Tier.ACTIVATED]
    wrong = [blocker for answer, blocker in activated if not answer.top_is_right]
    blocked = Counter(blocker for _, blocker in activated)
    return TierQuality(
        expecting=sum(found.total() for found in pairs.values()),
        right=sum(found[meant] for meant, found in pairs.items()),
        confusion={meant: {got: pairs[meant][got] for got in Tier} for meant in Tier if meant in pairs},
        offers={kind: tuple(counts) for kind, counts in offers.items()},
        friction=friction(answers),
        wrongly_activated=wrong.count(None),
        blocked={blocker: blocked[blocker] for blocker in ActivationBlocker if blocked[blocker]},
        wrongly_blocked=len(wrong) - wrong.count(None),
        unreachable=unreachable(settings),
    )


DOCUMENTED_EVERYTHING, DOCUMENTED_ANSWER, DOCUMENTED_SAVING = 40_000, 1_166, 0.97
"""Figures of 003: tokens of all tools, mean tokens of an answer, and the share saved."""

DOCUMENTED: Mapping[Tier, tuple[float, int]] = {
    Tier.ACTIVATED: (0.70, 1_000),
    Tier.MULTIPLE_MATCHES: (0.20, 1_500),
    Tier.WEAK_MATCHES: (0.08, 2_000),
    Tier.NOT_FOUND: (0.02, 300),
}
"""Figures of 003 by tier: share of queries, and tokens with the chosen power's tools."""


@dataclass(frozen=True, slots=True)
class AnswerTokens:
    """Tokens of one answer, and of the tools listed after the assistant chose a power."""

    tier: Tier
    answer: int
    tools: int = 0


@dataclass(frozen=True, slots=True)
class TierTokens:
    """Number of answers of one tier, and mean tokens of the answer and of the tools after it."""

    n: int
    answer: float
    tools: float

    @property
    def both(self) -> float:
        return self.answer + self.tools


@dataclass(frozen=True, slots=True)
class TokenCost:
    """Token cost of answers compared with listing everything.

    `everything` is the tokens of all `tools` of all `powers`, counted with the tokenizer `counter`. `by_tier` has
    the tiers that occur; `answer` and `both` (with the tools after the answer) are means weighted by their counts.
    """

    counter: str
    powers: int
    tools: int
    everything: int
    by_tier: Mapping[Tier, TierTokens]
    answer: float
    both: float

    @property
    def saving(self) -> float | None:
        """Share of `everything` saved by an answer and the tools after it; None without tools."""
        return 1.0 - self.both / self.everything if self.everything else None


def token_cost(answers: Sequence[AnswerTokens], *, counter: str, powers: int, tools: int, everything: int) -> TokenCost:
    """Average the answers, weighted by the frequency of each tier.

    Raises ValueError without any.
    """
    if not answers:
        raise ValueError("nothing to count")
    by_tier: dict[Tier, TierTokens] = {}
    for tier in Tier:
        if same := [found for found in answers if found.tier is tier]:
            count = len(same)
            answered, listed = sum(found.answer for found in same), sum(found.tools for found in same)
            by_tier[tier] = TierTokens(count, answered / count, listed / count)
    total = len(answers)
    answer = sum(row.answer * row.n for row in by_tier.values()) / total
    both = sum(row.both * row.n for row in by_tier.values()) / total
    return TokenCost(counter, powers, tools, everything, by_tier, answer, both)
