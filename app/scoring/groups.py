"""The two scorers that look at whole answers: the centroid of what is taught under one, and a power's keywords."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from app.scoring.asked import Asked, Floats, Known, Places, Singles
from app.scoring.growing import Growing
from app.scoring.products import exact_products
from app.scoring.semantic import SemanticColumn
from app.scoring.text import ScoredText, words

NAME_SCORE = 0.95
"""003, under the preset "As documented": a power's name in the query (S2.7)."""

FURTHER_KEYWORD = 0.02
"""What each further matched keyword adds (S2.7)."""

_AT_ONCE = 512
"""So many groups have their means worked out at a time."""

_MANY, _NO_VECTOR = -1, -2
"""Of a group without a lone row: it has several vectors, or none."""


def shared_keyword_score(holders: int) -> float:
    """What a keyword scores that `holders` enabled powers declare: 0.9 for one, 0.5 + 0.4 / k for k (S2.7)."""
    return 0.5 + 0.4 / holders


class Centroids:
    """S2.6: unit vectors of the mean of each group's trigger vectors. A group is a label, or a single answer.

    A group of one vector scores as its row does and keeps no mean of its own. `_lone` tells that row of each group
    (or _MANY, _NO_VECTOR), `_mean` the place of each group's mean, -1 where it never had one.
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
        """The number of a group, made where it is new."""
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._members)
            self._members.append(set())
            self._mean.lengthen(1)
            self._lone.lengthen(1)
        return number

    def widening(self, count: int) -> Iterator[None]:
        """Make room for the means of so many groups more, a little at each step."""
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
        """Vectors of these groups' rows have changed."""
        self._stale.update(groups)

    def forget(self, dimension: int) -> None:
        """Forget every mean; the vectors that come are of this length."""
        self._means = Growing(np.float32, width=dimension)
        self._mean.view[:] = -1
        self.touch(range(len(self)))

    def ask(self, query: ScoredText, column: SemanticColumn, semantic: Asked) -> Asked:
        """Scores of shape (groups,), NaN for a group without vectors; all absent if the query has none. `semantic` is
        what the column made of the same query."""
        if query.vector is None:
            return Known(np.full(len(self), np.nan))
        self.refresh(column)
        return _AskedCentroids(self, query.vector, semantic)

    def above(self, products: Singles, semantic: Asked) -> Singles:
        """Bounds on the scores of all groups, given the products of all means; but for rounding the scores of those
        of several vectors."""
        above = np.full(len(self), np.nan, np.float32)
        if len(self._shared_groups):
            above[self._shared_groups] = np.maximum(products, np.float32(0.0))[self._shared_means]
        if len(self._lone_groups):
            above[self._lone_groups] = semantic.above()[self._lone_rows]
        return above

    def at(self, groups: Places, products: Callable[[Places], Floats], semantic: Asked) -> Floats:
        """The scores of these groups; `products` gives those of the means at some places."""
        lone = self._lone.view[groups]
        if (lone == _MANY).all():
            return np.minimum(np.maximum(products(self._mean.view[groups]), 0.0), 1.0)
        scores = np.full(len(groups), np.nan)
        is_shared, is_lone = lone == _MANY, lone >= 0
        scores[is_shared] = np.minimum(np.maximum(products(self._mean.view[groups[is_shared]]), 0.0), 1.0)
        scores[is_lone] = semantic.at(lone[is_lone])
        return scores

    def products(self, vector: Singles) -> Singles:
        """Those of all means with a vector."""
        return self._means.view @ vector

    def exact_products(self, places: Places, vector: Singles) -> Floats:
        """Those of the means at these places."""
        return exact_products(self._means.view, places, vector)

    def refresh(self, column: SemanticColumn) -> None:
        """Work out the means of all groups that have changed."""
        if not self._stale:
            return
        stale = np.fromiter(self._stale, np.intp, len(self._stale))
        for start in range(0, len(stale), _AT_ONCE):
            self._renew(stale[start : start + _AT_ONCE], column)
        self._stale.clear()
        self._lone_groups = np.flatnonzero(self._lone.view >= 0)
        self._lone_rows = self._lone.view[self._lone_groups]
        self._shared_groups = np.flatnonzero(self._lone.view == _MANY)
        self._shared_means = self._mean.view[self._shared_groups]

    def _renew(self, groups: Places, column: SemanticColumn) -> None:
        """Many groups at a time: rows in the order of their groups, then of their numbers, summed run by run."""
        members = [self._members[group] for group in groups.tolist()]
        sizes = np.fromiter(map(len, members), np.intp, len(members))
        rows = np.fromiter(chain.from_iterable(members), np.intp, int(sizes.sum()))
        owner = np.repeat(np.arange(len(groups)), sizes)
        rows, owner = rows[has := column.known[rows]], owner[has]
        order = np.lexsort((rows, owner))
        rows, sizes = rows[order], np.bincount(owner, minlength=len(groups))
        starts = np.cumsum(sizes) - sizes
        self._lone.view[groups] = np.where(sizes > 1, _MANY, _NO_VECTOR)
        alone = np.flatnonzero(sizes == 1)
        self._lone.view[groups[alone]] = rows[starts[alone]]
        shared = np.flatnonzero(sizes > 1)
        if len(shared):
            kept = np.repeat(sizes > 1, sizes)
            ends = np.cumsum(sizes[shared])
            means = _units(np.add.reduceat(column.vectors[rows[kept]], ends - sizes[shared]))
            places = self._place_means(groups[shared])
            self._means.put(places, means)

    def _place_means(self, groups: Places) -> Places:
        """Where the means of these groups stand, from now on if they had none."""
        fresh = groups[self._mean.view[groups] < 0]
        first = self._means.lengthen(len(fresh))
        self._mean.view[fresh] = np.arange(first, first + len(fresh))
        return self._mean.view[groups]


