"""Fits a model to what is taught: the regression over labels, then the weights of the features beside it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.scoring.learned.defaults import shipped
from app.scoring.learned.model import LearnedModel
from app.scoring.learned.regression import Problem, Solution, solve, stopper
from app.scoring.learned.taught import Background, Cases, Taught


def fit(
    taught: Taught,
    background: Background,
    cases: Cases | None = None,
    start: LearnedModel | None = None,
    tell: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    encoder: str = "",
) -> LearnedModel:
    """The model of what is taught; FitCancelledError once `cancelled` says so, asked every few milliseconds.

    It only reads, takes seconds (15,000 phrases of 150 labels: about ten on one thread), and may run on any thread: its
    steps are products of chunks, which leave other threads alone. `start`, an earlier model of the same encoder, makes
    it several times as fast after an edit, with the same outcome but for the tolerance of the fit. `tell` hears the
    share that is done. The same input gives the same model.
    """
    step = stopper(cancelled)
    classes = len(taught.labels) + 1
    vectors = np.concatenate([taught.vectors, background.vectors])
    owners = np.concatenate([taught.owners, np.full(len(background.vectors), classes - 1, np.intp)])
    problem = Problem(vectors, owners, np.ones(len(owners), np.float32), classes)
    found = solve(problem, _known(start, taught), step)
    if tell is not None:
        tell(1.0)
    weights = shipped(len(taught.owners) / max(len(taught.labels), 1))
    model = (taught.labels, found.coefficients, found.intercepts, weights, encoder, len(taught.owners))
    return LearnedModel(*model)


def _known(start: LearnedModel | None, taught: Taught) -> Solution | None:
    """What an earlier model says of the labels that are still taught."""
    if start is None or start.coefficients.shape[1:] != taught.vectors.shape[1:] or not start.labels:
        return None
    places = {label: place for place, label in enumerate(start.labels)}
    coefficients = np.zeros((len(taught.labels) + 1, taught.vectors.shape[1]), np.float32)
    intercepts = np.zeros(len(coefficients), np.float32)
    for row, label in enumerate(taught.labels):
        if (place := places.get(label)) is not None:
            coefficients[row], intercepts[row] = start.coefficients[place], start.intercepts[place]
    coefficients[-1], intercepts[-1] = start.coefficients[-1], start.intercepts[-1]
    return Solution(coefficients, intercepts, 0)
