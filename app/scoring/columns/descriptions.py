"""The scorer that reads a power's description as a whole: the mean of its paragraphs' cosines."""

from __future__ import annotations

import numpy as np

from app.domain.library import Answer, Power
from app.scoring.columns.column_answer import ColumnAnswer, Floats, Places, Singles
from app.scoring.columns.products import exact_products
from app.scoring.columns.semantic import SemanticColumn

SEVERAL = 2
"""Fewer paragraphs than this are no whole beside the nearest trigger."""


def paragraph_rows(answer: Answer, rows: range) -> list[int]:
    """Those of an answer's rows that are paragraphs of a power's description; none of a memory, or of too few."""
    if not isinstance(answer, Power) or len(answer.paragraphs) < SEVERAL:
        return []
    paragraphs = set(answer.paragraphs)
    found = [row for row, text in zip(rows, answer.triggers, strict=True) if text in paragraphs]
    return found if len(found) >= SEVERAL else []


class Descriptions:
    """Means of the paragraphs' vectors of each power, by the number of its group. They are not scaled to length 1, so a
    product with one is the mean of the cosines: one paragraph's nearness is not the whole description's.

    A power with fewer than SEVERAL paragraphs that have a vector scores by its nearest trigger, as `semantic` does.
    Powers are few beside memories: after a change all of this is worked out anew by the next query.
    """

    def __init__(self) -> None:
        self._powers: dict[int, tuple[range, list[int]]] = {}
        self._made_at = -1
        self._whole: Places = np.zeros(0, np.intp)
        self._means: Singles = np.zeros((0, 0), np.float32)
        self._lone = self._lone_rows = self._lone_starts = self._first = self._size = self._whole

    def __len__(self) -> int:
        """How many powers there are."""
        return len(self._powers)

    def put(self, group: int, rows: range, paragraphs: list[int]) -> None:
        self._powers[group] = rows, paragraphs

    def drop(self, group: int) -> None:
        self._powers.pop(group, None)

    def ask(
        self, vector: Singles, column: SemanticColumn, semantic: ColumnAnswer, changes: int, groups: int
    ) -> ColumnAnswer:
        """Scores of so many groups, NaN for what is no power or has no vector. `semantic` is what the column made of
        the same query, `changes` another number where rows or their vectors have changed since the query before."""
        if self._made_at != changes:
            self._refresh(column, groups)
            self._made_at = changes
        scores = np.full(groups, np.nan)
        scores[self._whole] = np.clip(exact_products(self._means, np.arange(len(self._whole)), vector), 0.0, 1.0)
        return _AskedDescriptions(self, scores, semantic)

    def above(self, scores: Floats, semantic: ColumnAnswer) -> Singles:
        """Bounds on all groups' scores, given those of whole descriptions."""
        above = scores.astype(np.float32)
        if len(self._lone):
            above[self._lone] = np.fmax.reduceat(semantic.above()[self._lone_rows], self._lone_starts)
        return above

    def at(self, groups: Places, scores: Floats, semantic: ColumnAnswer) -> Floats:
        """The scores of these groups."""
        found = scores[groups]
        places = np.flatnonzero(self._size[groups])
        if len(places):
            rows, starts = _spans(self._first[groups[places]], self._size[groups[places]])
            found[places] = np.fmax.reduceat(semantic.at(rows), starts)
        return found

    def _refresh(self, column: SemanticColumn, groups: int) -> None:
        """`_first` and `_size` tell the rows of each group that goes by the nearest of them, no rows for others."""
        known, whole = column.known, dict[int, list[int]]()
        self._first, self._size = np.zeros(groups, np.intp), np.zeros(groups, np.intp)
        for group, (rows, paragraphs) in self._powers.items():
            there = [row for row in paragraphs if known[row]]
            if len(there) >= SEVERAL:
                whole[group] = there
            else:
                self._first[group], self._size[group] = rows.start, len(rows)
        self._lone = np.flatnonzero(self._size)
        self._lone_rows, self._lone_starts = _spans(self._first[self._lone], self._size[self._lone])
        self._whole = np.fromiter(whole, np.intp, len(whole))
        means = [column.vectors[own].mean(axis=0) for own in whole.values()]
        self._means = np.array(means, np.float32).reshape(-1, column.vectors.shape[1])


class _AskedDescriptions:
    """The scores of whole descriptions are at hand; the others are taken from what the rows score."""

    def __init__(self, descriptions: Descriptions, scores: Floats, semantic: ColumnAnswer) -> None:
        self._descriptions, self._scores, self._semantic = descriptions, scores, semantic

    def above(self) -> Singles:
        return self._descriptions.above(self._scores, self._semantic)

    def at(self, rows: Places) -> Floats:
        return self._descriptions.at(rows, self._scores, self._semantic)

    def every(self) -> Floats:
        return self.at(np.arange(len(self._scores)))


def _spans(firsts: Places, sizes: Places) -> tuple[Places, Places]:
    """All numbers from each first on, so many of each, one span after the other; and where each begins."""
    starts = np.cumsum(sizes) - sizes
    return np.repeat(firsts - starts, sizes) + np.arange(sizes.sum()), starts
