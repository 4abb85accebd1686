"""The weights that ship.

They are fitted on public sets by packaging/weights.py (resources/datasets/README.md).
"""

from __future__ import annotations

import math
from dataclasses import astuple, replace

from app.scoring.learned.model import Weights

MOST_PHRASES = 100.0
"""Number of phrases per label from which the weights no longer change.

No data set used for the fit has more.
"""

FEW, MANY = 3.0, 8.0
"""Limits between the weights for few and for many phrases per label.

In between the weights are mixed.
"""

SLIPS, NO_SLIPS = MANY, 20.0
"""Phrases per label up to which the spelling has its full weight, and from which it has 0.

Where there are many phrases the regression knows their letters, and each of thousands of phrases would have to be
compared.
"""

OF_FEW = Weights(
    lr=1.71,
    semantic=3.11,
    description=0.0,
    bm25=0.1,
    centroid=2.93,
    fuzzy=3.97,
    energy=0.0,
    background=0.17,
    none=-9.5,
)
"""Weights for libraries with few phrases, without the dependence of `none` on the library.

Fitted on libraries of 10 to 60 labels with 1 to 5 phrases each (tests/benchmarks/small_libraries.py), with and without
the names of labels. Half of the queries were out of scope, some had typing errors. A tenth of the weight is that of
libraries written by us, whose phrases of one label differ more from each other, as do the queries for it.
"""

OWN, OTHER = 0.52, 0.48
"""Cosines of the nearest phrase of the same label, and of another, where they are not known.

The first has the least calibration error in libraries with one phrase per label.
"""

TIGHTEST = 0.72
"""Limit of OWN: no set used for the fit has phrases that are closer on the average."""

NONE_OF = 15.3, 0.84, 0.4
"""Weights in `none` of OWN, OTHER, and the share of labels with a name.

The first is 7.5 above the fit, and `none` 4.1 below it, which changes nothing for labels at 0.55, above most of our
own libraries: in public sets, out-of-scope queries of the same domain that reach 0.75 fall from 10 to 6 percent, and
queries that are answered rightly by half a percentage point. The last is 0.4 above the fit, and `lr` a tenth
below it: the names and phrases of our own libraries make the regression too sure.
"""

USUAL_LABELS, MOST_LABELS, MANY_LABELS = 33, 60, 250
"""The usual number of labels, the most with OF_FEW alone, and the least without a part of it.

OF_FEW expects half of the queries to be out of scope, and leaves most answers of a large library below the threshold.
"""

MOST_EXAMPLES, FEWEST_POWERS, MOST_POWERS = 20.0, 10, 200
"""The limits for the number of examples per power, and for the number of powers."""

FEW_POWERS, MANY_POWERS = 6.0, 25.0
"""Limits of the number of described powers between which their weights change."""

FOR_FEW_POWERS = Weights(lr=0.92, semantic=1.23, description=1.04, bm25=0.56, background=0.4, none=1.14)
"""Factors of the weights at FEW_POWERS; at MANY_POWERS they are 1.

Fitted on libraries of 6 to 18 powers of MetaTool and of servers, and on libraries of our own. Among few powers an
in-scope query looks as common as the background, so `background` tells nothing.
"""

FEWER_PHRASES, ENOUGH_PHRASES, SOME_POWERS, MOST_DESCRIBED = 0.8, 9.0, 18.0, 100.0
"""Decrease of `none` for described powers with few phrases, times ln(ENOUGH_PHRASES / phrases).

The best of a few phrases is further from an in-scope query. In a large library one of them is near, so the decrease
ends between SOME_POWERS and MOST_DESCRIBED. Fitted with BRIEF (app/domain/fits.py) on libraries of MetaTool, the
seed library and MCP servers, and their queries as a whole and in fragments. The fit is 2.4 to 3.0; 0.8 is far below it
because at 2.0 two of three queries that only a power outside a small library serves were offered one of its powers.
"""


def few(phrases: float) -> float:
    """Return how far a library counts as one of few phrases, in [0, 1].

    `phrases` is the mean number per label.
    """
    return _share_below(phrases, FEW, MANY)


