"""Features of examples: words of their texts, the prior from public questions, and evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.case import NearExample, TaughtExample
from app.scoring.columns.column import Floats, Singles

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


# ---- Evidence for the examples' route: the nearest examples with it, and decisive words.


LISTED = 5
"""Number of nearest examples shown, one of which must have the vote's route."""

MOST_WORDS = 3
"""Maximum number of words shown."""

TELLING = 0.1
"""Minimum share of the total word weight for a word to be shown."""


def listed(
    examples: Sequence[TaughtExample], places: NDArray[np.intp], cosines: NDArray[np.float32], label: str = ""
) -> tuple[NearExample, ...]:
    """Return the nearest of the examples at these places, given their cosines.

    Each has `label`, or its first label.
    """
    some = top_places(cosines[None, :], LISTED)[0]
    return tuple(
        NearExample(
            examples[places[row]].text,
            label or examples[places[row]].labels[0],
            min(1.0, max(0.0, float(cosines[row]))),
            examples[places[row]].is_shipped,
        )
        for row in some[np.argsort(-cosines[some], kind="stable")].tolist()
    )


def top_places(values: NDArray[np.floating], count: int) -> NDArray[np.intp]:
    """Return the places of the `count` largest of each row, unordered; shape (rows, count)."""
    count = min(count, values.shape[1])
    made: NDArray[np.intp] = np.argpartition(-values, count - 1, axis=1)[:, :count]
    return made


def decisive_words(words: ExampleWords, text: str, lead: Floats) -> tuple[str, ...]:
    """Return the words that count most for a route; `lead` is each feature's lead over another."""
    row = words.row(text) * lead
    names = {feature: float(row[words.places[feature]]) for feature in features(text) if feature in words.places}
    names = {feature: value for feature, value in names.items() if value > 0.0}
    whole = sum(names.values())
    words_found: list[str] = []
    for feature in sorted(names, key=lambda one: -names[one]):
        bare = feature.removeprefix("^ ").removeprefix("_ ").removesuffix(" $").removesuffix(" _").replace(" _ ", " … ")
        shown = bare.replace("<", "(").replace(">", ")")  # a pair with a gap as "same … as", a shape as "(year)"
        if names[feature] >= TELLING * whole and not any(shown in other or other in shown for other in words_found):
            words_found.append(shown)
    return tuple(words_found[:MOST_WORDS])


# ---- Prior from public labelled questions: mean features of similar questions.


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
