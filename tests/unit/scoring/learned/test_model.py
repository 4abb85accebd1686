"""Tests of learned models: logit, regression and its input, contributions, and shipped weights."""

from __future__ import annotations

import inspect
import io
import re
import warnings
from dataclasses import astuple, replace
from itertools import pairwise
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.learned import defaults
from app.scoring.learned.defaults import ENOUGH_PHRASES, FEW_POWERS, MANY_POWERS, MOST_DESCRIBED, described
from app.scoring.learned.fit import fit
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
from app.scoring.learned.model import FLOOR, VERSION, LabelledFit, LearnedModel, Reading, Weights, readings
from app.scoring.learned.regression import (
    CURVATURE,
    FEW,
    LETTERS,
    PLACES,
    Problem,
    Solution,
    cancel_check,
    centre_of,
    inputs_of,
    letters_of,
    letters_of_each,
    loss_and_gradient,
    preconditioner_of,
    solve,
)
from app.scoring.learned.taught import FitCancelledError
from app.scoring.text import words
from tests.unit.scoring.learned.libraries import DIMENSION, background, library

LIBRARY = library(6, 5)
MODEL = fit(LIBRARY, background(), encoder="made")


def _read(model: LearnedModel, row: int) -> Reading:
    return model.read(LIBRARY.vectors[row], words(LIBRARY.texts[row]))


def test_that_the_regression_gives_chances_of_all_labels() -> None:
    told = _read(MODEL, 0)
    assert (told.log_probabilities >= FLOOR).all()
    assert np.exp(told.log_probabilities).sum() == pytest.approx(1.0, abs=1e-4)


def test_that_a_model_saved_and_loaded_answers_the_same() -> None:
    file = io.BytesIO()
    labelled = LabelledFit(5, (1, 7), (replace(MODEL.weights, none=1.0), replace(MODEL.weights, none=2.0)))
    np.savez(file, allow_pickle=False, **replace(MODEL, cases=labelled).arrays())
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        again = LearnedModel.of_arrays(arrays)
    assert (again.labels, again.weights, again.encoder) == (MODEL.labels, MODEL.weights, "made")
    assert (again.phrases, again.cases, again.known) == (MODEL.phrases, labelled, MODEL.known)
    for row in range(5):
        assert np.array_equal(_read(again, row).log_probabilities, _read(MODEL, row).log_probabilities)


@pytest.mark.parametrize("name", ["centre", "coefficients", "intercepts", "weights"])
def test_that_a_model_of_anything_but_numbers_that_fit_is_refused(name: str) -> None:
    arrays = MODEL.arrays()
    with pytest.raises(ValueError, match=r"numbers|belong"):
        LearnedModel.of_arrays(arrays | {name: arrays[name] * np.nan})
    for kind in (np.int64, np.complex128):
        with pytest.raises(ValueError, match="numbers"), warnings.catch_warnings(action="ignore"):
            LearnedModel.of_arrays(arrays | {name: arrays[name].astype(kind)})
    with pytest.raises(ValueError, match="belong"):
        LearnedModel.of_arrays(arrays | {name: arrays[name][:2]})
    with pytest.raises(ValueError, match="belong"):
        LearnedModel.of_arrays(arrays | {"centre": arrays["centre"][:2]})


def test_that_a_model_of_another_version_or_of_other_shipped_weights_is_refused() -> None:
    numbers = sorted(set(re.findall(r"\b\d+\.\d+", inspect.getsource(defaults))))
    assert (VERSION, crc32(" ".join(numbers).encode())) == (18, 1360751433), "raise VERSION, and write both here"
    arrays = MODEL.arrays()
    facts = bytes(arrays["facts"]).replace(f'"version": {VERSION}'.encode(), b'"version": 0')
    with pytest.raises(ValueError, match="version"):
        LearnedModel.of_arrays(arrays | {"facts": np.frombuffer(facts, np.uint8)})


def test_that_nothing_taught_leaves_all_to_none() -> None:
    empty = np.zeros((0, 4), np.float32)
    model = LearnedModel(
        (),
        empty[:0].sum(axis=0),
        empty,
        empty[:, 0],
        Weights(lr=0.0, semantic=9.0, description=0.0, bm25=1.0, none=5.0),
    )
    told = model.read(np.ones(4, np.float32), ())
    assert (len(told.log_probabilities), told.energy, told.background) == (0, 0.0, 0.0)
    assert not model.has_regression
    assert LearnedModel.of_arrays(model.arrays()).labels == ()


DEFAULTS_FEW, MANY = int(FEW_POWERS), int(MANY_POWERS)


