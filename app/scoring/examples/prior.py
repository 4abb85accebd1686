"""Prior from public labelled questions: mean features of similar questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.scoring.examples.words import ExampleWords, Floats

Singles = NDArray[np.float32]

WEIGHT = 0.3
"""Weight of a public question relative to an example: they are many, with others' labels."""

MAX_COUNT = 1e6
"""Maximum plausible number of questions in a mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """Rows for a regression without texts.

    `vectors` (rows, dimension) for learning, `words` (rows, features) in the order of `features`, `labels` with ""
    for out of scope, and the number of questions in each row's mean.
    """

    vectors: Singles
    words: Singles
    features: tuple[str, ...]
    labels: tuple[str, ...]
    counts: Floats

    def __post_init__(self) -> None:
        rows = len(self.labels)
        if not (len(self.vectors) == len(self.counts) == rows and self.words.shape == (rows, len(self.features))):
            raise ValueError("each row of a prior has a vector, its words, a label and a count")

    @property
    def weights(self) -> Floats:
        """Weight of each row relative to an example; shape (rows,)."""
        return self.counts * WEIGHT

    def rows(self, words: ExampleWords) -> Singles:
        """Return the rows in the form of examples with these words; shape (rows, dimension + words)."""
        own = {feature: place for place, feature in enumerate(self.features)}
        shared = [(place, own[feature]) for feature, place in words.places.items() if feature in own]
        found = np.zeros((len(self.labels), len(words.places)), np.float32)
        if shared:
            here, there = np.array(shared).T
            found[:, here] = self.words[:, there]
        return np.hstack([self.vectors, found])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the prior as plain arrays, for a file that needs no pickle."""
        return {
            "prior vectors": self.vectors.astype(np.float16),
            "prior words": self.words.astype(np.float16),
            "prior features": np.array(self.features, np.str_),
            "prior labels": np.array(self.labels, np.str_),
            "prior counts": self.counts,
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Prior | None:
        """Restore a prior from `arrays`; None if missing or damaged."""
        try:
            found = cls(
                arrays["prior vectors"].astype(np.float32),
                arrays["prior words"].astype(np.float32),
                tuple(map(str, arrays["prior features"].tolist())),
                tuple(map(str, arrays["prior labels"].tolist())),
                arrays["prior counts"].astype(np.float64),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        numbers = (found.vectors, found.words, found.counts)
        is_sane = (
            all(bool(np.isfinite(part).all()) for part in numbers)
            and (found.vectors.ndim, found.counts.ndim) == (2, 1)
            and bool(((found.counts > 0.0) & (found.counts < MAX_COUNT)).all())
        )
        return found if is_sane else None
