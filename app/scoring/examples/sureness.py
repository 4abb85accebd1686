"""Reliability of a vote of examples, fitted on cross-validated votes and nearest distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.scoring.examples.features import Floats

PRECISION = 0.9
"""Precision on held-out examples that a vote's threshold must reach."""

ENOUGH = 8
"""Minimum number of held-out examples above a threshold."""

NEVER = 1.0
"""Threshold if no confidence reaches PRECISION: only exact matches count."""

EVEN = 0.5
"""Minimum confidence of a counted vote."""

LONELY = 0.05
"""Share of the most isolated examples; queries farther away are less certain."""

EPSILON = 1e-6

SIGNS = 4
"""Number of features of a right vote."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """Logistic weights of the features.

    `lonely` has each example's similarity to the nearest other, sorted.
    """

    weights: Floats
    lonely: Floats

    @classmethod
    def of(cls, shares: Floats, nearest: Floats, right: NDArray[np.bool_], taught: NDArray[np.bool_]) -> Sureness:
        """Fit on held-out examples: votes, nearest similarities, correctness, and labelled examples.

        The others are out of scope, for which no label is right.
        """
        return cls(_calibrated(shares, nearest, right), np.sort(nearest[taught]))

    def __call__(self, shares: Floats, nearest: Floats) -> Floats:
        """Return the probability of each first label; shapes (queries, labels), (queries,)."""
        made: Floats = self.usual(shares, nearest) * self.known(nearest)
        return made

    def usual(self, shares: Floats, nearest: Floats) -> Floats:
        """Return the share of right votes among similar held-out votes, in [0, 1]."""
        made: Floats = 1.0 / (1.0 + np.exp(-_signs(shares, nearest) @ self.weights))
        return made

    def known(self, nearest: Floats) -> Floats:
        """Return the probability that queries at this similarity are in scope, in [0, 1].

        The share of examples at least as isolated, divided by LONELY, at most 1.
        """
        count = len(self.lonely)
        if self.lonely[-1] <= 0.0:
            return np.ones(len(nearest))
        shares = np.interp(nearest, np.concatenate([[0.0], self.lonely]), np.arange(count + 1) / (count + 1.0))
        # With few examples the most isolated one sets the scale.
        made: Floats = np.minimum(1.0, shares / max(LONELY, 1.0 / (count + 1.0)))
        return made


def threshold_for(sure: Floats, right: NDArray[np.bool_], precision: float = PRECISION) -> float:
    """Return the lowest threshold with this precision; NEVER if there is none."""
    order = np.argsort(-sure, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero((shares >= precision) & (np.arange(1, len(order) + 1) >= min(ENOUGH, len(order))))
    return float(sure[order[good[-1]]]) if len(good) else NEVER


def _signs(shares: Floats, nearest: Floats) -> Floats:
    """Compute features: odds of the first label, lead over the second, nearest similarity."""
    two = (-np.sort(-shares, axis=1)[:, :2]).clip(EPSILON, 1.0 - EPSILON)
    odds = np.log(two[:, 0] / (1.0 - two[:, 0]))
    return np.column_stack([odds, np.log(two[:, 0] / two[:, 1]), nearest, np.ones(len(shares))])


def _calibrated(shares: Floats, nearest: Floats, right: NDArray[np.bool_]) -> Floats:
    """Fit a logistic regression of correctness on the features, with weights of at least 0."""
    signs = _signs(shares, nearest)
    allowed = np.ones(signs.shape[1], np.bool_)
    while True:
        weights = np.zeros(signs.shape[1])
        weights[allowed] = _logistic(signs[:, allowed], right)
        wrong = np.flatnonzero(weights[:-1] < 0.0)
        if not len(wrong):
            return weights
        allowed[wrong] = False


def _logistic(signs: Floats, right: NDArray[np.bool_]) -> Floats:
    weights = np.zeros(signs.shape[1])
    penalty = np.eye(signs.shape[1])
    penalty[-1, -1] = EPSILON
    # Smoothed targets, so that examples that are all right leave some doubt.
    target = np.where(right, 1.0 - 1.0 / (len(right) + 2.0), 1.0 / (len(right) + 2.0))
    for _ in range(25):
        given = 1.0 / (1.0 + np.exp(-signs @ weights))
        slope = signs.T @ (target - given) - penalty @ weights
        curve = (signs.T * (given * (1.0 - given) + EPSILON)) @ signs + penalty
        weights += np.clip(np.linalg.solve(curve, slope), -5.0, 5.0)
    return weights
