"""Fits a model to a library: the regression over labels, then the features' weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rapidfuzz import fuzz, process

from app.scoring.chances import is_much_the_same, sketch
from app.scoring.columns.bm25 import Bm25Column, lacking_words
from app.scoring.columns.column import Floats, Places, Singles
from app.scoring.columns.descriptions import SEVERAL, naming_share
from app.scoring.columns.fuzzy import likeness
from app.scoring.learned import logit
from app.scoring.learned.defaults import described, few, shipped, taught_powers, without_regression
from app.scoring.learned.logit import ChoiceSets
from app.scoring.learned.model import FEATURES, NO_OUTCOMES, LabelledFit, LearnedModel, Weights, readings
from app.scoring.learned.regression import (
    TEXTS_AT_ONCE,
    CancelCheck,
    Problem,
    Solution,
    cancel_check,
    centre_of,
    inputs_of,
    letters_of_each,
    solve,
)
from app.scoring.learned.taught import (
    BACKGROUND,
    NONE,
    OUT_OF_SCOPE_LABELS,
    PHRASES,
    Fold,
    LabelledQueries,
    Marks,
    OutOfScopeTexts,
    TrainingSet,
    digest_of_text,
    fold,
    plain,
    tightness,
)
from app.scoring.text import ScoredText, sorted_tokens, words

MAX_CANDIDATES = 20
"""Maximum number of candidate labels of a query; the others have a probability close to 0."""

AT_ONCE = 2_000_000
"""Number of cosines computed at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledBatch:
    """Queries with the label number of each (NONE: out of scope).

    `semantic_vectors` is as in TrainingSet, `letters` has shape (queries, PLACES).
    """

    owners: Places
    texts: Sequence[str]
    vectors: Singles
    semantic_vectors: Singles
    letters: Singles


