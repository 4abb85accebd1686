"""Distribution of answers: bands with the target of 002, tiers, and confused answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from app.domain.case import Task
from app.domain.match import Band, Tier
from app.evaluation.answers import Answered, labelled
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
