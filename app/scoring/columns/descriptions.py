"""Scorer of a power's whole description: the mean of its paragraphs' cosines."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np

from app.domain.library import Answer, Power
from app.scoring.columns.column import ColumnAnswer, Floats, Growing, Places, Singles
from app.scoring.columns.semantic import SemanticColumn
from app.scoring.text import ScoredText

SEVERAL = 2
"""Minimum number of paragraphs for a mean."""

_AT_ONCE = 512
"""Number of powers whose means are computed together."""


def paragraph_rows(answer: Answer, rows: range) -> list[int]:
    """Return the rows of a power's paragraphs; empty for a memory, or with too few."""
    if not isinstance(answer, Power) or len(answer.paragraphs) < SEVERAL:
        return []
    paragraphs = set(answer.paragraphs)
    found = [row for row, text in zip(rows, answer.triggers, strict=True) if text in paragraphs]
    return found if len(found) >= SEVERAL else []


class Descriptions:
    """Means of the paragraphs' vectors of each power, by group number.

    They are not scaled to length 1, so that a product is the mean of the cosines. A power with fewer than SEVERAL
    embedded paragraphs scores by its nearest trigger, like `semantic`. `_mean` is the row of each group's mean, -1
    without one; `_first` and `_size` are the rows of groups that use the nearest trigger, size 0 for others.
    """

    def __init__(self, dimension: int) -> None:
        self._powers: dict[int, tuple[range, list[int]]] = {}
        self._means = SemanticColumn(dimension)
        self._mean: Growing[np.intp] = Growing(np.intp, fill=-1)
        self._first: Growing[np.intp] = Growing(np.intp)
        self._size: Growing[np.intp] = Growing(np.intp)
        self._stale: set[int] = set()
        self._settle()

    def __len__(self) -> int:
        """Return the number of powers."""
        return len(self._powers)

    @property
    def nbytes(self) -> int:
        return self._means.nbytes + sum(part.view.nbytes for part in (self._mean, self._first, self._size))

    def put(self, group: int, rows: range, paragraphs: list[int]) -> None:
        self._powers[group] = rows, paragraphs
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
        return _DescriptionScores(self, self._means.ask(query), semantic)

    def above(self, means: ColumnAnswer, semantic: ColumnAnswer) -> Singles:
        """Return bounds on all groups' scores, given those of all means."""
        above = np.full(len(self._size), np.nan, np.float32)
        above[self._whole] = means.above[self._whole_means]
        if len(self._lone):
            above[self._lone] = np.fmax.reduceat(semantic.above[self._lone_rows], self._lone_starts)
        return above

    def at(self, groups: Places, means: ColumnAnswer, semantic: ColumnAnswer) -> Floats:
        found, mean, size = np.full(len(groups), np.nan), self._mean.view[groups], self._size.view[groups]
        if len(places := np.flatnonzero(mean >= 0)):
            found[places] = means.at(mean[places])  # absent where too few paragraphs have a vector now
        if len(places := np.flatnonzero(size)):
            rows, starts = _spans(self._first.view[groups[places]], size[places])
            found[places] = np.fmax.reduceat(semantic.at(rows), starts)
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

    def __init__(self, descriptions: Descriptions, means: ColumnAnswer, semantic: ColumnAnswer) -> None:
        self._descriptions, self._means, self._semantic = descriptions, means, semantic

    @property
    def above(self) -> Singles:
        return self._descriptions.above(self._means, self._semantic)

    @property
    def every(self) -> Floats:
        return self.at(np.arange(len(self._descriptions._size)))

    def at(self, rows: Places) -> Floats:
        return self._descriptions.at(rows, self._means, self._semantic)


def _spans(firsts: Places, sizes: Places) -> tuple[Places, Places]:
    """Return the concatenated ranges of `sizes` numbers from `firsts`, and their starts."""
    starts = np.cumsum(sizes) - sizes
    return np.repeat(firsts - starts, sizes) + np.arange(sizes.sum()), starts
