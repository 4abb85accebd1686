"""A model built like all-mpnet-base-v2, but small and of chance numbers, in a folder as they are published."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.adapters.encoders.minilm import TOKENIZER, checked_content

WIDTH, INNER, LAYERS, HEADS, BUCKETS = 64, 128, 2, 4, 32

CONFIG = {
    "architectures": ["MPNetModel"],
    "model_type": "mpnet",
    "hidden_act": "gelu",
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "relative_attention_num_buckets": BUCKETS,
    "layer_norm_eps": 1e-5,
    "max_position_embeddings": 514,
    "pad_token_id": 1,
    "vocab_size": 30_522,
}


def small_mpnet(folder: Path, seed: int = 0) -> str:
    """Write the model; the SHA-256 of its weights. Its words are those of the encoder that ships."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(CONFIG), "utf-8")
    (folder / "modules.json").write_text("[]", "utf-8")
    (folder / "tokenizer.json").write_bytes(checked_content(*TOKENIZER))
    weights = folder / "model.safetensors"
    weights.write_bytes(as_safetensors(_numbers(np.random.default_rng(seed))))
    return hashlib.sha256(weights.read_bytes()).hexdigest()


def as_safetensors(numbers: dict[str, NDArray[np.float32]]) -> bytes:
    """The length of a table, the table, and all numbers one after the other."""
    table, end = {}, 0
    for name, own in numbers.items():
        table[name] = {"dtype": "F32", "shape": own.shape, "data_offsets": [end, end + own.nbytes]}
        end += own.nbytes
    head = json.dumps(table).encode()
    return b"".join((len(head).to_bytes(8, "little"), head, *(own.tobytes() for own in numbers.values())))


def _numbers(chance: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (30_522, WIDTH),
        "embeddings.position_embeddings.weight": (514, WIDTH),
        "encoder.relative_attention_bias.weight": (BUCKETS, HEADS),
    }
    for name, wide, narrow in _matrices():
        shapes |= {f"{name}.weight": (wide, narrow), f"{name}.bias": (wide,)}
    found = {name: chance.normal(0.0, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    for name in (
        "embeddings",
        *(f"encoder.layer.{n}.{part}" for n in range(LAYERS) for part in ("attention", "output")),
    ):
        found[f"{name}.LayerNorm.weight"] = chance.normal(1.0, 0.1, WIDTH).astype(np.float32)
        found[f"{name}.LayerNorm.bias"] = chance.normal(0.0, 0.1, WIDTH).astype(np.float32)
    return found


def _matrices() -> list[tuple[str, int, int]]:
    found = []
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        found += [(f"{layer}.attention.attn.{part}", WIDTH, WIDTH) for part in "qkvo"]
        found += [(f"{layer}.intermediate.dense", INNER, WIDTH), (f"{layer}.output.dense", WIDTH, INNER)]
    return found
