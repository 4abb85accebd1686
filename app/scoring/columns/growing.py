"""Arrays that grow at the end without being copied each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

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

    def take_up(self, room: NDArray[Scalar], used: int) -> None:
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
        wider = self._wider = self._grown(needed)
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

    def _grown(self, needed: int) -> NDArray[Scalar]:
        room: NDArray[Scalar] = np.zeros((needed + int(HEADROOM * needed) + LEAST_ROOM, *self._tail), self._room.dtype)
        if self._fill:
            room[:] = self._fill
        return room
