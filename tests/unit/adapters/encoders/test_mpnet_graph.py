"""A graph that is written without torch gives the vectors that torch gives, up to weights of 8 bits (S2.15)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.encoders.mpnet_graph import (
    BLOCK,
    MIDDLE,
    Shape,
    load_weights,
    onnx_model,
    quantize_blocks,
    relative_buckets,
)
from app.adapters.encoders.onnx_file import LAST
from tests.small_mpnet import BUCKETS, CONFIG, small_mpnet

PADDING = 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mpnet") / "small"
    small_mpnet(made)
    return made


@pytest.fixture(scope="module")
def session(folder: Path) -> Any:
    pieces = onnx_model(
        load_weights(folder / "model.safetensors"), Shape.read(folder / "config.json", 384), lambda: None
    )
    return onnxruntime.InferenceSession(b"".join(pieces), providers=["CPUExecutionProvider"])


@pytest.fixture(scope="module")
def original(folder: Path) -> Any:
    import torch  # seconds, which each process that collects the tests would wait
    from transformers import MPNetConfig, MPNetModel

    config = MPNetConfig(**{name: worth for name, worth in CONFIG.items() if name != "architectures"})
    model = MPNetModel(config, add_pooling_layer=False)
    weights = load_weights(folder / "model.safetensors")
    known = model.load_state_dict({name: torch.tensor(own) for name, own in weights.items()}, strict=False)
    assert not known.unexpected_keys
    assert all("position_ids" in name for name in known.missing_keys)
    return model.eval()


@pytest.mark.parametrize("lengths", [(1,), (7,), (12, 12), (3, 40, 17), (300, 5)])
def test_that_every_token_has_the_vector_that_torch_gives_it(
    session: Any, original: Any, lengths: tuple[int, ...]
) -> None:
    import torch

    chance = np.random.default_rng(sum(lengths))
    ids = np.full((len(lengths), max(lengths)), PADDING, np.int64)
    for row, length in enumerate(lengths):
        ids[row, :length] = chance.integers(2, 30_522, length)
    mask = (ids != PADDING).astype(np.int64)
    (found,) = session.run([LAST], {"input_ids": ids, "attention_mask": mask})
    with torch.no_grad():
        wanted = original(torch.tensor(ids), torch.tensor(mask)).last_hidden_state.numpy()
    real = mask.astype(bool)
    cosines = (found * wanted).sum(-1) / np.linalg.norm(found, axis=-1) / np.linalg.norm(wanted, axis=-1)
    assert cosines[real].mean() > 0.999
    assert cosines[real].min() > 0.99


def test_that_words_lie_in_the_buckets_that_the_model_was_trained_with() -> None:
    import torch
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

    places = torch.arange(384)
    wanted = MPNetEncoder.relative_position_bucket(places[None, :] - places[:, None], num_buckets=BUCKETS)
    assert np.array_equal(relative_buckets(384, BUCKETS), wanted.numpy())


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_that_no_weight_moves_by_more_than_half_a_step_of_its_block(seed: int, large: float) -> None:
    matrix = (np.random.default_rng(seed).normal(size=(3, 2 * BLOCK)) * large).astype(np.float32)
    matrix[1] = 0.0
    whole, scales = quantize_blocks(matrix)
    back = (whole.astype(np.float32) - MIDDLE) * scales[:, :, None]
    assert (np.abs(back.reshape(matrix.shape) - matrix) <= np.repeat(scales, BLOCK, axis=1) * 0.501).all()


def test_that_another_kind_of_model_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(CONFIG | {"model_type": "bert"}), "utf-8")
    with pytest.raises(ValueError, match="a bert model"):
        Shape.read(config, 384)
