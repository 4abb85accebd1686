"""Fuzzy scorer: exact for the best rows, upper bounds for the others.

`token_sort_ratio` is `ratio` of texts with sorted tokens: twice the length of their longest common subsequence
divided by the sum of their lengths. Two bounds on that subsequence are computed for all rows at once, in bytes:

- it is no longer than the number of shared characters (app.scoring.columns.characters), and
- it exceeds that of the previous query by at most the number of added characters that the row has, so an exact
  score of an earlier key press bounds the row for many more.

`_lengths` holds the smaller of both for the sorted query `_before`. Every exact score lowers its row's bound, so
that rows near the top are scored once in several key presses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import LCSseq

from app.scoring.columns.characters import MOST, Bytes, CharacterCounts
from app.scoring.columns.column_answer import ColumnAnswer, Floats, Known, Places, Singles
from app.scoring.columns.growing import Growing
from app.scoring.text import ScoredText, sorted_tokens

FEW = 32
"""Maximum number of texts compared one by one rather than as an array."""


ALIKE = 0.7
"""Score up to which short texts are similar by chance."""

Real = TypeVar("Real", np.float64, NDArray[np.floating])


def likeness(score: Real) -> Real:
    """Return the part of a score above chance, in [0, 1]; 0 for an absent one."""
    one = score.dtype.type
    found: Real = np.fmax(score - one(ALIKE), one(0.0)) / one(1.0 - ALIKE)
    return found


class FuzzyColumn:
    """Fuzzy scorer over all rows (S2.3)."""

    def __init__(self) -> None:
        # An array of texts selects rows several times faster than a list that is not in the CPU cache.
        self._sorted: Growing[np.object_] = Growing(np.object_)
        self.lengths: Growing[np.float32] = Growing(np.float32)
        self._counts = CharacterCounts()
        self._before = ""
        self._lengths: Bytes | None = None

    @property
    def nbytes(self) -> int:
        return self._counts.nbytes + self.lengths.view.nbytes

    def append(self, texts: Sequence[str]) -> None:
        ordered = [sorted_tokens(text) for text in texts]
        self._sorted.extend(np.array(ordered, np.object_))
        self.lengths.extend(np.array([len(text) for text in ordered], np.float32))
        self._counts.append(ordered)
        self._before, self._lengths = "", None

    def blank(self, row: int, text: str) -> None:
        """Make the row score 0; it keeps its bounds, which hold for the empty text too."""
        self._sorted.view[row] = ""

    def ask(self, query: ScoredText) -> ColumnAnswer:
        if 0 < len(query.sorted) <= MOST:
            return _FuzzyScores(self, query)
        return Known(self.score(query))

    def score(self, query: ScoredText) -> Floats:
        """Compute the scores of all rows; shape (rows,)."""
        return _ratios(query.sorted, self._sorted.view.tolist())

    def score_rows(self, query: ScoredText, rows: Places) -> Floats:
        return _ratios(query.sorted, self._sorted.view[rows].tolist())

    def longest_shared(self, query: ScoredText) -> Bytes:
        """Return an upper bound of each row's longest common subsequence with the query.

        Exact scores may lower entries in place.
        """
        before, text = self._before, query.sorted
        edits = LCSseq.editops(before, text)
        if len(edits) < len(text):
            gone = "".join([before[edit.src_pos] for edit in edits if edit.tag == "delete"])
            came = "".join([text[edit.dest_pos] for edit in edits if edit.tag == "insert"])
            lengths = self._lengths if len(before) + len(came) <= MOST else None
        else:
            self._counts.forget()
            gone, came, lengths = "", text, None
        shared, more = self._counts.follow(gone, came, lengths)
        bound = shared.copy() if lengths is None else np.minimum(shared, more, out=more)
        self._before, self._lengths = text, bound
        return bound


def _ratios(query: str, texts: Sequence[str]) -> Floats:
    if not texts:
        return np.zeros(0)
    if len(texts) <= FEW:
        return np.array([fuzz.ratio(query, text) for text in texts]) / 100.0
    scores: Floats = process.cdist([query], texts, scorer=fuzz.ratio, dtype=np.float64)[0]
    scores /= 100.0
    return scores


class _FuzzyScores:
    """Answer to one query with its own bounds, independent of later queries."""

    def __init__(self, column: FuzzyColumn, query: ScoredText) -> None:
        self._column = column
        self._query = query
        self._length = np.float32(len(query.sorted))
        self._shared: Bytes | None = None
        self._above: Singles | None = None
        self._every: Floats | None = None

    def above(self) -> Singles:
        if self._above is None:
            self._above = self._bound()
        return self._above

    def at(self, rows: Places) -> Floats:
        scores = self._column.score_rows(self._query, rows)
        if self._shared is not None:
            lengths = self._column.lengths.view[rows]
            self._shared[rows] = np.rint(scores * (lengths + self._length) / 2)
        return scores

    def every(self) -> Floats:
        if self._every is None:
            self._every = self._column.score(self._query)
        return self._every

    def _bound(self) -> Singles:
        self._shared = shared = self._column.longest_shared(self._query)
        above = np.multiply(shared, np.float32(2.0), dtype=np.float32)
        above /= self._column.lengths.view[: len(shared)] + self._length
        return above
