"""More of one pass: a model's earlier layers as outputs of its file, and the one vector that they make together."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import app
from app.adapters.encoders.onnx_file import field, joined_fields, value
from app.domain.errors import EncoderError
from app.ports.encoder import Vectors

LAST = "last_hidden_state"
"""The output whose mean is the vector that is compared."""

WEIGHTS = (1.0, 0.6, 0.4)
"""Of the layers that are joined, the last one first: chosen once, on public queries that are not in any set shipped."""

RESOURCES = Path(app.__file__).parents[1] / "resources" / "encoders"
BASIS = ("minilm_layers.npy", "d960160fa95c0807fc079e0d8de9aa68d41d9854b37fae7da1348ef4567ee960")
"""The file with the directions that are kept of the joined layers, and the SHA-256 that it must have."""


def with_outputs(model: bytes, names: Sequence[str]) -> bytes:
    """The content of a model's file in ONNX with these inner values as further outputs.

    Two messages of protobuf that follow each other are one that holds both, so that nothing has to be read: a model
    (whose field 7 is its graph) that lists outputs (field 12 of a graph) is added behind the file.
    """
    outputs = joined_fields(field(12, value(name, "float32")) for name in names)
    return b"".join((model, *field(7, outputs)))


def basis_of(file: tuple[str, str]) -> Vectors:
    """The directions to keep, shape (numbers in, numbers out), float32; EncoderError unless it is the one shipped."""
    name, sha256 = file
    try:
        content = (RESOURCES / name).read_bytes()
    except OSError as error:
        raise EncoderError(f"The encoder's file {name} cannot be read: {error.strerror or error}.") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EncoderError(f"The encoder's file {name} is not the one that was shipped (SHA-256 differs).")
    basis: Vectors = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
    return basis


def joined(layers: Sequence[Vectors], basis: Vectors | None) -> Vectors:
    """One unit vector a text of unit vectors of its layers, the last layer first; along a basis, unless there is
    none."""
    weighted = [layer * np.float32(weight) for layer, weight in zip(layers, WEIGHTS, strict=True)]
    whole = units(np.concatenate(weighted, axis=1))
    return whole if basis is None else units(whole @ basis)


def units(sums: Vectors) -> Vectors:
    """The same rows at length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    found: Vectors = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
    return found
