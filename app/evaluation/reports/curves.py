"""What pictures of an evaluation draw, as arrays: labels, confidences of right and wrong, what a threshold costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.evaluation.answers import Answered, labelled
from app.evaluation.metrics import label_counts

HISTOGRAM_BINS = 20
"""Confidences are sorted into this many bins of equal width."""

MOST_POINTS = 200
"""A curve keeps so many points at most; more than a picture has pixels tell nothing."""

DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100)
"""How far down the list an answer is looked for."""

LEAST_FOR_THRESHOLD = 5
"""A threshold is suggested for a label that so many cases expect: of fewer it would fit the cases, not the label."""


@dataclass(frozen=True, slots=True)
class LabelScore:
    """One label (None: no match): how many cases expect it, how many were answered by it, and how many rightly.

    `threshold` is the confidence from which on its F1 would be best; None where too few cases tell, and of no match.
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
        """The harmonic mean of both; a label is there because it was expected or given."""
        return 2.0 * self.right / (self.expected + self.given)


def label_scores(answers: Sequence[Answered]) -> tuple[LabelScore, ...]:
    """Every label of `label_counts`: the worst F1 first, of level ones the most expected.

    Their mean F1 is `macro_f1`.
    """
    at = best_thresholds(labelled(answers))
    found = [
        LabelScore(label, *counts, None if label is None else at.get(label))
        for label, counts in label_counts(answers).items()
    ]
    return tuple(sorted(found, key=lambda one: (one.f1, -one.expected, -one.given, one.label or "")))


def best_thresholds(answers: Sequence[Answered]) -> dict[str, float]:
    """For each label that LEAST_FOR_THRESHOLD cases expect and that came first: the least top confidence at which to
    give it so that its F1 is best, whatever the threshold in force; in the middle of the gap below that case."""
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
    ends = np.append(values[1:] < values[:-1], True)  # equal confidences stand or fall together
    scores[~ends] = -1.0
    last = len(scores) - 1 - int(np.argmax(scores[::-1]))  # of level cuts the lowest
    below = float(values[last + 1]) if last + 1 < len(values) else 0.0
    return round((float(values[last]) + below) / 2.0, 4)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many top answers of each confidence are right, and how many wrong; bins of equal width from 0 to 1."""

    right: tuple[int, ...]
    wrong: tuple[int, ...]


def confidence_histogram(answers: Sequence[Answered]) -> Histogram:
    """The labelled cases by the confidence of their top answer; where no match is expected, no top answer is right."""
    known = labelled(answers)
    values = np.array([answer.confidence for answer in known], np.float64)
    right = np.array([answer.top_is_right for answer in known], np.bool_)
    bins = np.minimum((values * HISTOGRAM_BINS).astype(np.intp), HISTOGRAM_BINS - 1)
    counts = (np.bincount(bins[which], minlength=HISTOGRAM_BINS).tolist() for which in (right, ~right))
    return Histogram(*map(tuple, counts))


@dataclass(frozen=True, slots=True)
class Cut:
    """What comes of answering from this top confidence on: `coverage`, the share of all cases that are answered;
    `precision`, the share of these that are right; `recall`, the right ones by all cases that expect an answer."""

    threshold: float
    coverage: float
    precision: float
    recall: float


def cuts(answers: Sequence[Answered]) -> tuple[Cut, ...]:
    """A cut at every top confidence, the surest first, or at MOST_POINTS of them; () without an answer."""
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
        Cut(
            float(values[end]),
            (end + 1) / len(known),
            float(right[end]) / (end + 1),
            float(right[end]) / expecting if expecting else 0.0,
        )
        for end in _thinned(ends)
    )


def _thinned(places: NDArray[np.intp]) -> list[int]:
    """At most MOST_POINTS of them, evenly, the first and the last among them."""
    if len(places) <= MOST_POINTS:
        return [int(place) for place in places]
    kept = np.unique(np.linspace(0, len(places) - 1, MOST_POINTS).round().astype(np.intp))
    return [int(place) for place in places[kept]]


def retrieval(answers: Sequence[Answered]) -> tuple[tuple[int, float], ...]:
    """For each of DEPTHS the share of the cases expecting an answer whose first right one stands no lower; () where
    none expects one."""
    ranks = [answer.rank for answer in answers if answer.acceptable]
    if not ranks:
        return ()
    return tuple((depth, sum(rank is not None and rank <= depth for rank in ranks) / len(ranks)) for depth in DEPTHS)
