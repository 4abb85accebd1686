"""Scales of how often an answer of a confidence is right, fitted on what became of questions that were left out."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from heapq import nsmallest

import numpy as np

from app.domain.confidence import Chance
from app.scoring.columns.column_answer import Floats
from app.scoring.library.leaving_out import WORD_FOR_WORD, LeftOut

STRANGERS = 0.08
"""The share of queries that are taken to be about nothing that is taught: 8 in 100."""

FAINT = 0.01
"""Lower confidences than this are fitted as this, or a single one would bend the curve."""

USUAL_SLOPE, SLOPE_SPREAD, LEAST_SLOPE = 5.0, 3.0, 1.0
"""Few questions leave the slope near the usual one; it always rises."""

BINS = 15
"""As in the metric `ece`."""

SKETCHED = 256
"""So many digests of what is taught are kept to tell later how much of it is still there."""

SAME_SHARE = 0.9
"""With so large a share of what was taught still there, and no more new than that, a scale is good enough."""


def fitted(outcome: LeftOut) -> Chance:
    """The logistic scale of these questions in the logarithm of their confidence, with the calibration error that one
    half has by the scale of the other.

    A wrong answer counts (n - 1) / n where n triggers are taught under the right one: with the n-th, which was left
    out, so many would have gone wrong.
    """
    half = np.arange(len(outcome.best)) % 2 == 0
    missed = 0.0
    for own in (half, ~half):
        slope, offset = _logistic(*_points(outcome, own))
        missed += _ece(Chance(slope, offset, of_logarithm=True), *_points(outcome, ~own)) / 2.0
    slope, offset = _logistic(*_points(outcome, np.ones(len(half), np.bool_)))
    return Chance(slope, offset, asked=len(outcome.best), ece=missed, of_logarithm=True)


def _points(outcome: LeftOut, chosen: Floats) -> tuple[Floats, Floats, Floats]:
    """Confidence, whether it was right, and weight of each question, and again of each as a stranger."""
    right = outcome.right[chosen].astype(np.float64)
    fellows = outcome.fellows[chosen]
    weight = np.where(right > 0.0, 1.0, (fellows - 1.0) / fellows)
    weight *= (1.0 - STRANGERS) * len(weight) / weight.sum()
    best = np.concatenate([outcome.best[chosen], outcome.stranger[chosen]])
    rights = np.concatenate([right, np.zeros(len(right))])
    weights = np.concatenate([weight, np.full(len(right), STRANGERS)])
    kept = (best > 0.0) & (best < WORD_FOR_WORD)
    return best[kept], rights[kept], weights[kept]


def _logistic(best: Floats, right: Floats, weight: Floats) -> tuple[float, float]:
    """Slope and offset of the likeliest logistic curve in the logarithm of `best`, by Newton's steps.

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


def _ece(chance: Chance, best: Floats, right: Floats, weight: Floats) -> float:
    chances = np.fromiter(map(chance, best.tolist()), np.float64, len(best))
    bins = np.minimum((chances * BINS).astype(np.intp), BINS - 1)
    gaps = np.bincount(bins, weight * (chances - right), BINS)
    return float(np.abs(gaps).sum() / weight.sum())


# ---- has what is taught changed much?


def sketch(taught: Iterable[tuple[str, str]]) -> tuple[int, ...]:
    """The smallest digests of all (answer, trigger): of two libraries as many are shared as of the libraries."""
    digests = {
        int.from_bytes(blake2b(f"{answer}\0{trigger}".encode("utf-8", "surrogatepass"), digest_size=6).digest())
        for answer, trigger in taught
    }
    return tuple(nsmallest(SKETCHED, digests))


def is_much_the_same(before: tuple[int, ...], now: tuple[int, ...]) -> bool:
    """Whether at least SAME_SHARE of all that is in one of two sketched libraries is in both."""
    both = nsmallest(SKETCHED, set(before) | set(now))
    shared = set(before).intersection(now)
    return sum(digest in shared for digest in both) >= SAME_SHARE * len(both)
