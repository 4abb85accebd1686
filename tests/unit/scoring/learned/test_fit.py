"""Tests of fits: reproducible for any order and start, and correct for taught phrases."""

from __future__ import annotations

import math
from dataclasses import astuple, replace

import numpy as np
import pytest

from app.scoring.columns.column import Floats
from app.scoring.learned import fit as fitting
from app.scoring.learned import logit
from app.scoring.learned.defaults import of_many, shipped, taught_powers
from app.scoring.learned.fit import LabelledBatch, View, fit
from app.scoring.learned.library import names_of
from app.scoring.learned.model import LearnedModel, Reading
from app.scoring.learned.regression import Solution, letters_of_each
from app.scoring.learned.taught import (
    NONE,
    FitCancelledError,
    LabelledQueries,
    LabelTexts,
    OutOfScopeTexts,
    TrainingSet,
    digest_of_text,
    fold,
    plain,
    tightness,
)
from app.scoring.text import words
from tests.unit.scoring.learned.libraries import background, library, permuted

LIBRARY = library(8, 6)
ELSEWHERE = background()
MODEL = fit(LIBRARY, ELSEWHERE)


def _chances(model: LearnedModel, told: Reading, semantic: Floats, bm25: Floats) -> Floats:
    """Return the probability of each label."""
    own = model.weights
    none = own.none + own.energy * told.energy + own.background * told.background
    odds = np.exp(own.lr * told.log_probabilities + own.semantic * semantic + own.bm25 * bm25 - none)
    found: Floats = odds / (1.0 + odds.sum())
    return found


def _asks(model: LearnedModel, taught: TrainingSet, owner: int) -> float:
    """Return the probability of the right label for a query near its taught phrases."""
    rows = taught.owners == owner
    vector = taught.vectors[rows].mean(axis=0)
    vector /= np.linalg.norm(vector)
    told = model.read(vector, words(f"topic{owner} please"))
    semantic = np.array(
        [(taught.vectors[taught.owners == other] @ vector).max() for other in range(len(taught.labels))]
    )
    bm25 = np.where(np.arange(len(semantic)) == owner, 0.5, 0.0)
    return float(_chances(model, told, semantic, bm25)[owner])


def _readings(model: LearnedModel) -> list[Floats]:
    asked = zip(LIBRARY.vectors[::7], LIBRARY.texts[::7], strict=True)
    return [model.read(vector, words(text)).log_probabilities for vector, text in asked]


def test_that_a_fit_tells_the_labels_apart() -> None:
    assert all(_asks(MODEL, LIBRARY, owner) > 0.5 for owner in range(8))


def test_that_the_same_input_gives_the_same_model() -> None:
    again = fit(LIBRARY, ELSEWHERE)
    assert again.weights == MODEL.weights
    assert np.array_equal(again.coefficients, MODEL.coefficients)


def test_that_the_order_of_phrases_and_labels_does_not_matter() -> None:
    other = permuted(LIBRARY)
    model = fit(other, ELSEWHERE)
    assert astuple(model.weights) == pytest.approx(astuple(MODEL.weights), abs=0.02)
    places = [model.labels.index(label) for label in LIBRARY.labels]
    for one, before in zip(_readings(model), _readings(MODEL), strict=True):
        assert np.allclose(one[places], before, atol=0.05)


def test_that_a_warm_start_ends_where_a_cold_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = TrainingSet(LIBRARY.labels, LIBRARY.owners[1:], LIBRARY.texts[1:], LIBRARY.vectors[1:])
    assert np.array_equal(fit(fewer, ELSEWHERE).coefficients, fit(fewer, ELSEWHERE, start=MODEL).coefficients)
    monkeypatch.setattr("app.scoring.learned.fit.FRESH", 0)
    cold, warm = fit(fewer, ELSEWHERE), fit(fewer, ELSEWHERE, start=MODEL)
    for one, other in zip(_readings(cold), _readings(warm), strict=True):
        assert np.allclose(one, other, atol=0.1)


