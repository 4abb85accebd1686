"""Word features of a query: words, word pairs and shapes found in the examples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST, MOST = 2, 1_500
"""Minimum number of examples with a feature, and maximum number of features."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?|[?!.]")
_YEAR = re.compile(r"(?:19|20)\d\d")


def features(text: str) -> list[str]:
    """Return the distinct words, sentence marks, and pairs, adjacent or with a gap of one.

    Years and numbers become shapes, as their value does not matter.
    """
    shapes = ["^"]
    for found in _WORD.finditer(text):
        word = found.group()
        if _YEAR.fullmatch(word):
            shapes.append("<year>")
        elif word[0].isdigit():
            shapes.append("<number>")
        else:
            shapes.append(word.lower())
    shapes.append("$")
    pairs = [f"{one} {other}" for one, other in pairwise(shapes)]
    apart = [f"{one} _ {other}" for one, other in zip(shapes, shapes[2:], strict=False)]
    return list(dict.fromkeys((*shapes[1:-1], *pairs, *apart)))


@dataclass(frozen=True, slots=True)
class ExampleWords:
    """Features shared by several examples, each with its position and inverse frequency."""

    places: Mapping[str, int]
    telling: Floats

    @classmethod
    def of(cls, texts: Sequence[str]) -> ExampleWords:
        counts = Counter(feature for text in texts for feature in features(text))
        kept = [feature for feature, count in counts.most_common(MOST) if count >= LEAST]
        telling = np.array([np.log(len(texts) / counts[feature]) + 1.0 for feature in kept], np.float64)
        return cls({feature: place for place, feature in enumerate(kept)}, telling)

    def row(self, text: str) -> NDArray[np.float32]:
        """Return the features of one text, of length 1 unless empty; shape (len(places),)."""
        row = np.zeros(len(self.places), np.float32)
        here = [self.places[feature] for feature in features(text) if feature in self.places]
        row[here] = self.telling[here]
        length = float(np.linalg.norm(row))
        return row / length if length else row

    def rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the features of several texts; shape (len(texts), len(places))."""
        return np.stack([self.row(text) for text in texts]) if texts else np.zeros((0, len(self.places)), np.float32)
