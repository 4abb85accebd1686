"""More of one pass: the means of a model's earlier layers, and the one vector that they make together."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from app.ports.encoder import Vectors

LAST = "last_hidden_state"
"""The output whose mean is the vector that is compared."""

WEIGHTS = (1.0, 0.6, 0.4)
"""Of the layers that are joined, the last one first: chosen once, on public queries that are not in any set shipped."""


def basis_of(content: bytes) -> Vectors:
    """The directions to keep, shape (numbers in, numbers out), float32."""
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
