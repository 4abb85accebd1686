"""Evidence for the examples' route: the nearest examples with it, and decisive words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.case import NearExample, TaughtExample
from app.scoring.examples.words import ExampleWords, Floats, features

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


def telling(words: ExampleWords, text: str, lead: Floats) -> tuple[str, ...]:
    """Return the words that count most for a route; `lead` is each feature's lead over another."""
    row = words.row(text) * lead
    names = {feature: float(row[words.places[feature]]) for feature in features(text) if feature in words.places}
    names = {feature: value for feature, value in names.items() if value > 0.0}
    whole = sum(names.values())
    words_found: list[str] = []
    for feature in sorted(names, key=lambda one: -names[one]):
        shown = _shown(feature)
        if names[feature] >= TELLING * whole and not any(shown in other or other in shown for other in words_found):
            words_found.append(shown)
    return tuple(words_found[:MOST_WORDS])


def _shown(feature: str) -> str:
    """Format a feature for display: a pair with a gap as "same … as", a shape as "(year)"."""
    bare = feature.removeprefix("^ ").removeprefix("_ ").removesuffix(" $").removesuffix(" _").replace(" _ ", " … ")
    return bare.replace("<", "(").replace(">", ")")
