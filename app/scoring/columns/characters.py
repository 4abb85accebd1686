"""Upper bound on the characters that two texts share, updated incrementally while typing.

Each trigger's characters are counted in BUCKETS columns of uint8, one per frequent character, the others sharing
some. The sum over buckets of the smaller count bounds the shared characters, and so the longest common subsequence.
It does not depend on order, so each character added or removed, anywhere in the text, costs one comparison and one
addition of bytes for all triggers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

BUCKETS = 80
_OWN = "abcdefghijklmnopqrstuvwxyz 0123456789-_.,?!'/"
_FIRST_SHARED = len(_OWN)

MOST = 255
"""Maximum count; longer queries are not bounded."""

_AT_ONCE = 8_192


def _table() -> NDArray[np.intp]:
    codes = np.arange(128)
    table = _FIRST_SHARED + codes % (BUCKETS - _FIRST_SHARED)
    for bucket, character in enumerate(_OWN):
        table[ord(character)] = bucket
    return table


_BUCKET_OF_ASCII = _table()
_OF_ASCII: list[int] = _BUCKET_OF_ASCII.tolist()


def _bucket(character: str) -> int:
    code = ord(character)
    return _OF_ASCII[code] if code < 128 else _FIRST_SHARED + code % (BUCKETS - _FIRST_SHARED)


def _buckets(text: str) -> NDArray[np.intp]:
    if text.isascii():
        return _BUCKET_OF_ASCII[np.frombuffer(text.encode("ascii"), np.uint8)]
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.intp)
    shared = _FIRST_SHARED + codes % (BUCKETS - _FIRST_SHARED)
    return np.where(codes < 128, _BUCKET_OF_ASCII[np.minimum(codes, 127)], shared)


class CharacterCounts:
    """Counts of shape (BUCKETS, rows), and the shared characters of the last query."""

    def __init__(self) -> None:
        self._room: Bytes = np.zeros((BUCKETS, 0), np.uint8)
        self._rows = 0
        self.forget()

    @property
    def nbytes(self) -> int:
        return BUCKETS * self._rows

    def append(self, texts: Sequence[str]) -> None:
        start, self._rows = self._rows, self._rows + len(texts)
        if self._rows > self._room.shape[1]:
            room = np.zeros((BUCKETS, self._rows + self._rows // 4 + 64), np.uint8)
            room[:, :start] = self._room[:, :start]
            self._room = room
        for first in range(0, len(texts), _AT_ONCE):
            part = texts[first : first + _AT_ONCE]
            place = np.repeat(np.arange(len(part)), [len(text) for text in part])
            counts = np.bincount(_buckets("".join(part)) * len(part) + place, minlength=BUCKETS * len(part))
            counted = np.minimum(counts, MOST).reshape(BUCKETS, len(part))
            self._room[:, start + first : start + first + len(part)] = counted
        self.forget()

    def follow(self, gone: str, came: str, lengths: Bytes | None) -> tuple[Bytes, Bytes]:
        """Update the shared characters for removed (`gone`) and added (`came`) ones, shape (rows,).

        Also returns `lengths`, if given, plus the number of added characters that the row has. Valid until the next
        call.
        """
        total, wanted = self._total, self._wanted
        for bucket in map(_bucket, gone):
            np.subtract(total, self._at_least(bucket, wanted[bucket]), out=total)
            wanted[bucket] -= 1
        more = total if lengths is None else lengths.copy()
        came_of: dict[int, int] = {}
        for bucket in map(_bucket, came):
            wanted[bucket] += 1
            np.add(total, self._at_least(bucket, wanted[bucket]), out=total)
            if lengths is not None:
                came_of[bucket] = number = came_of.get(bucket, 0) + 1
                np.add(more, self._at_least(bucket, number), out=more)
        return total, more

    def forget(self) -> None:
        """Reset to an empty query."""
        self._wanted, self._total = [0] * BUCKETS, np.zeros(self._rows, np.uint8)

    def _at_least(self, bucket: int, number: int) -> Bytes:
        return np.greater_equal(self._room[bucket, : self._rows], number).view(np.uint8)
