"""The weights that ship: fitted on public sets, by how many phrases a label has (resources/datasets/README.md)."""

from __future__ import annotations

import math
from dataclasses import astuple

from app.scoring.learned.model import Weights

FEW, MANY = 5.0, 20.0
"""Between so many phrases a label the weights move with the logarithm of their number."""

OF_FEW = Weights(lr=1.9, semantic=3.7, bm25=0.6, energy=-3.7, background=0.25, none=16.0)
OF_MANY = Weights(lr=1.2, semantic=5.6, bm25=4.0, energy=-0.5, background=0.15, none=7.4)


def shipped(phrases: float) -> Weights:
    """The weights where labels have so many phrases, in the mean."""
    share = math.log(max(phrases, 1.0) / FEW) / math.log(MANY / FEW)
    share = min(1.0, max(0.0, share))
    pairs = zip(astuple(OF_FEW), astuple(OF_MANY), strict=True)
    return Weights(*(few + share * (many - few) for few, many in pairs))
