"""Operations of the displayed arithmetic, and each scorer's contribution to the lead.

Where both confidences are shares of one whole, each is exp of a sum over scorers, and the contributions are the
differences of the terms. Otherwise they are Shapley values: the mean effect of exchanging one score of the
runner-up for that of the answer, over all orders (L. S. Shapley, "A value for n-person games", 1953). Either way
they sum to the difference of the log-odds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple, Protocol

from app.domain.confidence import Chance
from app.domain.match import Breakdown, Operand, Step
from app.scoring.scorers import SCORERS

BALANCED, SLOPE, SHIPPED_SLOPE = "balanced", "slope", "shipped slope"
"""Operands of a calibration step: the confidence, and the slope, fitted or shipped."""

CHANCE, CHANCE_OF_LOGARITHM = "chance", "chance_of_logarithm"
"""Operations of calibration."""

LOG_SUM, SHARE = "log_sum", "share"
"""Operations on log-odds: logarithm of the sum, and one's share of it."""

PRODUCT = "product"
"""Operation on chances: the label's, and the memory's within its label."""

NONE, EVIDENCE, ALL = "none", "evidence", "all"
"""Steps of a share: log-odds of none, log-odds of the answer, and logarithm of the sum."""

LABEL, PREFERENCE, COMPETING, WITHIN = "label", "preference", "competing", "within"
"""Steps of a memory that competes with others of its label.

Chance of the label, sharpened log-odds of the memory, logarithm of the sum over the label's responses, and chance of
the memory within the label.
"""

SEMANTIC, OWN_MEAN, PHRASES, EXACT = "semantic", "own_mean", "phrases", "exact"
"""Operands of a preference: best trigger's score, score of the mean of all, log of their number."""

Values = Sequence[float]
Weights = Sequence[float | None] | None
"""One weight per value; None where the step does not weigh it."""


def _weighted_mean(values: Values, weights: Weights) -> float:
    total = sum([weight or 0.0 for weight in weights or ()])
    return _weighted_sum(values, weights) / total if total > 0 else 0.0


def _weighted_sum(values: Values, weights: Weights) -> float:
    # Exact, so that 0.5 + 0.1 + 0.1 + 0.1 reaches 0.8, from which on keywords are trusted (S4.10).
    if weights is None:
        return math.fsum(values)
    return math.fsum(
        [value if weight is None else weight * value for value, weight in zip(values, weights, strict=True)]
    )


def _log_sum(values: Values, weights: Weights) -> float:
    top = max(values)
    return top + math.log(math.fsum([math.exp(value - top) for value in values]))


_REDUCTIONS: Mapping[str, Callable[[Values, Weights], float]] = {
    "max": lambda values, weights: max(values),
    "min": lambda values, weights: min(values),
    "mean": lambda values, weights: sum(values) / len(values),
    "weighted_mean": _weighted_mean,
    "sum": _weighted_sum,
    "take": lambda values, weights: values[0],
    CHANCE: lambda values, weights: Chance(values[1], values[2])(values[0]),
    CHANCE_OF_LOGARITHM: lambda values, weights: Chance(values[1], values[2], of_logarithm=True)(values[0]),
    LOG_SUM: _log_sum,
    SHARE: lambda values, weights: min(1.0, math.exp(values[0] - values[1])),
    PRODUCT: lambda values, weights: math.prod(values),
}


def _over_operands(reduce: Callable[[Values, Weights], float]) -> Callable[[Sequence[Operand]], float]:
    return lambda operands: reduce([one.value for one in operands], [one.weight for one in operands])


OPERATIONS: Mapping[str, Callable[[Sequence[Operand]], float]] = {
    name: _over_operands(reduce) for name, reduce in _REDUCTIONS.items()
}
"""Operations of steps.

`sum` weighs operands that carry a weight; `take` takes the first operand and shows the rest; `chance` calibrates
the first operand by the slope and offset that follow, and `chance_of_logarithm` its logarithm. `log_sum` is the
logarithm of the sum of exponentials, and `share` the exponential of the first operand minus the second.
"""


def step(name: str, operation: str, operands: Sequence[Operand]) -> Step:
    """Make a step and compute its result."""
    return Step(name, operation, tuple(operands), OPERATIONS[operation](operands))


class Reckoned(NamedTuple):
    """Step in plain numbers, for speed; `names` and `values` are its operands."""

    name: str
    operation: str
    names: Sequence[str]
    values: Values
    weights: Weights
    result: float

    def step(self) -> Step:
        """Return the step with named operands, as a match shows it."""
        operands = map(Operand, self.names, self.values, self.weights or [None] * len(self.values))
        return Step(self.name, self.operation, tuple(operands), self.result)


def reckoned(name: str, operation: str, names: Sequence[str], values: Values, weights: Weights = None) -> Reckoned:
    """Make a step of these operands and compute its result."""
    return Reckoned(name, operation, names, values, weights, _REDUCTIONS[operation](values, weights))


