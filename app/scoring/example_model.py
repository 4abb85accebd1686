"""Model of training examples: regression over their labels, and reliability of its votes.

The labels come from the examples. Examples without a label are out of scope: no label is right for queries like
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.domain.case import TaughtExample, Vote, VoteBasis
from app.scoring.columns.column import Floats, Singles
from app.scoring.example_features import LISTED, ExampleWords, Prior, decisive_words, listed, top_places
from app.scoring.learned.regression import Problem, Solution, cancel_check, preconditioner_of, solve
from app.scoring.text import without_punctuation

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

LEAST_SHARE = 1e-6

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
    two = (-np.sort(-shares, axis=1)[:, :2]).clip(LEAST_SHARE, 1.0 - LEAST_SHARE)
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
    penalty[-1, -1] = LEAST_SHARE
    # Smoothed targets, so that examples that are all right leave some doubt.
    target = np.where(right, 1.0 - 1.0 / (len(right) + 2.0), 1.0 / (len(right) + 2.0))
    for _ in range(25):
        given = 1.0 / (1.0 + np.exp(-signs @ weights))
        slope = signs.T @ (target - given) - penalty @ weights
        curve = (signs.T * (given * (1.0 - given) + LEAST_SHARE)) @ signs + penalty
        weights += np.clip(np.linalg.solve(curve, slope), -5.0, 5.0)
    return weights


example_key = lru_cache(4_096)(without_punctuation)
"""Key of a text among examples; cached, as all are read after each change of the cases."""

MOST_FITTED = 4_000
"""Maximum number of examples in the fit, evenly spaced; all are neighbours."""

PENALTY, BY_SUBJECT_PENALTY = 0.2, 0.05
"""Regularisation of the regression.

Smaller by subject, which depends on single words.
"""

FOLDS = 5
"""Number of folds of cross-validation."""

LEAST_OWN, LESS_SHIPPED = 20, 0.04
"""Number of own examples from which on shipped ones may have less weight, and that weight.

