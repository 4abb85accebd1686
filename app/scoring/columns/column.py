"""A column: its answer to a query, cheap upper bounds and few exact scores; growing arrays.

Ranking needs the exact scores of only the best few candidates. In a `ColumnAnswer`, `above` bounds every row, `at`
scores chosen rows, `every` scores all. `at` and `every` agree to float32 precision (1e-6) where vectors are
multiplied, else exactly; neither exceeds `above` by more than SLACK.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

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

    @property
    def above(self) -> Singles:
        """Upper bounds of all scores, up to SLACK; shape (rows,). Read-only."""

    @property
    def every(self) -> Floats:
        """Scores of all rows; shape (rows,). Read-only."""

    def at(self, rows: Places) -> Floats:
        """Return the scores of these rows; shape (len(rows),)."""


class Known:
    """Scores cheap enough to compute all of them at once."""

    def __init__(self, scores: Floats) -> None:
        scores.flags.writeable = False
        self.every = scores

    @cached_property
    def above(self) -> Singles:
        return self.every.astype(np.float32)

    def at(self, rows: Places) -> Floats:
        return self.every[rows]


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


# ---- Arrays that grow at the end without being copied each time.


Scalar = TypeVar("Scalar", bound=np.generic)

HEADROOM = 0.25
"""Relative spare capacity, which uses no memory before it is written."""

LEAST_ROOM = 64

MOVED_AT_ONCE = 2 * 2**20
"""Number of bytes copied per step of a reallocation: about two milliseconds."""


class Growing(Generic[Scalar]):
    """One- or two-dimensional array with spare capacity.

    `view`, shape (n,) or (n, width), is in use.
    """

    def __init__(self, dtype: DTypeLike, *, width: int | None = None, fill: Any = 0) -> None:
        self._fill = fill
        self._tail = () if width is None else (width,)
        self._room: NDArray[Scalar] = np.full((0, *self._tail), fill, dtype=dtype)
        self._used = 0
        self._wider: NDArray[Scalar] | None = None

    def __len__(self) -> int:
        return self._used

    @property
    def view(self) -> NDArray[Scalar]:
        return self._room[: self._used]

    def adopt(self, room: NDArray[Scalar], used: int) -> None:
        """Adopt an array whose first `used` rows are in use; the others are zero."""
        if self._fill:
            room[used:] = self._fill
        self._room, self._used, self._wider = room, used, None

    def put(self, rows: NDArray[np.intp], values: NDArray[Scalar]) -> None:
        """Write values to rows; the only allowed way during a reallocation."""
        self._room[rows] = values
        if self._wider is not None:
            self._wider[rows] = values

    def extend(self, values: NDArray[Scalar]) -> None:
        """Append rows."""
        start = self.lengthen(len(values))
        self._room[start : self._used] = values

    def lengthen(self, count: int) -> int:
        """Append `count` rows of the fill value; return the index of the first."""
        start = self._used
        if start + count > len(self._room):
            for _ in self.widening(count):
                pass
        self._used = start + count
        return start

    def widening(self, count: int) -> Iterator[None]:
        """Reserve space for `count` more rows, in small steps.

        The array is valid at every step and may grow between two of them. Another reallocation ends this one.
        """
        needed = self._used + count
        if needed <= len(self._room):
            return
        room: NDArray[Scalar] = np.zeros((needed + int(HEADROOM * needed) + LEAST_ROOM, *self._tail), self._room.dtype)
        if self._fill:
            room[:] = self._fill
        wider = self._wider = room
        step = max(1, MOVED_AT_ONCE // max(1, wider[:1].nbytes))
        moved = 0
        try:
            while moved < self._used and self._wider is wider:
                end = min(moved + step, self._used)
                wider[moved:end] = self._room[moved:end]
                moved = end
                yield
            if self._wider is wider:
                self._room = wider
        finally:
            if self._wider is wider:
                self._wider = None
