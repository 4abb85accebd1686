"""Operations of the displayed arithmetic; each step can be recomputed from its operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from app.domain.confidence import Chance
from app.domain.match import Operand, Step

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

SEMANTIC, OWN_MEAN, PHRASES = "semantic", "own_mean", "phrases"
"""Operands of a preference: best trigger's score, score of the mean of all, log of their number."""

Values = Sequence[float]
Weights = Sequence[float | None] | None
"""One weight per value; None where the step does not weigh it."""


def _mean(values: Values, weights: Weights) -> float:
    return sum(values) / len(values)


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


def _chance(values: Values, weights: Weights) -> float:
    confidence, slope, offset = values
    return Chance(slope, offset)(confidence)


def _chance_of_logarithm(values: Values, weights: Weights) -> float:
    confidence, slope, offset = values
    return Chance(slope, offset, of_logarithm=True)(confidence)


def _log_sum(values: Values, weights: Weights) -> float:
    top = max(values)
    return top + math.log(math.fsum([math.exp(value - top) for value in values]))


def _share(values: Values, weights: Weights) -> float:
    own, whole = values
    return min(1.0, math.exp(own - whole))


_REDUCTIONS: Mapping[str, Callable[[Values, Weights], float]] = {
    "max": lambda values, weights: max(values),
    "min": lambda values, weights: min(values),
    "mean": _mean,
    "weighted_mean": _weighted_mean,
    "sum": _weighted_sum,
    "take": lambda values, weights: values[0],
    CHANCE: _chance,
    CHANCE_OF_LOGARITHM: _chance_of_logarithm,
    LOG_SUM: _log_sum,
    SHARE: _share,
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
        weights = self.weights or [None] * len(self.values)
        operands = tuple(map(Operand, self.names, self.values, weights))
        return Step(self.name, self.operation, operands, self.result)


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
