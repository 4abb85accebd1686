"""What speaks for the route that the taught examples give: the nearest that have it, and the words that tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.case import NearExample, TaughtExample
from app.scoring.examples.words import ExampleWords, Floats, features

LISTED = 5
"""So many nearest examples are shown, and must hold one of the route that the vote gives."""

MOST_WORDS = 3
"""So many words are told."""

TELLING = 0.1
"""A word is told that has so large a share of what all telling ones come to."""


def listed(
    examples: Sequence[TaughtExample], places: NDArray[np.intp], cosines: NDArray[np.float32], label: str = ""
) -> tuple[NearExample, ...]:
    """The nearest of the examples at these places, which have these cosines; each under `label`, or under its first."""
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
    """The places of the largest so many of each row, in no order; shape (rows, count)."""
    count = min(count, values.shape[1])
    made: NDArray[np.intp] = np.argpartition(-values, count - 1, axis=1)[:, :count]
    return made


def telling(words: ExampleWords, text: str, lead: Floats) -> tuple[str, ...]:
    """The words of a text that speak most for a route; `lead` has what each feature gives it over another."""
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
    """A feature as it is read: of a pair with a gap "same … as", of a shape "(year)"."""
    bare = feature.removeprefix("^ ").removeprefix("_ ").removesuffix(" $").removesuffix(" _").replace(" _ ", " … ")
    return bare.replace("<", "(").replace(">", ")")