It applies if it predicts the own examples better: shipped labels may be defined differently.
"""

EPSILON = 1e-3
"""Minimum probability of a held-out example, so that none decides alone."""

STRANGERS = 10
"""One in this many examples may be a shipped out-of-scope one."""


@dataclass(frozen=True, slots=True)
class Trained:
    """Cross-validated quality of the vote on its examples: shares of all, and of counted votes.

    `strangers` is the number of out-of-scope examples.
    """

    examples: int
    labels: int
    accuracy: float
    coverage: float
    precision: float
    threshold: float
    strangers: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ExampleModel:
    """Model fitted on examples. Immutable and thread-safe.

    The classes of the regression are the labels, and one for out of scope if there are such examples. Its input is
    the vectors for learning, followed by the words.
    """

    examples: tuple[TaughtExample, ...]
    taken: NDArray[np.intp]
    """Positions of the used examples among the given ones.

    Some shipped out-of-scope examples are not used.
    """
    labels: tuple[str, ...]
    taught: NDArray[np.intp]
    """Positions of the examples with labels."""
    vectors: Singles
    """Vectors for comparison, shape (examples, dimension)."""
    owned: Floats
    words: ExampleWords
    regression: Solution
    sureness: Sureness
    trained: Trained
    left_out: Floats
    """Cross-validated vote of each example; shape (examples, classes)."""
    by_text: Mapping[str, int]

    def vote(self, text: str, vector: Singles, learned: Singles | None = None, *, left_out: bool = False) -> Vote:
        """Vote on a query with this unit vector, and optionally another one for the regression.

        A query equal to an example has its label. With `left_out` its cross-validated vote is used, as for
        evaluations.
        """
        cosines = self.vectors @ vector
        own = self.by_text.get(example_key(text))
        if own is None:
            row = np.concatenate([vector if learned is None else learned, self.words.row(text)])
            shares = _softmax(self.regression, row[None, :])[0]
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
    ) -> VoteBasis:
        """Explain the first label's lead over the nearest example's label, or over the second."""
        first = int(order[0])
        has: NDArray[np.bool_] = self.owned[self.taught, first] > 0.0
        top = top_places(cosines[None, :], LISTED)[0]
        nearest = self.owned[self.taught[top[cosines[top].argmax()]]]
        rival = int(order[1]) if nearest[first] > 0.0 else int(nearest[: len(self.labels)].argmax())
        columns = self.regression.coefficients[:, -len(self.words.places) :] if self.words.places else np.zeros((2, 0))
        lead = columns[first] - columns[rival] if self.words.places else np.zeros(0)
        return VoteBasis(
            usual,
            known,
            bool(has[top].any()),
            listed(self.examples, self.taught[has], cosines[has], self.labels[first]),
            decisive_words(self.words, text, lead.astype(np.float64)),
        )


def fit(
    examples: Sequence[TaughtExample],
    vectors: Singles,
    learned: Singles | None = None,
    *,
    by_subject: bool = True,
    prior: Prior | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> ExampleModel | None:
    """Fit a model on examples with unit vectors, shape (len(examples), dimension).

    `learned` are other vectors for the regression. `prior` takes part in every fold. `by_subject`: labels follow
    the subject, so that a query far from all examples is less certain. None with fewer than two labels or four
    labelled examples. May take seconds for thousands; raises FitCancelledError.
    """
    labels = tuple(sorted({label for example in examples for label in example.labels}))
    if len(labels) < 2 or sum(bool(example.labels) for example in examples) < 4:
        return None
    learned = vectors if learned is None else learned
    some = _with_strangers(examples, vectors) if by_subject else np.arange(len(examples))
    examples, vectors, learned = [examples[place] for place in some], vectors[some], learned[some]
    owned = _owned(examples, labels)
    kept = _evenly(len(examples))
    words = ExampleWords.of([examples[place].text for place in kept])
    rows = np.hstack([learned[kept], words.rows([examples[place].text for place in kept])])
    penalty = BY_SUBJECT_PENALTY if by_subject else PENALTY
    some_examples = [examples[place] for place in kept]
    public = rows[:0], owned[:0]
    if prior is not None:
        found, counts = _rows_of(prior, words, labels, owned.shape[1])
        public = found, counts * _shipped_share(some_examples)

    def fitted(part: float) -> tuple[Solution, Floats]:
        return _fitted(rows, owned[kept] * _counted(some_examples, part), public, penalty, cancelled)

    regression, left_out = fitted(1.0)
    own = np.array([bool(one.labels) and not one.is_shipped for one in some_examples])
    if by_subject and own.sum() >= LEAST_OWN and _shipped_share(some_examples) > 0.0:
        less = fitted(LESS_SHIPPED)
        if _likelihood(less[1][own], owned[kept][own]) > _likelihood(left_out[own], owned[kept][own]):
            regression, left_out = less
    taught: NDArray[np.bool_] = owned[:, : len(labels)].max(axis=1) > 0.0
    nearest = _nearest_others(vectors[kept], taught[kept]) if by_subject else np.zeros(len(kept))
    sureness, trained = _judged(left_out, owned[kept], len(labels), nearest)
    trained = replace(trained, examples=int(taught.sum()), strangers=int((~taught).sum()))
    every = owned.copy()
    every[kept] = left_out
    return indexed(examples, some, vectors, words, regression, sureness, trained, every)


def indexed(
    examples: Sequence[TaughtExample],
    taken: NDArray[np.intp],
    vectors: Singles,
    words: ExampleWords,
    regression: Solution,
    sureness: Sureness,
    trained: Trained,
    left_out: Floats,
) -> ExampleModel:
    """Assemble a model from its parts, with examples indexed by label and text."""
    labels = tuple(sorted({label for example in examples for label in example.labels}))
    owned = _owned(examples, labels)
    return ExampleModel(
        tuple(examples),
        taken,
        labels,
        np.flatnonzero(owned[:, : len(labels)].max(axis=1) > 0.0),
        vectors,
        owned,
        words,
        regression,
        sureness,
        trained,
        left_out,
        {example_key(example.text): place for place, example in enumerate(examples)},
    )


def _with_strangers(examples: Sequence[TaughtExample], vectors: Singles) -> NDArray[np.intp]:
    """Return the positions of all examples except some shipped out-of-scope ones.

    Those nearer to the labelled examples than these are to each other are dropped, and the rest is limited in
    number.
    """
    taught = np.array([bool(example.labels) for example in examples])
    ships = np.array([example.is_shipped for example in examples]) & ~taught
    known = vectors[taught]
    some = _evenly(len(known))
    usual = float(np.median(_nearest_others(known[some], np.ones(len(some), np.bool_))))
    strangers = np.flatnonzero(ships)
    strangers = strangers[(vectors[strangers] @ known.T).max(axis=1, initial=0.0) < usual]
    return np.sort(np.concatenate([np.flatnonzero(~ships), strangers[: len(known) // (STRANGERS - 1)]]))


def _owned(examples: Sequence[TaughtExample], labels: Sequence[str]) -> Floats:
    """Return each example's share of each label, with one more column for out of scope if used."""
    places = {label: place for place, label in enumerate(labels)}
    owned = np.zeros((len(examples), len(labels) + (not all(example.labels for example in examples))))
    for row, example in enumerate(examples):
        if example.labels:
            owned[row, [places[label] for label in example.labels]] = 1.0 / len(example.labels)
        else:
            owned[row, -1] = 1.0
    return owned


