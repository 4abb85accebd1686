"""The weights that ship: fitted on public sets by packaging/weights.py (resources/datasets/README.md)."""

from __future__ import annotations

import math
from dataclasses import astuple, replace

from app.scoring.learned.model import Weights

MOST_PHRASES = 100.0
"""More phrases a label than this change the weights no further: no set that they were fitted on has more."""

FEW, MANY = 3.0, 8.0
"""Up to FEW phrases a label a library is one of few phrases, from MANY on one of many, and between them partly both."""

SLIPS, NO_SLIPS = MANY, 20.0
"""Up to SLIPS phrases a label the spelling counts in full, from NO_SLIPS on not at all: there the regression knows the
letters of many phrases, and each of thousands would have to be compared."""

OF_FEW = Weights(
    lr=1.54,
    semantic=4.02,
    description=0.0,
    bm25=0.2,
    centroid=5.11,
    fuzzy=3.97,
    energy=0.0,
    background=0.03,
    none=-1.97,
)
"""Where phrases are few, but for what `none` owes to how near they lie. Fitted on libraries of 10 to 60 labels with
1 to 5 phrases each (tests/benchmarks/small_libraries.py), half of their queries of strangers, some with slips of the
keys. Rare words and the background class told nothing there; they have a little weight, which a fit may raise. `none`
is 0.2 above the fit: one in six fewer of the strangers of the same domain then comes to 0.75, and the share of queries
that are answered rightly falls by a third of a point."""

OWN, OTHER = 0.63, 0.48
"""How near the nearest phrase of the same label and of another lie in the mean of these libraries."""

NONE_OF_OWN, NONE_OF_OTHER = 5.03, 3.33

MOST_EXAMPLES, FEWEST_POWERS, MOST_POWERS = 20.0, 10, 200
"""The same of examples a power, and of powers."""


def few(phrases: float) -> float:
    """How far a library of so many phrases a label in the mean is one of few phrases, in [0, 1]."""
    return _share_below(phrases, FEW, MANY)


def _share_below(phrases: float, whole: float, none: float) -> float:
    """1 up to `whole` phrases, 0 from `none` on, a straight line along the logarithm between them."""
    return 1.0 - math.log(min(max(phrases, whole), none) / whole) / math.log(none / whole)


def shipped(phrases: float, own: float = math.nan, other: float = math.nan) -> Weights:
    """The weights where labels have so many phrases in the mean, the nearest of a label and of another so near
    (app.scoring.learned.taught.tightness): in a library whose phrases lie close strangers lie close to them too."""
    share = few(phrases)
    own, other = (usual if math.isnan(near) else near for near, usual in ((own, OWN), (other, OTHER)))
    close = replace(OF_FEW, none=OF_FEW.none + NONE_OF_OWN * own + NONE_OF_OTHER * other)
    pairs = zip(astuple(close), astuple(of_many(phrases)), strict=True)
    mixed = Weights(*(share * less + (1.0 - share) * more for less, more in pairs))
    return replace(mixed, fuzzy=OF_FEW.fuzzy * _share_below(phrases, SLIPS, NO_SLIPS))


def of_many(phrases: float) -> Weights:
    """Straight lines along the logarithm of the phrases a label."""
    along = math.log(min(max(phrases, 1.0), MOST_PHRASES))
    return Weights(
        lr=1.64 - 0.09 * along,
        semantic=6.72 + 0.39 * along,
        description=0.0,
        bm25=0.81 * along,
        energy=-0.4 + 0.08 * along,
        background=0.41 - 0.04 * along,
        none=-2.02 + 1.66 * along,
    )


def taught_powers(phrases: float, labels: int) -> Weights:
    """The same for powers with examples beside names and descriptions. What a query leaves to all labels together tells
    strangers by how many labels there are: among few powers everything is near one of them."""
    along, wide = (
        math.log(min(max(phrases, 1.0), MOST_EXAMPLES)),
        math.log(min(max(labels, FEWEST_POWERS), MOST_POWERS)),
    )
    return Weights(
        lr=3.06 - 0.19 * along - 0.3 * wide,
        semantic=6.14 - 0.38 * along - 0.42 * wide,
        description=0.0,
        bm25=5.48 + 0.23 * along - 0.44 * wide,
        energy=-2.15 + 0.15 * along + 0.17 * wide,
        background=0.4,
        none=-0.59 + 1.1 * along + 1.24 * wide,
    )


def described(*, has_paragraphs: bool) -> Weights:
    """Where powers are told by name, description, keywords and tools, and few or none by examples: nothing can be left
    out and asked for there. What is asked everywhere speaks for none of them. Where no description has several
    paragraphs, the nearest trigger is all that there is, and has the weight of both.

    Of weights that suit powers and their queries as well as the fit's, these turn most strangers away: `background` is
    higher and `none` lower than in the fit (`--trade` of the script).
    """
    if has_paragraphs:
        return Weights(lr=0.6, semantic=7.4, description=8.8, bm25=8.0, energy=0.0, background=0.7, none=5.3)
    return Weights(lr=0.5, semantic=15.4, description=0.0, bm25=8.6, energy=0.0, background=0.75, none=4.8)


def without_regression() -> Weights:
    """Where labels are too many to tell them apart by a regression."""
    return Weights(lr=0.0, semantic=15.0, description=0.0, bm25=3.6, energy=0.0, background=0.0, none=4.8)
