"""Tests of priors: public questions as rows without text, by common words and labels."""

from __future__ import annotations

import io

import numpy as np
import pytest

from app.domain.case import TaughtExample
from app.domain.encoder import Provenance
from app.scoring.examples.features import WEIGHT, ExampleWords, Prior
from app.scoring.examples.kept import arrays_of, prior_in
from app.scoring.examples.model import fit
from tests.build import some

SOURCES = (Provenance("one", "1", 2), Provenance("one, layers", "1", 2))
NORTH, EAST = [0.0, 1.0], [1.0, 0.0]
EXAMPLES = [
    TaughtExample(f"{'ask' if n % 2 else 'tell'} of {n}", ("up",) if n % 2 else ("down",), True) for n in range(8)
]
VECTORS = np.array([NORTH if n % 2 else EAST for n in range(8)], np.float32)
BETWEEN = np.full(2, 0.5**0.5, np.float32)


def prior(*labels: str, counts: float = 40.0) -> Prior:
    rows = len(labels)
    words = np.zeros((rows, 2), np.float32)
    words[:, 1] = 0.5
    return Prior(np.tile(BETWEEN, (rows, 1)), words, ("nowhere", "of"), labels, np.full(rows, counts))


def test_that_a_query_that_examples_leave_open_is_answered_as_public_questions_are() -> None:
    for label in ("up", "down"):
        model = some(fit(EXAMPLES, VECTORS, by_subject=False, prior=prior(label)))
        assert model.vote("of all", BETWEEN).label == label


def test_that_the_more_is_taught_here_the_less_public_questions_count() -> None:
    def share(own: int) -> float:
        taught = [TaughtExample(f"here {n}", ("up",) if n % 2 else ("down",)) for n in range(own)]
        vectors = np.concatenate(
            [VECTORS, np.array([NORTH if n % 2 else EAST for n in range(own)], np.float32).reshape(-1, 2)]
        )
        model = some(fit([*EXAMPLES, *taught], vectors, by_subject=False, prior=prior("up")))
        return dict(model.vote("of all", BETWEEN).shares)["up"]

    assert share(0) > share(8) > share(40) > 0.5


def test_that_labels_nobody_teaches_here_change_nothing() -> None:
    alone, beside = (fit(EXAMPLES, VECTORS, by_subject=False, prior=one) for one in (None, prior("elsewhere", "")))
    assert np.array_equal(some(alone).regression.coefficients, some(beside).regression.coefficients)


def test_that_only_shared_words_are_read_each_in_its_place() -> None:
    words = ExampleWords({"of": 0, "ask": 1}, np.ones(2))
    rows = prior("up", "down").rows(words)
    assert rows.shape == (2, 4)
    assert np.array_equal(rows[:, 2:], [[0.5, 0.0], [0.5, 0.0]])
    assert prior("up").weights.tolist() == [40.0 * WEIGHT]


def test_that_it_is_read_again_beside_the_model_of_the_same_encoder_alone() -> None:
    model, file = fit(EXAMPLES, VECTORS, by_subject=False, prior=prior("up", "")), io.BytesIO()
    assert model is not None
    texts = [one.text for one in EXAMPLES]
    np.savez(
        file, allow_pickle=False, **arrays_of(model, "1", SOURCES, texts, VECTORS, VECTORS), **prior("up", "").arrays()
    )
    file.seek(0)
    arrays = dict(np.load(file, allow_pickle=False))
    again = some(prior_in(arrays, SOURCES))
    assert again.labels == ("up", "")
    assert again.features == ("nowhere", "of")
    assert np.allclose(again.vectors, BETWEEN, atol=1e-3)
    assert prior_in(arrays, SOURCES[:1]) is None
    damaged = (
        ("prior counts", np.array([1.0])),
        ("prior counts", np.array([[1.0], [1.0]])),
        ("prior counts", np.array([1.0, -1.0])),
        ("prior counts", np.array([1.0, 1e300])),
        ("prior vectors", np.full((2, 2), np.nan)),
        ("prior vectors", np.ones(2)),
        ("prior vectors", np.ones((2, 1))),
        ("prior labels", np.array(["up"])),
    )
    for name, array in damaged:
        assert prior_in(arrays | {name: array}, SOURCES) is None
    assert prior_in({name: array for name, array in arrays.items() if not name.startswith("prior")}, SOURCES) is None


def test_that_rows_of_unlike_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="each row of a prior"):
        Prior(np.zeros((2, 2), np.float32), np.zeros((1, 1), np.float32), ("of",), ("up",), np.ones(1))