def test_that_weights_are_kept_while_nearly_all_is_still_taught_and_fitted_again_after() -> None:
    told = replace(MODEL, weights=replace(MODEL.weights, none=MODEL.weights.none + 1.0))
    fewer = TrainingSet(LIBRARY.labels, LIBRARY.owners[1:], LIBRARY.texts[1:], LIBRARY.vectors[1:])
    assert fit(fewer, ELSEWHERE, start=told).weights == told.weights
    assert fit(library(8, 3), ELSEWHERE, start=told).weights != told.weights


def test_that_what_the_folds_came_to_is_kept_as_long_as_the_weights() -> None:
    chances, what = MODEL.outcomes.T
    assert set(what) == {logit.RIGHT, logit.OUT_OF_SCOPE}
    assert chances[what == logit.RIGHT].mean() > chances[what == logit.OUT_OF_SCOPE].mean() + 0.1
    fewer = TrainingSet(LIBRARY.labels, LIBRARY.owners[1:], LIBRARY.texts[1:], LIBRARY.vectors[1:])
    assert np.array_equal(fit(fewer, ELSEWHERE, start=MODEL).outcomes, MODEL.outcomes)
    assert np.array_equal(LearnedModel.of_arrays(MODEL.arrays()).outcomes, MODEL.outcomes)
    assert (
        not len(fit(library(6, 1), ELSEWHERE).outcomes) or not (fit(library(6, 1), ELSEWHERE).outcomes[:, 1] == 1).any()
    )


def test_that_a_start_may_know_other_labels_or_another_encoder() -> None:
    more = library(9, 6)
    assert fit(more, ELSEWHERE, start=MODEL).labels == more.labels
    less = TrainingSet(LIBRARY.labels[:3], LIBRARY.owners[:18], LIBRARY.texts[:18], LIBRARY.vectors[:18])
    assert fit(less, ELSEWHERE, start=MODEL).coefficients.shape[0] == 4
    narrow = replace(MODEL, centre=MODEL.centre[:3], coefficients=MODEL.coefficients[:, 21:])
    assert fit(LIBRARY, ELSEWHERE, start=narrow).coefficients.shape == MODEL.coefficients.shape


def test_that_one_phrase_a_label_or_one_label_alone_is_enough() -> None:
    single = library(6, 1)
    model = fit(single, ELSEWHERE)
    assert model.weights == shipped(1.0, *tightness(single), len(single.labels))
    assert all(_asks(model, single, owner) > 0.2 for owner in range(6))
    assert len(fit(library(1, 4), ELSEWHERE).labels) == 1
    assert len(fit(library(2, 1), OutOfScopeTexts((), np.zeros((0, 24), np.float32))).labels) == 2


@pytest.mark.parametrize("powers", [6, 20])
def test_that_what_is_asked_elsewhere_stays_strange_once_powers_have_two_examples(powers: int) -> None:
    told = library(powers, 4)
    taught = replace(told, are_queries=np.arange(len(told.owners)) % 4 > 1)
    assert taught.has_descriptions
    assert not taught.is_described
    model, strangers = fit(taught, ELSEWHERE), background(60, seed=8)
    chances = []
    for vector, text in zip(strangers.vectors, strangers.texts, strict=True):
        read = model.read(vector, words(text))
        semantic = np.maximum.reduceat(np.maximum(taught.vectors @ vector, 0.0), np.arange(0, 4 * powers, 4))
        none = np.zeros(powers)
        chances.append(_chances(model, read, semantic, none).max())
    assert np.median(chances) < 0.3


def test_that_weights_that_ship_for_powers_keep_their_bounds_whatever_the_library() -> None:
    for phrases in (2.0, 5.0, 20.0, 500.0):
        for labels in (2, 20, 200, 4_000):
            weights = np.array(astuple(taught_powers(phrases, labels)))
            assert (weights >= logit.LOWER_BOUNDS).all()
            assert (weights <= logit.UPPER_BOUNDS).all()


def test_that_with_too_many_labels_or_none_the_other_views_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "MAX_LABELS", 3)
    assert not fit(LIBRARY, ELSEWHERE).has_regression
    nothing = TrainingSet((), np.zeros(0, np.intp), (), np.zeros((0, 24), np.float32))
    assert not fit(nothing, ELSEWHERE).has_regression