class Explanation(NamedTuple):
    """Steps that end in the confidence (none: nothing was scored, 0), and the decisive scorers."""

    reckoning: tuple[Reckoned, ...]
    winners: tuple[str, ...]

    @property
    def confidence(self) -> float:
        return self.reckoning[-1].result if self.reckoning else 0.0

    def as_chance(self, chance: Chance) -> Explanation:
        """Append the calibration step."""
        if not self.reckoning:
            return self
        *before, last = self.reckoning
        scale = SHIPPED_SLOPE if chance.is_shipped else SLOPE
        values = (last.result, chance.slope, chance.offset)
        operation = CHANCE_OF_LOGARITHM if chance.of_logarithm else CHANCE
        ending = reckoned(last.name, operation, (BALANCED, scale, "offset"), values)
        return Explanation((*before, last._replace(name=BALANCED), ending), self.winners)

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple([one.step() for one in self.reckoning])


MOST_CREDITED = 2
"""Maximum number of scorers that a sentence credits."""

ENOUGH = 0.6
"""Share of the positive contributions that the credited scorers have to reach."""

MOST_LOG_ODDS = 20.0
"""Limit of log-odds, for confidences of 0 and 1."""

_NOTHING = 1e-12
"""Tolerance for rounding errors around 0."""


class Confidence(Protocol):
    """Mapping from the scores of a candidate to its confidence."""

    def explained(self, scores: Breakdown) -> Explanation: ...

    def confidence(self, scores: Breakdown) -> float: ...


def contributions(own: Breakdown, rival: Breakdown, how: Confidence) -> tuple[Operand, ...]:
    """Compute each scorer's contribution in log-odds, largest first, without zeros."""
    theirs = _evidence(how.explained(rival))
    mine = _evidence(how.explained(own)) if theirs is not None else None
    if mine is None or theirs is None:
        found = _shapley(own, rival, how)
    else:
        found = {name: mine.get(name, 0.0) - theirs.get(name, 0.0) for name in dict.fromkeys((*mine, *theirs))}
    adding = (Operand(name, value) for name, value in found.items() if abs(value) > _NOTHING)
    return tuple(sorted(adding, key=lambda one: -one.value))


def speaking(found: Sequence[Operand], *, ahead: bool) -> list[Operand]:
    """Return the contributions of one side as positive values, largest first."""
    sign = 1.0 if ahead else -1.0
    own = [replace(one, value=sign * one.value) for one in found if sign * one.value > 0.0]
    return sorted(own, key=lambda one: -one.value)


def credited_scorers(found: Sequence[Operand], *, ahead: bool) -> tuple[str, ...]:
    """Return the deciding scorers, most important first: for or against the answer."""
    own = speaking(found, ahead=ahead)
    whole, said = math.fsum(one.value for one in own), list[str]()
    credited = 0.0
    for one in own[:MOST_CREDITED]:
        said.append(one.name)
        credited += one.value
        if credited >= ENOUGH * whole:
            break
    return tuple(said)


def log_odds(confidence: float) -> float:
    """Compute the log-odds of a confidence, within MOST_LOG_ODDS of 0."""
    if not 0.0 < confidence < 1.0:
        return math.copysign(MOST_LOG_ODDS, confidence - 0.5)
    return max(-MOST_LOG_ODDS, min(MOST_LOG_ODDS, math.log(confidence) - math.log1p(-confidence)))


def _evidence(explanation: Explanation) -> dict[str, float] | None:
    """Return each scorer's log-odds.

    None if the confidence is not a share of a sum over scorers.
    """
    found = next((one for one in explanation.reckoning if one.name == EVIDENCE), None)
    if found is None or any(name not in SCORERS for name in found.names):
        return None
    weights = found.weights or [None] * len(found.names)
    given = zip(found.names, found.values, weights, strict=True)
    return {name: value * (1.0 if weight is None else weight) for name, value, weight in given}


def _shapley(own: Breakdown, rival: Breakdown, how: Confidence) -> dict[str, float]:
    """Compute the Shapley value of each differing score."""
    names = [name for name in own if own[name] != rival.get(name)]
    known: dict[frozenset[str], float] = {}

    def value(exchanged: frozenset[str]) -> float:
        if exchanged not in known:
            scores = {name: own[name] if name in exchanged else rival.get(name) for name in own}
            known[exchanged] = log_odds(how.confidence(scores))
        return known[exchanged]

    return {name: _mean_effect(name, names, value) for name in names}


class _Value(Protocol):
    def __call__(self, exchanged: frozenset[str], /) -> float: ...


def _mean_effect(name: str, names: Sequence[str], value: _Value) -> float:
    """Compute the effect of exchanging one score, averaged over all orders."""
    others = [other for other in names if other != name]
    effects: list[float] = []
    for size in range(len(others) + 1):
        share = math.factorial(size) * math.factorial(len(others) - size) / math.factorial(len(names))
        befores = map(frozenset, combinations(others, size))
        effects.extend(share * (value(before | {name}) - value(before)) for before in befores)
    return math.fsum(effects)
