"""Softmax regression over labels and a background class, regularised, by L-BFGS in chunks.

Minimises the weighted sum of cross entropies + penalty / 2 * the sum of squared coefficients, intercepts included. The
Hessian lies below 1/2 X'X + penalty I for every class (Boehning 1992), so the inverse of that bound is the first metric
of L-BFGS: a few dozen iterations where the plain one takes hundreds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.scoring.learned.taught import FitCancelledError, Places, Singles

Doubles = NDArray[np.float64]

PENALTY = 0.1
"""Of a sum over phrases, not of a mean: what many phrases say outweighs it."""

KEPT = 8
"""So many last steps tell L-BFGS the curvature."""

MOST_ITERATIONS = 200
CLOSE, CLOSE_OF_FEW, FEW = 5e-3, 1e-3, 500_000
"""The fit ends where the gradient, in the first metric, is this share of what it is where all coefficients are 0: less
where there are fewer logits than FEW, which cost little."""

AT_ONCE = 1_000_000
"""So many logits are worked out at a time: a few milliseconds, a few megabytes."""

SUFFICIENT = 1e-4
HALVINGS = 20

Step = Callable[[], None]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Rows `vectors` (rows, dimension) of classes `owners` (rows,), below `classes`, counting `weights` (rows,)."""

    vectors: Singles
    owners: Places
    weights: Singles
    classes: int
    penalty: float = PENALTY

    def chunks(self) -> Iterator[slice]:
        step = max(64, AT_ONCE // self.classes)
        return (slice(start, start + step) for start in range(0, len(self.owners), step))


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """`coefficients` (classes, dimension) and `intercepts` (classes,), with how many iterations it took."""

    coefficients: Singles
    intercepts: Singles
    iterations: int


def solve(
    problem: Problem,
    start: Solution | None = None,
    step: Step = lambda: None,
    close: float | None = None,
    metric: Singles | None = None,
) -> Solution:
    """The coefficients of least loss; `step` is called between chunks, and whatever it raises ends the work.

    `metric` is that of these rows or of more, where it is known.
    """
    if close is None:
        close = CLOSE if len(problem.owners) * problem.classes > FEW else CLOSE_OF_FEW
    width = problem.vectors.shape[1] + 1
    at = np.zeros((problem.classes, width), np.float32)
    metric = metric_of(problem, step) if metric is None else metric
    if start is not None:
        at[:, :-1], at[:, -1] = start.coefficients, start.intercepts
    loss, slope = loss_and_gradient(problem, at, step)
    first = slope if start is None else loss_and_gradient(problem, np.zeros_like(at), step)[1]
    enough = close * _length(first, metric)
    steps: list[tuple[Singles, Singles, float]] = []
    count = 0
    while count < MOST_ITERATIONS and _length(slope, metric) > enough:
        way = -_towards(slope, steps, metric)
        found = _downhill(problem, at, loss, slope, way, step)
        if found is None:
            if not steps:
                break
            steps.clear()
            continue
        then, loss, steeper = found
        moved, turned = then - at, steeper - slope
        if (along := _dot(moved, turned)) > 0.0:
            steps.append((moved, turned, along))
            del steps[:-KEPT]
        at, slope = then, steeper
        count += 1
    return Solution(np.ascontiguousarray(at[:, :-1]), at[:, -1].copy(), count)


def loss_and_gradient(problem: Problem, at: Singles, step: Step = lambda: None) -> tuple[float, Singles]:
    """At coefficients with the intercepts as their last column, shape (classes, dimension + 1)."""
    slope = np.float32(problem.penalty) * at
    loss = problem.penalty / 2.0 * float(np.square(at, dtype=np.float64).sum())
    for chunk in problem.chunks():
        vectors, owners, weights = problem.vectors[chunk], problem.owners[chunk], problem.weights[chunk]
        logits = vectors @ at[:, :-1].T
        logits += at[:, -1]
        logits -= logits.max(axis=1, keepdims=True)
        each = np.arange(len(owners))
        own = logits[each, owners]
        np.exp(logits, out=logits)
        whole = logits.sum(axis=1)
        loss += float(((np.log(whole) - own) * weights).sum(dtype=np.float64))
        logits *= (weights / whole)[:, None]
        logits[each, owners] -= weights
        slope[:, :-1] += logits.T @ vectors
        slope[:, -1] += logits.sum(axis=0)
        step()
    return loss, slope


def metric_of(problem: Problem, step: Step = lambda: None) -> Singles:
    """The inverse of 1/2 X'X + penalty I, with a column of ones in X; shape (dimension + 1, dimension + 1)."""
    width = problem.vectors.shape[1] + 1
    bound = np.zeros((width, width))
    for start in range(0, len(problem.owners), 4_096):
        rows = problem.vectors[start : start + 4_096]
        with_one = np.column_stack([rows, np.ones(len(rows), np.float32)])
        bound += (with_one * problem.weights[start : start + 4_096, None]).T @ with_one
        step()
    bound *= 0.5
    bound[np.diag_indices(width)] += problem.penalty
    inverse: Singles = np.linalg.inv(bound).astype(np.float32)
    return inverse


def _towards(slope: Singles, steps: list[tuple[Singles, Singles, float]], metric: Singles) -> Singles:
    """The two loops of L-BFGS: the gradient times what the last steps tell of the inverse Hessian."""
    way, shares = slope.copy(), []
    for moved, turned, along in reversed(steps):
        share = _dot(moved, way) / along
        way -= np.float32(share) * turned
        shares.append(share)
    way = way @ metric
    for (moved, turned, along), share in zip(steps, reversed(shares), strict=True):
        way += np.float32(share - _dot(turned, way) / along) * moved
    return way


def _downhill(
    problem: Problem, at: Singles, loss: float, slope: Singles, way: Singles, step: Step
) -> tuple[Singles, float, Singles] | None:
    """The first point along the way, halved until it falls enough, with its loss and gradient; None if none does."""
    fall = _dot(slope, way)
    if not fall < 0.0:
        return None
    length = 1.0
    for _ in range(HALVINGS):
        then = at + np.float32(length) * way
        lower, steeper = loss_and_gradient(problem, then, step)
        if lower <= loss + SUFFICIENT * length * fall:
            return then, lower, steeper
        length /= 2.0
    return None


def _length(slope: Singles, metric: Singles) -> float:
    return float(max(_dot(slope, slope @ metric), 0.0) ** 0.5)


def _dot(one: Singles, other: Singles) -> float:
    return float(np.vdot(one, other))


def stopper(cancelled: Callable[[], bool] | None) -> Step:
    """A step that ends the work once `cancelled` says so."""

    def step() -> None:
        if cancelled is not None and cancelled():
            raise FitCancelledError

    return step
