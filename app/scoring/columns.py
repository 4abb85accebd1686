"""The scorers that look at each trigger: exact, fuzzy, token overlap, semantic; one column over all triggers each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from app.scoring.growing import Growing
from app.scoring.text import sorted_tokens, tokens, without_punctuation, words

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]

EXACT, EXACT_BUT_CASE, EXACT_BUT_PUNCTUATION = 1.0, 0.98, 0.95
"""002: identical; equal but for case; equal after dropping punctuation and folding space and case."""

JACCARD_WEIGHT, COVERAGE_WEIGHT = 0.4, 0.6
"""002: how token overlap weighs the Jaccard index and the share of query tokens found."""


@dataclass(frozen=True)
class ScoredText:
    """A query in every form that a scorer needs, each made once; `vector` is its unit vector, None while absent."""

    text: str
    vector: NDArray[np.float32] | None = None

    @cached_property
    def lower(self) -> str:
        return self.text.lower()

    @cached_property
    def sorted(self) -> str:
        return sorted_tokens(self.text)

    @cached_property
    def tokens(self) -> list[str]:
        return list(dict.fromkeys(tokens(self.text)))

    @cached_property
    def bare(self) -> str:
        return without_punctuation(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words(self.text)


class Column(Protocol):
    """One scorer's arrays over all rows. Rows are appended and blanked in place, never renumbered."""

    def append(self, texts: Sequence[str]) -> None: ...

    def blank(self, row: int, text: str) -> None:
        """Make a row match nothing."""
        ...

    def score(self, query: ScoredText) -> Floats:
        """Scores of shape (rows,), NaN where a row's is absent."""
        ...


class ExactColumn:
    """S2.2, by three dictionaries from a form of the text to its rows."""

    def __init__(self) -> None:
        self._count = 0
        self._same: defaultdict[str, list[int]] = defaultdict(list)
        self._lower: defaultdict[str, list[int]] = defaultdict(list)
        self._bare: defaultdict[str, list[int]] = defaultdict(list)

    def append(self, texts: Sequence[str]) -> None:
        for row, text in enumerate(texts, self._count):
            self._same[text].append(row)
            self._lower[text.lower()].append(row)
            self._bare[without_punctuation(text)].append(row)
        self._count += len(texts)

    def blank(self, row: int, text: str) -> None:
        self._same[text].remove(row)
        self._lower[text.lower()].remove(row)
        self._bare[without_punctuation(text)].remove(row)

    def rows(self, text: str) -> Sequence[int]:
        """The rows whose text is exactly this one."""
        return self._same.get(text, ())

    def rows_but_punctuation(self, bare: str) -> Sequence[int]:
        """The rows whose text without punctuation and case is this one."""
        return self._bare.get(bare, ())

    def score(self, query: ScoredText) -> Floats:
        scores = np.zeros(self._count)
        scores[self._bare.get(query.bare, [])] = EXACT_BUT_PUNCTUATION
        scores[self._lower.get(query.lower, [])] = EXACT_BUT_CASE
        scores[self._same.get(query.text, [])] = EXACT
        return scores


class FuzzyColumn:
    """S2.3: `token_sort_ratio` is the plain ratio of texts whose tokens were sorted once, beforehand."""

    def __init__(self) -> None:
        self._sorted: list[str] = []

    def append(self, texts: Sequence[str]) -> None:
        self._sorted += [sorted_tokens(text) for text in texts]

    def blank(self, row: int, text: str) -> None:
        self._sorted[row] = ""

    def score(self, query: ScoredText) -> Floats:
        if not self._sorted:
            return np.zeros(0)
        ratios = process.cdist([query.sorted], self._sorted, scorer=fuzz.ratio, dtype=np.float64)
        scores: Floats = ratios[0] / 100.0
        return scores


class TokenColumn:
    """S2.4, by postings: for each token the rows that hold it."""

    def __init__(self) -> None:
        self._sizes: Growing[np.int32] = Growing(np.int32)
        self._postings: dict[str, Growing[np.int32]] = {}

    def append(self, texts: Sequence[str]) -> None:
        fresh: defaultdict[str, list[int]] = defaultdict(list)
        sizes = np.zeros(len(texts), np.int32)
        first = len(self._sizes)
        for place, text in enumerate(texts):
            held = set(tokens(text))
            sizes[place] = len(held)
            for token in held:
                fresh[token].append(first + place)
        self._sizes.extend(sizes)
        for token, rows in fresh.items():
            self._postings.setdefault(token, Growing(np.int32)).extend(np.array(rows, np.int32))

    def blank(self, row: int, text: str) -> None:
        """The row keeps its postings, but as one of no tokens it scores 0."""
        self._sizes.view[row] = 0

    def score(self, query: ScoredText) -> Floats:
        sizes = self._sizes.view
        found = [self._postings[token].view for token in query.tokens if token in self._postings]
        if not found:
            return np.zeros(len(sizes))
        shared = np.bincount(np.concatenate(found), minlength=len(sizes)).astype(np.float64)
        shared[sizes == 0] = 0.0
        asked = len(query.tokens)
        scores: Floats = JACCARD_WEIGHT * (shared / (asked + sizes - shared)) + COVERAGE_WEIGHT * (shared / asked)
        return scores


class SemanticColumn:
    """S2.5: one matrix-vector product over unit vectors, clamped at 0; NaN where a row has no vector yet."""

    def __init__(self, dimension: int) -> None:
        self._vectors: Growing[np.float32] = Growing(np.float32, width=dimension)
        self._known: Growing[np.bool_] = Growing(np.bool_, fill=False)

    @property
    def vectors(self) -> NDArray[np.float32]:
        return self._vectors.view

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which rows have their vector; shape (rows,)."""
        return self._known.view

    def append(self, texts: Sequence[str]) -> None:
        self._vectors.lengthen(len(texts))
        self._known.lengthen(len(texts))

    def blank(self, row: int, text: str) -> None:
        self._vectors.view[row] = 0.0
        self._known.view[row] = False

    def embed(self, rows: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Give rows their unit vectors; shape (len(rows), dimension)."""
        where = np.asarray(rows, np.intp)
        self._vectors.view[where] = vectors
        self._known.view[where] = True

    def score(self, query: ScoredText) -> Floats:
        """Scores of shape (rows,); all absent if the query has no vector."""
        if query.vector is None:
            return np.full(len(self._known), np.nan)
        scores: Floats = np.clip(self._vectors.view @ query.vector, 0.0, 1.0).astype(np.float64)
        scores[~self._known.view] = np.nan
        return scores
