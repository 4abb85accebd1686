"""Tests of the regression: correct gradient, one optimum from any start, and cancellation."""

from __future__ import annotations

import numpy as np
import pytest

from app.scoring.learned.regression import Problem, Solution, cancel_check, loss_and_gradient, preconditioner_of, solve
from app.scoring.learned.taught import FitCancelledError
from tests.unit.scoring.learned.libraries import DIMENSION, library

TAUGHT = library(5, 6)
PROBLEM = Problem(TAUGHT.vectors, TAUGHT.owners, np.linspace(0.5, 2.0, 30, dtype=np.float32), 6)


def _at(solution: Solution) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.column_stack([solution.coefficients, solution.intercepts])


def test_that_the_gradient_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(2)
    at = rng.normal(size=(6, DIMENSION + 1)).astype(np.float32)
    _, slope = loss_and_gradient(PROBLEM, at)
    for _ in range(10):
        way = rng.normal(size=at.shape).astype(np.float32)
        way /= np.float32(np.linalg.norm(way))
        size = np.float32(1e-2)
        rise = (loss_and_gradient(PROBLEM, at + size * way)[0] - loss_and_gradient(PROBLEM, at - size * way)[0]) / 2e-2
        assert rise == pytest.approx(float((slope * way).sum()), rel=2e-3, abs=2e-3)


def test_that_every_start_ends_at_the_same_optimum() -> None:
    cold = solve(PROBLEM, tolerance=1e-5)
    rng = np.random.default_rng(4)
    away = Solution(rng.normal(size=(6, DIMENSION)).astype(np.float32), np.ones(6, np.float32), 0)
    assert np.allclose(_at(solve(PROBLEM, away, tolerance=1e-5)), _at(cold), atol=2e-3)
    assert solve(PROBLEM, cold, tolerance=1e-4).iterations == 0


def test_that_a_point_near_the_optimum_takes_fewer_steps_than_nothing() -> None:
    fewer = Problem(TAUGHT.vectors[:-1], TAUGHT.owners[:-1], PROBLEM.weights[:-1], 6)
    assert solve(PROBLEM, solve(fewer)).iterations < solve(PROBLEM).iterations


def test_that_no_coefficient_lowers_the_loss_any_further() -> None:
    found = _at(solve(PROBLEM, tolerance=1e-5))
    least = loss_and_gradient(PROBLEM, found)[0]
    rng = np.random.default_rng(5)
    for size in (0.01, 0.1, 1.0):
        other = found + np.float32(size) * rng.normal(size=found.shape).astype(np.float32)
        assert loss_and_gradient(PROBLEM, other)[0] > least


def test_that_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = solve(PROBLEM)
    monkeypatch.setattr("app.scoring.learned.regression.AT_ONCE", 1)
    taught = library(3, 60)
    long = Problem(taught.vectors, taught.owners, np.ones(180, np.float32), 4)
    parts = loss_and_gradient(long, np.zeros((4, DIMENSION + 1), np.float32))
    monkeypatch.undo()
    at_once = loss_and_gradient(long, np.zeros((4, DIMENSION + 1), np.float32))
    assert parts[0] == pytest.approx(at_once[0])
    assert np.allclose(parts[1], at_once[1], atol=1e-4)
    assert np.array_equal(_at(whole), _at(solve(PROBLEM)))


def test_that_a_fit_ends_where_it_is_told_to() -> None:
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > 3

    with pytest.raises(FitCancelledError):
        solve(PROBLEM, None, cancel_check(cancelled))
    assert len(asked) == 4


@pytest.mark.parametrize("rows", [1, 4, 5, 40])
def test_that_few_rows_and_many_give_the_inverse_of_the_bound(rows: int) -> None:
    generator = np.random.default_rng(rows)
    vectors, weights = generator.normal(size=(rows, 8)), generator.uniform(0.5, 2.0, rows)
    problem = Problem(vectors.astype(np.float32), np.zeros(rows, np.intp), weights.astype(np.float32), 1)
    with_one = np.column_stack([vectors, np.ones(rows)])
    bound = (with_one * weights[:, None]).T @ with_one / 2.0 + problem.penalty * np.eye(9)
    assert preconditioner_of(problem) @ bound == pytest.approx(np.eye(9), abs=1e-4)
