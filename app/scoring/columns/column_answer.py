"""A scorer's answer to one query: cheap upper bounds of all rows, exact scores of few.

Ranking needs the exact scores of only the best few candidates. In a `ColumnAnswer`, `above` bounds every row, `at`
scores chosen rows, `every` scores all. `at` and `every` agree to float32 precision (1e-6) where vectors are
multiplied, else exactly; neither exceeds `above` by more than SLACK.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Places = NDArray[np.intp]

T = TypeVar("T")

SLACK = 1e-5
"""Maximum error of a bound, due to float32."""


MOST_KEPT = 64
"""Number of rows from which on scores are recomputed rather than cached."""


class ColumnAnswer(Protocol):
    """Answer of a column to one query. NaN where a row's score is absent."""

    def above(self) -> Singles:
        """Return upper bounds of all scores, up to SLACK; shape (rows,). Read-only."""

    def at(self, rows: Places) -> Floats:
        """Return the scores of these rows; shape (len(rows),)."""

    def every(self) -> Floats:
        """Return the scores of all rows; shape (rows,). Read-only."""


class Known:
    """Scores cheap enough to compute all of them at once."""

    def __init__(self, scores: Floats) -> None:
        scores.flags.writeable = False
        self._scores = scores
        self._above: Singles | None = None

    def above(self) -> Singles:
        if self._above is None:
            self._above = self._scores.astype(np.float32)
        return self._above

    def at(self, rows: Places) -> Floats:
        return self._scores[rows]

    def every(self) -> Floats:
        return self._scores


class Few:
    """Cache of single rows' scores for one query: ranked rows are shown next."""

    def __init__(self, make: Callable[[Places], Floats]) -> None:
        self._make = make
        self._known: dict[int, float] = {}

    def at(self, rows: Places) -> Floats:
        if len(rows) > MOST_KEPT:
            return self._make(rows)
        wanted, known = rows.tolist(), self._known
        if known.keys() >= set(wanted):
            return np.array([known[row] for row in wanted])
        scores = self._make(rows)
        known.update(zip(wanted, scores.tolist(), strict=True))
        return scores


class Lazily(Mapping[str, T]):
    """Mapping whose values are computed on first access."""

    def __init__(self, names: Collection[str], make: Callable[[str], T], made: Mapping[str, T] | None = None) -> None:
        self._names = names
        self._make = make
        self.made: dict[str, T] = {} if made is None else {**made}

    def __getitem__(self, name: str) -> T:
        if name in self.made:
            return self.made[name]
        if name not in self._names:
            raise KeyError(name)
        self.made[name] = made = self._make(name)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names
