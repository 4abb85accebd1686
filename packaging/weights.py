"""Fit the weights and calibrations that ship, on public sets, and print them.

    python packaging/weights.py DATA [--vectors FILE] [--part PART]

DATA holds clinc150, banking77, metatool, mcp_powers and question_type (resources/datasets/README.md names their
sources). Only the parts for training are read: patterns and validation queries of CLINC150, patterns of BANKING77, and
the half of MetaTool's queries given by the digest of their text (both halves by `few`, which judges each on the other).
Libraries of many sizes are drawn with a fixed seed and asked texts that they do not contain; the figures of each are
printed before and after. FILE caches the vectors, and vectors.npz beside it those of `small`. Needs scipy; set
OMP_NUM_THREADS=1 on a busy machine. Without PART all are run, in this order:

    tiers      FITTED of app/detect/resolve.py
    small      OF_FEW and NONE_OF of app/scoring/learned/defaults.py (tests/benchmarks/small_libraries.py)
    chances    SHIPPED_MEMORIES and SHIPPED_POWERS of app/domain/confidence.py
    few        FOR_FEW_POWERS of defaults.py
    brief      BRIEF and BRIEF_NONE of app/domain/fits.py, and FEWER_PHRASES of defaults.py
    plain      SHIPPED_MEMORIES and SHIPPED_POWERS of app/domain/fits.py, and `without_regression` of defaults.py
    memories   `of_many` of defaults.py
    taught     `taught_powers`
    described  `described`
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from brief import fit_brief
from chances import fit_chances
from public_sets import (
    PROJECT,
    STRANGERS,
    Library,
    Sets,
    Texts,
    described_libraries,
    few_libraries,
    memories,
    plain_memories,
    plain_powers,
    questions_of_elsewhere,
    requests_for_none,
    rows,
    taught,
)
from tiers import fit_tiers

from app.domain.fits import SHIPPED_MEMORIES, SHIPPED_POWERS
from app.scoring.chances import BINS
from app.scoring.learned import logit
from app.scoring.learned.defaults import (
    FOR_FEW_POWERS,
    MANY_POWERS,
    described,
    for_few_powers,
    of_many,
    taught_powers,
    without_regression,
)
from app.scoring.learned.logit import ChoiceSets
from app.scoring.learned.model import Floats, Weights
from tests.benchmarks import small_libraries

PARTS = ("tiers", "small", "chances", "few", "brief", "plain", "memories", "taught", "described")
"""The parts, in their order."""

ELSEWHERE_STEP = 12
"""Step between the questions of NF-CATS that serve as out-of-scope queries of the tiers."""

RIDGE, DESCRIBED_RIDGE, FACTORS_RIDGE = 0.002, 0.15, 0.01
"""Pull of each coefficient to the shipped value, and of factors to 1, relative to the mean loss.

It is stronger for described powers: public sets have no keywords, and those of the libraries are drawn from words.
"""

MANY_LABELS = 60
"""Minimum number of labels of the libraries that `without_regression` is compared on.

