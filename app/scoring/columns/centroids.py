"""Centroid scorer: similarity to the mean vector of an answer's or label's triggers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from itertools import chain, islice

import numpy as np

from app.scoring.columns.column import ColumnAnswer, Floats, Growing, Known, Places, Singles
from app.scoring.columns.semantic import SemanticColumn, exact_products
from app.scoring.text import ScoredText

_AT_ONCE = 512
"""Number of groups whose means are computed together."""

_ROWS_AT_ONCE = 768
"""Number of rows processed together, a few milliseconds while other threads wait."""

_MANY, _NO_VECTOR = -1, -2
"""Markers of groups with several vectors, or without any."""


class Centroids:
    """Unit vectors of the mean of each group's trigger vectors (S2.6).

    A group is a label or a single answer. A group of one vector scores as its row and has no mean. `_lone` is that
    row of each group (or _MANY, _NO_VECTOR), `_mean` the position of each group's mean, -1 without one.
    """

    def __init__(self, dimension: int) -> None:
        self._members: list[set[int]] = []
        self._numbers: dict[Hashable, int] = {}
        self._means: Growing[np.float32] = Growing(np.float32, width=dimension)
        self._mean: Growing[np.intp] = Growing(np.intp, fill=-1)
        self._lone: Growing[np.intp] = Growing(np.intp, fill=_NO_VECTOR)
        self._stale: set[int] = set()
        self._shared_groups = self._shared_means = self._lone_groups = self._lone_rows = np.zeros(0, np.intp)

    def __len__(self) -> int:
        return len(self._members)

    @property
    def nbytes(self) -> int:
        return self._means.view.nbytes + self._mean.view.nbytes + self._lone.view.nbytes

    def group(self, name: Hashable) -> int:
        """Return the number of a group, added if new."""
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._members)
            self._members.append(set())
            self._mean.lengthen(1)
            self._lone.lengthen(1)
        return number

    def names(self, start: int) -> list[Hashable]:
        """Return the names of the groups from this number on."""
        return list(islice(self._numbers, start, None))

    def widening(self, count: int) -> Iterator[None]:
        """Reserve space for the means of `count` more groups, in small steps."""
        return self._means.widening(count)

    def join(self, group: int, rows: Iterable[int]) -> None:
        self._members[group].update(rows)
        self._stale.add(group)

    def leave(self, group: int, rows: Iterable[int]) -> None:
        self._members[group].difference_update(rows)
        self._stale.add(group)

    def size(self, group: int) -> int:
        return len(self._members[group])

    def touch(self, groups: Iterable[int]) -> None:
        """Mark the groups whose rows have new vectors."""
        self._stale.update(groups)

    def forget(self, dimension: int) -> None:
        """Delete every mean; new vectors have this length."""
        self._means = Growing(np.float32, width=dimension)
        self._mean.view[:] = -1
        self.touch(range(len(self)))

    def ask(self, query: ScoredText, column: SemanticColumn, semantic: ColumnAnswer) -> ColumnAnswer:
        """Score all groups, shape (groups,), NaN for groups or queries without vectors.

        `semantic` is the semantic column's answer to the same query.
        """
        if query.vector is None:
            return Known(np.full(len(self), np.nan))
        self.refresh(column)
        return _CentroidScores(self, query.vector, semantic)

    def above(self, products: Singles, semantic: ColumnAnswer) -> Singles:
        """Return bounds on the scores of all groups, given the products of all means.

        For groups of several vectors they are the scores, up to rounding.
        """
        above = np.full(len(self), np.nan, np.float32)
        if len(self._shared_groups):
            above[self._shared_groups] = np.maximum(products, np.float32(0.0))[self._shared_means]
        if len(self._lone_groups):
            above[self._lone_groups] = semantic.above[self._lone_rows]
        return above

    def at(self, groups: Places, products: Callable[[Places], Floats], semantic: ColumnAnswer) -> Floats:
        """Return the scores of these groups.

        `products` computes those of the means at given positions.
        """
        lone = self._lone.view[groups]
        if (lone == _MANY).all():
            return np.minimum(np.maximum(products(self._mean.view[groups]), 0.0), 1.0)
        scores = np.full(len(groups), np.nan)
        is_shared, is_lone = lone == _MANY, lone >= 0
        scores[is_shared] = np.minimum(np.maximum(products(self._mean.view[groups[is_shared]]), 0.0), 1.0)
        scores[is_lone] = semantic.at(lone[is_lone])
        return scores

    def products(self, vector: Singles) -> Singles:
        """Compute the dot products of all means with a vector."""
        return self._means.view @ vector

    def exact_products(self, places: Places, vector: Singles) -> Floats:
        """Compute exact dot products of the means at these positions."""
        return exact_products(self._means.view, places, vector)

    def over(self, count: int, rows: Places, groups: Places, column: SemanticColumn) -> Centroids:
        """Build the first `count` groups with the vectors of another column.

        `rows` are all live rows, `groups` the group of each. This object is not changed, and no mutable state is
        read, so any thread may call; the caller ensures that no row has joined or left before the swap.
        """
        fresh = Centroids(column.vectors.shape[1])
        fresh._members, fresh._numbers = self._members, self._numbers
        fresh._mean.lengthen(count)
        fresh._lone.lengthen(count)
        order = np.lexsort((rows, groups))
        rows, groups = rows[order], groups[order]
        ends = np.searchsorted(groups, np.arange(count), side="right")
        for _ in fresh._means.widening(int((np.diff(ends, prepend=0) > 1).sum())):
            pass  # reserve all space at once, while there is nothing to copy
        start = begun = 0
        while start < count:
            stop = int(np.searchsorted(ends, begun + _ROWS_AT_ONCE, side="right"))
            stop = min(max(stop, start + 1), start + _AT_ONCE)
            ended = int(ends[stop - 1])
            fresh._renew(np.arange(start, stop), rows[begun:ended], groups[begun:ended] - start, column)
            start, begun = stop, ended
        fresh._settle()
        return fresh

    def refresh(self, column: SemanticColumn) -> None:
        """Compute the means of all groups that have changed."""
        if not self._stale:
            return
        stale = np.fromiter(self._stale, np.intp, len(self._stale))
        if column.known.any():
            for start in range(0, len(stale), _AT_ONCE):
                some = stale[start : start + _AT_ONCE]
                self._renew(some, *self._rows_of(some), column)
        else:
            self._lone.view[stale] = _NO_VECTOR
        self._settle()

    def _rows_of(self, groups: Places) -> tuple[Places, Places]:
        """Return the rows of these groups, sorted by group and row, and the group position of each."""
        members = [self._members[group] for group in groups.tolist()]
        sizes = np.fromiter(map(len, members), np.intp, len(members))
        rows = np.fromiter(chain.from_iterable(members), np.intp, int(sizes.sum()))
        owner = np.repeat(np.arange(len(groups)), sizes)
        order = np.lexsort((rows, owner))
        return rows[order], owner[order]

    def _settle(self) -> None:
        """Mark all groups as fresh."""
        self._stale.clear()
        self._lone_groups = np.flatnonzero(self._lone.view >= 0)
        self._lone_rows = self._lone.view[self._lone_groups]
        self._shared_groups = np.flatnonzero(self._lone.view == _MANY)
        self._shared_means = self._mean.view[self._shared_groups]

    def _renew(self, groups: Places, rows: Places, owner: Places, column: SemanticColumn) -> None:
        """Compute the means of many groups at once; `owner` is the position of each row's group."""
        rows, owner = rows[has := column.known[rows]], owner[has]
        sizes = np.bincount(owner, minlength=len(groups))
        starts = np.cumsum(sizes) - sizes
        self._lone.view[groups] = np.where(sizes > 1, _MANY, _NO_VECTOR)
        alone = np.flatnonzero(sizes == 1)
        self._lone.view[groups[alone]] = rows[starts[alone]]
        shared = np.flatnonzero(sizes > 1)
        if len(shared):
            kept = np.repeat(sizes > 1, sizes)
            ends = np.cumsum(sizes[shared])
            means = units(np.add.reduceat(column.vectors[rows[kept]], ends - sizes[shared]))
            own = groups[shared]
            fresh = own[self._mean.view[own] < 0]
            first = self._means.lengthen(len(fresh))
            self._mean.view[fresh] = np.arange(first, first + len(fresh))
            self._means.put(self._mean.view[own], means)


class _CentroidScores:
    """Answer to one query; groups of one vector score as their rows.

    Asking for all bounds computes all products; otherwise only those of the requested groups.
    """

    def __init__(self, centroids: Centroids, vector: Singles, semantic: ColumnAnswer) -> None:
        self._centroids = centroids
        self._vector = vector
        self._semantic = semantic
        self._products: Singles | None = None

    @cached_property
    def above(self) -> Singles:
        self._products = self._centroids.products(self._vector)
        return self._centroids.above(self._products, self._semantic)

    @property
    def every(self) -> Floats:
        return self.at(np.arange(len(self.above)))

    def at(self, rows: Places) -> Floats:
        products, centroids, vector = self._products, self._centroids, self._vector
        if products is None:
            return centroids.at(rows, lambda places: centroids.exact_products(places, vector), self._semantic)
        return centroids.at(rows, lambda places: products[places].astype(np.float64), self._semantic)


def units(sums: Singles) -> Singles:
    """Scale the rows to length 1, except rows of zeros."""
    lengths = np.linalg.norm(sums, axis=1)
    return sums / np.where(lengths > 0, lengths, 1.0).astype(np.float32)[:, None]