def test_that_labelled_cases_move_the_weights_unless_they_are_taught_word_for_word() -> None:
    wrong = LabelledQueries(np.full(20, NONE, np.intp), [f"case {row}" for row in range(20)], LIBRARY.vectors[:20])
    assert fit(LIBRARY, ELSEWHERE, wrong).weights.none > MODEL.weights.none
    taught = LabelledQueries(LIBRARY.owners[:20], LIBRARY.texts[:20], LIBRARY.vectors[:20])
    assert fit(LIBRARY, ELSEWHERE, taught).weights == MODEL.weights


def test_that_queries_labelled_for_no_power_gain_nothing_from_many_that_are_for_one() -> None:
    told, asked = library(12, 4), library(12, 8, seed=5, spread=2.0)
    nothing = np.zeros(len(told.owners), np.bool_)
    taught = replace(told, are_queries=nothing, described=nothing)
    far, near = replace(ELSEWHERE, semantic_vectors=0.1 * ELSEWHERE.vectors), 0.3 * asked.vectors
    is_none, texts = np.arange(len(near)) % 4 == 0, [f"case {n} of many others" for n in range(len(near))]
    cases = LabelledQueries(np.where(is_none, NONE, asked.owners), texts, asked.vectors, near)
    before, after = (fit(taught, far, one) for one in (None, cases))
    solution, every = Solution(after.coefficients, after.intercepts, 0), np.arange(len(taught.owners))
    batch = LabelledBatch(cases.owners, texts, asked.vectors, near, letters_of_each(texts))
    sets = View(taught, every, solution, after.centre, lambda: None).questions(batch, before.weights, lambda: None)
    own = [logit.outcomes(sets.at(np.flatnonzero(is_none)), one.weights)[:, 0].mean() for one in (before, after)]
    assert own[1] <= own[0]


def test_that_each_labelled_case_has_weights_that_it_had_no_say_in() -> None:
    texts = [f"case {row}" for row in range(40)]
    cases = LabelledQueries(np.full(40, NONE, np.intp), texts, LIBRARY.vectors[:40])
    model = fit(LIBRARY, ELSEWHERE, cases)
    digests = np.array([digest_of_text(text) for text in texts])
    assert set(model.cases.texts) == set(digests.tolist())
    for number, apart in enumerate(model.cases.cross_fitted):
        rest = np.flatnonzero(digests % len(model.cases.cross_fitted) != number)
        some = LabelledQueries(cases.owners[rest], [texts[row] for row in rest.tolist()], cases.vectors[rest])
        assert np.allclose(astuple(fit(LIBRARY, ELSEWHERE, some).weights), astuple(apart), atol=1e-5)
        assert apart != model.weights


def test_that_a_case_counts_as_much_as_it_is_said_to() -> None:
    texts = [f"case {row}" for row in range(20)]
    once = LabelledQueries(np.full(20, NONE, np.intp), texts, LIBRARY.vectors[:20])
    halves = LabelledQueries(
        np.full(40, NONE, np.intp), [*texts, *texts], np.tile(LIBRARY.vectors[:20], (2, 1)), shares=np.full(40, 0.5)
    )
    found = [fit(LIBRARY, ELSEWHERE, told).weights for told in (once, halves)]
    assert np.allclose(astuple(found[0]), astuple(found[1]), atol=1e-6)


def test_that_the_weights_are_fitted_again_where_cases_are_others() -> None:
    texts = [f"case {row}" for row in range(20)]
    wrong = LabelledQueries(np.full(20, NONE, np.intp), texts, LIBRARY.vectors[:20])
    right = LabelledQueries(LIBRARY.owners[:20], texts, LIBRARY.vectors[:20])
    before = fit(LIBRARY, ELSEWHERE, wrong)
    assert fit(LIBRARY, ELSEWHERE, wrong, before).weights == before.weights
    assert fit(LIBRARY, ELSEWHERE, right, before).weights.none < before.weights.none
    few = LabelledQueries(wrong.owners[:9], texts[:9], wrong.vectors[:9])
    assert fit(LIBRARY, ELSEWHERE, few).weights == MODEL.weights


