"""Tests of the shipped encoder: one pass for both vectors, which are independent (S2.15)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.encoders import minilm
from app.adapters.encoders.minilm import (
    BASIS,
    BATCH,
    DIMENSION,
    EARLIER,
    FOLDER,
    MODEL,
    MOST_PADDING,
    TOKENIZER,
    MiniLm,
    basis_of,
    batches,
    checked_content,
    joined,
)
from app.domain.errors import EncoderError
from app.ports.encoder import Vectors

TEXTS = [
    "rotate the page",
    "a",
    "",
    "日本語の質問",
    *(f"one more sentence about {number} things" for number in range(40)),
]


@pytest.fixture(scope="module")
def encoder(loaded_once: Callable[[], MiniLm]) -> MiniLm:
    return loaded_once()


def by_the_file_alone(encoder: MiniLm, text: str) -> Vectors:
    """Compute the mean of the last layer directly from the pinned file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(checked_content(*MODEL), options, providers=["CPUExecutionProvider"])
    ids = np.array([encoder._tokenizer.encode(text).ids], np.int64)
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    mean: Vectors = session.run(["last_hidden_state"], inputs)[0].sum(axis=1)[0]
    return mean / np.linalg.norm(mean)


def test_that_the_vectors_that_are_compared_are_those_of_the_file_alone(encoder: MiniLm) -> None:
    for text in TEXTS[:5]:
        # Processors sum a mean in different orders, which changes the last bit.
        np.testing.assert_allclose(encoder.encode([text])[0], by_the_file_alone(encoder, text), rtol=0, atol=1e-7)
    assert np.array_equal(encoder.encode_layers(TEXTS)[0], encoder.encode(TEXTS))


def together_with(encoder: MiniLm, texts: list[str]) -> list[list[int]]:
    """Return the lengths of the texts that are encoded in one batch."""
    lengths = encoder.lengths(texts)
    return [[lengths[place] for place in places] for places in batches(lengths)]


@given(st.lists(st.integers(1, 256), max_size=100))
def test_that_batches_hold_every_text_once_and_little_to_fill_up(lengths: list[int]) -> None:
    found = list(batches(lengths))
    assert sorted(place for places in found for place in places) == list(range(len(lengths)))
    for places in found:
        own = [lengths[place] for place in places]
        assert len(places) <= BATCH
        assert max(own) * len(own) - sum(own) <= MOST_PADDING


def test_that_texts_of_one_length_fill_their_batches() -> None:
    assert [len(places) for places in batches([7, 90] * 20)] == [BATCH, 4, BATCH, 4]


def test_that_company_changes_no_number_of_a_vector_by_a_millionth(encoder: MiniLm) -> None:
    words = "the quick build of our release fails on mac while tests pass".split()
    texts = [*TEXTS[:4], *(" ".join((words * 25)[:count]) for count in (*range(1, 12), 30, 31, 90, 300))]
    alone = [
        np.concatenate(column) for column in zip(*map(encoder.encode_layers, ([one] for one in texts)), strict=True)
    ]
    places = np.arange(len(texts))
    for chosen in (places, places[::-1], places[::2], np.concatenate((places, places))):
        company = [texts[place] for place in chosen]
        for found, own in zip(encoder.encode_layers(company), alone, strict=True):
            np.testing.assert_allclose(found, own[chosen], rtol=0, atol=1e-6)
    assert any(len(set(lengths)) > 1 for lengths in together_with(encoder, texts)), "some are filled up"


def test_that_the_directions_keep_nearly_all_that_tells_texts_apart(encoder: MiniLm) -> None:
    whole, kept = (
        MiniLm(checked_content(*MODEL), checked_content(*TOKENIZER)).encode_layers(TEXTS)[1],
        encoder.encode_layers(TEXTS)[1],
    )
    assert whole.shape == (len(TEXTS), DIMENSION * (1 + len(EARLIER)))
    assert kept.shape == (len(TEXTS), encoder.layers.dimension)
    assert np.abs(whole @ whole.T - kept @ kept.T).max() < 0.1


def test_that_the_layers_weigh_what_they_should() -> None:
    one = np.eye(3, dtype=np.float32)[:1]
    assert joined([one, one, one], None)[0, [0, 3, 6]] == pytest.approx(np.array([1.0, 0.6, 0.4]) / np.sqrt(1.52))
    assert not joined([0 * one, 0 * one, 0 * one], None).any()


def test_that_the_directions_that_ship_are_at_right_angles_and_small() -> None:
    basis = basis_of(checked_content(*BASIS))
    assert basis.dtype == np.float32
    assert np.allclose(basis.T @ basis, np.eye(DIMENSION), atol=0.01)
    assert (FOLDER / BASIS[0]).stat().st_size < 1_000_000
    assert BASIS[1][:6] in MiniLm.layers.revision


@pytest.mark.parametrize("file", [MODEL, TOKENIZER, BASIS], ids=lambda file: str(file[0]))
def test_that_a_file_that_is_missing_or_altered_is_refused(
    file: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(FOLDER, tmp_path / "copy")
    monkeypatch.setattr(minilm, "FOLDER", tmp_path / "copy")
    copy = tmp_path / "copy" / file[0]
    copy.write_bytes(copy.read_bytes()[:-1])
    with pytest.raises(EncoderError, match=f"{file[0]} is not the one that was shipped"):
        MiniLm.load()
    copy.unlink()
    with pytest.raises(EncoderError, match=f"{file[0]} cannot be read"):
        MiniLm.load()


def test_that_the_page_of_the_files_names_their_hashes_and_every_attribution() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    for name, sha256 in (MODEL, TOKENIZER):
        assert f"| `{name}` |" in page
        assert sha256 in page
    for source in ("tldr-pages", "Home Assistant", "NLU++"):
        assert source in page
    assert page.count("CC BY 4.0") >= 3
