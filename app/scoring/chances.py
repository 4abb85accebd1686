"""Calibration fitted on held-out queries: confidence to share of right answers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from hashlib import blake2b
from heapq import nsmallest

import numpy as np

from app.domain.confidence import Chance
from app.scoring.columns.column import Floats
from app.scoring.leaving_out import WORD_FOR_WORD, LeftOut

FEW_ANSWERS, MANY_ANSWERS = 50, 100
STRANGERS_OF_FEW, STRANGERS_OF_MANY = 0.2, 0.08
"""Assumed share of out-of-scope queries, for up to FEW_ANSWERS and from MANY_ANSWERS on.

In between it is linear in the logarithm of the number of answers. The fewer topics are taught, the more queries are
about others: in libraries of 10 to 60 labels, half of whose queries were out of scope, the smaller share let one in
five of those of the same domain reach 0.75, the larger one in nine (tests/benchmarks/small_libraries.py).
"""

FAINT = 0.01
"""Minimum confidence in the fit; a single lower one would bend the curve."""

USUAL_SLOPE, SLOPE_SPREAD, LEAST_SLOPE = 5.0, 3.0, 1.0
"""Prior of the slope, for few queries; the slope is always positive."""

BINS = 15
"""Number of bins, as in the metric `ece`."""

SKETCHED = 256
"""Number of digests stored to measure later how much of the library is unchanged."""

SAME_SHARE = 0.9
"""Minimum share of common triggers of two libraries for a calibration to be reused."""


def fitted(outcome: LeftOut) -> Chance:
    """Fit a logistic calibration in the logarithm of confidence, with its two-fold error.

    A wrong answer has weight (n - 1) / n where the right one has n triggers, because the held-out trigger could
    have prevented it.
    """
    half, missed = np.arange(len(outcome.best)) % 2 == 0, 0.0
    for own in (half, ~half):
        slope, offset = _logistic(*_points(outcome, own))
        chance, (best, right, weight) = Chance(slope, offset, of_logarithm=True), _points(outcome, ~own)
        chances = np.fromiter(map(chance, best.tolist()), np.float64, len(best))
        bins = np.minimum((chances * BINS).astype(np.intp), BINS - 1)
        missed += float(np.abs(np.bincount(bins, weight * (chances - right), BINS)).sum() / weight.sum()) / 2.0
    slope, offset = _logistic(*_points(outcome, np.ones(len(half), np.bool_)))
    return Chance(slope, offset, asked=len(outcome.best), ece=missed, of_logarithm=True)


def _points(outcome: LeftOut, chosen: Floats) -> tuple[Floats, Floats, Floats]:
    """Return confidence, correctness and weight of each query.

    Each query is included again as out of scope.
    """
    right, fellows = outcome.right[chosen].astype(np.float64), outcome.fellows[chosen]
    weight = np.where(right > 0.0, 1.0, (fellows - 1.0) / fellows)
    within = min(max(outcome.answers, FEW_ANSWERS), MANY_ANSWERS)
    along = math.log(within / FEW_ANSWERS) / math.log(MANY_ANSWERS / FEW_ANSWERS)
    strangers = STRANGERS_OF_FEW + along * (STRANGERS_OF_MANY - STRANGERS_OF_FEW)  # assumed share of all queries
    weight *= (1.0 - strangers) * len(weight) / weight.sum()
    best = np.concatenate([outcome.best[chosen], outcome.stranger[chosen]])
    rights = np.concatenate([right, np.zeros(len(right))])
    weights = np.concatenate([weight, np.full(len(right), strangers)])
    kept = (best > 0.0) & (best < WORD_FOR_WORD)
    return best[kept], rights[kept], weights[kept]


def _logistic(best: Floats, right: Floats, weight: Floats) -> tuple[float, float]:
    """Fit slope and offset in the logarithm of `best`, by Newton's method.

    The loss is convex; a step that would raise it is halved until it does not.
    """
    along = np.log(np.maximum(best, FAINT))
    signs = np.column_stack([along, np.ones(len(best))])
    usual, pull = np.array([USUAL_SLOPE, 0.0]), np.array([1.0 / SLOPE_SPREAD**2, 1e-6])

    def loss(at: Floats) -> float:
        logits = signs @ at
        return float(
            (weight * (np.logaddexp(0.0, logits) - right * logits)).sum() + (pull * (at - usual) ** 2).sum() / 2
        )

    found = np.array([USUAL_SLOPE, -USUAL_SLOPE * float(np.average(along, weights=weight))])
    now = loss(found)
    for _ in range(40):
        given = 1.0 / (1.0 + np.exp(-np.clip(signs @ found, -700.0, 700.0)))
        uphill = signs.T @ (weight * (given - right)) + pull * (found - usual)
        curve = (signs.T * (weight * given * (1.0 - given))) @ signs + np.diag(pull)
        step = np.linalg.solve(curve, uphill)
        while (then := loss(found - step)) > now and np.abs(step).max() > 1e-9:
            step = step / 2.0
        found, now = found - step, min(now, then)
        if np.abs(step).max() < 1e-9:
            break
    return max(LEAST_SLOPE, float(found[0])), float(found[1])


# ---- Similarity of libraries


def sketch(taught: Iterable[tuple[str, str]]) -> tuple[int, ...]:
    """Return the smallest digests of (answer, trigger), a sample for comparing libraries."""
    digests = {
        int.from_bytes(blake2b(f"{answer}\0{trigger}".encode("utf-8", "surrogatepass"), digest_size=6).digest())
        for answer, trigger in taught
    }
    return tuple(nsmallest(SKETCHED, digests))


def is_much_the_same(before: tuple[int, ...], now: tuple[int, ...]) -> bool:
    """Return whether two sketched libraries share at least SAME_SHARE of their union."""
    both = nsmallest(SKETCHED, set(before) | set(now))
    return len({*both} & {*before} & {*now}) >= SAME_SHARE * len(both)
