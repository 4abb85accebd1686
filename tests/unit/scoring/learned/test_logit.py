"""Tests of the conditional logit: gradient, bounds, small changes from little data."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from app.scoring.learned.logit import (
    GIVEN,
    LOWER_BOUNDS,
    RIDGE,
    UPPER_BOUNDS,
    ChoiceSets,
    fitted,
    gradient_and_hessian,
    loss,
)
from app.scoring.learned.model import Weights

USUAL = Weights(1.0, 4.0, 3.0, 2.0, 1.5, 1.0, -1.0, 0.2, 6.0)
CENTRE = np.array(astuple(USUAL))


def questions(count: int, seed: int = 0) -> ChoiceSets:
    rng = np.random.default_rng(seed)
    candidates = rng.uniform(size=(count, 4, 6)) * np.array([-6.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    return ChoiceSets(candidates, rng.normal(size=(count, 2)), rng.integers(0, 5, count), rng.uniform(0.5, 1.0, count))


def test_that_gradient_and_curve_are_those_of_the_loss() -> None:
    some = questions(30)
    slope, curve = gradient_and_hessian(some, CENTRE, CENTRE * 0.9, 1.0)
    for place, step in enumerate(np.eye(len(CENTRE)) * 1e-5):
        rise = loss(some, CENTRE + step, CENTRE * 0.9, 1.0) - loss(some, CENTRE - step, CENTRE * 0.9, 1.0)
        assert slope[place] == pytest.approx(rise / 2e-5, rel=1e-5, abs=1e-6)
        turn = gradient_and_hessian(some, CENTRE + step, CENTRE * 0.9, 1.0)[0] - slope
        assert curve[place] == pytest.approx(turn / 1e-5, rel=1e-3, abs=1e-3)


def test_that_the_weights_found_lose_least_within_their_bounds() -> None:
    some = questions(200)
    found = np.array(astuple(fitted(some, USUAL)))
    assert ((found >= LOWER_BOUNDS) & (found <= UPPER_BOUNDS)).all()
    assert (found == CENTRE)[GIVEN].all()
    least = loss(some, found, CENTRE, RIDGE)
    rng = np.random.default_rng(1)
    for _ in range(100):
        step = np.where(GIVEN, 0.0, rng.normal(size=len(CENTRE)) * rng.choice([1e-3, 0.1, 2.0]))
        other = np.clip(found + step, LOWER_BOUNDS, UPPER_BOUNDS)
        assert loss(some, other, CENTRE, RIDGE) >= least - 1e-9


def test_that_nothing_known_leaves_the_weights_that_ship() -> None:
    assert fitted(questions(30).scaled_to(0.0), USUAL) == USUAL


def test_that_a_candidate_that_is_not_there_changes_nothing() -> None:
    narrow, wide = questions(20, 1), questions(20, 2)
    wider = ChoiceSets(
        np.concatenate([narrow.candidates, np.full((20, 1, 6), np.nan)], axis=1),
        narrow.none,
        np.where(narrow.right == 4, 5, narrow.right),
        narrow.weights,
    )
    assert astuple(fitted(wider, USUAL)) == pytest.approx(astuple(fitted(narrow, USUAL)), abs=1e-9)
    joined = ChoiceSets.joined([wider, wide])
    assert joined.candidates.shape == (40, 5, 6)
    assert (joined.right[20:] == np.where(wide.right == 4, 5, wide.right)).all()
    assert joined.scaled_to(7.0).weights.sum() == pytest.approx(7.0)
