"""Tests of stored example models: they are restored unchanged, and others are rejected."""

from __future__ import annotations

import io

import numpy as np
import pytest

from app.domain.case import TaughtExample
from app.domain.encoder import Provenance
from app.scoring.examples.kept import arrays_of, digest_of, is_of, restored, vectors_in
from app.scoring.examples.model import fit
from tests.build import some

SOURCES = (Provenance("one", "1", 8), Provenance("one, layers", "1", 8))
EXAMPLES = [TaughtExample(f"{'ask' if n % 2 else 'tell'} of {n}", (str(n % 2),), n < 5) for n in range(12)]
CHANCE = np.random.default_rng(2)
VECTORS = CHANCE.normal(size=(12, 8)).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
LEARNED = VECTORS[:, ::-1].copy()
DIGEST = digest_of(EXAMPLES, SOURCES, by_subject=True)


def kept() -> dict[str, np.ndarray]:
    model = some(fit(EXAMPLES, VECTORS, LEARNED))
    file = io.BytesIO()
    arrays = arrays_of(model, DIGEST, SOURCES, [one.text for one in EXAMPLES], VECTORS, LEARNED)
    np.savez(file, allow_pickle=False, **arrays)
    file.seek(0)
    return dict(np.load(file, allow_pickle=False))


def test_that_a_model_that_is_read_again_votes_alike() -> None:
    model, again = fit(EXAMPLES, VECTORS, LEARNED), restored(kept(), EXAMPLES, SOURCES)
    assert some(again).trained == some(model).trained
    for text, left_out in (("tell of this", False), (EXAMPLES[3].text, False), (EXAMPLES[3].text, True)):
        one = some(model).vote(text, VECTORS[0], LEARNED[0], left_out=left_out)
        other = some(again).vote(text, VECTORS[0], LEARNED[0], left_out=left_out)
        assert (one.label, one.grounds.words) == (other.label, other.grounds.words)
        assert one.confidence == pytest.approx(other.confidence, abs=1e-3)
        assert [near.text for near in one.nearest] == [near.text for near in other.nearest]


def test_that_other_examples_vectors_or_labels_are_another_lesson() -> None:
    arrays = kept()
    assert is_of(arrays, DIGEST)
    others = (
        digest_of(EXAMPLES[:-1], SOURCES, by_subject=True),
        digest_of(EXAMPLES, SOURCES[:1], by_subject=True),
        digest_of(EXAMPLES, SOURCES, by_subject=False),
        digest_of([*EXAMPLES[:-1], TaughtExample(EXAMPLES[-1].text, ("0",))], SOURCES, by_subject=True),
    )
    assert not any(is_of(arrays, digest) for digest in others)
    assert not is_of({}, DIGEST)


def test_that_vectors_are_found_by_text_where_they_come_from_the_same_encoder() -> None:
    found = vectors_in(kept(), ["unheard of", EXAMPLES[7].text], SOURCES)
    assert list(found) == [EXAMPLES[7].text]
    assert found[EXAMPLES[7].text][0] == pytest.approx(VECTORS[7], abs=1e-3)
    assert found[EXAMPLES[7].text][1] == pytest.approx(LEARNED[7], abs=1e-3)
    assert not vectors_in(kept(), [EXAMPLES[7].text], SOURCES[:1])


@pytest.mark.parametrize("name", ["trained", "taken", "vectors", "words", "coefficients"])
def test_that_what_is_damaged_is_as_none(name: str) -> None:
    arrays = kept()
    del arrays[name]
    assert restored(arrays, EXAMPLES, SOURCES) is None
    assert restored({**kept(), "taken": np.array([99])}, EXAMPLES, SOURCES) is None


@pytest.mark.parametrize(
    "name", ["taken", "vectors", "telling", "coefficients", "intercepts", "sureness", "lonely", "left_out"]
)
def test_that_arrays_of_another_shape_or_of_no_numbers_are_as_none(name: str) -> None:
    arrays = kept()
    own = arrays[name]
    odd = [own[None], own[:0], own[..., :-1] if own.ndim > 1 else own[:, None]]
    if own.dtype.kind == "f":
        odd.append(np.full_like(own, np.nan))
    for array in odd:
        assert restored({**arrays, name: array}, EXAMPLES, SOURCES) is None, array.shape


def test_that_places_below_none_and_vectors_of_another_length_are_as_none() -> None:
    arrays = kept()
    assert restored({**arrays, "taken": arrays["taken"] - 1}, EXAMPLES, SOURCES) is None
    assert restored(arrays, EXAMPLES, [Provenance("one", "1", 8), Provenance("one, layers", "1", 9)]) is None
