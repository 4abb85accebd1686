"""Fast filters for pairs of similar rows, by tiles, with bit signatures or int8 products.

A tile is a block of rows by columns. The filters only exclude: all similar pairs pass, with some others, and the
caller scores them exactly. With numkong a pair takes 2 ns by meaning and 1.5 ns by spelling; with numpy 13 and 11
on the same core.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.semantic import CODES, int8_products

Bits = NDArray[np.uint8]
Places = NDArray[np.intp]
Singles = NDArray[np.float32]

_AT_ONCE = 2_048
_ROUNDING = 1e-5

SIGNATURE_BYTES = 64

_WIDTHS = (("etaoinsr", 24), ("hldcumpgy", 14), ("fwbvk", 10), ("jxqz", 6), ("0123456789", 4), (" ", 20))
_OTHERS, _OTHERS_WIDTH = 6, 10
"""Bits of a signature for each of these characters, and buckets for all others."""


def _buckets() -> tuple[NDArray[np.intp], list[int]]:
    widths = [_OTHERS_WIDTH] * _OTHERS
    table = np.arange(128) % _OTHERS
    for characters, width in _WIDTHS:
        for character in characters:
            table[ord(character)] = len(widths)
            widths.append(width)
    return table, widths


_BUCKET_OF_ASCII, _BUCKET_WIDTHS = _buckets()
_BUCKET_COUNT = len(_BUCKET_WIDTHS)


def signatures(texts: Sequence[str]) -> Bits:
    """Encode the character counts of each text as bits, shape (texts, SIGNATURE_BYTES).

    A count of n sets the first n bits of the character's range, so that the differing bits of two texts are at most
    their differing characters.
    """
    place = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.intp)
    buckets = np.where(codes < 128, _BUCKET_OF_ASCII[np.minimum(codes, 127)], codes % _OTHERS)
    counts = np.bincount(place * _BUCKET_COUNT + buckets, minlength=_BUCKET_COUNT * len(texts))
    counts = counts.reshape(len(texts), _BUCKET_COUNT)
    bits = np.concatenate([counts[:, b, None] > np.arange(width) for b, width in enumerate(_BUCKET_WIDTHS)], axis=1)
    packed = np.zeros((len(texts), SIGNATURE_BYTES), np.uint8)
    rows = np.packbits(bits, axis=1)
    packed[:, : rows.shape[1]] = rows
    return packed


class BitTiles:
    """Pairs of signatures that differ in few bits; columns are packed once for many rows."""

    def __init__(self, signed: Bits) -> None:
        self._signed = signed
        self._words = signed.view(np.uint64)
        self._fast = _packed_hamming()
        self._columns = slice(0, 0)
        self._packed: Any = None

    def take_up(self, columns: slice) -> None:
        """Set the columns to compare with."""
        self._columns = columns
        if self._fast is not None:
            self._packed = self._fast[0](self._signed[columns])

    def within(self, rows: slice, most: int) -> tuple[Places, Places, NDArray[np.intp]]:
        """Return rows, columns and differing bits of the pairs within `most` bits."""
        if self._fast is not None:
            differing = np.asarray(self._fast[1](self._signed[rows], self._packed))
        else:
            differing = self._counted(rows)
        found = np.flatnonzero(differing <= most)
        row, column = np.divmod(found, differing.shape[1])
        return row + rows.start, column + self._columns.start, differing.ravel()[found].astype(np.intp)

    def _counted(self, rows: slice) -> NDArray[np.uint16]:
        left, right = self._words[rows], self._words[self._columns]
        differing = np.zeros((len(left), len(right)), np.uint16)
        for word in range(left.shape[1]):
            differing += np.bitwise_count(left[:, word, None] ^ right[None, :, word])
        return differing


class ProductTiles:
    """Pairs of vectors with a large product, by int8 copies with a common step, or float32."""

    def __init__(self, vectors: Singles, rows: Places) -> None:
        """Compare `rows` of `vectors`, shape (any, dimension); tiles use positions in `rows`."""
        self._vectors = vectors
        self._rows = rows
        self._fast = _packed_products()
        self._columns = slice(0, 0)
        self._packed: Any = None
        self._longest = self._worst = 0.0
        self._codes = np.zeros((len(rows) if self._fast else 0, vectors.shape[1]), np.int8)
        self._step = 1.0

    def take_in(self) -> Iterator[None]:
        """Read all vectors in steps; required before the first tile."""
        largest = 0.0
        for start in range(0, len(self._rows), _AT_ONCE):
            part = self._vectors[self._rows[start : start + _AT_ONCE]]
            largest = max(largest, float(part.max()), -float(part.min()))
            self._longest = max(self._longest, float(np.linalg.norm(part, axis=1).max()))
            yield
        self._step = largest / CODES or 1.0
        for start in range(0, len(self._codes), _AT_ONCE):
            part = self._vectors[self._rows[start : start + _AT_ONCE]]
            codes = np.rint(part * np.float32(1.0 / self._step)).astype(np.int8)
            self._codes[start : start + len(part)] = codes
            part -= codes * np.float32(self._step)
            self._worst = max(self._worst, float(np.linalg.norm(part, axis=1).max()))
            yield

    @property
    def slack(self) -> float:
        """Maximum error of an estimated product."""
        return self._worst * (2 * self._longest + self._worst) + _ROUNDING * self._longest**2

    def take_up(self, columns: slice) -> None:
        """Set the columns to multiply with."""
        self._columns = columns
        if self._fast is not None:
            self._packed = self._fast[0](self._codes[columns], dtype="int8")

    def above(self, rows: slice, least: float) -> tuple[Places, Places]:
        """Return rows and columns of the pairs whose product may reach `least`."""
        least -= self.slack
        if self._fast is not None:
            products = np.asarray(self._fast[1](self._codes[rows], self._packed))
            found = np.flatnonzero(products >= int(np.floor(least / self._step**2)))
        else:
            products = self._vectors[self._rows[rows]] @ self._vectors[self._rows[self._columns]].T
            found = np.flatnonzero(products >= np.float32(least))
        row, column = np.divmod(found, products.shape[1])
        return row + rows.start, column + self._columns.start


def products_of(vectors: Singles, left: Places, right: Places) -> NDArray[np.float64]:
    """Compute the exact products of row pairs, rounded to float32 once, shape (pairs,)."""
    parts = [
        np.einsum("ij,ij->i", vectors[left[at : at + _AT_ONCE]], vectors[right[at : at + _AT_ONCE]], dtype=np.float64)
        for at in range(0, len(left), _AT_ONCE)
    ]
    products = np.concatenate(parts) if parts else np.zeros(0)
    return products.astype(np.float32).astype(np.float64)


def _packed_products() -> tuple[Any, Any] | None:
    """Return the functions to pack int8 columns and multiply; None without the wheel."""
    if int8_products() is None:
        return None
    from numkong import dots_pack, dots_packed

    return dots_pack, dots_packed


def _packed_hamming() -> tuple[Any, Any] | None:
    """Return the functions to pack signatures and count differing bits; None without the wheel."""
    if int8_products() is None:
        return None
    from numkong import hammings_pack, hammings_packed

    return hammings_pack, hammings_packed
