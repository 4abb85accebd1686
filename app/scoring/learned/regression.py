"""Softmax regression over labels and a background class, regularised, by L-BFGS in chunks.

Minimises the weighted sum of cross entropies + penalty / 2 * the sum of squared coefficients, intercepts included.
The inverse of CURVATURE * X'X + penalty I preconditions L-BFGS: it takes a few dozen iterations instead of hundreds.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.scoring.columns.column import Places, Singles
from app.scoring.learned.taught import FitCancelledError
from app.scoring.text import words

Doubles = NDArray[np.float64]

PENALTY = 0.1
"""Penalty of a loss that is a sum over phrases, not a mean.

With more phrases it therefore counts less.
"""

CURVATURE = 0.1
"""Typical curvature of the loss of one phrase, chance * (1 - chance), in the preconditioner.

The bound 1/2 for every class (Boehning 1992) takes twice as many iterations, as most chances are close to 0 or 1.
"""

HISTORY = 8
"""Number of last steps from which L-BFGS estimates the curvature."""

MAX_ITERATIONS = 200
TOLERANCE, TOLERANCE_OF_SMALL, SMALL = 2e-3, 1e-3, 500_000
"""Tolerances that end the fit: gradient norm relative to that at zero coefficients.

The norm is preconditioned. With fewer logits than SMALL, which are fast to compute, the smaller tolerance applies.
"""

AT_ONCE = 1_000_000
"""Number of logits computed at a time: a few milliseconds, a few megabytes."""

ARMIJO = 1e-4
HALVINGS = 20

CancelCheck = Callable[[], None]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A weighted classification problem.

    It has rows `vectors` (rows, dimension), their classes `targets` (rows,), below `classes`, and their `weights`
    (rows,).
    """

    vectors: Singles
    targets: Places
    weights: Singles
    classes: int
    penalty: float = PENALTY

    def chunks(self) -> Iterator[slice]:
        step = max(64, AT_ONCE // self.classes)
        return (slice(start, start + step) for start in range(0, len(self.targets), step))


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The result of `solve`.

    It has `coefficients` (classes, dimension), `intercepts` (classes,) and the number of iterations.
    """

    coefficients: Singles
    intercepts: Singles
    iterations: int


def solve(
    problem: Problem,
    start: Solution | None = None,
    step: CancelCheck = lambda: None,
    tolerance: float | None = None,
    preconditioner: Singles | None = None,
) -> Solution:
    """Return the coefficients of least loss.

    `step` is called between chunks, and an exception from it ends the work. `preconditioner` is that of these rows
    or of more rows, if it is known.
    """
    if tolerance is None:
        tolerance = TOLERANCE if len(problem.targets) * problem.classes > SMALL else TOLERANCE_OF_SMALL
    at = np.zeros((problem.classes, problem.vectors.shape[1] + 1), np.float32)
    preconditioner = preconditioner_of(problem, step) if preconditioner is None else preconditioner
    if start is not None:
        at[:, :-1], at[:, -1] = start.coefficients, start.intercepts
    loss, gradient = loss_and_gradient(problem, at, step)
    first = gradient if start is None else loss_and_gradient(problem, np.zeros_like(at), step)[1]
    enough = tolerance * _length(first, preconditioner)
    steps: list[tuple[Singles, Singles, float]] = []
    count = 0
    while count < MAX_ITERATIONS and _length(gradient, preconditioner) > enough:
        direction = -_two_loop_recursion(gradient, steps, preconditioner)
        found = _line_search(problem, at, loss, gradient, direction, step)
        if found is None:
            if not steps:
                break
            steps.clear()
            continue
        then, loss, next_gradient = found
        change, gradient_change = then - at, next_gradient - gradient
        if (curvature := _dot(change, gradient_change)) > 0.0:
            steps.append((change, gradient_change, curvature))
            del steps[:-HISTORY]
        at, gradient = then, next_gradient
        count += 1
    return Solution(np.ascontiguousarray(at[:, :-1]), at[:, -1].copy(), count)


def loss_and_gradient(problem: Problem, at: Singles, step: CancelCheck = lambda: None) -> tuple[float, Singles]:
    """Return loss and gradient at coefficients of shape (classes, dimension + 1).

    Their last column is the intercepts.
    """
    gradient = np.float32(problem.penalty) * at
    loss = problem.penalty / 2.0 * float(np.square(at, dtype=np.float64).sum())
    for chunk in problem.chunks():
        vectors, targets, weights = problem.vectors[chunk], problem.targets[chunk], problem.weights[chunk]
        logits = vectors @ at[:, :-1].T
        logits += at[:, -1]
        logits -= logits.max(axis=1, keepdims=True)
        each = np.arange(len(targets))
        own = logits[each, targets]
        np.exp(logits, out=logits)
        whole = logits.sum(axis=1)
        loss += float(((np.log(whole) - own) * weights).sum(dtype=np.float64))
        logits *= (weights / whole)[:, None]
        logits[each, targets] -= weights
        gradient[:, :-1] += logits.T @ vectors
        gradient[:, -1] += logits.sum(axis=0)
        step()
    return loss, gradient


def preconditioner_of(problem: Problem, step: CancelCheck = lambda: None) -> Singles:
    """Return the inverse of CURVATURE * X'X + penalty I, with a column of ones in X.

    The shape is (dimension + 1, dimension + 1). With fewer rows than columns, the Woodbury identity replaces that
    inverse by one of shape (rows, rows), which is ten times faster for a small library.
    """
    width = problem.vectors.shape[1] + 1
    if len(problem.targets) * 2 < width:
        with_one = np.column_stack([problem.vectors, np.ones(len(problem.targets))])
        with_one *= np.sqrt(problem.weights * CURVATURE)[:, None]
        inner = with_one @ with_one.T
        inner[np.diag_indices(len(inner))] += problem.penalty
        rest: Doubles = np.eye(width) - with_one.T @ (np.linalg.inv(inner) @ with_one)
        return (rest / problem.penalty).astype(np.float32)
    hessian = np.zeros((width, width))
    for start in range(0, len(problem.targets), 4_096):
        rows = problem.vectors[start : start + 4_096]
        with_one = np.column_stack([rows, np.ones(len(rows), np.float32)])
        hessian += (with_one * problem.weights[start : start + 4_096, None]).T @ with_one
        step()
    hessian *= CURVATURE
    hessian[np.diag_indices(width)] += problem.penalty
    inverse: Singles = np.linalg.inv(hessian).astype(np.float32)
    return inverse


def _two_loop_recursion(
    gradient: Singles, steps: list[tuple[Singles, Singles, float]], preconditioner: Singles
) -> Singles:
    """Return the gradient times the inverse Hessian, estimated from the last steps.

    These are the two loops of L-BFGS.
    """
    direction, shares = gradient.copy(), []
    for change, gradient_change, curvature in reversed(steps):
        share = _dot(change, direction) / curvature
        direction -= np.float32(share) * gradient_change
        shares.append(share)
    direction = direction @ preconditioner
    for (change, gradient_change, curvature), share in zip(steps, reversed(shares), strict=True):
        direction += np.float32(share - _dot(gradient_change, direction) / curvature) * change
    return direction


def _line_search(
    problem: Problem, at: Singles, loss: float, gradient: Singles, direction: Singles, step: CancelCheck
) -> tuple[Singles, float, Singles] | None:
    """Return the first lower point along the direction, with its loss and gradient.

    The method is backtracking (Armijo). None if no point is lower.
    """
    fall = _dot(gradient, direction)
    if not fall < 0.0:
        return None
    length = 1.0
    for _ in range(HALVINGS):
        then = at + np.float32(length) * direction
        lower, next_gradient = loss_and_gradient(problem, then, step)
        if lower <= loss + ARMIJO * length * fall:
            return then, lower, next_gradient
        length /= 2.0
    return None


def _length(gradient: Singles, preconditioner: Singles) -> float:
    return float(max(_dot(gradient, gradient @ preconditioner), 0.0) ** 0.5)


def _dot(one: Singles, other: Singles) -> float:
    return float(np.vdot(one, other))


def cancel_check(cancelled: Callable[[], bool] | None) -> CancelCheck:
    """Return a step that raises FitCancelledError once `cancelled` returns True."""

    def step() -> None:
        if cancelled is not None and cancelled():
            raise FitCancelledError

    return step


# ---- The input of the regression for a text: its vector relative to a centre, and its letters.
#
# The vectors of one library have a common direction, which does not help to tell its labels apart. Relative to their
# centre, an out-of-scope query is short in every direction that separates labels. Letters identify names and word
# forms that vectors do not separate: runs of three to five letters within a word, each hashed to a position and a
# sign (Weinberger et al., ICML 2009).


PLACES = 512
"""Number of inputs for the letters of a text."""

LETTERS = 0.4
"""The length of the letter inputs, beside a vector of length 1."""

RUNS = (3, 4, 5)

LONGEST_WORD = 64
"""Only this many letters of a longer word are used."""

FEW = 20.0
"""Weight, in phrases, of the background texts in the centre.

The mean of a few taught phrases is not reliable by itself.
"""

TEXTS_AT_ONCE = 256


def centre_of(taught: Singles, elsewhere: Singles) -> Singles:
    """Return the centre of the taught vectors, shape (dimension,).

    The vectors have shape (phrases, dimension).
    """
    whole = taught.sum(axis=0, dtype=np.float64)
    if len(elsewhere):
        whole += FEW * elsewhere.mean(axis=0, dtype=np.float64)
    found: Singles = (whole / (len(taught) + FEW)).astype(np.float32)
    return found


def inputs_of(vectors: Singles, letters: Singles, centre: Singles) -> Singles:
    """Return the inputs of texts, shape (texts, dimension + PLACES).

    `vectors` has shape (texts, dimension), `letters` (texts, PLACES).
    """
    found = np.empty((len(vectors), len(centre) + PLACES), np.float32)
    own = found[:, : len(centre)]
    np.subtract(vectors, centre, out=own)
    lengths = np.linalg.norm(own, axis=1, keepdims=True)
    np.divide(own, lengths, out=own, where=lengths > 0.0)
    found[:, len(centre) :] = letters
    return found


def letters_of_each(texts: Sequence[str], step: CancelCheck = lambda: None) -> Singles:
    """Return the letter inputs of each text, shape (texts, PLACES).

    `step` is called between some of them.
    """
    found = np.empty((len(texts), PLACES), np.float32)
    for row, text in enumerate(texts):
        found[row] = letters_of(words(text))
        if row % TEXTS_AT_ONCE == 0:
            step()
    return found


def seen_from(vector: Singles, centre: Singles) -> Singles:
    """Return a vector of shape (dimension,) relative to the centre, at length 1."""
    away = vector - centre
    length = float(np.linalg.norm(away))
    return away / np.float32(length) if length else away


def letters_of(found: Sequence[str]) -> Singles:
    """Return the letter inputs of the words of a text, each word once.

    The shape is (PLACES,), the length LETTERS unless there are no words.
    """
    own = [_places(word[:LONGEST_WORD]) for word in dict.fromkeys(found)]
    counts = np.bincount(np.concatenate(own), minlength=2 * PLACES) if own else np.zeros(2 * PLACES)
    signed = (counts[:PLACES] - counts[PLACES:]).astype(np.float32)
    length = float(np.linalg.norm(signed))
    return signed * np.float32(LETTERS / length) if length else signed


@lru_cache(maxsize=8_192)
def _places(word: str) -> Places:
    """Return the positions for the runs of letters of a word.

    Positions from PLACES on count with a negative sign.
    """
    marked = f"^{word}$"
    runs = (marked[first : first + size] for size in RUNS for first in range(len(marked) - size + 1))
    hashes = np.array([zlib.crc32(run.encode("utf-8", "surrogatepass")) for run in runs], np.int64)
    found: Places = (hashes % (2 * PLACES)).astype(np.intp)
    return found
