"""Check that each trigger, as a query, leads to its own answer.

Its lexical scores are 1 for its own answer, so another answer can at most tie: one with the same words, or words
that no scorer distinguishes (`EqualTriggers`). The mean of semantic and centroid scores of another answer may be
higher: `balanced` is still right for the exact text, but may fail for other wordings (`MeaningSearch`).

Both run in steps of some milliseconds on any thread, and can be abandoned between them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from app.scoring.columns.column import Floats, Places, Singles
from app.scoring.combiners import Combiner
from app.scoring.reference import exact, fuzzy, token_overlap
from app.scoring.text import tokens, without_punctuation
from app.settings.model import Settings

MOST_VARIANTS = 32
"""Maximum number of texts with possibly equal scores that are compared with each other."""

AT_ONCE = 2_000
"""Number of texts or pairs per step."""

PRODUCTS_AT_ONCE = 4_000_000
"""Number of products per step: about 30 ms, in which other threads run."""

COLUMNS = 8_192
AHEAD = 1e-6
"""Tolerance of float32 products."""

NOBODY = -1


def own_worth(combiner: Combiner, settings: Settings) -> tuple[float, float]:
    """Return a memory's confidence for its own text: with a vector, and without."""
    ones, meant = np.ones(2), np.array([1.0, np.nan])
    columns = {"exact": ones, "fuzzy": ones, "token_overlap": ones, "semantic": meant, "centroid": meant}
    has, has_not = np.nan_to_num(combiner.combine(columns, settings), nan=0.0).tolist()
    return has, has_not


class EqualTriggers:
    """For each trigger, an earlier one of another answer with an equal score; NOBODY if none.

    `texts` are in ranking order; `owners` numbers the memory of each, and `answers` the answer, which several
    memories may share. `vectors` (n, dimension) are those of all rows, and `rows` gives each trigger's own, NOBODY
    without one.
    """

    def __init__(self, texts: Sequence[str], owners: Places, rows: Places, answers: Places, vectors: Singles) -> None:
        self._texts, self._owners, self._rows, self._answers, self._vectors = texts, owners, rows, answers, vectors
        self._means: dict[int, Singles] = {}
        self.taken_by: Places = np.full(len(texts), NOBODY, np.intp)

    def steps(self, combiner: Combiner, settings: Settings) -> Iterator[float]:
        """Run the search; yield the progress, 0 to 1."""
        first: dict[str, int] = {}
        alike: dict[Hashable, list[int]] = {}
        worth = own_worth(combiner, settings)
        for place, text in enumerate(self._texts):
            before = first.setdefault(text, place)
            if before == place:
                for key in self._keys(place, text):
                    alike.setdefault(key, []).append(place)
            elif self._owners[before] != self._owners[place] and worth[int(self._rows[place] == NOBODY)] > 0.0:
                self.taken_by[place] = before
            if place % AT_ONCE == 0:
                yield 0.8 * place / len(self._texts)
        variants = {
            (asked, other)
            for places in alike.values()
            if len(places) > 1
            for at, asked in enumerate(places[:MOST_VARIANTS])
            for other in places[:at]
            if self._owners[asked] != self._owners[other]
        }
        yield from self._compare(sorted(variants), combiner, settings)
        for place, text in enumerate(self._texts):
            before = self.taken_by[first[text]]
            if self.taken_by[place] == NOBODY != before and self._owners[before] != self._owners[place]:
                self.taken_by[place] = before
        yield 1.0

    def _keys(self, place: int, text: str) -> Iterator[Hashable]:
        """Yield the keys of texts with possibly equal scores: bare words, set of tokens, vector."""
        yield "bare", hash(without_punctuation(text))
        yield "tokens", hash(frozenset(tokens(text)))
        if (row := int(self._rows[place])) != NOBODY:
            yield "vector", hash(self._vectors[row].tobytes())

    def _compare(self, pairs: list[tuple[int, int]], combiner: Combiner, settings: Settings) -> Iterator[float]:
        for start in range(0, len(pairs), AT_ONCE):
            some = np.array(pairs[start : start + AT_ONCE], np.intp)
            asked, other = some[:, 0], some[:, 1]
            combined = np.nan_to_num(combiner.combine(self._columns(asked, other), settings), nan=0.0)
            own = np.nan_to_num(combiner.combine(self._columns(asked, asked), settings), nan=0.0)
            for place, by in some[(combined >= own - AHEAD) & (own > 0.0)].tolist():
                if self.taken_by[place] == NOBODY:
                    self.taken_by[place] = by
            yield 0.8 + 0.2 * start / len(pairs)

    def _columns(self, asked: Places, other: Places) -> dict[str, Floats]:
        """Compute the scores of the triggers at `other` for the texts at `asked`."""
        texts = [(self._texts[one], self._texts[another]) for one, another in zip(asked, other, strict=True)]
        has = (self._rows[asked] != NOBODY) & (self._rows[other] != NOBODY)
        left, right = self._vectors[self._rows[asked]], self._vectors[self._rows[other]]
        means = np.stack([self._mean(answer) for answer in self._answers[other].tolist()])
        return {
            "exact": np.array([exact(*pair) for pair in texts]),
            "fuzzy": np.array([fuzzy(*pair) for pair in texts]),
            "token_overlap": np.array([token_overlap(*pair) for pair in texts]),
            "semantic": np.where(has, _products(left, right), np.nan),
            "centroid": np.where(has, _products(left, means), np.nan),
        }

    def _mean(self, answer: int) -> Singles:
        """Return the centroid of an answer; zeros without vectors."""
        mean = self._means.get(answer)
        if mean is None:
            rows = self._rows[(self._answers == answer) & (self._rows != NOBODY)]
            mean = self._vectors[rows].sum(axis=0, dtype=np.float32)
            self._means[answer] = mean = mean / np.float32(np.linalg.norm(mean) or 1.0)
        return mean


