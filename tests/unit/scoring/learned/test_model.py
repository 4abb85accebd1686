"""Tests of a learned model: probabilities, contributions that sum to them, and storage."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.learned.fit import fit
from app.scoring.learned.model import FLOOR, VERSION, LabelledFit, LearnedModel, Reading, Weights, softmax
from app.scoring.text import words
from tests.unit.scoring.learned.libraries import background, library

LIBRARY = library(6, 5)
MODEL = fit(LIBRARY, background(), encoder="made")


def _read(model: LearnedModel, row: int) -> Reading:
    return model.read(LIBRARY.vectors[row], words(LIBRARY.texts[row]))


shares = st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6)


@given(shares, shares, st.integers(0, len(LIBRARY.texts) - 1))
def test_that_confidences_are_chances_and_their_logarithms_sums_of_contributions(
    semantic: list[float], bm25: list[float], row: int
) -> None:
    told = _read(MODEL, row)
    views = (told.log_probabilities, np.array(semantic), np.array(bm25))
    confidences, none = MODEL.confidences(*views, told.energy, told.background)
    assert confidences.sum() + none == pytest.approx(1.0, abs=1e-12)
    assert ((confidences >= 0.0) & (confidences <= 1.0)).all()
    terms = [MODEL.contributions(*(float(view[place]) for view in views)) for place in range(6)]
    against = sum(MODEL.none_contributions(told.energy, told.background).values())
    for place in range(6):
        own = sum(terms[place].values())
        assert own - against == pytest.approx(math.log(confidences[place] / none), abs=1e-9)
        runner_up = sum(terms[place][name] - terms[0][name] for name in terms[0])
        assert runner_up == pytest.approx(math.log(confidences[place] / confidences[0]), abs=1e-9)


@given(shares, st.integers(0, 5), st.floats(0.0, 1.0))
def test_that_a_higher_score_never_lowers_the_confidence_of_its_candidate(
    semantic: list[float], place: int, more: float
) -> None:
    told = _read(MODEL, 0)
    higher = list(semantic)
    higher[place] = max(higher[place], more)
    before, after = (
        MODEL.confidences(told.log_probabilities, np.array(scores), np.zeros(6), told.energy, told.background)[0][place]
        for scores in (semantic, higher)
    )
    assert after >= before


def test_that_the_regression_gives_chances_of_all_labels() -> None:
    told = _read(MODEL, 0)
    assert (told.log_probabilities >= FLOOR).all()
    assert np.exp(told.log_probabilities).sum() == pytest.approx(1.0, abs=1e-4)


def test_that_a_label_taught_after_the_fit_stands_where_the_best_other_does() -> None:
    lr = np.array([-1.0, np.nan, -5.0])
    z = MODEL.candidate_logits(lr, np.full(3, 0.5), np.zeros(3))
    assert z[1] == z[0] > z[2]


def test_that_where_no_label_is_known_to_the_regression_the_other_views_decide() -> None:
    z = MODEL.candidate_logits(np.full(2, np.nan), np.array([0.2, 0.9]), np.array([np.nan, 0.0]))
    assert z[1] > z[0]


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
    with pytest.raises(ValueError, match="belong"):
        LearnedModel.of_arrays(arrays | {name: arrays[name][:2]})
    with pytest.raises(ValueError, match="belong"):
        LearnedModel.of_arrays(arrays | {"centre": arrays["centre"][:2]})


def test_that_a_model_of_another_version_is_refused() -> None:
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
    assert softmax(np.zeros(0), model.none_logit(0.0, 0.0))[1] == 1.0
    assert not model.has_regression
    assert LearnedModel.of_arrays(model.arrays()).labels == ()
