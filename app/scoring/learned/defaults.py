"""The weights that ship: fitted on public sets, by how many phrases a label has (resources/datasets/README.md)."""

from __future__ import annotations

import math

from app.scoring.learned.model import Weights

MOST_PHRASES = 100.0
"""More phrases a label than this change the weights no further: no set that they were fitted on has more."""


def shipped(phrases: float) -> Weights:
    """The weights where labels have so many phrases in the mean: straight lines along the logarithm of that."""
    along = math.log(min(max(phrases, 1.0), MOST_PHRASES))
    return Weights(
        lr=2.15 - 0.13 * along,
        semantic=6.1 - 1.0 * along,
        bm25=1.3 + 0.94 * along,
        energy=-0.45 + 0.09 * along,
        background=0.36,
        none=-3.7 + 1.2 * along,
    )


def without_regression() -> Weights:
    """Where labels are too many to tell them apart by a regression."""
    return Weights(lr=0.0, semantic=20.0, bm25=2.0, energy=0.0, background=0.0, none=14.0)
