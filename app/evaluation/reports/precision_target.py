"""Threshold that reaches a target precision, for a given share of out-of-scope queries.

Out-of-scope queries (`strangers` in options and documents) have no right answer. Labelled cases seldom hold as many
of them as real use, so they are weighted to the given share, on which precision depends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.evaluation.answers import Top

LEAST_ANSWERED = 20
"""Minimum number of cases above a threshold."""

NORMAL_95 = 1.96

DIGITS = 4

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PrecisionTarget:
    """Result of a threshold, if a share `strangers` of all queries is out of scope.

    `answered` cases lie above the threshold. `coverage` is the share of in-scope cases above it, `admitted` that of
    out-of-scope ones, None without any; `precision` is the share of right answers above it, with the 95 % interval
    from `low` to `high`.
    """

    target: float
    strangers: float
    threshold: float
    answered: int
    coverage: float
    admitted: float | None
    precision: float
    low: float
    high: float


def out_of_scope_share(known: Sequence[Top]) -> float:
    """Compute the share of cases that expect no answer."""
    return sum(top.expects_none for top in known) / len(known) if known else 0.0


def precision_target(known: Sequence[Top], target: float, strangers: float | None = None) -> PrecisionTarget | None:
    """Find the lowest threshold with a precision of at least `target`; None if there is none.

    Also None if too few cases lie above it. Without `strangers` the share among the cases holds; raises ValueError
    if a share is given and no case is out of scope.
    """
    is_out_of_scope = np.array([top.expects_none for top in known], np.bool_)
    share = out_of_scope_share(known) if strangers is None else strangers
    if share > 0.0 and not is_out_of_scope.any():
        raise ValueError("no case expects that nothing is found")
    if is_out_of_scope.all():
        return None
    counts = is_out_of_scope.sum(), (~is_out_of_scope).sum()
    of_out_of_scope = share / counts[0] if counts[0] else 0.0
    weights = np.where(is_out_of_scope, of_out_of_scope, (1.0 - share) / counts[1])
    values = np.array([top.confidence for top in known])
    right = np.array([top.is_right and not top.expects_none for top in known], np.bool_)
    order = np.argsort(-values, kind="stable")
    values, right, weights, is_out_of_scope = values[order], right[order], weights[order], is_out_of_scope[order]
    precision = np.cumsum(weights * right) / np.maximum(np.cumsum(weights), 1e-300)
    ends = np.append(values[1:] < values[:-1], True) & (values > 0.0)  # equal confidences stand or fall together
    kept = np.flatnonzero(ends & (precision >= target) & (np.arange(1, len(values) + 1) >= LEAST_ANSWERED))
    if not len(kept):
        return None
    count = int(kept[-1]) + 1
    low, high = wilson(float(precision[count - 1]), _effective(weights[:count]))
    return PrecisionTarget(
        target=target,
        strangers=share,
        threshold=_below(float(values[count - 1]), float(values[count]) if count < len(values) else 0.0),
        answered=count,
        coverage=float((~is_out_of_scope[:count]).sum() / counts[1]),
        admitted=float(is_out_of_scope[:count].sum() / counts[0]) if counts[0] else None,
        precision=float(precision[count - 1]),
        low=low,
        high=high,
    )


def wilson(share: float, count: float) -> tuple[float, float]:
    """Compute the 95 % interval of a share of `count` cases (Wilson 1927)."""
    square = NORMAL_95**2 / count
    middle = (share + square / 2.0) / (1.0 + square)
    half = NORMAL_95 * math.sqrt(share * (1.0 - share) / count + square / (4.0 * count)) / (1.0 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def _effective(weights: Floats) -> float:
    """Compute the effective sample size of weighted cases (Kish 1965)."""
    return float(weights.sum() ** 2 / np.square(weights).sum())


def _below(value: float, following: float) -> float:
    """Round down to a short threshold that still excludes the following value."""
    rounded = math.floor(value * 10**DIGITS) / 10**DIGITS
    return rounded if rounded > following else value
