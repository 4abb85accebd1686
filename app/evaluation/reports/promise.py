"""From which confidence on answers keep a promise of precision, on labelled cases and for a stated share of strangers.

Strangers are queries that nothing taught is right for. Labelled cases seldom hold as many of them as people type, so
those that are there are weighed to the share that is stated: precision hangs on it, and so does the line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.evaluation.answers import Top

LEAST_ANSWERED = 20
"""No line is told that fewer cases lie over."""

NORMAL_95 = 1.96

DIGITS = 4

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Promise:
    """What answering from `threshold` on comes to where `strangers` of all queries are strangers.

    `answered` cases lie over it. `coverage` is the share of the cases that expect an answer which do, `admitted` that
    of strangers, None without any; `precision` the share of right answers over it, from `low` to `high` with 95 %.
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


def share_of_strangers(known: Sequence[Top]) -> float:
    """How many of the cases expect no answer."""
    return sum(top.expects_none for top in known) / len(known) if known else 0.0


def promised(known: Sequence[Top], target: float, strangers: float | None = None) -> Promise | None:
    """The lowest threshold from which on at least `target` of the answers are right; None where there is none, or too
    few cases lie over it. Without `strangers` as many are as there are among the cases; ValueError where a share is
    stated and no case is one."""
    is_stranger = np.array([top.expects_none for top in known], np.bool_)
    share = share_of_strangers(known) if strangers is None else strangers
    if share > 0.0 and not is_stranger.any():
        raise ValueError("no case expects that nothing is found")
    if is_stranger.all():
        return None
    counts = is_stranger.sum(), (~is_stranger).sum()
    of_stranger = share / counts[0] if counts[0] else 0.0
    weights = np.where(is_stranger, of_stranger, (1.0 - share) / counts[1])
    values = np.array([top.confidence for top in known])
    right = np.array([top.is_right and not top.expects_none for top in known], np.bool_)
    order = np.argsort(-values, kind="stable")
    values, right, weights, is_stranger = values[order], right[order], weights[order], is_stranger[order]
    precision = np.cumsum(weights * right) / np.maximum(np.cumsum(weights), 1e-300)
    ends = np.append(values[1:] < values[:-1], True) & (values > 0.0)  # equal confidences stand or fall together
    kept = np.flatnonzero(ends & (precision >= target) & (np.arange(1, len(values) + 1) >= LEAST_ANSWERED))
    if not len(kept):
        return None
    count = int(kept[-1]) + 1
    low, high = wilson(float(precision[count - 1]), _effective(weights[:count]))
    return Promise(
        target=target,
        strangers=share,
        threshold=_below(float(values[count - 1]), float(values[count]) if count < len(values) else 0.0),
        answered=count,
        coverage=float((~is_stranger[:count]).sum() / counts[1]),
        admitted=float(is_stranger[:count].sum() / counts[0]) if counts[0] else None,
        precision=float(precision[count - 1]),
        low=low,
        high=high,
    )


def wilson(share: float, count: float) -> tuple[float, float]:
    """The 95 % interval of a share of so many (Wilson 1927)."""
    square = NORMAL_95**2 / count
    middle = (share + square / 2.0) / (1.0 + square)
    half = NORMAL_95 * math.sqrt(share * (1.0 - share) / count + square / (4.0 * count)) / (1.0 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def _effective(weights: Floats) -> float:
    """How many cases of one weight tell as much (Kish 1965)."""
    return float(weights.sum() ** 2 / np.square(weights).sum())


def _below(value: float, following: float) -> float:
    """A short number from which on this value counts, and the following one does not."""
    rounded = math.floor(value * 10**DIGITS) / 10**DIGITS
    return rounded if rounded > following else value
