"""Encoder without meaning: each text always has the same, different unit vector."""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Answer
from app.scoring.index.trigger_index import TriggerIndex

DIMENSION = 8


def vector_of(text: str) -> NDArray[np.float32]:
    seed = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    vector = np.random.default_rng(int.from_bytes(seed[:8])).standard_normal(DIMENSION)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def vectors_of(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.array([vector_of(text) for text in texts], np.float32).reshape(len(texts), DIMENSION)


def index_of(answers: Iterable[Answer]) -> TriggerIndex:
    index = TriggerIndex(DIMENSION)
    index.put(answers)
    index.embed({text: vector_of(text) for text in index.unembedded()})
    return index
