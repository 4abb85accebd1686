"""One scorer's answer to one query: from above for every row at little cost, exactly for the rows that matter.

Ranking needs only the best few candidates, and nearly all the others can be seen to be worse without their exact
scores. So a column answers with an `Asked`: `above` bounds every row, `at` scores chosen rows, `every` scores all.
`at` and `every` agree to float32 precision (1e-6) where vectors are multiplied, else wholly; neither exceeds `above`
by more than SLACK.
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
"""How far a bound, worked out in float32, may fall below the value that it bounds."""


MOST_KEPT = 64
"""Scores of more rows than this at once are worked out again where they are asked for again."""


class ColumnAnswer(Protocol):
    """What a column makes of one query. NaN where a row's score is absent."""

    def above(self) -> Singles:
        """At least each row's score, SLACK apart; shape (rows,). Not to be written to."""
        ...

    def at(self, rows: Places) -> Floats:
        """The scores of these rows; shape (len(rows),)."""
        ...

    def every(self) -> Floats:
        """The scores of all rows; shape (rows,). Not to be written to."""
        ...


class Known:
    """Scores that cost so little that all of them are at hand."""

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
    """Scores of single rows that were worked out for one query: what is looked at to rank is then looked at to show."""

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
    """A mapping of these names whose values are made, each by its name, when they are first looked at."""

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
