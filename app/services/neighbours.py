"""Which memories are near another one in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.domain.library import Kind, Memory
from app.scoring.index.trigger_index import TriggerIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory, and the cosine (0 to 1) of its nearest trigger with the centroid of the one that was asked about."""

    memory: Memory
    similarity: float


def centroid_of(index: TriggerIndex, key: int) -> NDArray[np.float32] | None:
    """The mean of the vectors of a memory's triggers, of length 1; None if it has none, or is not in the index."""
    answer = index.answer((Kind.MEMORY, key))
    if answer is None:
        return None
    rows = [row for text in answer.triggers for row in index.exact.rows(text)[:1] if index.semantic.known[row]]
    return unit_mean([index.semantic.vectors[row] for row in rows])


def unit_mean(vectors: Sequence[NDArray[np.float32]]) -> NDArray[np.float32] | None:
    """The mean of some vectors of one shape, of length 1; None where there is none, or it is nothing."""
    if not vectors:
        return None
    mean: NDArray[np.float32] = np.mean(np.stack(list(vectors)), axis=0, dtype=np.float32)
    length = float(np.linalg.norm(mean))
    if length == 0.0:
        return None
    unit: NDArray[np.float32] = np.divide(mean, np.float32(length))
    return unit


def neighbours(index: TriggerIndex, key: int, centroid: NDArray[np.float32], most: int = 6) -> list[Neighbour]:
    """The nearest memories but the one of this key, nearest first; one pass over all vectors."""
    layout = index.layout()
    if len(layout.slots) == 0:
        return []
    column = np.clip(index.semantic.vectors @ centroid, 0.0, 1.0)
    column[~index.semantic.known] = np.nan
    best = np.array(layout.best(column), np.float32)
    best[layout.power_places] = np.nan
    order = _top(best, min(most + 1, len(best)))
    found = []
    for place in order.tolist():
        answer = index.candidate(int(layout.slots[place])).answer
        if isinstance(answer, Memory) and answer.key != key and not np.isnan(best[place]):
            found.append(Neighbour(answer, float(best[place])))
    return found[:most]


def _top(best: NDArray[np.float32], most: int) -> NDArray[np.intp]:
    filled = -np.nan_to_num(best, nan=-1.0)
    some = np.argpartition(filled, most - 1)[:most]
    return some[np.argsort(filled[some], kind="stable")]
