"""Vectors from several layers: the means of a model's layers, joined to one vector."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from app.ports.encoder import Vectors

LAST = "last_hidden_state"
"""Output whose mean is the vector for comparison."""

WEIGHTS = (1.0, 0.6, 0.4)
"""Weights of the joined layers, last layer first; chosen on public queries, none shipped."""


def basis_of(content: bytes) -> Vectors:
    """Parse the projection matrix, shape (numbers in, numbers out), float32."""
    basis: Vectors = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
    return basis


def joined(layers: Sequence[Vectors], basis: Vectors | None) -> Vectors:
    """Join the layers' unit vectors, last layer first, to one unit vector per text.

    The result is projected on `basis`.
    """
    weighted = [layer * np.float32(weight) for layer, weight in zip(layers, WEIGHTS, strict=True)]
    whole = units(np.concatenate(weighted, axis=1))
    return whole if basis is None else units(whole @ basis)


def units(sums: Vectors) -> Vectors:
    """Scale the rows to length 1, except rows of zeros."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    found: Vectors = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
    return found
