"""How sure a vote of examples is: fitted on how each came out when it was left out, and on how near the nearest was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.scoring.examples.words import Floats

PRECISION = 0.9
"""The vote counts from the confidence on above which so many left-out examples came out right."""

ENOUGH = 8
"""A threshold must let so many left-out examples through, or nothing is known of it."""

NEVER = 1.0
"""The threshold where no confidence reached PRECISION: only what was taught word for word counts."""

EVEN = 0.5
"""What is likelier wrong than right never counts, however good the vote is as a whole."""

LONELY = 0.05
"""A query farther from all examples than all but this share of them are from the rest is not known well."""

EPSILON = 1e-6

SIGNS = 4
"""So many tell a right vote from a wrong one."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """The logistic weights of the signs, and how near each example had another when it was left out, rising."""

    weights: Floats
    lonely: Floats

    @classmethod
    def of(cls, shares: Floats, nearest: Floats, right: NDArray[np.bool_], taught: NDArray[np.bool_]) -> Sureness:
        """Fitted on left-out examples: what the vote came to for each, how near the nearest other was, whether that
        was right, and which of them teach a route; the others are strangers, for which nothing is right."""
        return cls(_calibrated(shares, nearest, right), np.sort(nearest[taught]))

    def __call__(self, shares: Floats, nearest: Floats) -> Floats:
        """How likely each first label is right, in [0, 1]; shapes (queries, labels), (queries,)."""
        made: Floats = self.usual(shares, nearest) * self.known(nearest)
        return made

    def usual(self, shares: Floats, nearest: Floats) -> Floats:
        """How many votes of this kind were right, in [0, 1], among the examples that were left out."""
        made: Floats = 1.0 / (1.0 + np.exp(-_signs(shares, nearest) @ self.weights))
        return made

    def known(self, nearest: Floats) -> Floats:
        """How likely queries with an example so near are of the kind that is taught, in [0, 1].

        The share of the examples that were as lonely, of the share LONELY: from that on nothing speaks against it.
        """
        count = len(self.lonely)
        if self.lonely[-1] <= 0.0:
            return np.ones(len(nearest))
        shares = np.interp(nearest, np.concatenate([[0.0], self.lonely]), np.arange(count + 1) / (count + 1.0))
        # Of a few examples the loneliest is the measure: none of them says what is rare.
        made: Floats = np.minimum(1.0, shares / max(LONELY, 1.0 / (count + 1.0)))
        return made


def threshold_for(sure: Floats, right: NDArray[np.bool_], precision: float = PRECISION) -> float:
    """The least confidence above which so large a share came out right; NEVER if there is none."""
    order = np.argsort(-sure, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero((shares >= precision) & (np.arange(1, len(order) + 1) >= min(ENOUGH, len(order))))
    return float(sure[order[good[-1]]]) if len(good) else NEVER


def _signs(shares: Floats, nearest: Floats) -> Floats:
    """What tells right from wrong: the odds of the first label, its lead over the second, how near an example is."""
    two = (-np.sort(-shares, axis=1)[:, :2]).clip(EPSILON, 1.0 - EPSILON)
    odds = np.log(two[:, 0] / (1.0 - two[:, 0]))
    return np.column_stack([odds, np.log(two[:, 0] / two[:, 1]), nearest, np.ones(len(shares))])


def _calibrated(shares: Floats, nearest: Floats, right: NDArray[np.bool_]) -> Floats:
    """A logistic regression of being right on the signs, by Newton's steps; no sign may speak against being right."""
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
    # A little of both outcomes, so that examples that are all right leave room for doubt.
    target = np.where(right, 1.0 - 1.0 / (len(right) + 2.0), 1.0 / (len(right) + 2.0))
    for _ in range(25):
        given = 1.0 / (1.0 + np.exp(-signs @ weights))
        slope = signs.T @ (target - given) - penalty @ weights
        curve = (signs.T * (given * (1.0 - given) + EPSILON)) @ signs + penalty
        weights += np.clip(np.linalg.solve(curve, slope), -5.0, 5.0)
    return weights
