"""all-mpnet-base-v2, and any model built like it, as a graph in ONNX with weights of 8 bits: written without torch.

Weights are kept in blocks of 8 bits with a scale each, and texts are reckoned by blocks as well (MatMulNBits): a
vector does not depend on what else is in a batch, and half the time goes that floats take for a short query.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.adapters.encoders.onnx_file import CONTRIBUTED, LAST, Attribute, Message, graph, node, value

BLOCK = 64
"""So many weights of a column share a scale."""

MIDDLE = 128
"""What stands for 0 among unsigned numbers of 8 bits."""

FARTHEST = 128
"""Words farther apart than this are as far as any (MPNet's `max_distance`)."""

RECIPE = 1
"""Raised whenever the same weights would make other vectors."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a model's config.json says of it."""

    heads: int
    buckets: int
    epsilon: float
    padding: int
    longest: int

    @classmethod
    def read(cls, file: Path, longest: int) -> Shape:
        """OSError, ValueError, KeyError if it is no such model."""
        config = json.loads(file.read_text("utf-8"))
        if config["model_type"] != "mpnet" or config["hidden_act"] != "gelu":
            raise ValueError(f"it is a {config['model_type']} model, not an mpnet one")
        return cls(
            heads=config["num_attention_heads"],
            buckets=config["relative_attention_num_buckets"],
            epsilon=config["layer_norm_eps"],
            padding=config["pad_token_id"],
            longest=min(longest, config["max_position_embeddings"] - config["pad_token_id"] - 1),
        )


def load_weights(file: Path) -> dict[str, Floats]:
    """The numbers of a file in the safetensors format, by name, read as they are used; OSError, ValueError."""
    whole = np.memmap(file, np.uint8, "r")
    start = 8 + int.from_bytes(whole[:8].tobytes(), "little")
    found: dict[str, Floats] = {}
    for name, row in json.loads(whole[8:start].tobytes()).items():
        if name != "__metadata__" and row["dtype"] == "F32":
            first, end = row["data_offsets"]
            found[name] = whole[start + first : start + end].view("<f4").reshape(row["shape"])
    return found


def onnx_model(weights: Mapping[str, Floats], shape: Shape, tell: Callable[[], object]) -> Message:
    """The file in ONNX: `input_ids` and `attention_mask` in, the last layer's vector of every token out; `tell` hears
    of each layer, and may end it by an error."""
    return _Writer(weights, shape).file(tell)


def quantize_blocks(matrix: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """A matrix (out, in) as whole numbers around 128, and a scale a block of a row; both by rows, then blocks."""
    rows, columns = matrix.shape
    if columns % BLOCK:
        raise ValueError(f"{columns} columns are no whole blocks of {BLOCK}")
    blocks = matrix.reshape(rows, columns // BLOCK, BLOCK)
    scales = np.abs(blocks).max(axis=2, keepdims=True) / np.float32(127)
    whole = np.rint(np.divide(blocks, scales, out=np.zeros_like(blocks), where=scales > 0))
    return (whole + MIDDLE).astype(np.uint8), scales[:, :, 0]


def relative_buckets(longest: int, buckets: int) -> NDArray[np.int32]:
    """Which bucket of the relative bias belongs to each pair of places, shape (longest, longest): half of them for what
    stands before, half for what follows; near ones one by one, the others by the logarithm of their distance."""
    places = np.arange(longest)
    distance = places[:, None] - places[None, :]
    half = buckets // 2
    near = half // 2
    apart = np.abs(distance)
    share = np.log(np.maximum(apart, 1).astype(np.float32) / np.float32(near)) / np.float32(np.log(FARTHEST / near))
    far = np.minimum(near + (share * (half - near)).astype(np.int64), half - 1)
    found: NDArray[np.int32] = (half * (distance < 0) + np.where(apart < near, apart, far)).astype(np.int32)
    return found


@dataclass(slots=True)
class _Writer:
    """Builder: collects a graph's nodes and tensors, operator by operator."""

    weights: Mapping[str, Floats]
    shape: Shape
    nodes: list[Message] = field(default_factory=list)
    tensors: dict[str, NDArray[Any]] = field(default_factory=dict)

    def file(self, tell: Callable[[], object]) -> Message:
        state = self._embedded()
        bias, layer = self._bias(), 0
        while f"encoder.layer.{layer}.output.dense.weight" in self.weights:
            state = self._layer(f"encoder.layer.{layer}", state, bias)
            layer += 1
            tell()
        if not layer:
            raise ValueError("it has no layers")
        self._put("Identity", [state], LAST)
        batch = ("texts", "tokens")
        inputs = [value(name, "int64", batch) for name in ("input_ids", "attention_mask")]
        width = self.weights["embeddings.LayerNorm.bias"].shape[0]
        return graph(self.nodes, self.tensors, inputs, [value(LAST, "float32", (*batch, width))])

    def _put(self, operator: str, inputs: list[str], output: str, *, domain: str = "", **attributes: Attribute) -> str:
        self.nodes.append(node(operator, inputs, output, domain, attributes))
        return output

    def _hold(self, name: str, numbers: NDArray[Any]) -> str:
        self.tensors[name] = numbers
        return name

    def _embedded(self) -> str:
        words = self.weights["embeddings.word_embeddings.weight"]
        scales = np.abs(words).max(axis=1, keepdims=True) / np.float32(127)
        whole = np.rint(np.divide(words, scales, out=np.zeros_like(words), where=scales > 0)).astype(np.int8)
        self._hold("words", whole)
        self._hold("scales of words", scales.astype(np.float32))
        self._put("Gather", ["words", "input_ids"], "word numbers")
        self._put("Cast", ["word numbers"], "word floats", to=1)
        self._put("Gather", ["scales of words", "input_ids"], "word scales")
        self._put("Mul", ["word floats", "word scales"], "word")
        # Places are counted from behind the number that stands for padding; what is padded is masked anyway.
        first = self.shape.padding + 1
        places = self.weights["embeddings.position_embeddings.weight"][first : first + self.shape.longest]
        self._hold("places", places)
        self._tokens()
        self._put("Slice", ["places", "zero", "tokens"], "place")
        self._put("Add", ["word", "place"], "embedded")
        return self._normed("embeddings.LayerNorm", "embedded")

    def _tokens(self) -> None:
        """How many tokens the batch is long."""
        self._hold("zero", np.zeros(1, np.int64))
        self._put("Shape", ["input_ids"], "tokens", start=1, end=2)

    def _bias(self) -> str:
        """By how much each head attends the more to words at each distance, and not at all to padding."""
        self._hold("buckets", relative_buckets(self.shape.longest, self.shape.buckets))
        self._hold("bias of buckets", self.weights["encoder.relative_attention_bias.weight"])
        self._hold("both axes", np.array([0, 1], np.int64))
        self._hold("from", np.zeros(2, np.int64))
        self._put("Concat", ["tokens", "tokens"], "until", axis=0)
        self._put("Slice", ["buckets", "from", "until", "both axes"], "buckets here")
        self._put("Gather", ["bias of buckets", "buckets here"], "bias by pair")
        self._put("Transpose", ["bias by pair"], "bias by head", perm=(2, 0, 1))
        self._put("Unsqueeze", ["bias by head", "zero"], "bias")
        self._put("Cast", ["attention_mask"], "mask", to=6)
        return "bias"

    def _layer(self, name: str, state: str, bias: str) -> str:
        query, key, worth = (self._dense(f"{name}.attention.attn.{part}", state) for part in "qkv")
        self._put(
            "MultiHeadAttention",
            [query, key, worth, "", "mask", bias],
            f"{name} attended",
            domain=CONTRIBUTED,
            num_heads=self.shape.heads,
        )
        attended = self._dense(f"{name}.attention.attn.o", f"{name} attended")
        self._put("Add", [attended, state], f"{name} seen")
        seen = self._normed(f"{name}.attention.LayerNorm", f"{name} seen")
        inner = self._dense(f"{name}.intermediate.dense", seen)
        self._put("Gelu", [inner], f"{name} inner")
        outer = self._dense(f"{name}.output.dense", f"{name} inner")
        self._put("Add", [outer, seen], f"{name} whole")
        return self._normed(f"{name}.output.LayerNorm", f"{name} whole")

    def _dense(self, name: str, state: str) -> str:
        matrix = self.weights[f"{name}.weight"]
        whole, scales = quantize_blocks(matrix)
        self._hold(f"{name} blocks", whole)
        self._hold(f"{name} scales", scales.ravel())
        self._hold(f"{name} offset", self.weights[f"{name}.bias"])
        rows, columns = matrix.shape
        self._put(
            "MatMulNBits",
            [state, f"{name} blocks", f"{name} scales"],
            f"{name} sums",
            domain=CONTRIBUTED,
            K=columns,
            N=rows,
            bits=8,
            block_size=BLOCK,
            accuracy_level=4,  # reckoned with whole numbers of 8 bits, where the processor can
        )
        return self._put("Add", [f"{name} sums", f"{name} offset"], f"{name} out")

    def _normed(self, name: str, state: str) -> str:
        for part in ("weight", "bias"):
            self._hold(f"{name} {part}", self.weights[f"{name}.{part}"])
        inputs = [state, f"{name} weight", f"{name} bias"]
        return self._put("LayerNormalization", inputs, f"{name} out", axis=2, epsilon=self.shape.epsilon)