def _likelihood(left_out: Floats, owned: Floats) -> float:
    """Return the mean log-probability of the right labels of held-out examples."""
    return float(np.log(np.maximum((left_out * (owned > 0.0)).sum(axis=1), EPSILON)).mean())


def _counted(examples: Sequence[TaughtExample], part: float = 1.0) -> Floats:
    """Return the weight of each example, shape (len(examples), 1).

    Shipped labelled examples have less weight the more own examples there are, times `part`; out-of-scope examples
    together have at most the weight of an average label.
    """
    less, labels = _shipped_share(examples) * part, len({label for example in examples for label in example.labels})
    counted = np.array([[less if example.is_shipped else 1.0] for example in examples])
    is_strange = np.array([not example.labels for example in examples])
    counted[is_strange] = min(1.0, float(counted[~is_strange].sum()) / labels / max(1, int(is_strange.sum())))
    return counted


def _shipped_share(examples: Sequence[TaughtExample]) -> float:
    """Return the share of shipped examples among the labelled ones."""
    return float(np.mean([example.is_shipped for example in examples if example.labels]))


def _judged(left_out: Floats, owned: Floats, labels: int, nearest: Floats) -> tuple[Sureness, Trained]:
    """Fit the reliability, and measure the vote's quality on the labelled examples."""
    shares, owned = left_out[:, :labels], owned[:, :labels]
    taught: NDArray[np.bool_] = owned.max(axis=1) > 0.0
    right: NDArray[np.bool_] = owned[np.arange(len(shares)), shares.argmax(axis=1)] > 0.0
    sureness = Sureness.of(shares, nearest, right, taught)
    sure, right = sureness(shares[taught], nearest[taught]), right[taught]
    threshold = max(EVEN, threshold_for(sure, right))
    counted = sure >= threshold
    precision = float(right[counted].mean()) if counted.any() else 0.0
    return sureness, Trained(len(right), labels, float(right.mean()), float(counted.mean()), precision, threshold)


def _evenly(count: int) -> NDArray[np.intp]:
    if count <= MOST_FITTED:
        return np.arange(count)
    return np.linspace(0, count - 1, MOST_FITTED).astype(np.intp)


# ---- Regression and cross-validation


def _rows_of(prior: Prior, words: ExampleWords, labels: Sequence[str], classes: int) -> tuple[Singles, Floats]:
    """Return the rows of a prior with one of these classes, and each row's weight per class."""
    places = {label: place for place, label in enumerate(labels)} | ({"": classes - 1} if classes > len(labels) else {})
    known = [row for row, label in enumerate(prior.labels) if label in places]
    counts = np.zeros((len(known), classes))
    counts[np.arange(len(known)), [places[prior.labels[row]] for row in known]] = prior.weights[known]
    return prior.rows(words)[known], counts


def _fitted(
    rows: Singles, owned: Floats, public: tuple[Singles, Floats], penalty: float, cancelled: Callable[[], bool] | None
) -> tuple[Solution, Floats]:
    """Fit on all rows, and cross-validate; shape (rows, classes)."""
    step = cancel_check(cancelled)

    def problem(some: Singles, classes: Floats) -> Problem:
        rows, owned = np.concatenate([some, public[0]]), np.concatenate([classes, public[1]])
        places, owners = np.nonzero(owned)  # a row per label of each example, weighted by its share
        return Problem(rows[places], owners, owned[places, owners].astype(np.float32), owned.shape[1], penalty)

    whole = problem(rows, owned)
    preconditioner = preconditioner_of(whole, step)
    regression = solve(whole, step=step, preconditioner=preconditioner)
    parts = np.random.default_rng(0).permutation(len(rows)) % FOLDS
    left_out = np.zeros(owned.shape)
    for part in range(min(FOLDS, len(rows))):
        rest = parts != part
        # The preconditioner of all rows also works for a part of them.
        without = solve(problem(rows[rest], owned[rest]), step=step, preconditioner=preconditioner)
        left_out[~rest] = _softmax(without, rows[~rest])
    return regression, left_out


def _softmax(regression: Solution, rows: Singles) -> Floats:
    logits = (rows @ regression.coefficients.T + regression.intercepts).astype(np.float64)
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    made: Floats = shares / shares.sum(axis=1, keepdims=True)
    return made


def _nearest_others(vectors: Singles, taught: NDArray[np.bool_]) -> Floats:
    """Return each example's cosine to the nearest other labelled one; shape (len(vectors),)."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, 0.0)
    nearest: Floats = np.clip(cosines[:, taught].max(axis=1), 0.0, 1.0).astype(np.float64)
    return nearest
