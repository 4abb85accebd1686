"""The features of queries for each label of a part of a library, for fitting the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process

from app.scoring.columns.bm25 import Bm25Column, lacking_words
from app.scoring.columns.descriptions import SEVERAL
from app.scoring.columns.fuzzy import likeness
from app.scoring.learned.logit import ChoiceSets
from app.scoring.learned.model import FEATURES, Floats, Weights, readings
from app.scoring.learned.regression import TEXTS_AT_ONCE, CancelCheck, Solution, inputs_of
from app.scoring.learned.taught import NONE, Marks, Places, Singles, TrainingSet
from app.scoring.text import ScoredText, sorted_tokens, words

MAX_CANDIDATES = 20
"""Maximum number of candidate labels of a query; the others have a probability close to 0."""

AT_ONCE = 2_000_000
"""Number of cosines computed at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledBatch:
    """Queries with the label number of each (NONE: out of scope).

    `semantic_vectors` is as in TrainingSet, `letters` has shape (queries, PLACES).
    """

    owners: Places
    texts: Sequence[str]
    vectors: Singles
    semantic_vectors: Singles
    letters: Singles


class View:
    """Some rows of a training set, grouped by label.

    `own` are the positions of the rows, and `labels` the numbers of the labels that have any. `solution` is the
    regression on them, relative to `centre`, with its classes in the order of `labels` and the background last.
    """

    def __init__(
        self, taught: TrainingSet, own: Places, solution: Solution | None, centre: Singles, step: CancelCheck
    ) -> None:
        order = own[np.argsort(taught.owners[own], kind="stable")]
        self.labels, self._starts = np.unique(taught.owners[order], return_index=True)
        self._meanings = taught.cosine_vectors[order]
        self._described = None if taught.described is None else _shares_of(taught.described[order], self._starts)
        self._is_of_powers = taught.has_descriptions
        self._words = Bm25Column()
        for start in range(0, len(order), TEXTS_AT_ONCE):
            self._words.append([taught.texts[row] for row in order[start : start + TEXTS_AT_ONCE].tolist()])
            step()
        self._spelled = [sorted_tokens(taught.texts[row]) for row in order.tolist()]
        sums = np.add.reduceat(self._meanings, self._starts)
        self._centroids = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
        self._solution, self._centre = solution, centre

    def questions(self, asked: LabelledBatch, weights: Weights, step: CancelCheck) -> ChoiceSets:
        """Return the features of the best candidates by these weights, and of the right one."""
        parts = []
        size = max(1, AT_ONCE // max(len(self._meanings), 1))
        for start in range(0, max(len(asked.owners), 1), size):
            parts.append(self._part(asked, slice(start, start + size), weights))
            step()
        return ChoiceSets.joined(parts)

    def _part(self, asked: LabelledBatch, chunk: slice, weights: Weights) -> ChoiceSets:
        cosines = asked.semantic_vectors[chunk] @ self._meanings.T
        semantic = np.maximum.reduceat(cosines, self._starts, axis=1)
        features = np.zeros((*semantic.shape, len(FEATURES)))
        features[:, :, 1] = np.clip(semantic, 0.0, 1.0)
        if self._described is not None:
            means = np.add.reduceat(cosines * self._described, self._starts, axis=1)
            is_whole = np.add.reduceat(self._described, self._starts) > 0.0
            features[:, :, 2] = np.where(is_whole, np.clip(means, 0.0, 1.0), features[:, :, 1])
        for row, text in enumerate(asked.texts[chunk]):
            features[row, :, 3] = np.maximum.reduceat(self._words.score(ScoredText(text)), self._starts)
        if weights.centroid:
            features[:, :, 4] = np.clip(asked.semantic_vectors[chunk] @ self._centroids.T, 0.0, 1.0)
        if weights.fuzzy:
            rows = [sorted_tokens(text) for text in asked.texts[chunk]]
            ratios = process.cdist(rows, self._spelled, scorer=fuzz.ratio, dtype=np.float32)
            features[:, :, 5] = likeness(np.maximum.reduceat(ratios, self._starts, axis=1) / np.float32(100.0))
        none = np.zeros((len(semantic), 2))
        if self._solution is not None:
            inputs = inputs_of(asked.vectors[chunk], asked.letters[chunk], self._centre)
            logits = inputs @ self._solution.coefficients.T + self._solution.intercepts
            features[:, :, 0], none[:, 0], none[:, 1] = readings(logits.astype(np.float64))
        lacking = [lacking_words(words(text)) if self._is_of_powers else 0.0 for text in asked.texts[chunk]]
        return self._best(features, none, asked.owners[chunk], np.array(lacking, np.float64), weights)

    def _best(self, features: Floats, none: Floats, owners: Places, lacking: Floats, weights: Weights) -> ChoiceSets:
        places = np.searchsorted(self.labels, owners)
        is_there = (places < len(self.labels)) & (owners != NONE)
        is_there[is_there] = self.labels[places[is_there]] == owners[is_there]
        each = np.arange(len(owners))
        z = features @ weights.candidate
        z[each[is_there], places[is_there]] = np.inf
        count = min(MAX_CANDIDATES, len(self.labels))
        best = np.argpartition(-z, count - 1, axis=1)[:, :count]
        right = np.full(len(owners), count, np.intp)
        right[is_there] = np.argmax(best[is_there] == places[is_there, None], axis=1)
        chosen = np.take_along_axis(features, best[:, :, None], axis=1)
        return ChoiceSets(chosen, none, right, np.ones(len(owners)), lacking)


def _shares_of(marked: Marks, starts: Places) -> Singles:
    """Return the weight of each row in the mean of its label's marked rows.

    It is 0 for a row that is not marked, or that is the only marked one.
    """
    counts = np.repeat(np.add.reduceat(marked, starts, dtype=np.intp), np.diff(starts, append=len(marked)))
    shares: Singles = (marked / np.where(counts < SEVERAL, np.inf, counts)).astype(np.float32)
    return shares
