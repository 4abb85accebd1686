"""Tests of a learned model: probabilities, contributions that sum to them, and storage."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from app.scoring.learned.fit import fit
from app.scoring.learned.model import FLOOR, VERSION, LabelledFit, LearnedModel, Reading, Weights
from app.scoring.text import words
from tests.unit.scoring.learned.libraries import background, library

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
    assert not model.has_regression
    assert LearnedModel.of_arrays(model.arrays()).labels == ()
