"""Routing by example: neighbours and a regression vote, and know from leaving each example out how far to trust that.

Nothing here knows the five intents: whatever labels the examples carry are learned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from app.domain.route import RouteExample, TaughtRoute, Vote
from app.scoring.route_words import Floats, RouteWords
from app.scoring.text import without_punctuation

MOST_FITTED = 4_000
"""The regression is fitted on so many examples at most, evenly over those there are; all are neighbours."""

WORD_WEIGHTS = (0.0, 0.5, 1.0)
PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0)
NEIGHBOURS = (5, 15)
BLENDS = (0.0, 0.25, 0.5, 1.0)
SHARPNESS = (1.0, 2.0, 4.0, 8.0, 16.0)
"""What cross-validation chooses from: how much words count beside the embedding, the ridge's penalty, how many
neighbours vote, their share of the vote, and how far apart scores push probabilities."""

NEARNESS = 10.0
"""A neighbour's vote weighs exp(NEARNESS * cosine)."""

PRECISION = 0.9
"""The vote counts from the confidence on above which so many left-out examples came out right."""

ENOUGH = 8
"""A threshold must let so many left-out examples through, or nothing is known of it."""

NEVER = 1.0
"""The threshold where no confidence reached PRECISION: only what was taught word for word counts."""

LONELY = 10
"""A query farther from all examples than so many per cent of them are from the rest is not known well."""

LISTED = 5
"""So many nearest examples are shown."""

EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Choice:
    """What cross-validation chose."""

    word_weight: float
    penalty: float
    neighbours: int
    blend: float
    sharpness: float


@dataclass(frozen=True, slots=True)
class Trained:
    """How good the vote was on its own examples, each left out in turn: shares of all, and of those it counted for."""

    examples: int
    labels: int
    accuracy: float
    coverage: float
    precision: float
    threshold: float
    choice: Choice


@dataclass(frozen=True, slots=True)
class RouteModel:
    """What was learned of some examples. Vectors have shape (examples, dimension), weights (features, labels)."""

    examples: tuple[TaughtRoute, ...]
    labels: tuple[str, ...]
    vectors: NDArray[np.float32]
    owned: Floats
    words: RouteWords
    weights: Floats
    calibration: Floats
    trained: Trained
    left_out: Floats
    """What the vote came to for each example when that was left out; shape (examples, labels)."""
    by_text: Mapping[str, int]
    apart: float
    """How near an example has another at least, but for the loneliest LONELY per cent; a cosine."""

    def vote(self, text: str, vector: NDArray[np.float32], *, left_out: bool = False) -> Vote:
        """What the examples say of a query with this unit vector.

        A query that is taught word for word has its own label. With `left_out` it does not teach itself: the vote is
        the one that was taken without it, as an evaluation must.
        """
        cosines = self.vectors @ vector
        own = self.by_text.get(without_punctuation(text))
        if own is None:
            shares = self._shares(text, vector, cosines)
        elif left_out:
            shares = self.left_out[own]
            cosines = cosines.copy()
            cosines[own] = 0.0
        else:
            shares = self.owned[own]
        order = np.argsort(-shares, kind="stable")
        nearest = self._nearest(cosines)
        sure = 1.0
        if own is None or left_out:
            near = cosines.max(initial=0.0, keepdims=True)
            # Farther from all examples than these are from one another, nothing is known of being right.
            far = min(1.0, float(near[0]) / self.apart) if self.apart > 0.0 else 1.0
            sure = far * float(_sure(shares[None, :], near, self.calibration)[0])
        return Vote(
            self.labels[order[0]],
            min(1.0, max(0.0, sure)),
            self.trained.threshold,
            tuple((self.labels[place], float(shares[place])) for place in order),
            nearest,
        )

    def _shares(self, text: str, vector: NDArray[np.float32], cosines: NDArray[np.float32]) -> Floats:
        choice = self.trained.choice
        row = np.concatenate([vector.astype(np.float64), choice.word_weight * self.words.row(text), [1.0]])
        ridge = _softmax(choice.sharpness * (row @ self.weights)[None, :])
        near = _neighbour_shares(cosines[None, :], self.owned, choice.neighbours)
        blended: Floats = ((1.0 - choice.blend) * ridge + choice.blend * near)[0]
        return blended

    def _nearest(self, cosines: NDArray[np.float32]) -> tuple[RouteExample, ...]:
        some = _top(cosines[None, :], LISTED)[0]
        return tuple(
            RouteExample(
                self.examples[place].text,
                self.examples[place].labels[0],
                min(1.0, max(0.0, float(cosines[place]))),
                self.examples[place].is_shipped,
            )
            for place in some[np.argsort(-cosines[some], kind="stable")].tolist()
        )


def fit(examples: Sequence[TaughtRoute], vectors: NDArray[np.float32]) -> RouteModel | None:
    """Learn the labels of these examples, whose unit vectors have shape (len(examples), dimension).

    None where nothing can be learned: fewer than two labels, or than four examples. May take seconds for thousands.
    """
    labels = tuple(sorted({label for example in examples for label in example.labels}))
    if len(labels) < 2 or len(examples) < 4:
        return None
    places = {label: place for place, label in enumerate(labels)}
    owned = np.zeros((len(examples), len(labels)))
    for row, example in enumerate(examples):
        owned[row, [places[label] for label in example.labels]] = 1.0 / len(example.labels)
    kept = _evenly(len(examples))
    words = RouteWords.of([examples[place].text for place in kept])
    rows = words.rows([examples[place].text for place in kept])
    tried = _tried(vectors[kept].astype(np.float64), rows, owned[kept])
    choice, left_out, weights = _chosen(tried, owned[kept])
    nearest = _nearest_others(vectors[kept])
    right = _is_right(left_out, owned[kept])
    calibration = _calibrated(left_out, nearest, right)
    sure = _sure(left_out, nearest, calibration)
    threshold = threshold_for(sure, right)
    counted = sure >= threshold
    trained = Trained(
        len(examples),
        len(labels),
        float(right.mean()),
        float(counted.mean()),
        float(right[counted].mean()) if counted.any() else 0.0,
        threshold,
        choice,
    )
    every = owned.copy()
    every[kept] = left_out
    by_text = {without_punctuation(example.text): place for place, example in enumerate(examples)}
    return RouteModel(
        tuple(examples),
        labels,
        vectors,
        owned,
        words,
        weights(),
        calibration,
        trained,
        every,
        by_text,
        float(np.percentile(nearest, LONELY)),
    )


