"""How well the tiers fit: how often the status is the one that was meant, and how many turns it costs (003)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.domain.match import Tier
from app.evaluation.answers import Answered
from app.evaluation.occupancy import unreachable
from app.settings.model import Settings

ACCURACY_TARGET, TOP3_TARGET = 0.9, 0.95
"""003: more than so many cases end in the tier that was meant, and have a right power among the first three."""

SEARCH_MS, MEAN_MS = (30.0, 50.0), 100.0
"""003: what a search alone takes, and what an answer takes on the average, servers started among them."""

Timed = tuple[Tier, float]
"""Where a query ended, and the ms that it took."""

Turns = tuple[float, float]
"""Turns of friction: at least, when the assistant chooses by what it knows, and at most, when it asks."""


class Offer(StrEnum):
    """What an answer offers: a right power, only wrong ones, or none at all."""

    RIGHT = "right"
    WRONG = "wrong"
    NOTHING = "nothing"


DISTANCES = ("as_meant", "next", "further")
"""How far the tier of an answer is from the one that was meant, in the order of Tier."""


@dataclass(frozen=True, slots=True)
class SearchTimes:
    """What a search took, one query at a time and nothing started, in ms; `by_tier` are means, `n` were timed."""

    n: int
    mean: float
    p50: float
    p95: float
    by_tier: Mapping[Tier, float]


@dataclass(frozen=True, slots=True)
class TierQuality:
    """What the statuses of a power evaluation come to.

    `expecting` cases name a tier, `right` of them end in it; `confusion` is {meant: {got: count}} of those, and
    `offers` how many offer what, by DISTANCES. `friction` is the mean over the cases that expect a power, None without
    any; `wrongly_activated` counts the cases whose power would be started although it is not a right one. `unreachable`
    are the tiers that no query can end in.
    """

    expecting: int
    right: int
    confusion: Mapping[Tier, Mapping[Tier, int]]
    offers: Mapping[Offer, tuple[int, ...]]
    friction: Turns | None
    wrongly_activated: int
    unreachable: tuple[Tier, ...]

    @property
    def accuracy(self) -> float | None:
        return self.right / self.expecting if self.expecting else None

    @property
    def served(self) -> float | None:
        """The share of them that offer a right power in whichever tier, or nothing where none serves."""
        nothing_as_meant = self.offers[Offer.NOTHING][0]
        return (sum(self.offers[Offer.RIGHT]) + nothing_as_meant) / self.expecting if self.expecting else None


def search_times(timed: Sequence[Timed]) -> SearchTimes:
    """Means and percentiles of searches; ValueError without any."""
    if not timed:
        raise ValueError("nothing to sum up")
    every = [ms for _, ms in timed]
    p50, p95 = (float(np.percentile(every, share)) for share in (50, 95))
    by_tier = {tier: [ms for found, ms in timed if found is tier] for tier in Tier}
    means = {tier: float(np.mean(of_tier)) for tier, of_tier in by_tier.items() if of_tier}
    return SearchTimes(len(every), float(np.mean(every)), p50, p95, means)


def turns(answer: Answered) -> Turns:
    """Turns between a person's wish and the right power (003): 0 where it is activated, 0 to 1 where it is offered
    among multiple matches; 1 for weak matches, for nothing found, and wherever the right one is not on offer."""
    if offer(answer) is not Offer.RIGHT:
        return 1.0, 1.0
    return {Tier.ACTIVATED: (0.0, 0.0), Tier.MULTIPLE_MATCHES: (0.0, 1.0)}.get(
        answer.tier or Tier.NOT_FOUND, (1.0, 1.0)
    )


def offer(answer: Answered) -> Offer:
    """What an answer offers."""
    if not answer.offered:
        return Offer.NOTHING
    return Offer.RIGHT if answer.rank is not None and answer.rank <= answer.offered else Offer.WRONG


def friction(answers: Sequence[Answered]) -> Turns | None:
    """The mean turns of the cases that expect a power; None without any."""
    each = [turns(answer) for answer in answers if answer.acceptable]
    if not each:
        return None
    least, most = (sum(column) / len(each) for column in zip(*each, strict=True))
    return least, most


def tier_quality(answers: Sequence[Answered], settings: Settings) -> TierQuality:
    """Judge the statuses of the answers of a power evaluation under the settings that made them."""
    pairs: dict[Tier, Counter[Tier]] = {}
    offers = {kind: [0] * len(DISTANCES) for kind in Offer}
    order = list(Tier)
    for answer in answers:
        if answer.case.tier is not None and answer.tier is not None:
            pairs.setdefault(answer.case.tier, Counter())[answer.tier] += 1
            apart = abs(order.index(answer.case.tier) - order.index(answer.tier))
            offers[offer(answer)][min(apart, len(DISTANCES) - 1)] += 1
    activated = [answer for answer in answers if answer.tier is Tier.ACTIVATED]
    return TierQuality(
        expecting=sum(found.total() for found in pairs.values()),
        right=sum(found[meant] for meant, found in pairs.items()),
        confusion={meant: {got: pairs[meant][got] for got in Tier} for meant in Tier if meant in pairs},
        offers={kind: tuple(counts) for kind, counts in offers.items()},
        friction=friction(answers),
        wrongly_activated=sum(not answer.top_is_right for answer in activated),
        unreachable=unreachable(settings),
    )
