"""One scorer's answer to one query: from above for every row at little cost, exactly for the rows that matter.

Ranking needs only the best few candidates, and nearly all the others can be seen to be worse without their exact
scores. So a column answers with an `Asked`: `above` bounds every row, `at` scores chosen rows, `every` scores all.
`at` and `every` agree to float32 precision (1e-6) where vectors are multiplied, else wholly; neither exceeds `above`
by more than SLACK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Places = NDArray[np.intp]

T = TypeVar("T")

SLACK = 1e-5
"""How far a bound, worked out in float32, may fall below the value that it bounds."""


class Asked(Protocol):
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
        self._above = Once(lambda: scores.astype(np.float32))

    def above(self) -> Singles:
        return self._above()

    def at(self, rows: Places) -> Floats:
        return self._scores[rows]

    def every(self) -> Floats:
        return self._scores


class Once(Generic[T]):
    """A value that is made when it is first asked for."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make
        self._made: T | None = None

    def __call__(self) -> T:
        make = self._make
        if make is not None:
            self._made = make()
            self._make = None
        return self._made  # type: ignore[return-value]


class Lazily(Mapping[str, T]):
    """A mapping whose values are made when they are first looked at."""

    def __init__(self, makers: Mapping[str, Once[T]]) -> None:
        self.makers = makers

    def __getitem__(self, name: str) -> T:
        return self.makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self.makers)

    def __len__(self) -> int:
        return len(self.makers)

    def __contains__(self, name: object) -> bool:
        return name in self.makers