@pytest.mark.parametrize("has_paragraphs", [False, True])
def test_that_among_few_powers_the_meaning_tells_more_and_words_and_background_less(has_paragraphs: bool) -> None:
    by_count = [described(count, has_paragraphs=has_paragraphs) for count in range(DEFAULTS_FEW, MANY + 1)]
    for fewer, more in pairwise(by_count):
        assert fewer.semantic > more.semantic
        assert (fewer.bm25, fewer.background) < (more.bm25, more.background)
    assert all(weight >= 0.0 for weights in by_count for weight in astuple(weights))


@pytest.mark.parametrize("has_paragraphs", [False, True])
@pytest.mark.parametrize(("inside", "outside"), [(DEFAULTS_FEW, 0), (DEFAULTS_FEW, 1), (MANY, MANY + 1), (MANY, 199)])
def test_that_beyond_its_limits_the_number_of_powers_is_cut(inside: int, outside: int, has_paragraphs: bool) -> None:
    assert described(outside, has_paragraphs=has_paragraphs) == described(inside, has_paragraphs=has_paragraphs)


@pytest.mark.parametrize("powers", [DEFAULTS_FEW, MANY, 60])
def test_that_none_rises_with_the_number_of_phrases_of_a_power_and_nothing_else_changes(powers: int) -> None:
    by_count = [described(powers, count, has_paragraphs=False) for count in range(1, int(ENOUGH_PHRASES) + 1)]
    for fewer, more in pairwise(by_count):
        assert fewer.none < more.none
        assert replace(fewer, none=more.none) == more
    assert described(powers, 100.0, has_paragraphs=False) == by_count[-1] == described(powers, has_paragraphs=False)
    most = int(MOST_DESCRIBED)
    assert described(most, 1.0, has_paragraphs=False) == described(most, has_paragraphs=False)


INPUTS_MODEL = fit(LIBRARY, background())


@given(st.lists(st.text(max_size=90), max_size=6))
def test_that_letters_have_one_length_and_hang_on_which_words_there_are(found: list[str]) -> None:
    letters = letters_of(found)
    assert letters.shape == (PLACES,)
    assert float(np.linalg.norm(letters)) == pytest.approx(LETTERS if letters.any() else 0.0, abs=1e-5)
    assert np.array_equal(letters_of([*reversed(found), *found]), letters)


def test_that_words_of_one_stem_have_letters_in_common_and_others_next_to_none() -> None:
    plain, joined, other = (letters_of([word]) for word in ("deploy", "deployment", "invoice"))
    assert float(plain @ joined) > 0.5 * LETTERS**2
    assert abs(float(plain @ other)) < 0.2 * LETTERS**2


def test_that_a_query_is_read_as_the_phrases_were() -> None:
    letters = letters_of_each(LIBRARY.texts)
    logits = (
        inputs_of(LIBRARY.vectors, letters, INPUTS_MODEL.centre) @ INPUTS_MODEL.coefficients.T + INPUTS_MODEL.intercepts
    )
    many = readings(logits.astype(np.float64))[0]
    for row, text in enumerate(LIBRARY.texts):
        assert np.allclose(INPUTS_MODEL.read(LIBRARY.vectors[row], words(text)).log_probabilities, many[row], atol=1e-4)


def test_that_what_all_of_a_library_has_in_common_is_not_seen() -> None:
    elsewhere = np.zeros((0, 24), np.float32)
    letters = letters_of_each(LIBRARY.texts)
    shifted = LIBRARY.vectors + np.float32(0.5)
    whole = np.float32((len(shifted) + FEW) / len(shifted))
    centre, moved = (whole * centre_of(vectors, elsewhere) for vectors in (LIBRARY.vectors, shifted))
    one, other = inputs_of(LIBRARY.vectors, letters, centre), inputs_of(shifted, letters, moved)
    assert np.allclose(one, other, atol=1e-4)


def test_that_a_vector_at_the_centre_tells_nothing() -> None:
    centre = LIBRARY.vectors[0]
    found = inputs_of(LIBRARY.vectors[:1], np.zeros((1, PLACES), np.float32), centre)
    assert not found.any()


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
def test_that_few_rows_and_many_give_the_same_inverse(rows: int) -> None:
    generator = np.random.default_rng(rows)
    vectors, weights = generator.normal(size=(rows, 8)), generator.uniform(0.5, 2.0, rows)
    problem = Problem(vectors.astype(np.float32), np.zeros(rows, np.intp), weights.astype(np.float32), 1)
    with_one = np.column_stack([vectors, np.ones(rows)])
    hessian = CURVATURE * (with_one * weights[:, None]).T @ with_one + problem.penalty * np.eye(9)
    assert preconditioner_of(problem) @ hessian == pytest.approx(np.eye(9), abs=1e-4)
