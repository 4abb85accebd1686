"""Arrays that grow at the end without being copied each time."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

Scalar = TypeVar("Scalar", bound=np.generic)

HEADROOM = 0.25
"""The room made beyond what is needed. It is not touched before it is used, so it costs no memory until then."""

LEAST_ROOM = 64


class Growing(Generic[Scalar]):
    """A one- or two-dimensional array with room to grow; `view` is the part in use, shape (n,) or (n, width)."""

    def __init__(self, dtype: DTypeLike, *, width: int | None = None, fill: Any = 0) -> None:
        self._fill = fill
        self._tail = () if width is None else (width,)
        self._room: NDArray[Scalar] = np.full((0, *self._tail), fill, dtype=dtype)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def view(self) -> NDArray[Scalar]:
        return self._room[: self._used]

    def take_up(self, room: NDArray[Scalar], used: int) -> None:
        """Go on with an array made elsewhere, the first `used` of whose rows are in use; the others hold zeros."""
        if self._fill:
            room[used:] = self._fill
        self._room, self._used = room, used

    def extend(self, values: NDArray[Scalar]) -> None:
        """Append rows."""
        start = self.lengthen(len(values))
        self._room[start : self._used] = values

    def lengthen(self, count: int) -> int:
        """Append `count` rows of the fill value; the index of the first."""
        start = self._used
        needed = start + count
        if needed > len(self._room):
            shape = (needed + int(HEADROOM * needed) + LEAST_ROOM, *self._tail)
            room: NDArray[Scalar] = np.zeros(shape, dtype=self._room.dtype)
            room[:start] = self._room[:start]
            if self._fill:
                room[start:] = self._fill
            self._room = room
        self._used = needed
        return start
