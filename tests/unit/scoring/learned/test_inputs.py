"""Tests of a regression's input: independent of batches, relative to the centre."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.learned.fit import fit
from app.scoring.learned.model import readings
from app.scoring.learned.regression import FEW, LETTERS, PLACES, centre_of, inputs_of, letters_of, letters_of_each
from app.scoring.text import words
from tests.unit.scoring.learned.libraries import background, library

LIBRARY = library(6, 5)
MODEL = fit(LIBRARY, background())


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
    logits = inputs_of(LIBRARY.vectors, letters, MODEL.centre) @ MODEL.coefficients.T + MODEL.intercepts
    many = readings(logits.astype(np.float64))[0]
    for row, text in enumerate(LIBRARY.texts):
        assert np.allclose(MODEL.read(LIBRARY.vectors[row], words(text)).log_probabilities, many[row], atol=1e-4)


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
