"""Comparison of two evaluations of the same cases, with a significance test (S7.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from app.evaluation.answers import Answered
from app.evaluation.delivery import Delivery, delivery_of, grade, passes
from app.evaluation.evaluation import Evaluation

CHANCE = 0.05
"""Significance level."""


NORMAL_95 = 1.959963984540054
"""Standard deviations on both sides that hold 95 % of a normal distribution."""


class CaseChange(StrEnum):
    """Change of a case by what is delivered: now right, now wrong, or wrong in another way."""

    FIXED = "fixed"
    BROKEN = "broken"
    OTHERWISE = "otherwise"


@dataclass(frozen=True, slots=True)
class ChangedCase:
    """Case with another answer; `place` is its position among the cases."""

    place: int
    turn: CaseChange
    before: Answered
    after: Answered


@dataclass(frozen=True, slots=True)
class Comparison:
    """Same cases answered before and after a change of settings.

    `turned` holds the changed cases in order. `p` is McNemar's exact two-sided p: the probability of a difference
    at least as uneven if each turned case became right or wrong with equal odds.
    """

    before: Evaluation
    after: Evaluation
    turned: tuple[ChangedCase, ...]
    p: float

    def of(self, turn: CaseChange) -> tuple[ChangedCase, ...]:
        return tuple(one for one in self.turned if one.turn is turn)

    @property
    def fixed(self) -> int:
        return sum(one.turn is CaseChange.FIXED for one in self.turned)

    @property
    def broken(self) -> int:
        return sum(one.turn is CaseChange.BROKEN for one in self.turned)

    @property
    def net(self) -> int:
        """Number of cases fixed minus cases broken."""
        return self.fixed - self.broken

    def is_more_than_chance(self, tried: int = 1) -> bool:
        """Return whether the difference is significant after `tried` changes (Bonferroni)."""
        return self.p * max(1, tried) < CHANCE


def compared(before: Evaluation, after: Evaluation) -> Comparison:
    """Compare two evaluations of the same cases; raises ValueError if the cases differ."""
    pairs = list(zip(before.answered, after.answered, strict=True))
    if any(one.case != other.case for one, other in pairs):
        raise ValueError("these evaluations are of other cases")
    turned = [(place, _turn(one, other), one, other) for place, (one, other) in enumerate(pairs)]
    kept = tuple(ChangedCase(place, turn, one, other) for place, turn, one, other in turned if turn is not None)
    fixed, broken = (sum(one.turn is turn for one in kept) for turn in (CaseChange.FIXED, CaseChange.BROKEN))
    return Comparison(before, after, kept, mcnemar(fixed, broken))


def _turn(before: Answered, after: Answered) -> CaseChange | None:
    was, now = grade(before), grade(after)
    if was != now:
        return CaseChange.FIXED if now > was else CaseChange.BROKEN
    is_otherwise = not passes(after) and outcome_of(before) != outcome_of(after)
    return CaseChange.OTHERWISE if is_otherwise else None


def outcome_of(answered: Answered) -> tuple[str | None, Delivery]:
    """Return the answer given and its delivery, to tell equal outcomes."""
    return answered.predicted, delivery_of(answered)


def by_answers(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation without deliveries, so that comparisons go by answers alone."""
    bare = tuple(replace(one, delivered=None) for one in evaluation.answered)
    return replace(evaluation, answered=bare, metrics={**evaluation.metrics, "delivered": None})


def mcnemar(fixed: int, broken: int) -> float:
    """Compute McNemar's exact two-sided p in [0, 1]; 1 if no case turned.

    Twice the binomial probability of at most min(fixed, broken) of their sum at even odds, at most 1. Raises
    ValueError below 0.
    """
    if fixed < 0 or broken < 0:
        raise ValueError("no fewer than 0 cases can turn")
    few, whole = min(fixed, broken), fixed + broken
    if few * 2 >= whole:
        return 1.0
    # For many cases the coefficients have thousands of digits, so each term is computed from the next.
    ways = math.lgamma(whole + 1) - math.lgamma(few + 1) - math.lgamma(whole - few + 1)
    term = total = 1.0
    for k in range(few, 0, -1):
        term *= k / (whole - k + 1)
        total += term
        if term < total * 1e-17:
            break
    return min(1.0, 2.0 * math.exp(ways - whole * math.log(2.0)) * total)


def interval(right: int, whole: int) -> tuple[float, float]:
    """Compute the 95 % interval of a share (Wilson's score interval); (0, 1) without cases."""
    if not whole:
        return 0.0, 1.0
    share, square = right / whole, NORMAL_95**2
    middle = share + square / (2 * whole)
    half = NORMAL_95 * math.sqrt(share * (1.0 - share) / whole + square / (4 * whole * whole))
    low, high = ((middle + sign * half) / (1.0 + square / whole) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)


def slim(answered: Answered) -> Answered:
    """Drop the candidates that no metric uses: keep the first and the acceptable ones."""
    others = answered.candidates[1:]
    kept = tuple(one for one in others if one.name in answered.acceptable)
    if len(kept) == len(others):
        return answered if answered.account is None else replace(answered, account=None)
    return replace(answered, candidates=(answered.candidates[0], *kept), account=None)