It is for thousands of labels, which no public set has, so this is a comparison and no fit of the shipped values.
"""

WEAK, HIGH = 0.3, 0.9
"""Minimum confidences for a power to be offered, and to be started."""


def fitted(libraries: Sequence[Library], start: Floats, free: Floats, ridge: float) -> Floats:
    """Fit the coefficients of least mean loss over the libraries; shape (lines, weights).

    Only the coefficients marked in `free` change.
    """
    from scipy.optimize import minimize

    scale = np.maximum(np.abs(start[0]), 1.0)

    def value(flat: Floats) -> tuple[float, Floats]:
        own = start.copy()
        own[free] = flat
        loss, slope = 0.0, np.zeros_like(own)
        for one in libraries:
            along = np.array(one.along)
            at = np.clip(along @ own, logit.LOWER_BOUNDS, logit.UPPER_BOUNDS)
            clipped = at != along @ own
            loss += one.share * logit.loss(one.asked, at, at, 0.0)
            gradient, _ = logit.gradient_and_hessian(one.asked, at, at, 0.0)
            slope += one.share * np.outer(along, np.where(clipped, 0.0, gradient))
        count = sum(one.share for one in libraries)
        away = (own - start) / scale
        return loss / count + ridge * float((away**2).sum()), (slope / count + 2.0 * ridge * away / scale)[free]

    best = minimize(value, start[free], jac=True, method="L-BFGS-B", options={"maxiter": 500})
    own = start.copy()
    own[free] = best.x
    return own


def lines_of(of: Callable[..., Weights], at: Sequence[tuple[Any, ...]], along: Sequence[tuple[float, ...]]) -> Floats:
    """Return the coefficients of the shipped weights."""
    found: Floats = np.linalg.lstsq(np.array(along), np.array([astuple(of(*one)) for one in at]), rcond=None)[0]
    return found


def told(libraries: Sequence[Library], lines: Floats) -> None:
    """Print the mean loss and the share of right first answers of each library, before and after."""
    for one in libraries:
        after = np.clip(np.array(one.along) @ lines, logit.LOWER_BOUNDS, logit.UPPER_BOUNDS)
        both = [
            (logit.loss(one.asked, at, at, 0.0), right(one.asked, at)) for at in (np.array(astuple(one.before)), after)
        ]
        (loss, first), (later, then) = both
        print(f"{one.name:24} loss {loss:.3f} -> {later:.3f}   right {first:.3f} -> {then:.3f}")


@dataclass(frozen=True)
class Outcome:
    """Means over a group of libraries: loss, calibration error, and shares of queries.

    `offered` and `started` are shares of in-scope queries with the right power, `wrongly` is the share of all queries
    that start a wrong one.
    """

    loss: float
    error: float
    offered: float
    started: float
    wrongly: float

    def __str__(self) -> str:
        shares = f"offered {self.offered:.3f} started {self.started:.3f} wrongly {self.wrongly:.4f}"
        return f"loss {self.loss:.3f} ece {self.error:.3f} {shares}"


def fit_few(sets: Sets, other: Sets) -> None:
    """Fit the factors for few described powers on one half of the data, and judge them on the other."""
    halves = [few_libraries(one, np.random.default_rng(7)) for one in (sets, other)]
    for own, others in ((0, 1), (1, 0)):
        factors = fitted_factors([halves[own]])
        print(f"fitted on half {own}: {factors}; on the other half:")
        for source, libraries in halves[others].items():
            print(*(f"  {source:18} {mean_outcome(libraries, of)}" for of in (FOR_FEW_POWERS, factors)), sep="\n")
    print(f"fitted on both: {fitted_factors(halves)}; was {FOR_FEW_POWERS}")


def fitted_factors(halves: Sequence[dict[str, list[Library]]]) -> Weights:
    """Return the factors of least mean loss; libraries of our own count as much as two other sources."""
    from scipy.optimize import minimize

    counts = ((own, 2.0 if source == "ours" else 1.0) for half in halves for source, own in half.items())
    shared = [replace(one, share=times / len(own)) for own, times in counts for one in own]
    names, count = ("lr", "semantic", "description", "bm25", "background", "none"), sum(one.share for one in shared)

    def factors(at: Floats) -> Weights:
        return replace(FOR_FEW_POWERS, **dict(zip(names, np.maximum(at, 0.0).tolist(), strict=True)))

    def value(at: Floats) -> float:
        loss = 0.0
        for one in shared:
            weights = np.array(astuple(for_few_powers(one.before, *one.along, factors(at))))
            loss += one.share * logit.loss(one.asked, weights, weights, 0.0)
        return loss / count + FACTORS_RIDGE * float(np.square(at - 1.0).sum())

    return factors(minimize(value, np.ones(len(names)), method="L-BFGS-B", options={"maxiter": 60}).x)


def mean_outcome(libraries: Sequence[Library], factors: Weights) -> Outcome:
    rows = [_outcome(one.asked, for_few_powers(one.before, *one.along, factors)) for one in libraries]
    return Outcome(*np.mean(rows, axis=0).tolist())


def _outcome(asked: ChoiceSets, weights: Weights) -> tuple[float, float, float, float, float]:
    at, outcome = np.array(astuple(weights)), logit.outcomes(asked, weights)
    chance, what, shares = outcome[:, 0], outcome[:, 1], asked.weights
    is_right, serves = what == logit.RIGHT, what != logit.OUT_OF_SCOPE
    whole = shares[serves].sum()
    offered, started = (shares[is_right & (chance >= line)].sum() / whole for line in (WEAK, HIGH))
    bins = np.minimum((chance * BINS).astype(np.intp), BINS - 1)
    error = np.abs(np.bincount(bins, shares * (chance - is_right), BINS)).sum()
    return logit.loss(asked, at, at, 0.0), error, offered, started, shares[~is_right & (chance >= HIGH)].sum()


def right(asked: ChoiceSets, at: Floats) -> float:
    """The weighted share of queries whose most likely answer, none among them, is right."""
    first = logit.z_of(asked, at).argmax(axis=1)
    return float((asked.weights * (first == asked.right)).sum() / asked.weights.sum())


def fit_plain(sets: Sets) -> None:
    """Fit the weights that decide where there is no regression, and print them with the shipped ones."""
    chance, jobs = np.random.default_rng(7), list[tuple[str, Callable[..., list[Library]], Weights, float]]()
    for name, draw, logit_of in (
        ("SHIPPED_MEMORIES", plain_memories, SHIPPED_MEMORIES),
        ("SHIPPED_POWERS", plain_powers, SHIPPED_POWERS),
    ):
        own = {key: getattr(logit_of, key) for key in ("semantic", "description", "bm25", "centroid", "none")}
        jobs.append((f"{name} of app/domain/fits.py", draw, Weights(lr=0.0, **own), 0.0))
    jobs.append(("without_regression", plain_memories, without_regression(), MANY_LABELS))
    for name, draw, start, least in jobs:
        drawn = [one for one in draw(sets, chance, start) if one.name != "servers" and one.along[0] >= least]
        print_fit(name, [replace(one, along=(1.0,)) for one in drawn], np.array([astuple(start)]), RIDGE)


def print_fit(name: str, libraries: Sequence[Library], start: Floats, ridge: float) -> None:
    """Fit the weights that are not 0; print each library's figures, then old and new weights."""
    found = fitted(libraries, start, np.broadcast_to(np.abs(start).sum(axis=0) > 0.0, start.shape), ridge)
    print(f"\n{name}")
    told(libraries, found)
    for number, field in enumerate(fields(Weights)):
        both = zip(found[:, number], start[:, number], strict=True)
        print(f"  {field.name:12}", *(f"{now:8.2f} (was {was:.2f})" for now, was in both))


