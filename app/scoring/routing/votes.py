"""Routing by example: neighbours and a regression vote, and know from leaving each example out how far to trust that.

Nothing here knows the five intents: whatever labels the examples carry are learned. Examples without any are strangers:
what they are like, no label is right for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from app.domain.route import Grounds, TaughtRoute, Vote
from app.scoring.routing.grounds import LISTED, listed, neighbour_shares, telling, top_places
from app.scoring.routing.sureness import EPSILON, EVEN, Sureness, threshold_for
from app.scoring.routing.words import Floats, RouteWords
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

STRANGERS = 10
"""Of the strangers that ship so many take part that one in so many of what is learned is one."""


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
    """How good the vote was on its own examples, each left out in turn: shares of all, and of those it counted for.

    `strangers` took part beside them.
    """

    examples: int
    labels: int
    accuracy: float
    coverage: float
    precision: float
    threshold: float
    choice: Choice
    strangers: int = 0


@dataclass(frozen=True, slots=True)
class RouteModel:
    """What was learned of some examples. Vectors have shape (examples, dimension), weights (features, columns).

    The columns are the labels, and one more for strangers if there are some.
    """

    examples: tuple[TaughtRoute, ...]
    labels: tuple[str, ...]
    taught: NDArray[np.intp]
    """The places of the examples that have labels."""
    vectors: NDArray[np.float32]
    owned: Floats
    words: RouteWords
    weights: Floats
    sureness: Sureness
    trained: Trained
    left_out: Floats
    """What the vote came to for each example when that was left out; shape (examples, columns)."""
    by_text: Mapping[str, int]

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
        shares = shares[: len(self.labels)]
        order = np.argsort(-shares, kind="stable")
        first = int(order[0])
        cosines = cosines[self.taught]
        if own is None or left_out:
            near = cosines.max(initial=0.0, keepdims=True).astype(np.float64)
            usual, known = float(self.sureness.usual(shares[None, :], near)[0]), float(self.sureness.known(near)[0])
        else:
            usual, known = (1.0 if self.examples[own].labels else 0.0), 1.0
        usual = min(1.0, max(0.0, usual))
        return Vote(
            self.labels[first],
            usual * known,
            self.trained.threshold,
            tuple((self.labels[place], float(shares[place])) for place in order),
            listed(self.examples, self.taught, cosines),
            self._grounds(text, cosines, order, usual, known),
        )

    def _grounds(
        self, text: str, cosines: NDArray[np.float32], order: NDArray[np.intp], usual: float, known: float
    ) -> Grounds:
        """Why the first of these labels wins over that of the nearest example, or, where that is its own, the next."""
        first = int(order[0])
        has: NDArray[np.bool_] = self.owned[self.taught, first] > 0.0
        top = top_places(cosines[None, :], LISTED)[0]
        nearest = self.owned[self.taught[top[cosines[top].argmax()]]]
        rival = int(order[1]) if nearest[first] > 0.0 else int(nearest[: len(self.labels)].argmax())
        choice = self.trained.choice
        columns = self.weights[self.vectors.shape[1] : -1] * choice.word_weight * (1.0 - choice.blend)
        return Grounds(
            usual,
            known,
            bool(has[top].any()),
            listed(self.examples, self.taught[has], cosines[has], self.labels[first]),
            telling(self.words, text, columns[:, first] - columns[:, rival]),
        )

    def _shares(self, text: str, vector: NDArray[np.float32], cosines: NDArray[np.float32]) -> Floats:
        choice = self.trained.choice
        row = np.concatenate([vector.astype(np.float64), choice.word_weight * self.words.row(text), [1.0]])
        ridge = _softmax(choice.sharpness * (row @ self.weights)[None, :])
        near = neighbour_shares(cosines[None, :], self.owned, choice.neighbours)
        blended: Floats = ((1.0 - choice.blend) * ridge + choice.blend * near)[0]
        return blended


def fit(examples: Sequence[TaughtRoute], vectors: NDArray[np.float32]) -> RouteModel | None:
    """Learn the labels of these examples, whose unit vectors have shape (len(examples), dimension).

    None where nothing can be learned: fewer than two labels, or than four examples that have one. May take seconds for
    thousands.
    """
    labels = tuple(sorted({label for example in examples for label in example.labels}))
    if len(labels) < 2 or sum(bool(example.labels) for example in examples) < 4:
        return None
    some = _with_strangers(examples, vectors)
    examples, vectors = [examples[place] for place in some], vectors[some]
    owned = _owned(examples, labels)
    kept = _evenly(len(examples))
    words = RouteWords.of([examples[place].text for place in kept])
    rows = words.rows([examples[place].text for place in kept])
    tried = _tried(vectors[kept].astype(np.float64), rows, owned[kept])
    choice, left_out, weights = _chosen(tried, owned[kept])
    taught: NDArray[np.bool_] = owned[:, : len(labels)].max(axis=1) > 0.0
    nearest = _nearest_others(vectors[kept], taught[kept])
    sureness, trained = _judged(left_out, owned[kept], len(labels), nearest, choice)
    every = owned.copy()
    every[kept] = left_out
    return RouteModel(
        tuple(examples),
        labels,
        np.flatnonzero(taught),
        vectors,
        owned,
        words,
        weights(),
        sureness,
        replace(trained, examples=int(taught.sum()), strangers=int((~taught).sum())),
        every,
        {without_punctuation(example.text): place for place, example in enumerate(examples)},
    )


def _with_strangers(examples: Sequence[TaughtRoute], vectors: NDArray[np.float32]) -> NDArray[np.intp]:
    """The places of all examples but some of the strangers that ship: those nearer to what is taught than most of that
    is to the rest are none here, and a few examples are not drowned in the others."""
    taught = np.array([bool(example.labels) for example in examples])
    ships = np.array([example.is_shipped for example in examples]) & ~taught
    known = vectors[taught]
    some = _evenly(len(known))
    usual = float(np.median(_nearest_others(known[some], np.ones(len(some), np.bool_))))
    strangers = np.flatnonzero(ships)
    strangers = strangers[(vectors[strangers] @ known.T).max(axis=1, initial=0.0) < usual]
    return np.sort(np.concatenate([np.flatnonzero(~ships), strangers[: len(known) // (STRANGERS - 1)]]))


def _owned(examples: Sequence[TaughtRoute], labels: Sequence[str]) -> Floats:
    """Which label each example has, its share if it has several; one more column for strangers if there are some."""
    places = {label: place for place, label in enumerate(labels)}
    has_strangers = not all(example.labels for example in examples)
    owned = np.zeros((len(examples), len(labels) + has_strangers))
    for row, example in enumerate(examples):
        if example.labels:
            owned[row, [places[label] for label in example.labels]] = 1.0 / len(example.labels)
        else:
            owned[row, -1] = 1.0
    return owned


def _judged(left_out: Floats, owned: Floats, labels: int, nearest: Floats, choice: Choice) -> tuple[Sureness, Trained]:
    """How sure to be, and how good the vote was on the examples that have a label."""
    shares, owned = left_out[:, :labels], owned[:, :labels]
    taught: NDArray[np.bool_] = owned.max(axis=1) > 0.0
    right = _is_right(shares, owned)
    sureness = Sureness.of(shares, nearest, right, taught)
    sure, right = sureness(shares[taught], nearest[taught]), right[taught]
    threshold = max(EVEN, threshold_for(sure, right))
    counted = sure >= threshold
    precision = float(right[counted].mean()) if counted.any() else 0.0
    trained = Trained(len(right), labels, float(right.mean()), float(counted.mean()), precision, threshold, choice)
    return sureness, trained


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
    return {count: neighbour_shares(cosines, owned, count) for count in NEIGHBOURS}


def _nearest_others(vectors: NDArray[np.float32], taught: NDArray[np.bool_]) -> Floats:
    """How near each has another that is taught; shape (len(vectors),)."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, 0.0)
    nearest: Floats = np.clip(cosines[:, taught].max(axis=1), 0.0, 1.0).astype(np.float64)
    return nearest


def _softmax(scores: Floats) -> Floats:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    made: Floats = shares / shares.sum(axis=1, keepdims=True)
    return made


def _is_right(shares: Floats, owned: Floats) -> NDArray[np.bool_]:
    made: NDArray[np.bool_] = owned[np.arange(len(shares)), shares.argmax(axis=1)] > 0.0
    return made
