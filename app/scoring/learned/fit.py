"""Fits a model to what is taught: the regression over labels, then the weights of the features beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.scoring.chances import is_much_the_same, sketch
from app.scoring.learned import logit
from app.scoring.learned.defaults import described, shipped, without_regression
from app.scoring.learned.folds import BACKGROUND, PHRASES, STRANGE_LABELS, Fold, fold, plain
from app.scoring.learned.inputs import centre_of, inputs_of, letters_of_each
from app.scoring.learned.logit import Questions
from app.scoring.learned.model import LearnedModel, Weights
from app.scoring.learned.regression import Problem, Solution, Step, solve, stopper
from app.scoring.learned.taught import NONE, Background, Cases, Places, Singles, Taught
from app.scoring.learned.views import Asked, View

MOST_LABELS = 4_000
"""With more labels than this nearly all have one phrase, and the model has no regression: the other features decide."""

MANY_PHRASES = 5_000
"""From so many phrases on one view tells enough for six weights; of fewer, two are asked."""

CASE = 3.0
"""A labelled query counts as much as so many phrases that were left out: it is what people ask, in their words."""

Tell = Callable[[float], None]


def fit(
    taught: Taught,
    background: Background,
    cases: Cases | None = None,
    start: LearnedModel | None = None,
    tell: Tell | None = None,
    cancelled: Callable[[], bool] | None = None,
    encoder: str = "",
) -> LearnedModel:
    """The model of what is taught; FitCancelledError once `cancelled` says so, asked every few milliseconds.

    It only reads, takes seconds, and may run on any thread: its steps are products of chunks, which leave other threads
    alone. `start`, an earlier model of the same encoder, makes it several times as fast after an edit: the regression
    begins where that one ended, and the weights are kept while nearly all of what they were fitted on is still taught.
    `tell` hears the share that is done. The same input gives the same model.
    """
    step, heard = stopper(cancelled), tell or (lambda share: None)
    known = sketch((repr(taught.labels[owner]), text) for owner, text in zip(taught.owners, taught.texts, strict=True))
    asked = 0 if cases is None else len(cases.owners)
    if not 0 < len(taught.labels) <= MOST_LABELS:
        none = np.zeros((0, taught.vectors.shape[1]), np.float32)
        return LearnedModel(
            (), none[:0].sum(axis=0), none, none[:, 0], without_regression(), encoder, len(taught.owners), asked, known
        )
    usual = shipped(taught.examples)
    fitter = _Fitter(taught, background, usual, step)
    keeps = _keeps(start, asked, known)
    parts: list[list[Questions]] = []
    views = () if keeps or taught.is_described else (0,) if len(taught.owners) >= MANY_PHRASES else (0, 1)
    solution = None if start is None else fitter.carried_over(start)
    for number in views:
        own, found = fitter.view(number)
        parts.append(own)
        solution = found if solution is None else solution
        heard((number + 1) / (len(views) + 1))
    centre = fitter.centre(start if keeps else None)
    solution = fitter.solve_all(centre, solution)
    phrases = len(taught.owners)
    if taught.is_described:
        weights, phrases, asked = described(), 0, 0
    elif start is not None and keeps:
        weights, known = start.weights, start.known
    else:
        weights = fitter.weights(parts, cases, solution, centre)
    heard(1.0)
    counts = (encoder, phrases, asked, known)
    return LearnedModel(taught.labels, centre, solution.coefficients, solution.intercepts, weights, *counts)


def _keeps(start: LearnedModel | None, cases: int, known: tuple[int, ...]) -> bool:
    """Whether the weights of an earlier model, if they were fitted, still hold."""
    return start is not None and start.phrases > 0 and start.cases == cases and is_much_the_same(start.known, known)


class _Fitter:
    """One fit: what is taught, and the texts of elsewhere."""

    def __init__(self, taught: Taught, background: Background, usual: Weights, step: Step) -> None:
        self._taught = taught
        self._background = background
        self._usual = usual
        self._step = step
        self._letters = letters_of_each(taught.texts, step)
        self._others_letters = letters_of_each(background.texts, step)

    def centre(self, start: LearnedModel | None) -> Singles:
        """Where all that is taught is seen from: from where it was, if nearly all of it is what it was."""
        if start is not None and start.centre.shape == self._taught.vectors.shape[1:]:
            return start.centre
        return centre_of(self._taught.vectors, self._background.vectors)

    def solve_all(self, centre: Singles, start: Solution | None) -> Solution:
        every, others = np.arange(len(self._taught.owners)), np.arange(len(self._background.texts))
        return self._solved(every, others, self._taught.owners, len(self._taught.labels), centre, start)

    def _solved(
        self, kept: Places, others: Places, owners: Places, labels: int, centre: Singles, start: Solution | None
    ) -> Solution:
        vectors = np.concatenate([self._taught.vectors[kept], self._background.vectors[others]])
        letters = np.concatenate([self._letters[kept], self._others_letters[others]])
        classes = np.concatenate([owners, np.full(len(others), labels, np.intp)])
        inputs = inputs_of(vectors, letters, centre)
        return solve(Problem(inputs, classes, np.ones(len(classes), np.float32), labels + 1), start, self._step)

    def view(self, number: int) -> tuple[list[Questions], Solution]:
        """The questions of one fold, of each kind; and a start for the regression on everything."""
        part = fold(self._taught, self._background, number)
        labels, owners = np.unique(self._taught.owners[part.kept], return_inverse=True)
        centre = centre_of(self._taught.vectors[part.kept], self._background.vectors)
        found = self._solved(part.kept, part.others_kept, owners, len(labels), centre, None)
        view = View(self._taught, part.kept, found, centre, self._step)
        asked = [view.questions(own, self._usual, self._step) for own in self._asked(part)]
        return asked, _spread(found, labels, len(self._taught.labels))

    def _asked(self, part: Fold) -> list[Asked]:
        others, places = self._background, part.others_asked
        own = [others.texts[place] for place in places.tolist()], others.vectors[places], others.cosines_of[places]
        return [
            self._of_taught(part.asked, self._taught.owners[part.asked]),
            self._of_taught(part.strange, np.full(len(part.strange), NONE, np.intp)),
            Asked(np.full(len(places), NONE, np.intp), *own, self._others_letters[places]),
        ]

    def _of_taught(self, places: Places, owners: Places) -> Asked:
        taught = self._taught
        texts = [taught.texts[place] for place in places.tolist()]
        return Asked(owners, texts, taught.vectors[places], taught.cosines_of[places], self._letters[places])

    def weights(
        self, parts: Sequence[Sequence[Questions]], cases: Cases | None, solution: Solution, centre: Singles
    ) -> Weights:
        """The usual ones, moved by as much as the questions of all views and the cases tell."""
        held = []
        for share, *own in zip((PHRASES, STRANGE_LABELS, BACKGROUND), *parts, strict=True):
            whole = sum(len(view[0].right) for view in parts) * share / PHRASES
            held.append(Questions.joined(own).weighing(whole))
        if cases is not None and len(fresh := self._untaught(cases)):
            every = View(self._taught, np.arange(len(self._taught.owners)), solution, centre, self._step)
            held.append(every.questions(_of_cases(cases, fresh), self._usual, self._step).weighing(CASE * len(fresh)))
        return logit.fitted(Questions.joined(held), self._usual)

    def _untaught(self, cases: Cases) -> Places:
        """The cases that are not taught word for word: those that are would be right by themselves."""
        texts = {plain(text) for text in self._taught.texts}
        return np.array([place for place, text in enumerate(cases.texts) if plain(text) not in texts], np.intp)

    def carried_over(self, start: LearnedModel) -> Solution | None:
        """What an earlier model says of the labels that are still taught."""
        if start.centre.shape != self._taught.vectors.shape[1:] or not start.labels:
            return None
        places = {label: place for place, label in enumerate(self._taught.labels)}
        kept = [row for row, label in enumerate(start.labels) if label in places]
        labels = np.array([places[start.labels[row]] for row in kept], np.intp)
        kept.append(len(start.labels))
        own = Solution(start.coefficients[kept], start.intercepts[kept], 0)
        return _spread(own, labels, len(places))


def _of_cases(cases: Cases, places: Places) -> Asked:
    texts = [cases.texts[place] for place in places.tolist()]
    meanings = cases.vectors if cases.meanings is None else cases.meanings
    return Asked(cases.owners[places], texts, cases.vectors[places], meanings[places], letters_of_each(texts))


def _spread(found: Solution, labels: Places, count: int) -> Solution:
    """The same where there are so many labels, of which it knows these; it says nothing of the others."""
    coefficients = np.zeros((count + 1, found.coefficients.shape[1]), np.float32)
    intercepts = np.zeros(count + 1, np.float32)
    places = np.append(labels, count)
    coefficients[places], intercepts[places] = found.coefficients, found.intercepts
    return Solution(coefficients, intercepts, found.iterations)
