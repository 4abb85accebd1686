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
        lr=1.86 - 0.12 * along,
        semantic=5.88 - 0.58 * along,
        bm25=0.21 + 0.98 * along,
        energy=-0.33 + 0.06 * along,
        background=0.43,
        none=-3.33 + 1.37 * along,
    )


def described() -> Weights:
    """Where powers are told by name, description, keywords and tools, and few or none by examples: nothing can be left
    out and asked for there. What is asked everywhere speaks for none of them."""
    return Weights(lr=0.6, semantic=15.6, bm25=9.6, energy=0.0, background=0.36, none=6.1)


def without_regression() -> Weights:
    """Where labels are too many to tell them apart by a regression."""
    return Weights(lr=0.0, semantic=15.0, bm25=3.6, energy=0.0, background=0.0, none=4.8)
