"""Scorer of what a power says that it does.

This is the mean of the cosines of its description's paragraphs, or else the nearest of its description, tools and
examples; a name or keyword counts in short queries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Answer, Power
from app.scoring.columns.bm25 import lacking_words
from app.scoring.columns.column import ColumnAnswer, Floats, Growing, Places, Singles
from app.scoring.columns.semantic import SemanticColumn
from app.scoring.text import ScoredText

SEVERAL = 2
"""Minimum number of paragraphs for a mean."""

_AT_ONCE = 512
"""Number of powers whose means are computed together."""


def roles_of(answer: Answer, count: int) -> NDArray[np.bool_]:
    """Return which triggers are queries, paragraphs, and names or keywords; shape (3, triggers).

    All triggers of memories are queries. A single paragraph is not marked, nor are names and keywords without others.
    """
    if not isinstance(answer, Power):
        return np.repeat([[True], [False], [False]], count, axis=1)
    paragraphs, naming = set(answer.paragraphs), answer.naming
    queries = set(answer.examples) - paragraphs - naming
    texts = answer.triggers or (answer.name,)
    roles = np.array([[text in own for text in texts] for own in (queries, paragraphs, naming)])
    roles[1] &= roles[1].sum() >= SEVERAL
    roles[2] &= not roles[2].all()
    return roles


def naming_share(asked: Collection[str]) -> float:
    """Return how much of the cosine to a name or keyword counts for a query of these words, in [0, 1].

    All of it up to two content words, as in "check jira", and nothing from three on: "what does jira mean".
    """
    return min(max(lacking_words(asked) - 1.0, 0.0), 1.0)


class Descriptions:
    """Means of the paragraphs' vectors of each power, by group number.

    They are not scaled to length 1, so that a product is the mean of the cosines. A power with fewer than SEVERAL
    embedded paragraphs scores by its nearest trigger; names and keywords count by `naming_share`. `_mean` is the row of
    each group's mean, -1 without one; `_first` and `_size` are the rows of groups that use the nearest trigger, size 0
    for others. `_is_name` marks the rows of names and keywords.
    """

    def __init__(self, dimension: int) -> None:
        self._powers: dict[int, tuple[range, list[int]]] = {}
        self._means = SemanticColumn(dimension)
        self._mean: Growing[np.intp] = Growing(np.intp, fill=-1)
        self._first: Growing[np.intp] = Growing(np.intp)
        self._size: Growing[np.intp] = Growing(np.intp)
        self._is_name: Growing[np.bool_] = Growing(np.bool_)
        self._stale: set[int] = set()
        self._settle()

    def __len__(self) -> int:
        """Return the number of powers."""
        return len(self._powers)

    @property
    def nbytes(self) -> int:
        grown = self._mean, self._first, self._size, self._is_name
        return self._means.nbytes + sum(part.view.nbytes for part in grown)

    def put(self, group: int, rows: range, answer: Power) -> None:
        _, are_paragraphs, are_names = roles_of(answer, len(rows))
        self._powers[group] = rows, (rows.start + np.flatnonzero(are_paragraphs)).tolist()
        self._is_name.lengthen(max(0, rows.stop - len(self._is_name)))
        self._is_name.view[rows.start : rows.stop] = are_names
        self._stale.add(group)

    def drop(self, group: int) -> None:
        if self._powers.pop(group, None) is not None:
            self._stale.add(group)

    def touch(self, groups: Iterable[int]) -> None:
        """Mark the groups whose rows have new vectors."""
        self._stale.update(self._powers.keys() & groups)

    def forget(self, dimension: int) -> None:
        """Delete every mean; new vectors have this length."""
        self._means = SemanticColumn(dimension)
        self._mean.view[:] = -1
        self.touch(self._powers)

    def ask(self, query: ScoredText, column: SemanticColumn, semantic: ColumnAnswer, groups: int) -> ColumnAnswer:
        """Score `groups` groups, NaN for memories and missing vectors.

        `semantic` is the semantic column's answer to the same query.
        """
        self.refresh(column, groups)
        return _DescriptionScores(self, self._means.ask(query), semantic, naming_share(query.words))

    def above(self, means: ColumnAnswer, semantic: ColumnAnswer, share: float) -> Singles:
        """Return bounds on all groups' scores, given those of all means."""
        above = np.full(len(self._size), np.nan, np.float32)
        above[self._whole] = means.above[self._whole_means]
        if len(self._lone):
            bounds = semantic.above[self._lone_rows]
            bounds[self._is_name.view[self._lone_rows]] *= np.float32(share)
            above[self._lone] = np.fmax.reduceat(bounds, self._lone_starts)
        return above

    def at(self, groups: Places, means: ColumnAnswer, semantic: ColumnAnswer, share: float) -> Floats:
        found, mean, size = np.full(len(groups), np.nan), self._mean.view[groups], self._size.view[groups]
        if len(places := np.flatnonzero(mean >= 0)):
            found[places] = means.at(mean[places])  # absent where too few paragraphs have a vector now
        if len(places := np.flatnonzero(size)):
            rows, starts = _spans(self._first.view[groups[places]], size[places])
            cosines = semantic.at(rows)
            found[places] = np.fmax.reduceat(np.where(self._is_name.view[rows], share * cosines, cosines), starts)
        return found

    def refresh(self, column: SemanticColumn, groups: int) -> None:
        """Compute the means of all powers that have changed, for `groups` groups in total."""
        if not (self._powers or self._stale):
            return  # nothing is stored for memories
        for grown in (self._mean, self._first, self._size):
            grown.lengthen(groups - len(grown))
        if not self._stale:
            return
        stale = sorted(self._stale)
        for start in range(0, len(stale), _AT_ONCE):
            self._renew(stale[start : start + _AT_ONCE], column)
        self._settle()

    def _renew(self, groups: list[int], column: SemanticColumn) -> None:
        """Compute the means of many powers at once."""
        own = [self._powers.get(group, (range(0), [])) for group in groups]
        numbers = np.array(groups, np.intp)
        counts = np.fromiter((len(paragraphs) for _, paragraphs in own), np.intp, len(own))
        rows = np.fromiter(chain.from_iterable(paragraphs for _, paragraphs in own), np.intp, int(counts.sum()))
        owners, known = np.repeat(np.arange(len(own)), counts), column.known[rows]
        sizes = np.bincount(owners[known], minlength=len(own))
        is_whole = sizes >= SEVERAL
        self._first.view[numbers] = [rows.start for rows, _ in own]
        self._size.view[numbers] = np.where(is_whole, 0, [len(rows) for rows, _ in own])
        for row in self._mean.view[numbers[~is_whole]].tolist():
            if row >= 0:
                self._means.blank(row, "")
        if is_whole.any():
            kept, sizes = rows[known & is_whole[owners]], sizes[is_whole]
            sums = np.add.reduceat(column.vectors[kept], np.cumsum(sizes) - sizes)
            self._means.embed(self._rows_for(numbers[is_whole]), (sums / sizes[:, None]).astype(np.float32))

    def _rows_for(self, groups: Places) -> list[int]:
        """Return the rows of these groups' means, assigning new ones."""
        fresh = groups[self._mean.view[groups] < 0]
        self._mean.view[fresh] = np.arange(len(self._means), len(self._means) + len(fresh))
        self._means.append([""] * len(fresh))
        found: list[int] = self._mean.view[groups].tolist()
        return found

    def _settle(self) -> None:
        """Mark all groups as fresh."""
        self._stale.clear()
        size = self._size.view
        self._whole = np.flatnonzero(self._mean.view >= 0)
        self._whole_means = self._mean.view[self._whole]
        self._lone = np.flatnonzero(size)
        self._lone_rows, self._lone_starts = _spans(self._first.view[self._lone], size[self._lone])


class _DescriptionScores:
    """Answer to one query; a power with a mean scores by it, any other as its rows."""

    def __init__(self, descriptions: Descriptions, *given: *tuple[ColumnAnswer, ColumnAnswer, float]) -> None:
        self._descriptions, self._given = descriptions, given

    @property
    def above(self) -> Singles:
        return self._descriptions.above(*self._given)

    @property
    def every(self) -> Floats:
        return self.at(np.arange(len(self._descriptions._size)))

    def at(self, rows: Places) -> Floats:
        return self._descriptions.at(rows, *self._given)


def _spans(firsts: Places, sizes: Places) -> tuple[Places, Places]:
    """Return the concatenated ranges of `sizes` numbers from `firsts`, and their starts."""
    starts = np.cumsum(sizes) - sizes
    return np.repeat(firsts - starts, sizes) + np.arange(sizes.sum()), starts