def test_that_a_fit_tells_how_far_it_is_and_ends_when_it_is_told_to() -> None:
    heard: list[float] = []
    fit(LIBRARY, ELSEWHERE, tell=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    with pytest.raises(FitCancelledError):
        fit(LIBRARY, ELSEWHERE, cancelled=lambda: bool(heard))


def test_that_a_fold_keeps_apart_what_it_asks() -> None:
    for number in range(5):
        part = fold(LIBRARY, ELSEWHERE, number)
        assert not set(part.kept) & (set(part.held_out) | set(part.out_of_scope))
        assert not set(part.background_kept) & set(part.background_held_out)
        assert not set(LIBRARY.owners[part.kept]) & set(LIBRARY.owners[part.out_of_scope])
        assert set(LIBRARY.owners[part.held_out]) <= set(LIBRARY.owners[part.kept])


def test_that_a_fold_keeps_no_twin_of_what_it_asks() -> None:
    texts = [f"phrase {place // 2}" if place % 2 else f" Phrase  {place // 2}?" for place in range(40)]
    texts += ["the same", "The same!"]
    owners = np.array([*np.repeat(np.arange(4), 10), 4, 4], np.intp)
    twice = TrainingSet(tuple("abcde"), owners, texts, np.zeros((42, 3), np.float32))
    for number in range(5):
        part = fold(twice, ELSEWHERE, number)
        asked = {plain(texts[place]) for place in part.held_out.tolist()}
        assert asked
        assert not asked & {plain(texts[place]) for place in part.kept.tolist()}
        assert "the same" not in asked, "it would leave its label without any"


def test_that_a_fold_asks_no_more_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scoring.learned.taught.MAX_HELD_OUT", 4)
    part = fold(LIBRARY, ELSEWHERE, 0)
    assert (len(part.held_out), len(part.out_of_scope)) == (4, 4)


def test_that_the_right_label_is_among_the_candidates_and_a_strange_one_is_none() -> None:
    taught = library(30, 2)
    view = View(taught, np.arange(60), None, np.zeros(24, np.float32), lambda: None)
    owners = np.array([0, 29, NONE, 17])
    asked = LabelledBatch(owners, ["x"] * 4, taught.vectors[:4], taught.vectors[:4], letters_of_each(["x"] * 4))
    found = view.questions(asked, shipped(2.0), lambda: None)
    assert found.candidates.shape == (4, 20, 6)
    assert (found.right < 20).tolist() == [True, True, False, True]


def test_that_only_queries_of_powers_count_as_brief() -> None:
    taught, texts = library(3, 2), ["the biggest", "one two three four"]
    asked = LabelledBatch(np.arange(2), texts, taught.vectors[:2], taught.vectors[:2], letters_of_each(texts))

    def lacking(are_queries: list[bool]) -> list[float]:
        own = replace(taught, are_queries=np.array(are_queries))
        view = View(own, np.arange(6), None, np.zeros(24, np.float32), lambda: None)
        found = view.questions(asked, shipped(2.0), lambda: None).lacking
        return [] if found is None else [float(one) for one in found]

    assert lacking([True] * 6) == [0.0, 0.0], "memories mark all of their phrases"
    assert lacking([False, True] * 3) == [3.0, 0.0]


def test_that_in_a_small_library_a_label_is_no_likelier_for_having_more_phrases() -> None:
    told = library(6, 5)
    kept = np.flatnonzero((told.owners == 0) | (np.arange(30) % 5 == 0))
    uneven = TrainingSet(told.labels, told.owners[kept], [told.texts[row] for row in kept.tolist()], told.vectors[kept])
    model = fit(uneven, ELSEWHERE)
    strangers = background(40, seed=5)
    read = [model.read(vector, ()) for vector in strangers.vectors]
    chances = np.mean([np.exp(one.log_probabilities) for one in read], axis=0)
    assert chances[0] < 1.5 / 6, "five phrases against one"


def test_that_few_phrases_leave_the_weights_that_ship_and_many_or_labelled_cases_move_them() -> None:
    def moved(taught: TrainingSet, cases: LabelledQueries | None = None) -> tuple[float, int]:
        model = fit(taught, ELSEWHERE, cases)
        usual = shipped(taught.examples, *tightness(taught), len(taught.labels))
        return float(np.abs(np.subtract(astuple(model.weights), astuple(usual))).max()), model.evidence

    few, many = library(8, 4), library(60, 8)
    texts = [f"case {row}" for row in range(len(few.owners))]
    cases = LabelledQueries(few.owners, texts, library(8, 4).vectors)
    (little, counted), (much, all_counted), (told, with_cases) = moved(few), moved(many), moved(few, cases)
    assert counted < 20 < logit.EVIDENCE < all_counted
    assert with_cases == counted + 5 * len(texts)
    assert little < 0.05
    assert min(much, told) > 4 * little


def test_that_where_phrases_lie_close_strangers_need_more_to_come_in() -> None:
    assert shipped(2.0, 0.7, 0.6).none > shipped(2.0, 0.5, 0.3).none
    assert shipped(2.0) == shipped(2.0, math.nan, math.nan)
    assert shipped(2.0, labels=3) == shipped(2.0, labels=60) != shipped(2.0, labels=100)
    assert shipped(2.0, named=1.0).none > shipped(2.0).none
    assert replace(shipped(2.0, labels=400), fuzzy=0.0) == of_many(2.0)
    assert shipped(20.0, 0.7, 0.6) == shipped(20.0), "of many phrases a fit knows better"
    assert shipped(6.0).fuzzy == shipped(1.0).fuzzy > shipped(12.0).fuzzy > shipped(20.0).fuzzy == 0.0
    weights = [np.array(astuple(shipped(phrases))) for phrases in (1.0, 4.0, 9.0, 30.0, 500.0)]
    assert all(((one >= logit.LOWER_BOUNDS) & (one <= logit.UPPER_BOUNDS)).all() for one in weights)


def test_that_the_name_of_a_label_speaks_for_it_where_phrases_are_few() -> None:
    def chance(phrases: int, *, is_named: bool) -> float:
        taught = library(8, phrases, spread=3.0)
        centres = library(8, 1, spread=0.0).vectors
        named = LabelTexts(np.arange(8), [f"subject number {label}" for label in range(8)], centres, 8)
        model = fit(replace(taught, about=named) if is_named else taught, ELSEWHERE)
        return float(np.mean([model.read(one, ()).log_probabilities[label] for label, one in enumerate(centres)]))

    assert chance(1, is_named=True) > chance(1, is_named=False) + 0.5
    assert chance(8, is_named=True) == chance(8, is_named=False)


def test_that_nothing_is_left_out_where_no_label_has_another_phrase() -> None:
    alone, pairs = (fit(library(8, phrases), ELSEWHERE) for phrases in (1, 2))
    assert (len(alone.outcomes), alone.evidence, len(pairs.outcomes) > 0) == (0, 0, True)


def test_that_names_are_words_and_no_phrases() -> None:
    labels = ("cancel_order", "CancelTrip", "12", "a1b2", "Tell me a joke", ("memory", 7))
    texts = ["stop my order", "cancel the trip", "twelve", "x", "tell me a joke!", "good morning"]
    taught = TrainingSet(labels, np.arange(6), texts, library(6, 1).vectors)
    assert names_of(taught) == {0: "cancel order", 1: "cancel trip"}
    assert names_of(replace(taught, are_queries=np.arange(6) > 0)) == {}, "a power's name is a phrase of it"
    assert names_of(library(6, 8)) == {}


def test_that_tightness_is_of_the_nearest_others() -> None:
    turns = np.array([0.0, 0.1, 1.0, 1.2])
    vectors = np.column_stack([np.cos(turns), np.sin(turns)]).astype(np.float32)
    own, other = tightness(TrainingSet(("a", "b"), np.array([0, 0, 1, 1], np.intp), list("wxyz"), vectors))
    assert own == pytest.approx((2 * math.cos(0.1) + 2 * math.cos(0.2)) / 4, abs=1e-6)
    assert other == pytest.approx((math.cos(1.0) + 2 * math.cos(0.9) + math.cos(1.1)) / 4, abs=1e-6)
    alone = tightness(TrainingSet(("a", "b"), np.array([0, 1], np.intp), ["w", "z"], vectors[[0, 3]]))
    assert math.isnan(alone[0])
    assert alone[1] == pytest.approx(math.cos(1.2), abs=1e-6)


def test_that_each_phrase_has_a_label() -> None:
    with pytest.raises(ValueError, match="label"):
        TrainingSet(("one",), np.zeros(1, np.intp), (), np.zeros((1, 2), np.float32))