def _products(left: Singles, right: Singles) -> Floats:
    """Compute the products of row pairs, in [0, 1]; rounded so that equal vectors give 1."""
    found: Floats = np.einsum("ij,ij->i", left, right, dtype=np.float64).astype(np.float32).astype(np.float64)
    return np.clip(found, 0.0, 1.0)


class MeaningSearch:
    """For each row of `vectors` (n, dimension), a nearer row of another answer, and both means.

    `answers` numbers each row's answer from 0, NOBODY for excluded rows. An answer scores (semantic + centroid) / 2
    (S2.10); only rows of answers with several vectors can be exceeded, as others score 1 for themselves.
    """

    def __init__(self, vectors: Singles, answers: Places) -> None:
        self._vectors, self._answers = vectors, answers
        self.own: Floats = np.ones(len(answers))
        self.other: Floats = np.zeros(len(answers))
        self.nearer: Places = np.full(len(answers), NOBODY, np.intp)

    def steps(self) -> Iterator[float]:
        """Run the search; yield the progress, 0 to 1."""
        taught = np.flatnonzero(self._answers != NOBODY)
        if not len(taught):
            return
        sizes = np.bincount(self._answers[taught])
        self._mean_of = np.full(len(sizes), NOBODY, np.intp)
        shared = np.flatnonzero(sizes > 1)
        self._mean_of[shared] = np.arange(len(shared))
        self._has_lone = bool((sizes == 1).any())
        order = taught[np.argsort(self._answers[taught], kind="stable")]
        asked = order[sizes[self._answers[order]] > 1]
        self._means = np.zeros((len(shared), self._vectors.shape[1]), np.float32)
        for start in range(0, len(asked), AT_ONCE):
            some = asked[start : start + AT_ONCE]
            means = self._mean_of[self._answers[some]]
            starts = np.flatnonzero(np.diff(means, prepend=NOBODY))
            self._means[means[starts]] += np.add.reduceat(self._vectors[some], starts)
            yield 0.0
        lengths = np.linalg.norm(self._means, axis=1)
        self._means /= np.where(lengths > 0, lengths, 1.0).astype(np.float32)[:, None]
        yield 0.0
        step = max(32, min(512, PRODUCTS_AT_ONCE // max(1, len(shared))))
        for start in range(0, len(asked), step):
            share, whole = 1.0 / len(asked), min(step, len(asked) - start)
            for done in self._ask(asked[start : start + step]):
                yield (start + done * whole) * share

    def _ask(self, rows: Places) -> Iterator[float]:
        """Query some triggers; if no other centroid is nearer, no answer of several can lead."""
        queries, each = self._vectors[rows], np.arange(len(rows))
        centroids = np.clip(queries @ self._means.T, 0.0, 1.0)
        mine = self._mean_of[self._answers[rows]]
        own = centroids[each, mine].astype(np.float64)
        self.own[rows] = (1.0 + own) / 2.0
        centroids[each, mine] = 0.0
        nearest = centroids.max(axis=1).astype(np.float64)
        least = np.where(nearest > own + AHEAD, 1.0 + own - nearest, 2.0)
        if self._has_lone:
            least = np.minimum(least, (1.0 + own) / 2.0)
        open_ = np.flatnonzero(least <= 1.0)
        yield 0.0
        if len(open_):
            yield from self._compare(rows[open_], queries[open_], centroids[open_], least[open_])

    def _compare(self, rows: Places, queries: Singles, centroids: Singles, least: Floats) -> Iterator[float]:
        """Find and score the rows near enough for their answer to lead."""
        bounds = (least - AHEAD).astype(np.float32)[:, None]
        for start in range(0, len(self._vectors), COLUMNS):
            part = slice(start, start + COLUMNS)
            products = queries @ self._vectors[part].T
            at, column = np.divmod(np.flatnonzero(products >= bounds), products.shape[1])
            others = self._answers[part][column]
            may = (others != NOBODY) & (others != self._answers[rows[at]])
            at, column, others = at[may], column[may], others[may]
            meant = np.minimum(products[at, column], np.float32(1.0)).astype(np.float64)
            mean = self._mean_of[others]
            combined = (meant + np.where(mean == NOBODY, meant, centroids[at, np.maximum(mean, 0)])) / 2.0
            order = np.argsort(combined, kind="stable")  # the last write, the best of a row, wins
            at, others, combined = rows[at[order]], column[order] + start, combined[order]
            better = combined > np.maximum(self.own[at] + AHEAD, self.other[at])
            self.other[at[better]], self.nearer[at[better]] = combined[better], others[better]
            yield min(1.0, (start + COLUMNS) / len(self._vectors))
