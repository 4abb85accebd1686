"""Data of charts: labels, histograms, precision and recall, threshold for a target precision."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.evaluation.answers import Answered, Top, labelled
from app.evaluation.comparison import interval
from app.evaluation.evaluation import label_counts

HISTOGRAM_BINS = 20
"""Number of equal-width bins of confidences."""

MOST_POINTS = 200
"""Maximum number of points on a curve."""

DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100)
"""Numbers of top candidates for which recall is computed."""

LEAST_FOR_THRESHOLD = 5
"""Minimum number of cases expecting a label for a suggested threshold, to avoid overfitting."""


@dataclass(frozen=True, slots=True)
class LabelScore:
    """Counts of one label (None: no match): expected, given, right.

    `threshold` maximises its F1; None with too few cases, and for no match.
    """

    label: str | None
    expected: int
    given: int
    right: int
    threshold: float | None = None

    @property
    def precision(self) -> float | None:
        return self.right / self.given if self.given else None

    @property
    def recall(self) -> float | None:
        return self.right / self.expected if self.expected else None

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; `expected + given` is never 0."""
        return 2.0 * self.right / (self.expected + self.given)


def label_scores(answers: Sequence[Answered]) -> tuple[LabelScore, ...]:
    """Score every label of `label_counts`: worst F1 first, then most expected.

    Their mean F1 is `macro_f1`.
    """
    at = best_thresholds(labelled(answers))
    found = [
        LabelScore(label, *counts, None if label is None else at.get(label))
        for label, counts in label_counts(answers).items()
    ]
    return tuple(sorted(found, key=lambda one: (one.f1, -one.expected, -one.given, one.label or "")))


def best_thresholds(answers: Sequence[Answered]) -> dict[str, float]:
    """Find the threshold with the best F1 of each label that LEAST_FOR_THRESHOLD cases expect.

    It lies in the middle of the gap below the last case above it. The threshold in force is ignored.
    """
    expected_of = Counter(label for answer in answers for label in answer.acceptable[:1])
    first: dict[str, list[tuple[float, bool]]] = {}
    for answer in answers:
        if answer.candidates and expected_of[name := answer.candidates[0].name] >= LEAST_FOR_THRESHOLD:
            first.setdefault(name, []).append((answer.confidence, answer.top_is_right))
    return {name: _best_cut(tops, expected_of[name]) for name, tops in first.items()}


def _best_cut(tops: Sequence[tuple[float, bool]], expected: int) -> float:
    order = sorted(tops, key=lambda top: -top[0])
    values = np.array([value for value, _ in order])
    right = np.cumsum([is_right for _, is_right in order])
    scores = 2.0 * right / (np.arange(1, len(order) + 1) + expected)
    ends = np.append(values[1:] < values[:-1], True)  # equal confidences are on the same side
    scores[~ends] = -1.0
    last = len(scores) - 1 - int(np.argmax(scores[::-1]))  # the lowest of equal cuts
    below = float(values[last + 1]) if last + 1 < len(values) else 0.0
    return round((float(values[last]) + below) / 2.0, 4)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Numbers of right and wrong top answers, by equal-width bins of confidence in [0, 1]."""

    right: tuple[int, ...]
    wrong: tuple[int, ...]


def confidence_histogram(answers: Sequence[Answered]) -> Histogram:
    """Count labelled cases by top confidence; without an expected match, no answer is right."""
    known = labelled(answers)
    values = np.array([answer.confidence for answer in known], np.float64)
    right = np.array([answer.top_is_right for answer in known], np.bool_)
    bins = np.minimum((values * HISTOGRAM_BINS).astype(np.intp), HISTOGRAM_BINS - 1)
    counts = (np.bincount(bins[which], minlength=HISTOGRAM_BINS).tolist() for which in (right, ~right))
    return Histogram(*map(tuple, counts))


@dataclass(frozen=True, slots=True)
class CutoffResult:
    """Result of answering only from this top confidence on.

    `coverage`: share of all cases answered; `precision`: share of those that are right; `recall`: right ones as a
    share of the cases that expect an answer.
    """

    threshold: float
    coverage: float
    precision: float
    recall: float


def cuts(answers: Sequence[Answered]) -> tuple[CutoffResult, ...]:
    """Compute cuts at up to MOST_POINTS top confidences, highest first; () without answers."""
    known = labelled(answers)
    tops = [answer for answer in known if answer.candidates]
    if not tops:
        return ()
    values = np.array([answer.confidence for answer in tops])
    order = np.argsort(-values, kind="stable")
    values = values[order]
    right = np.cumsum(np.array([answer.top_is_right for answer in tops])[order])
    expecting = sum(bool(answer.acceptable) for answer in known)
    ends = np.flatnonzero(np.append(values[1:] < values[:-1], True))
    return tuple(
        CutoffResult(
            float(values[end]),
            (end + 1) / len(known),
            float(right[end]) / (end + 1),
            float(right[end]) / expecting if expecting else 0.0,
        )
        for end in _thinned(ends)
    )


def _thinned(places: NDArray[np.intp]) -> list[int]:
    """Pick at most MOST_POINTS evenly, including the first and the last."""
    if len(places) <= MOST_POINTS:
        return [int(place) for place in places]
    kept = np.unique(np.linspace(0, len(places) - 1, MOST_POINTS).round().astype(np.intp))
    return [int(place) for place in places[kept]]


def retrieval(answers: Sequence[Answered]) -> tuple[tuple[int, float], ...]:
    """Compute for each of DEPTHS the share of cases with a right answer in the first candidates.

    Only cases that expect an answer count; () without any.
    """
    ranks = [answer.rank for answer in answers if answer.acceptable]
    if not ranks:
        return ()
    return tuple((depth, sum(rank is not None and rank <= depth for rank in ranks) / len(ranks)) for depth in DEPTHS)


LEAST_ANSWERED = 20
"""Minimum number of cases above a threshold."""

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


def precision_target(known: Sequence[Top], target: float, strangers: float | None = None) -> PrecisionTarget | None:
    """Find the lowest threshold with a precision of at least `target`; None if there is none.

    Also None if too few cases lie above it. Without `strangers` the share among the cases holds; raises ValueError
    if a share is given and no case is out of scope.
    """
    is_out_of_scope = np.array([top.expects_none for top in known], np.bool_)
    share = float(is_out_of_scope.sum()) / max(1, len(known)) if strangers is None else strangers
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
    effective = float(weights[:count].sum() ** 2 / np.square(weights[:count]).sum())  # sample size (Kish 1965)
    low, high = interval(float(precision[count - 1]) * effective, effective)
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


def _below(value: float, following: float) -> float:
    """Round down to a short threshold that still excludes the following value."""
    rounded = math.floor(value * 10**DIGITS) / 10**DIGITS
    return rounded if rounded > following else value
