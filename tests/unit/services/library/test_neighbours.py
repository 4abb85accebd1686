"""Tests of a memory's neighbours: by the centroid of its triggers, nearest first."""

from __future__ import annotations

import numpy as np
import pytest

from app.domain.library import Memory, Power
from app.scoring.index.trigger_index import TriggerIndex
from app.services.library.memory_overview import centroid_of, neighbours, unit_mean
from tests.build import some

VECTORS = {
    "a": (1.0, 0.0, 0.0),
    "b": (0.6, 0.8, 0.0),
    "c": (0.8, 0.6, 0.0),
    "far": (0.0, 0.0, 1.0),
    "power": (1.0, 0.0, 0.0),
}


@pytest.fixture
def index() -> TriggerIndex:
    made = TriggerIndex(3)
    made.put(
        [
            Memory(("a", "b"), key=1),
            Memory(("far", "c"), key=2),
            Memory(("far",), key=3),
            Memory(("without a vector",), key=4),
            Power("power", key=1),
        ]
    )
    made.embed({text: np.array(vector, np.float32) for text, vector in VECTORS.items()})
    return made


def test_that_the_nearest_come_first_by_their_nearest_trigger(index: TriggerIndex) -> None:
    centroid = some(centroid_of(index, 1))
    assert np.linalg.norm(centroid) == pytest.approx(1.0)
    found = neighbours(index, 1, centroid)
    assert [near.memory.key for near in found] == [2, 3]
    assert found[0].similarity == pytest.approx(float(np.dot(centroid, VECTORS["c"])), abs=1e-6)
    assert found[1].similarity == pytest.approx(0.0, abs=1e-6)


def test_that_no_more_are_told_than_asked_for(index: TriggerIndex) -> None:
    centroid = some(centroid_of(index, 1))
    assert [near.memory.key for near in neighbours(index, 1, centroid, most=1)] == [2]


def test_that_a_memory_without_vectors_or_outside_the_index_has_no_centroid(index: TriggerIndex) -> None:
    assert centroid_of(index, 4) is None
    assert centroid_of(index, 99) is None
    assert unit_mean([np.array([1, 0], np.float32), np.array([-1, 0], np.float32)]) is None


def test_that_an_empty_index_has_no_neighbours() -> None:
    assert neighbours(TriggerIndex(3), 1, np.array([1, 0, 0], np.float32)) == []
