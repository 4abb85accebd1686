"""Two evaluations of the same cases side by side: what turned, and whether that is more than chance (S7.5); pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from app.evaluation.answers import Answered
from app.evaluation.evaluation import Evaluation

CHANCE = 0.05
"""A difference that chance alone makes less often than this is taken for more than chance."""


NORMAL_95 = 1.959963984540054
"""So many standard deviations to both sides hold 95 % of a normal distribution."""


class CaseChange(StrEnum):
    """What became of a case: it turned right, it turned wrong, or it is wrong in another way."""

    FIXED = "fixed"
    BROKEN = "broken"
    OTHERWISE = "otherwise"


@dataclass(frozen=True, slots=True)
class ChangedCase:
    """A case that is answered otherwise; `place` is its place among the cases."""

    place: int
    turn: CaseChange
    before: Answered
    after: Answered


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same cases answered before and after a change of settings.

    `turned` are those that turned right, turned wrong, or got another answer that is wrong too, in the order of the
    cases. `p` is McNemar's exact two-sided p: how often chance alone would make so uneven a difference, or a more
    uneven one, if the change made each of the turned cases right or wrong with equal odds.
    """

    before: Evaluation
    after: Evaluation
    turned: tuple[ChangedCase, ...]
    p: float

    def of(self, turn: CaseChange) -> tuple[ChangedCase, ...]:
        """The cases of which this became."""
        return tuple(one for one in self.turned if one.turn is turn)

    @property
    def fixed(self) -> int:
        return sum(one.turn is CaseChange.FIXED for one in self.turned)

    @property
    def broken(self) -> int:
        return sum(one.turn is CaseChange.BROKEN for one in self.turned)

    @property
    def net(self) -> int:
        """How many more cases are right after the change; below 0 for fewer."""
        return self.fixed - self.broken

    def is_more_than_chance(self, tried: int = 1) -> bool:
        """Whether the difference is more than chance says, where so many changes were tried on the same cases: each of
        them may look good by chance, so that each has to be the more unlikely (Bonferroni)."""
        return self.p * max(1, tried) < CHANCE


def compared(before: Evaluation, after: Evaluation) -> Comparison:
    """Set two evaluations of the same cases side by side; ValueError if they are of other cases."""
    pairs = list(zip(before.answered, after.answered, strict=True))
    if any(one.case != other.case for one, other in pairs):
        raise ValueError("these evaluations are of other cases")
    turned = [(place, _turn(one, other), one, other) for place, (one, other) in enumerate(pairs)]
    kept = tuple(ChangedCase(place, turn, one, other) for place, turn, one, other in turned if turn is not None)
    fixed, broken = (sum(one.turn is turn for one in kept) for turn in (CaseChange.FIXED, CaseChange.BROKEN))
    return Comparison(before, after, kept, mcnemar(fixed, broken))


def _turn(before: Answered, after: Answered) -> CaseChange | None:
    if before.is_right != after.is_right:
        return CaseChange.FIXED if after.is_right else CaseChange.BROKEN
    is_otherwise = not after.is_right and before.predicted != after.predicted
    return CaseChange.OTHERWISE if is_otherwise else None


def mcnemar(fixed: int, broken: int) -> float:
    """McNemar's exact two-sided p in [0, 1] for so many cases that turned right and wrong; 1 where none turned.

    Twice the binomial probability of at most min(fixed, broken) of their sum at even odds, at most 1. ValueError below
    0.
    """
    if fixed < 0 or broken < 0:
        raise ValueError("no fewer than 0 cases can turn")
    few, whole = min(fixed, broken), fixed + broken
    if few * 2 >= whole:
        return 1.0
    # Of so many cases the coefficients alone have thousands of digits; each term is a part of the one after it.
    ways = math.lgamma(whole + 1) - math.lgamma(few + 1) - math.lgamma(whole - few + 1)
    term = total = 1.0
    for k in range(few, 0, -1):
        term *= k / (whole - k + 1)
        total += term
        if term < total * 1e-17:
            break
    return min(1.0, 2.0 * math.exp(ways - whole * math.log(2.0)) * total)


def interval(right: int, whole: int) -> tuple[float, float]:
    """Between which shares the true one lies with 95 % (Wilson's score interval); all of [0, 1] for none."""
    if not whole:
        return 0.0, 1.0
    share, square = right / whole, NORMAL_95**2
    middle = share + square / (2 * whole)
    half = NORMAL_95 * math.sqrt(share * (1.0 - share) / whole + square / (4 * whole * whole))
    low, high = ((middle + sign * half) / (1.0 + square / whole) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)


def slim(answered: Answered) -> Answered:
    """An answered case without the candidates that no metric looks at: the first and the acceptable ones stay."""
    others = answered.candidates[1:]
    kept = tuple(one for one in others if one.name in answered.acceptable)
    if len(kept) == len(others):
        return answered if answered.account is None else replace(answered, account=None)
    return replace(answered, candidates=(answered.candidates[0], *kept), account=None)
