"""The weights that ship: fitted on public sets, by how many phrases a label has (resources/datasets/README.md)."""

from __future__ import annotations

import math

from app.scoring.learned.model import Weights

MOST_PHRASES = 100.0
"""More phrases a label than this change the weights no further: no set that they were fitted on has more."""

MOST_EXAMPLES, FEWEST_POWERS, MOST_POWERS = 20.0, 10, 200
"""The same of examples a power, and of powers."""


def shipped(phrases: float) -> Weights:
    """The weights where labels have so many phrases in the mean: straight lines along the logarithm of that."""
    along = math.log(min(max(phrases, 1.0), MOST_PHRASES))
    return Weights(
        lr=1.86 - 0.12 * along,
        semantic=5.88 - 0.58 * along,
        description=0.0,
        bm25=0.21 + 0.98 * along,
        energy=-0.33 + 0.06 * along,
        background=0.43,
        none=-3.33 + 1.37 * along,
    )


def taught_powers(phrases: float, labels: int) -> Weights:
    """The same for powers with examples beside names and descriptions. What a query leaves to all labels together tells
    strangers by how many labels there are: among few powers everything is near one of them."""
    along, wide = (
        math.log(min(max(phrases, 1.0), MOST_EXAMPLES)),
        math.log(min(max(labels, FEWEST_POWERS), MOST_POWERS)),
    )
    return Weights(
        lr=2.73 - 0.17 * along - 0.23 * wide,
        semantic=4.8 - 0.41 * along - 0.36 * wide,
        description=0.0,
        bm25=4.8 - 0.35 * along + 0.02 * wide,
        energy=-2.08 + 0.13 * along + 0.21 * wide,
        background=0.45,
        none=-0.61 + 0.94 * along + 0.84 * wide,
    )


def described(*, has_paragraphs: bool) -> Weights:
    """Where powers are told by name, description, keywords and tools, and few or none by examples: nothing can be left
    out and asked for there. What is asked everywhere speaks for none of them. Where no description has several
    paragraphs, the nearest trigger is all that there is, and has the weight of both."""
    meant = {"semantic": 7.6, "description": 8.0} if has_paragraphs else {"semantic": 15.6, "description": 0.0}
    return Weights(lr=0.6, **meant, bm25=9.6, energy=0.0, background=0.36, none=6.1)


def without_regression() -> Weights:
    """Where labels are too many to tell them apart by a regression."""
    return Weights(lr=0.0, semantic=15.0, description=0.0, bm25=3.6, energy=0.0, background=0.0, none=4.8)