def fit_weights(sets: Sets, part: str) -> None:
    """Fit the weights of one part, and print them with the shipped ones."""
    chance = np.random.default_rng(7)
    if part == "memories":
        jobs = {part: (memories(sets, chance), lines_of(of_many, [(1,), (20,)], [(1.0, 0.0), (1.0, math.log(20))]))}
    elif part == "taught":
        at = [(1, 10), (20, 10), (1, 200)]
        along = [(1.0, math.log(examples), math.log(powers)) for examples, powers in at]
        jobs = {part: (taught(sets, chance), lines_of(taught_powers, at, along))}
    else:
        jobs = {
            f"{part}, {'paragraphs' if paragraphs else 'one'}": (
                described_libraries(sets, chance, paragraphs=paragraphs),
                np.array([astuple(described(int(MANY_POWERS), has_paragraphs=paragraphs))]),
            )
            for paragraphs in (True, False)
        }
    ridge = DESCRIBED_RIDGE if part == "described" else RIDGE
    for name, (libraries, start) in jobs.items():
        print_fit(name, libraries, start, ridge)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--part", choices=PARTS)
    arguments = parser.parse_args()
    parts = PARTS if arguments.part is None else (arguments.part,)
    if "tiers" in parts:
        requests = requests_for_none(rows(arguments.data / "clinc150" / "patterns.jsonl"))[: 2 * STRANGERS]
        fit_tiers(PROJECT / "resources", [*requests, *questions_of_elsewhere(arguments.data)[::ELSEWHERE_STEP]])
    if "small" in parts:
        cache = [] if arguments.vectors is None else ["--cache", str(arguments.vectors.parent)]
        small_libraries.main([str(arguments.data), "--fit", *cache])
    of_sets = [part for part in parts if part not in ("tiers", "small")]
    if not of_sets:
        return
    sets = Sets(arguments.data, Texts(arguments.vectors))
    for part in of_sets:
        if part == "chances":
            fit_chances(sets)
        elif part == "few":
            fit_few(sets, Sets(arguments.data, sets.texts, training=1))
        elif part == "brief":
            fit_brief(sets)
        elif part == "plain":
            fit_plain(sets)
        else:
            fit_weights(sets, part)


if __name__ == "__main__":
    main()
