"""Fit the shipped calibrations of `calibrated`, and print them: `weights.py --part chances`.

Each is judged on the sets that it was not fitted on; the servers are in no fit. Half of the queries are out of scope.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from public_sets import Library, Sets, plain_memories, plain_powers

from app.domain.confidence import SHIPPED_MEMORIES, SHIPPED_POWERS, Chance
from app.scoring.chances import BINS, FAINT
from app.scoring.learned.model import Floats, Weights

BALANCED = Weights(lr=0.0, semantic=0.5, description=0.0, bm25=0.0, centroid=0.5)
"""Score of `balanced`: mean of the cosines to the nearest trigger and to the centroid."""

Scored = tuple[str, int, Floats, NDArray[np.bool_], Floats]
"""Source, number of answers, and of each query the best score, its correctness and its weight."""


def scored(library: Library) -> Scored:
    """Score the queries of a library as `balanced` does."""
    asked, (labels,) = library.asked, library.along
    scores = np.nan_to_num(asked.candidates @ BALANCED.candidate)
    return library.name, int(labels), scores.max(axis=1), scores.argmax(axis=1) == asked.right, asked.weights


def fitted_chance(libraries: Sequence[Scored], *, of_logarithm: bool) -> Chance:
    """Fit slope, offset and crowd of least mean loss, each library with the same weight."""
    from scipy.optimize import minimize

    rows, rights, weights = [], [], []
    for _, answers, scores, right, weight in libraries:
        along = np.log(np.maximum(scores, FAINT)) if of_logarithm else scores
        rows.append(np.column_stack([along, np.ones(len(along)), np.full(len(along), -math.log(answers))]))
        rights.append(right)
        weights.append(weight / weight.sum() / len(libraries))
    inputs, is_right, shares = np.concatenate(rows), np.concatenate(rights), np.concatenate(weights)

    def value(at: Floats) -> tuple[float, Floats]:
        z = inputs @ at
        slope: Floats = inputs.T @ (shares * (1.0 / (1.0 + np.exp(-z)) - is_right))
        return float((shares * (np.logaddexp(0.0, z) - is_right * z)).sum()), slope

    bounds = [(1.0, None), (None, None), (0.0, None)]
    found = minimize(value, np.array([5.0, 3.0, 0.5]), jac=True, bounds=bounds, method="L-BFGS-B").x
    slope, offset, crowd = (round(float(one), 2) for one in found)
    return Chance(slope, offset, crowd, of_logarithm=of_logarithm)


def fit_chances(sets: Sets) -> None:
    """Print the calibrations, and their error on the sets that each fit has not seen."""
    for kind, draw, shipped in (
        ("memories", plain_memories, SHIPPED_MEMORIES),
        ("powers", plain_powers, SHIPPED_POWERS),
    ):
        libraries = [scored(one) for one in draw(sets, np.random.default_rng(7), BALANCED)]
        for source in dict.fromkeys(one[0] for one in libraries):
            own = [one for one in libraries if one[0] == source]
            others = [one for one in libraries if one[0] != source and one[0] != "servers"]
            fit = fitted_chance(others or own, of_logarithm=shipped.of_logarithm)
            print(f"{kind} {source:10} as shipped {_figures(own, shipped)}   fitted on others {_figures(own, fit)}")
        every = [one for one in libraries if one[0] != "servers"]
        print(f"{kind}: {fitted_chance(every, of_logarithm=shipped.of_logarithm)}")


def _figures(libraries: Sequence[Scored], chance: Chance) -> str:
    """Format calibration error, mean loss, and the share of wrong answers of 0.75 or more."""
    chances, right, weight = [], [], []
    for _, answers, scores, is_right, shares in libraries:
        chances += list(map(chance.among(answers), scores.tolist()))
        right += is_right.tolist()
        weight += shares.tolist()
    values, rights, whole = np.array(chances), np.array(right), np.array(weight) / sum(weight)
    bins = np.minimum((values * BINS).astype(np.intp), BINS - 1)
    ece = np.abs(np.bincount(bins, whole * (values - rights), BINS)).sum()
    known = np.clip(values, 1e-6, 1.0 - 1e-6)
    loss = -(whole * np.where(rights, np.log(known), np.log(1.0 - known))).sum()
    return f"ece {ece:.3f} loss {loss:.3f} wrong {whole[(values >= 0.75) & ~rights].sum() / whole[~rights].sum():.3f}"