class _AskedCentroids:
    """A group of several vectors scores by its mean, one of a single vector as its row does. Who asks for all bounds
    has taken all products; else only those of the few groups that are looked at are worked out."""

    def __init__(self, centroids: Centroids, vector: Singles, semantic: Asked) -> None:
        self._centroids = centroids
        self._vector = vector
        self._semantic = semantic
        self._products: Singles | None = None
        self._above: Singles | None = None

    def above(self) -> Singles:
        if self._above is None:
            self._products = self._centroids.products(self._vector)
            self._above = self._centroids.above(self._products, self._semantic)
        return self._above

    def at(self, rows: Places) -> Floats:
        products, centroids, vector = self._products, self._centroids, self._vector
        if products is None:
            return centroids.at(rows, lambda places: centroids.exact_products(places, vector), self._semantic)
        return centroids.at(rows, lambda places: products[places].astype(np.float64), self._semantic)

    def every(self) -> Floats:
        self.above()
        return self.at(np.arange(len(self._centroids)))


def _units(sums: Singles) -> Singles:
    """The same rows at length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(sums, axis=1)
    return sums / np.where(lengths > 0, lengths, 1.0).astype(np.float32)[:, None]


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A keyword, as declared, of the candidate at `slot`; `holders` powers declare it, or None for a power's name."""

    slot: int
    keyword: str
    holders: int | None

    @property
    def score(self) -> float:
        return NAME_SCORE if self.holders is None else shared_keyword_score(self.holders)


class Keywords:
    """S2.7: phrases of whole words, each with the slots of the powers that declare it."""

    def __init__(self) -> None:
        self._declared: defaultdict[tuple[str, ...], dict[int, str]] = defaultdict(dict)
        self._named: defaultdict[tuple[str, ...], dict[int, str]] = defaultdict(dict)
        self._phrases: dict[int, tuple[set[tuple[str, ...]], tuple[str, ...]]] = {}
        self._longest = 0

    def add(self, slot: int, name: str, keywords: Sequence[str]) -> None:
        phrases = {phrase: keyword for keyword in reversed(keywords) if (phrase := words(keyword))}
        named = words(name)
        for phrase, keyword in phrases.items():
            self._declared[phrase][slot] = keyword
        if named:
            self._named[named][slot] = name
        self._phrases[slot] = (set(phrases), named)
        self._longest = max([self._longest, len(named), *map(len, phrases)])

    def remove(self, slot: int) -> None:
        phrases, named = self._phrases.pop(slot, (set(), ()))
        for phrase in phrases:
            del self._declared[phrase][slot]
        self._named.get(named, {}).pop(slot, None)

    def hits(self, query: ScoredText, *, name_counts: bool) -> dict[int, list[KeywordHit]]:
        """The matched keywords by slot, best first; with `name_counts` the name too."""
        found: defaultdict[int, list[KeywordHit]] = defaultdict(list)
        if not self._longest:
            return found
        for phrase in _phrases_of(query.words, self._longest):
            holders = self._declared.get(phrase, {})
            for slot, keyword in holders.copy().items():  # another thread may ask while powers come and go
                found[slot].append(KeywordHit(slot, keyword, len(holders)))
            for slot, name in (self._named.get(phrase, {}) if name_counts else {}).items():
                found[slot].append(KeywordHit(slot, name, None))
        for hits in found.values():
            hits.sort(key=lambda hit: -hit.score)
        return found


def keyword_score(hits: Sequence[KeywordHit]) -> float:
    """The score of the hits of one power, best first: the best, plus 0.02 for each further *keyword*, at most 1."""
    keywords = sum(hit.holders is not None for hit in hits)
    further = keywords - 1 if hits[0].holders is not None else keywords
    return min(1.0, hits[0].score + FURTHER_KEYWORD * further)


def _phrases_of(query: Sequence[str], longest: int) -> Iterable[tuple[str, ...]]:
    """Every run of 1 to `longest` words, each distinct one once."""
    runs = (
        tuple(query[start : start + length])
        for start in range(len(query))
        for length in range(1, min(longest, len(query) - start) + 1)
    )
    return dict.fromkeys(runs)