class View:
    """Some rows of a training set, grouped by label.

    `own` are the positions of the rows, and `labels` the numbers of the labels that have any. `solution` is the
    regression on them, relative to `centre`, with its classes in the order of `labels` and the background last.
    """

    def __init__(
        self, taught: TrainingSet, own: Places, solution: Solution | None, centre: Singles, step: CancelCheck
    ) -> None:
        order = own[np.argsort(taught.owners[own], kind="stable")]
        self.labels, self._starts = np.unique(taught.owners[order], return_index=True)
        self._meanings = taught.cosine_vectors[order]
        self._described = None if taught.described is None else _shares_of(taught.described[order], self._starts)
        self._is_name = ~np.isin(order, taught.telling(own))
        self._is_of_powers = taught.has_descriptions
        self._words = Bm25Column()
        for start in range(0, len(order), TEXTS_AT_ONCE):
            self._words.append([taught.texts[row] for row in order[start : start + TEXTS_AT_ONCE].tolist()])
            step()
        self._spelled = [sorted_tokens(taught.texts[row]) for row in order.tolist()]
        sums = np.add.reduceat(self._meanings, self._starts)
        self._centroids = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
        self._solution, self._centre = solution, centre

    def questions(self, asked: LabelledBatch, weights: Weights, step: CancelCheck) -> ChoiceSets:
        """Return the features of the best candidates by these weights, and of the right one."""
        parts = []
        size = max(1, AT_ONCE // max(len(self._meanings), 1))
        for start in range(0, max(len(asked.owners), 1), size):
            parts.append(self._part(asked, slice(start, start + size), weights))
            step()
        return ChoiceSets.joined(parts)

    def _part(self, asked: LabelledBatch, chunk: slice, weights: Weights) -> ChoiceSets:
        cosines = asked.semantic_vectors[chunk] @ self._meanings.T
        semantic = np.maximum.reduceat(cosines, self._starts, axis=1)
        features = np.zeros((*semantic.shape, len(FEATURES)))
        features[:, :, 1] = np.clip(semantic, 0.0, 1.0)
        if self._described is not None:
            means = np.add.reduceat(cosines * self._described, self._starts, axis=1)
            is_whole = np.add.reduceat(self._described, self._starts) > 0.0
            shares = np.array([naming_share(words(text)) for text in asked.texts[chunk]], np.float32)[:, None]
            nearest = np.maximum.reduceat(np.where(self._is_name, shares * cosines, cosines), self._starts, axis=1)
            features[:, :, 2] = np.clip(np.where(is_whole, means, nearest), 0.0, 1.0)
        for row, text in enumerate(asked.texts[chunk]):
            features[row, :, 3] = np.maximum.reduceat(self._words.score(ScoredText(text)), self._starts)
        if weights.centroid:
            features[:, :, 4] = np.clip(asked.semantic_vectors[chunk] @ self._centroids.T, 0.0, 1.0)
        if weights.fuzzy:
            rows = [sorted_tokens(text) for text in asked.texts[chunk]]
            ratios = process.cdist(rows, self._spelled, scorer=fuzz.ratio, dtype=np.float32)
            features[:, :, 5] = likeness(np.maximum.reduceat(ratios, self._starts, axis=1) / np.float32(100.0))
        none = np.zeros((len(semantic), 2))
        if self._solution is not None:
            inputs = inputs_of(asked.vectors[chunk], asked.letters[chunk], self._centre)
            logits = inputs @ self._solution.coefficients.T + self._solution.intercepts
            features[:, :, 0], none[:, 0], none[:, 1] = readings(logits.astype(np.float64))
        lacking = [lacking_words(words(text)) if self._is_of_powers else 0.0 for text in asked.texts[chunk]]
        return self._best(features, none, asked.owners[chunk], np.array(lacking, np.float64), weights)

    def _best(self, features: Floats, none: Floats, owners: Places, lacking: Floats, weights: Weights) -> ChoiceSets:
        places = np.searchsorted(self.labels, owners)
        is_there = (places < len(self.labels)) & (owners != NONE)
        is_there[is_there] = self.labels[places[is_there]] == owners[is_there]
        each = np.arange(len(owners))
        z = features @ weights.candidate
        z[each[is_there], places[is_there]] = np.inf
        count = min(MAX_CANDIDATES, len(self.labels))
        best = np.argpartition(-z, count - 1, axis=1)[:, :count]
        right = np.full(len(owners), count, np.intp)
        right[is_there] = np.argmax(best[is_there] == places[is_there, None], axis=1)
        chosen = np.take_along_axis(features, best[:, :, None], axis=1)
        return ChoiceSets(chosen, none, right, np.ones(len(owners)), lacking)


def _shares_of(marked: Marks, starts: Places) -> Singles:
    """Return the weight of each row in the mean of its label's marked rows.

    It is 0 for a row that is not marked, or that is the only marked one.
    """
    counts = np.repeat(np.add.reduceat(marked, starts, dtype=np.intp), np.diff(starts, append=len(marked)))
    shares: Singles = (marked / np.where(counts < SEVERAL, np.inf, counts)).astype(np.float32)
    return shares


MAX_LABELS = 4_000
"""Maximum number of labels for a regression.

With more, nearly all labels have one phrase, and the other features decide.
"""

MANY_PHRASES = 5_000
"""Minimum number of phrases for fitting the weights on one view.

With fewer, two views are used.
"""

FRESH = 200_000
"""Maximum number of logits of a regression that does not start from an earlier solution."""

LEAST_CASES = 20
"""Minimum number of labelled queries; fewer are ignored."""

ENOUGH, CASE = 3, 5
"""Evidence for other weights: a left-out phrase counts if its label keeps ENOUGH phrases.

A label with two or three phrases is too incomplete without one of them. A labelled query, for which nothing was
left out, counts as CASE phrases.
"""

PARTS = 5
"""Number of parts of the labelled queries.

The weights are fitted once more without each part, so that a query can be judged by weights that were fitted
without it.
"""

BACKGROUND_SHARE, BACKGROUND_SHARE_WITH_EXAMPLES = 1.0, 0.25
"""Weight of the background texts, relative to all queries, for powers.

The first is for powers without examples, the second for those with them. For powers that are only described they
have the same weight as the queries. Much of what people type is for no power, but people label text that is for
one; among the labelled cases are some that only hint at a power, and these alone led to offers for every
out-of-scope query. For powers with examples they have a quarter of the weight.
"""

MOST_FOR_NONE = 32.0
"""Maximum factor of the weight of labelled queries for none of the powers.

People label more queries that are for a power, and these alone would raise the confidence for all queries.
"""

Tell = Callable[[float], None]


def fit(
    taught: TrainingSet,
    background: OutOfScopeTexts,
    cases: LabelledQueries | None = None,
    start: LearnedModel | None = None,
    tell: Tell | None = None,
    cancelled: Callable[[], bool] | None = None,
    encoder: str = "",
) -> LearnedModel:
    """Return the model fitted to `taught`.

    It only reads, takes seconds, and may run on any thread: it works in chunks, between which other threads can
    run. The same input gives the same model. `tell` is called with the share that is done. Raises FitCancelledError
    once `cancelled` returns True; it is called every few milliseconds.

    `start` is an earlier model of the same encoder and makes the fit faster after an edit: the weights are kept while
    nearly all of the texts they were fitted on are still taught, and a large regression starts from that solution, at
    its centre. A small one does not: it would still show what is no longer taught.
    """
    step, heard = cancel_check(cancelled), tell or (lambda share: None)
    known = sketch((repr(taught.labels[owner]), text) for owner, text in zip(taught.owners, taught.texts, strict=True))
    if not 0 < len(taught.labels) <= MAX_LABELS:
        none = np.zeros((0, taught.vectors.shape[1]), np.float32)
        rest = without_regression(), encoder, len(taught.owners), LabelledFit(), known
        return LearnedModel((), none.sum(axis=0), none, none[:, 0], *rest)
    queries = _without_taught_texts(cases, taught)
    usual = _shipped_weights(taught)
    fitter = _Fitter(taught, background, usual, step)
    number = 0 if queries is None else queries.digest(taught.labels)
    is_fitted = start is not None and start.phrases > 0 and start.cases.digest == number
    keeps = start is not None and is_fitted and is_much_the_same(start.known, known)
    parts: list[list[ChoiceSets]] = []
    views: tuple[int, ...] = (0,) if len(taught.owners) >= MANY_PHRASES else (0, 1)
    are_alone = not taught.has_descriptions and len(taught.owners) == len(taught.labels)
    if keeps or ((taught.is_described or are_alone) and queries is None):
        views = ()
    is_large = (len(taught.owners) + len(background.texts)) * (len(taught.labels) + 1) > FRESH
    near = start if is_large else None
    solution = None if near is None else fitter.warm_start(near)
    for view in views:
        own, found = fitter.view(view)
        parts.append(own)
        solution = found if solution is None else solution
        heard((view + 1) / (len(views) + 1))
    centre = fitter.centre(near if keeps else None)
    every, others, labels = map(np.arange, (len(taught.owners), len(background.texts), len(taught.labels)))
    solution = fitter.solved(every, others, labels, centre, solution if is_large else None)
    phrases, labelled, weights, outcomes = len(taught.owners), LabelledFit(number), usual, NO_OUTCOMES
    evidence = 0
    if start is not None and keeps:
        phrases, labelled, weights, known = start.phrases, start.cases, start.weights, start.known
        evidence, outcomes = start.evidence, start.outcomes
    elif views:
        weights, labelled = fitter.weights(parts, queries, solution, centre)
        evidence = fitter.evidence
        outcomes = np.concatenate([logit.outcomes(own, weights) for part in parts for own in part])
    elif taught.is_described:
        phrases = 0
    heard(1.0)
    counts = (encoder, phrases, labelled, known, evidence, outcomes)
    return LearnedModel(taught.labels, centre, solution.coefficients, solution.intercepts, weights, *counts)


def _shipped_weights(taught: TrainingSet) -> Weights:
    """Return the weights that ship for a library of this kind."""
    if taught.is_described:
        has_paragraphs = taught.described is not None and bool(taught.described.any())
        return described(len(taught.labels), len(taught.owners) / len(taught.labels), has_paragraphs=has_paragraphs)
    if taught.has_descriptions:
        return taught_powers(taught.examples, len(taught.labels))
    return shipped(taught.examples, *tightness(taught), len(taught.labels), taught.named)


def _ridge(taught: TrainingSet, usual: Weights, evidence: float) -> Floats | float:
    if taught.is_described:
        return logit.ridge_by_size(usual)
    if taught.has_descriptions:
        return logit.RIDGE * (1.0 + logit.LEFT_OUT / taught.examples)
    return logit.RIDGE * (1.0 + (logit.EVIDENCE / max(evidence, 1.0)) ** 4)


def _without_taught_texts(cases: LabelledQueries | None, taught: TrainingSet) -> LabelledQueries | None:
    """Return the cases whose text is not itself taught, or None if there are too few.

    A case with a taught text would be answered correctly in any event.
    """
    if cases is None:
        return None
    texts = {plain(text) for text in taught.texts}
    places = np.array([place for place, text in enumerate(cases.texts) if plain(text) not in texts], np.intp)
    if len({plain(cases.texts[place]) for place in places.tolist()}) < LEAST_CASES:
        return None
    own = [cases.texts[place] for place in places.tolist()]
    shares = None if cases.shares is None else cases.shares[places]
    return LabelledQueries(cases.owners[places], own, cases.vectors[places], cases.cosine_vectors[places], shares)


class _Fitter:
    """One fit: the taught phrases, and the background texts."""

    def __init__(self, taught: TrainingSet, background: OutOfScopeTexts, usual: Weights, step: CancelCheck) -> None:
        self._taught = taught
        self._background = background
        self._shipped_weights = usual
        self._step = step
        self._evened = 0.0 if taught.has_descriptions else few(taught.examples)
        """Strength of the correction for labels with many phrases, in [0, 1].

        At 1 each label has the same total weight in the regression, and the advantage of a larger label is
        subtracted. It is also the weight of a label's name, where a phrase has 1.
        """

        self.evidence = 0
        """Number of left-out phrases whose label keeps ENOUGH others, plus CASE per labelled query."""

        self._letters = letters_of_each(taught.texts, step)
        self._about_letters = letters_of_each(() if taught.about is None else taught.about.texts, step)
        self._others_letters = letters_of_each(background.texts, step)

    def centre(self, start: LearnedModel | None) -> Singles:
        """Return the centre of the taught vectors.

        It is that of `start` if nearly all texts are unchanged.
        """
        if start is not None and start.centre.shape == self._taught.vectors.shape[1:]:
            return start.centre
        return centre_of(self._taught.vectors, self._background.vectors)

    def solved(self, kept: Places, others: Places, known: Places, centre: Singles, start: Solution | None) -> Solution:
        """Return the regression over the labels `known` and the background.

        `kept` are the places of the phrases that it is fitted on, without those that only name a power, and `others`
        those of the background texts.
        """
        taught, labels = self._taught, len(known)
        kept = taught.telling(kept)
        vectors, letters, owners = [taught.vectors[kept]], [self._letters[kept]], taught.owners[kept]
        shares = np.ones(len(kept))
        if taught.about is not None and self._evened:
            places = np.flatnonzero(np.isin(taught.about.owners, known))
            vectors.append(taught.about.vectors[places])
            letters.append(self._about_letters[places])
            owners = np.append(owners, taught.about.owners[places])
            shares = np.append(shares, np.full(len(places), self._evened))
        owners = np.searchsorted(known, owners)
        vectors.append(self._background.vectors[others])
        letters.append(self._others_letters[others])
        classes = np.append(owners, np.full(len(others), labels, np.intp))
        inputs = inputs_of(np.concatenate(vectors), np.concatenate(letters), centre)
        weights, sizes = np.ones(len(classes), np.float32), np.bincount(owners, shares, labels)
        each = shares * sizes[owners] ** -self._evened
        weights[: len(owners)] = each * (len(owners) / each.sum())
        lead = np.append(self._evened * np.log(np.maximum(sizes, 1.0)), 0.0).astype(np.float32)
        near = None if start is None else replace(start, intercepts=start.intercepts + lead)
        found = solve(Problem(inputs, classes, weights, labels + 1), near, self._step)
        return replace(found, intercepts=found.intercepts - lead)

    def view(self, number: int) -> tuple[list[ChoiceSets], Solution]:
        """Return the queries of one fold by kind, and a starting point for the full regression."""
        part = fold(self._taught, self._background, number)
        labels = np.unique(self._taught.owners[part.kept])
        centre = centre_of(self._taught.vectors[part.kept], self._background.vectors)
        kept = np.bincount(self._taught.owners[part.kept], minlength=len(self._taught.labels))
        self.evidence += int((kept[self._taught.owners[part.held_out]] >= ENOUGH).sum())
        found = self.solved(part.kept, part.background_kept, labels, centre, None)
        view = View(self._taught, part.kept, found, centre, self._step)
        asked = [view.questions(own, self._shipped_weights, self._step) for own in self._batches(part)]
        return asked, _spread(found, labels, len(self._taught.labels))

    def _batches(self, part: Fold) -> list[LabelledBatch]:
        others, places = self._background, part.background_held_out
        own = [others.texts[place] for place in places.tolist()], others.vectors[places], others.cosine_vectors[places]
        return [
            self._of_taught(part.held_out, self._taught.owners[part.held_out]),
            self._of_taught(part.out_of_scope, np.full(len(part.out_of_scope), NONE, np.intp)),
            LabelledBatch(np.full(len(places), NONE, np.intp), *own, self._others_letters[places]),
        ]

    def _of_taught(self, places: Places, owners: Places) -> LabelledBatch:
        taught = self._taught
        texts = [taught.texts[place] for place in places.tolist()]
        return LabelledBatch(
            owners, texts, taught.vectors[places], taught.cosine_vectors[places], self._letters[places]
        )

    def weights(
        self, parts: Sequence[Sequence[ChoiceSets]], cases: LabelledQueries | None, solution: Solution, centre: Singles
    ) -> tuple[Weights, LabelledFit]:
        """Return the weights fitted to the queries of all views and to the cases.

        The LabelledFit has those fitted without each part of the cases.
        """
        whole = float(sum(len(view[0].right) for view in parts))
        asked = None if cases is None else self._labelled(cases, solution, centre)
        if cases is not None and asked is not None:
            whole += float(asked.weights[cases.owners != NONE].sum())
        held = []
        for share, *own in zip((PHRASES, OUT_OF_SCOPE_LABELS, BACKGROUND), *parts, strict=True):
            of_kind = ChoiceSets.joined(own)
            held.append(of_kind if share == PHRASES else of_kind.scaled_to(whole * self._out_of_scope_share(share)))
        if cases is None or asked is None:
            return self._fitted(held), LabelledFit()
        found = self._fitted(held, asked)
        digests = [digest_of_text(text) for text in cases.texts]
        part = np.array(digests) % PARTS
        apart = []
        for number in range(PARTS):
            self._step()
            apart.append(self._fitted(held, asked.at(np.flatnonzero(part != number)), found))
        self.evidence += round(CASE * float(asked.weights.sum()))
        return found, LabelledFit(cases.digest(self._taught.labels), tuple(sorted(set(digests))), tuple(apart))

    def _fitted(
        self, held: Sequence[ChoiceSets], asked: ChoiceSets | None = None, start: Weights | None = None
    ) -> Weights:
        """Return the weights fitted to left-out phrases and to labelled queries.

        For powers the labelled queries for none weigh more, as long as their best power gains confidence on the shipped
        weights, on average.
        """
        usual, times = self._shipped_weights, 1.0
        if asked is None:
            return logit.fitted(ChoiceSets.joined(held), usual, _ridge(self._taught, usual, self.evidence), start)
        ridge = _ridge(self._taught, usual, self.evidence + CASE * float(asked.weights.sum()))
        is_none = asked.right == asked.candidates.shape[1]
        while True:
            own = replace(asked, weights=np.where(is_none, times, 1.0) * asked.weights)
            found = logit.fitted(ChoiceSets.joined([*held, own]), usual, ridge, start)
            given, before = (logit.outcomes(asked, one)[:, 0] @ is_none for one in (found, usual))
            if not self._taught.has_descriptions or given <= before or times >= MOST_FOR_NONE:
                return found
            times *= 2.0

    def _out_of_scope_share(self, share: float) -> float:
        """Return the relative weight of out-of-scope queries of one kind.

        It is relative to the queries with a right label.
        """
        if share == BACKGROUND and self._taught.has_descriptions:
            return BACKGROUND_SHARE if self._taught.is_described else BACKGROUND_SHARE_WITH_EXAMPLES
        return share / PHRASES

    def _labelled(self, cases: LabelledQueries, solution: Solution, centre: Singles) -> ChoiceSets:
        """Return the labelled queries with their features, each weighted like a left-out phrase.

        They are compared with all taught phrases, as none of these is a labelled query.
        """
        letters = letters_of_each(cases.texts)
        every = View(self._taught, np.arange(len(self._taught.owners)), solution, centre, self._step)
        asked = LabelledBatch(cases.owners, cases.texts, cases.vectors, cases.cosine_vectors, letters)
        found = every.questions(asked, self._shipped_weights, self._step)
        return found if cases.shares is None else replace(found, weights=cases.shares)

    def warm_start(self, start: LearnedModel) -> Solution | None:
        """Return the solution of an earlier model for the labels that are still taught, or None."""
        if start.centre.shape != self._taught.vectors.shape[1:] or not start.labels:
            return None
        places = {label: place for place, label in enumerate(self._taught.labels)}
        kept = [row for row, label in enumerate(start.labels) if label in places]
        labels = np.array([places[start.labels[row]] for row in kept], np.intp)
        kept.append(len(start.labels))
        return _spread(Solution(start.coefficients[kept], start.intercepts[kept], 0), labels, len(places))


def _spread(found: Solution, labels: Places, count: int) -> Solution:
    """Return the solution for `count` labels, with zeros for those that are not in `labels`."""
    coefficients = np.zeros((count + 1, found.coefficients.shape[1]), np.float32)
    intercepts = np.zeros(count + 1, np.float32)
    places = np.append(labels, count)
    coefficients[places], intercepts[places] = found.coefficients, found.intercepts
    return Solution(coefficients, intercepts, found.iterations)
