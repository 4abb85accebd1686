"""Probability of each tier for a query, from its powers' shares of the whole (003)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from app.domain.scope.resolution import BestScores, TierChances

FARTHEST = 6.0
"""Limit of log-odds and logarithms; training queries have hardly any beyond."""


class Evidence(NamedTuple):
    """Features of the probabilities; FITTED holds their weights."""

    constant: float
    first: float
    whole: float
    second: float
    third: float
    keyword: float
    nearest: float
    next_nearest: float


FITTED = (
    Evidence(-3.414, 0.517, 0.482, -0.100, 0.140, 0.870, -1.122, 6.637),
    Evidence(-3.862, 0.411, 0.566, -0.262, 0.641, -1.222, -3.720, 18.097),
    Evidence(-3.727, 0.314, 0.141, -0.094, 0.392, -4.040, -1.992, 15.479),
)
"""Weights of the log-odds of one power, several, and a hint, against nothing.

Fitted by packaging/weights.py (resources/datasets/README.md).
"""


def evidence(confidences: Sequence[float], shared: float, best: BestScores) -> Evidence:
    """Compute the features from powers' confidences, best first, their sum, and the best scores."""
    first, second, third = (*confidences[:3], 0.0, 0.0, 0.0)[:3]
    return Evidence(1.0, _log_odds(first), _log_odds(shared), _behind(second, first), _behind(third, first), *best)


def tier_chances(confidences: Sequence[float], shared: float, best: BestScores | None) -> TierChances:
    """Compute the tiers' probabilities for a query.

    Without best scores they are the shares: the fit used powers with keywords and is worse for powers without.
    """
    if best is None:
        one = min(max(confidences, default=0.0), shared)
        return TierChances(one, shared - one, 0.0, 1.0 - shared)
    own = evidence(confidences, shared, best)
    odds = [math.exp(sum(weight * value for weight, value in zip(line, own, strict=True))) for line in FITTED]
    whole = 1.0 + sum(odds)
    one, several, hint = (each / whole for each in odds)
    return TierChances(one, several, hint, 1.0 / whole)


def _log_odds(chance: float) -> float:
    least = 1.0 / (1.0 + math.exp(FARTHEST))
    inner = min(max(chance, least), 1.0 - least)
    return math.log(inner / (1.0 - inner))


def _behind(value: float, first: float) -> float:
    """Return the logarithm of a confidence relative to the first."""
    least = math.exp(-FARTHEST)
    return math.log(max(value / first, least)) if first > 0.0 else -FARTHEST
