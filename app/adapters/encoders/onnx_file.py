"""Files in ONNX as far as the encoders write them: their messages, and a model's earlier layers as outputs."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import app
from app.domain.errors import EncoderError
from app.ports.encoder import Vectors

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
"""What the format calls the types of numbers that are used here (TensorProto.DataType)."""

CONTRIBUTED = "com.microsoft"
"""The operators that onnxruntime has beside those of the standard."""

IR_VERSION, OPERATORS, CONTRIBUTED_OPERATORS = 9, 20, 1

Attribute = int | float | tuple[int, ...]
Message = list[bytes | memoryview]
"""A message in pieces, in their order: the numbers of a large model are not copied before they are written."""


def field(place: int, content: Message | bytes | str | int) -> Message:
    """A field of a message: its place and kind in one, then a number, or a length and as many bytes."""
    if isinstance(content, int):
        return [_number(place << 3) + _number(content)]
    if isinstance(content, str):
        content = content.encode()
    pieces: Message = [content] if isinstance(content, bytes) else content
    return [_number(place << 3 | 2) + _number(sum(map(len, pieces))), *pieces]


def _number(value: int) -> bytes:
    """A whole number as protobuf writes it: seven bits at a time, the lowest first."""
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)


def joined_fields(fields: Iterable[Message]) -> Message:
    """Fields one after the other, which is a message."""
    return [piece for each in fields for piece in each]


def value(name: str, type_: str, axes: Sequence[str | int] | None = None) -> Message:
    """ValueInfoProto: an input or output by its name and the type of its numbers; without axes of any shape."""
    shape: Message = []
    if axes is not None:
        shape = field(2, joined_fields(field(1, field(1 if isinstance(axis, int) else 2, axis)) for axis in axes))
    return field(1, name) + field(2, field(1, field(1, TYPES[type_]) + shape))


def tensor(name: str, numbers: NDArray[Any]) -> Message:
    """TensorProto: numbers that the file holds."""
    little = np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<"))
    content = little.reshape(-1).view(np.uint8).data
    axes = joined_fields(field(1, axis) for axis in numbers.shape)
    return axes + field(2, TYPES[numbers.dtype.name]) + field(8, name) + field(9, [content])


def node(
    operator: str, inputs: Sequence[str], output: str, domain: str, attributes: Mapping[str, Attribute]
) -> Message:
    """NodeProto: an operator of one output; "" stands for an input that is left out."""
    read = joined_fields(field(1, name) for name in inputs)
    written = joined_fields(field(5, _attribute(name, setting)) for name, setting in attributes.items())
    return read + field(2, output) + field(3, output) + field(4, operator) + written + field(7, domain)


def _attribute(name: str, setting: Attribute) -> Message:
    """AttributeProto: a number, or several."""
    if isinstance(setting, tuple):
        return field(1, name) + joined_fields(field(8, each) for each in setting) + field(20, 7)
    if isinstance(setting, int):
        return field(1, name) + field(3, setting) + field(20, 2)
    return [*field(1, name), _number(2 << 3 | 5) + np.array(setting, "<f4").tobytes(), *field(20, 1)]


def graph(
    nodes: Iterable[Message], tensors: Mapping[str, NDArray[Any]], inputs: Iterable[Message], outputs: Iterable[Message]
) -> Message:
    """ModelProto: a whole file."""
    parts = joined_fields(field(1, each) for each in nodes) + field(2, "encoder")
    parts += joined_fields(field(5, tensor(name, numbers)) for name, numbers in tensors.items())
    parts += joined_fields(field(11, each) for each in inputs)
    parts += joined_fields(field(12, each) for each in outputs)
    operators = field(8, field(1, "") + field(2, OPERATORS))
    operators += field(8, field(1, CONTRIBUTED) + field(2, CONTRIBUTED_OPERATORS))
    return field(1, IR_VERSION) + operators + field(7, parts)


# ---- More of one pass: a model's earlier layers as outputs of its file, and the one vector that they make together.


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
    """The rows at length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    found: Vectors = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
    return found