def few_powers(powers: float) -> float:
    """Return how far a library counts as one of few described powers, in [0, 1]."""
    return _share_below(powers, FEW_POWERS, MANY_POWERS)


def _share_below(count: float, whole: float, none: float) -> float:
    """Return 1 for a count up to `whole`, 0 from `none` on, and values between for others.

    These are linear in the logarithm.
    """
    return 1.0 - math.log(min(max(count, whole), none) / whole) / math.log(none / whole)


def shipped(
    phrases: float,
    own: float = math.nan,
    other: float = math.nan,
    labels: int = USUAL_LABELS,
    named: float = 0.0,
) -> Weights:
    """Return the weights for a library with `phrases` phrases per label on average.

    `own` and `other` are the mean cosines from app.scoring.learned.taught.tightness. In a library whose phrases are
    close together, out-of-scope queries are close to them too. The more labels there are, the smaller is the
    regression's share for each, of an in-scope query too. `named` is the share of labels whose name the regression
    reads, which makes it surer.
    """
    share = few(phrases) * _share_below(labels, MOST_LABELS, MANY_LABELS)
    values = zip(NONE_OF, none_inputs(own, other, named), strict=True)
    close = replace(OF_FEW, none=OF_FEW.none + sum(weight * value for weight, value in values))
    pairs = zip(astuple(close), astuple(of_many(phrases)), strict=True)
    mixed = Weights(*(share * less + (1.0 - share) * more for less, more in pairs))
    return replace(mixed, fuzzy=OF_FEW.fuzzy * _share_below(phrases, SLIPS, NO_SLIPS))


def none_inputs(own: float, other: float, named: float) -> tuple[float, ...]:
    """Return the values that NONE_OF weighs, with the usual cosine where one is not known."""
    return min(OWN if math.isnan(own) else own, TIGHTEST), OTHER if math.isnan(other) else other, named


def of_many(phrases: float) -> Weights:
    """Return the weights for many phrases, linear in the logarithm of phrases per label."""
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
    """Return the weights for powers that have examples as well as names and descriptions.

    The energy of a query separates out-of-scope queries differently for different numbers of labels: among few
    powers every query is close to one of them.
    """
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


def described(powers: int, phrases: float = ENOUGH_PHRASES, *, has_paragraphs: bool) -> Weights:
    """Return the weights for described powers with few examples or none.

    They have a name, text, keywords and tools. There no phrase can be left out and used as a query. Text that is
    common everywhere speaks for none of the powers. A query that only holds a keyword is near its trigger and far from
    what the power says that it does, hence the weight of `description`. `none` is 0.2 to 0.5 above the fit, so that
    fewer queries of MetaTool that no power serves are offered one.

    Below MANY_POWERS the weights change with the number of powers (FOR_FEW_POWERS), and `none` falls where powers have
    few phrases; `phrases` is the mean number.
    """
    if has_paragraphs:
        many = Weights(lr=0.43, semantic=7.4, description=12.0, bm25=5.8, background=0.68, none=5.75)
    else:
        many = Weights(lr=0.35, semantic=6.8, description=9.1, bm25=6.3, background=0.74, none=4.9)
    return for_few_powers(for_few_phrases(many, powers, phrases), few_powers(powers))


def for_few_phrases(enough: Weights, powers: float, phrases: float, fewer: float = FEWER_PHRASES) -> Weights:
    """Return the weights for powers with this mean number of phrases, from those for enough."""
    lack = math.log(ENOUGH_PHRASES / min(phrases, ENOUGH_PHRASES)) * _share_below(powers, SOME_POWERS, MOST_DESCRIBED)
    return replace(enough, none=enough.none - fewer * lack)


def for_few_powers(many: Weights, share: float, factors: Weights = FOR_FEW_POWERS) -> Weights:
    """Return the weights for described powers that count as few to this share, from those for many."""
    pairs = zip(astuple(many), astuple(factors), strict=True)
    return Weights(*((1.0 + share * (factor - 1.0)) * weight for weight, factor in pairs))


def without_regression() -> Weights:
    """Return the weights for a library with too many labels for a regression."""
    return Weights(lr=0.0, semantic=15.0, description=0.0, bm25=3.6, energy=0.0, background=0.0, none=4.8)