def threshold_for(sure: Floats, right: NDArray[np.bool_], precision: float = PRECISION) -> float:
    """The least confidence above which so large a share came out right; NEVER if there is none."""
    order = np.argsort(-sure, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero((shares >= precision) & (np.arange(1, len(order) + 1) >= min(ENOUGH, len(order))))
    return float(sure[order[good[-1]]]) if len(good) else NEVER


def _evenly(count: int) -> NDArray[np.intp]:
    if count <= MOST_FITTED:
        return np.arange(count)
    return np.linspace(0, count - 1, MOST_FITTED).astype(np.intp)


# ---- leaving one out


Weights = Callable[[], Floats]
Tried = tuple[Choice, Floats, Weights]


def _tried(vectors: Floats, words: Floats, owned: Floats) -> Iterator[Tried]:
    """Every way to vote: what it came to for each example left out, and the regression's weights, made when wanted."""
    near = _left_out_neighbours(vectors, owned)
    for word_weight in WORD_WEIGHTS if words.shape[1] else WORD_WEIGHTS[:1]:
        rows = np.hstack([vectors, word_weight * words, np.ones((len(vectors), 1))])
        left, sizes, right = np.linalg.svd(rows, full_matrices=False)
        target = 2.0 * owned - 1.0
        along = left.T @ target
        for penalty in PENALTIES:
            kept = sizes**2 / (sizes**2 + penalty)
            own = ((left**2) * kept).sum(axis=1, keepdims=True)
            scores = ((left * kept) @ along - own * target) / (1.0 - own)

            def weights(
                sizes: Floats = sizes, right: Floats = right, along: Floats = along, p: float = penalty
            ) -> Floats:
                made: Floats = (right.T * (sizes / (sizes**2 + p))) @ along
                return made

            for sharpness in SHARPNESS:
                ridge = _softmax(sharpness * scores)
                for (neighbours, share), blend in product(near.items(), BLENDS):
                    choice = Choice(word_weight, penalty, neighbours, blend, sharpness)
                    yield choice, (1.0 - blend) * ridge + blend * share, weights


def _chosen(tried: Iterator[Tried], owned: Floats) -> tuple[Choice, Floats, Weights]:
    """The way whose shares give the labels the highest probability."""

    def loss(way: Tried) -> float:
        given = (way[1] * (owned > 0.0)).sum(axis=1)
        return -float(np.log(np.maximum(given, EPSILON)).mean())

    return min(tried, key=loss)


def _left_out_neighbours(vectors: Floats, owned: Floats) -> dict[int, Floats]:
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    return {count: _neighbour_shares(cosines, owned, count) for count in NEIGHBOURS}


def _nearest_others(vectors: NDArray[np.float32]) -> Floats:
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, 0.0)
    nearest: Floats = np.clip(cosines.max(axis=1), 0.0, 1.0).astype(np.float64)
    return nearest


def _neighbour_shares(cosines: NDArray[np.floating], owned: Floats, count: int) -> Floats:
    """What the nearest examples' labels have of the vote; shape (queries, labels)."""
    some = _top(cosines, count)
    near = np.take_along_axis(cosines, some, axis=1).astype(np.float64)
    weights = np.exp(NEARNESS * (near - near.max(axis=1, keepdims=True)))
    shares = np.einsum("qn,qnl->ql", weights, owned[some])
    made: Floats = shares / shares.sum(axis=1, keepdims=True)
    return made


def _top(values: NDArray[np.floating], count: int) -> NDArray[np.intp]:
    count = min(count, values.shape[1])
    made: NDArray[np.intp] = np.argpartition(-values, count - 1, axis=1)[:, :count]
    return made


def _softmax(scores: Floats) -> Floats:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    made: Floats = shares / shares.sum(axis=1, keepdims=True)
    return made


def _is_right(shares: Floats, owned: Floats) -> NDArray[np.bool_]:
    made: NDArray[np.bool_] = owned[np.arange(len(shares)), shares.argmax(axis=1)] > 0.0
    return made


# ---- how sure


def _signs(shares: Floats, nearest: NDArray[np.floating]) -> Floats:
    """What tells right from wrong: the odds of the first label, its lead over the second, how near an example is."""
    two = (-np.sort(-shares, axis=1)[:, :2]).clip(EPSILON, 1.0 - EPSILON)
    odds = np.log(two[:, 0] / (1.0 - two[:, 0]))
    return np.column_stack([odds, np.log(two[:, 0] / two[:, 1]), nearest, np.ones(len(shares))])


def _sure(shares: Floats, nearest: NDArray[np.floating], calibration: Floats) -> Floats:
    made: Floats = 1.0 / (1.0 + np.exp(-_signs(shares, nearest) @ calibration))
    return made


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
