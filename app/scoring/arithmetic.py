"""The few operations that every shown number is made of; each step can be carried out again from its operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from app.domain.match import Operand, Step


def _mean(operands: Sequence[Operand]) -> float:
    return sum([operand.value for operand in operands]) / len(operands)


def _weighted_mean(operands: Sequence[Operand]) -> float:
    total = sum(operand.weight or 0.0 for operand in operands)
    return _weighted_sum(operands) / total if total > 0 else 0.0


def _weighted_sum(operands: Sequence[Operand]) -> float:
    # Exactly, so that 0.5 + 0.1 + 0.1 + 0.1 reaches the 0.8 from which on keywords are trusted (S4.10).
    return math.fsum((1.0 if operand.weight is None else operand.weight) * operand.value for operand in operands)


OPERATIONS: Mapping[str, Callable[[Sequence[Operand]], float]] = {
    "max": lambda operands: max([operand.value for operand in operands]),
    "min": lambda operands: min([operand.value for operand in operands]),
    "mean": _mean,
    "weighted_mean": _weighted_mean,
    "sum": _weighted_sum,
    "take": lambda operands: operands[0].value,
}
"""What a step can do. `sum` weighs operands that carry a weight; `take` takes the first operand and shows the rest."""


def step(name: str, operation: str, operands: Sequence[Operand]) -> Step:
    """A step with its result worked out."""
    return Step(name, operation, tuple(operands), OPERATIONS[operation](operands))
