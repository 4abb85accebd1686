"""BM25 over triggers, relative to a perfect hit: rare words that a query and a trigger share (Robertson et al.)."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from app.scoring.text import words

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

K1, B = 1.2, 0.3
"""How soon a repeated word counts no more, and how much a long trigger counts less; triggers are short."""


class Bm25:
    """An inverted index of rows; each edit takes the time of its own words. Safe from one thread at a time.

    The weight of a word in each of its rows is worked out when it is asked for and kept until the next edit.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}
        self._lengths = np.zeros(0, np.float32)
        self._total = 0.0
        self._live = 0
        self._weights: dict[str, tuple[Places, Floats]] = {}
        for row, text in enumerate(texts):
            self.put(row, text)

    def __len__(self) -> int:
        """How many rows hold a text."""
        return self._live

    def put(self, row: int, text: str) -> None:
        """Take in the text of a row that holds none."""
        counts = Counter(words(text))
        for word, count in counts.items():
            self._rows.setdefault(word, array("i")).append(row)
            self._counts.setdefault(word, array("H")).append(min(count, 0xFFFF))
        self._changed(row, float(counts.total()), 1)

    def drop(self, row: int, text: str) -> None:
        """Forget a row that was put with this text."""
        counts = Counter(words(text))
        for word in counts:
            place = self._rows[word].index(row)
            for held in (self._rows[word], self._counts[word]):
                held[place] = held[-1]
                held.pop()
            if not self._rows[word]:
                del self._rows[word], self._counts[word]
        self._changed(row, -float(counts.total()), -1)

    def scores(self, text: str, size: int) -> Floats:
        """Of all rows below `size`, in [0, 1]: 1 is what a row of exactly the query's words has, and words that no row
        has count as the rarest. Shape (size,)."""
        found = np.zeros(size)
        asked = Counter(words(text))
        if not asked or not self._live:
            return found
        for word in asked:
            if word in self._rows:
                rows, weights = self._weighted(word)
                found[rows] += weights
        found /= self._perfect(asked)
        return np.minimum(found, 1.0, out=found)

    def _perfect(self, asked: Counter[str]) -> float:
        norm = self._norm(float(asked.total()))
        return sum(self._rarity(word) * _saturated(count, norm) for word, count in asked.items())

    def _weighted(self, word: str) -> tuple[Places, Floats]:
        known = self._weights.get(word)
        if known is None:
            rows = np.array(self._rows[word], np.intp)
            counts = np.array(self._counts[word], np.float64)
            norms = K1 * (1.0 - B + B * self._lengths[rows].astype(np.float64) / self._mean)
            known = self._weights[word] = rows, self._rarity(word) * counts * (K1 + 1.0) / (counts + norms)
        return known

    def _rarity(self, word: str) -> float:
        held = len(self._rows.get(word, ()))
        return math.log(1.0 + (self._live - held + 0.5) / (held + 0.5))

    @property
    def _mean(self) -> float:
        return max(self._total / max(self._live, 1), 1.0)

    def _norm(self, length: float) -> float:
        return K1 * (1.0 - B + B * length / self._mean)

    def _changed(self, row: int, length: float, count: int) -> None:
        if row >= len(self._lengths):
            self._lengths = np.concatenate([self._lengths, np.zeros(max(1_024, row), np.float32)])
        self._lengths[row] = max(length, 0.0)
        self._total += length
        self._live += count
        self._weights.clear()


def _saturated(count: int, norm: float) -> float:
    return count * (K1 + 1.0) / (count + norm)


def best_of_each(scores: Floats, starts: Places) -> Floats:
    """The largest score of each label, where the rows stand in the order of labels that begin at `starts`."""
    return np.maximum.reduceat(scores, starts) if len(starts) else np.zeros(0)
