"""Tests of cached vectors at the next start: adopted, adopted in part, or rejected."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.adapters.encoders.vector_cache import VectorCache
from app.adapters.machine import now_ms
from app.detect.keywords import KeywordRules
from app.domain.encoder import Provenance
from app.domain.errors import CacheError
from app.domain.library import Answer, Memory, Power
from app.ports.encoder import Arrays, Vectors
from app.scoring.columns.centroids import Centroids
from app.scoring.columns.column import Places
from app.scoring.columns.semantic import SemanticColumn
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from app.services.engine import vector_cache
from app.services.engine.engine import Engine
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import TypingPriority
from app.services.engine.vector_cache import VectorCacheSync
from app.services.evaluation import bench
from app.settings.model import Settings

DIMENSION = 16
LEAST_ROWS = 200
"""Minimum number of rows for a cache in these tests, instead of the product's."""
TEXTS = bench.triggers(LEAST_ROWS + 100, Random(3))
VECTORS = np.random.default_rng(3).standard_normal((len(TEXTS), DIMENSION)).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
BY_TEXT = dict(zip(TEXTS, VECTORS, strict=True))


@pytest.fixture(autouse=True)
def _few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "LEAST_ROWS", LEAST_ROWS)


@dataclass
class SomeEncoder:
    provenance: Provenance

    def encode(self, texts: Sequence[str]) -> Vectors:
        raise AssertionError("nothing is encoded here")


ENCODER = SomeEncoder(Provenance("some", "1", DIMENSION))


def memories(texts: list[str]) -> list[Answer]:
    return [Memory((text,), intent=f"answer {row // 7}", key=row + 1) for row, text in enumerate(texts)]


def engine_of(answers: list[Answer]) -> Engine:
    engine = Engine(
        TriggerIndex(DIMENSION),
        KeywordRules(()),
        Settings(),
        now_ms,
        LlmRequests(None, now_ms, EngineMetrics()),
        ENCODER,
    )
    engine.index.put(answers)
    return engine


def cache_sync(engine: Engine, folder: Path) -> VectorCacheSync:
    return VectorCacheSync(VectorCache(folder), engine, TypingPriority())


def scores(engine: Engine) -> list[float]:
    """Return every candidate's scores by meaning, in the order of a new index."""
    found = engine.index.score(ScoredText("open the invoice", vector=VECTORS[11])).by_slot
    return [*found["semantic"].tolist(), *found["centroid"].tolist()]


def keep(folder: Path, answers: list[Answer]) -> Engine:
    engine = engine_of(answers)
    engine.index.embed(BY_TEXT)
    asyncio.run(cache_sync(engine, folder).save())
    return engine


def test_that_a_new_index_of_the_same_library_scores_as_the_one_that_was_kept(tmp_path: Path) -> None:
    before = keep(tmp_path, memories(TEXTS))
    after = engine_of(memories(TEXTS))
    assert asyncio.run(cache_sync(after, tmp_path).restore(ENCODER))
    assert after.index.unembedded() == []
    np.testing.assert_array_equal(scores(after), scores(before))


def test_that_what_is_taught_after_it_was_taken_up_counts_too(tmp_path: Path) -> None:
    keep(tmp_path, memories(TEXTS))
    after = engine_of(memories(TEXTS))
    asyncio.run(cache_sync(after, tmp_path).restore(ENCODER))
    after.index.put([Memory(("something new",), key=len(TEXTS) + 1)])
    after.index.embed({"something new": VECTORS[11]})
    whole = engine_of([*memories(TEXTS), Memory(("something new",), key=len(TEXTS) + 1)])
    whole.index.embed({**BY_TEXT, "something new": VECTORS[11]})
    np.testing.assert_allclose(scores(after), scores(whole), atol=1e-6)


def test_that_what_is_taught_while_the_means_are_made_leaves_the_index_to_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path, memories(TEXTS))
    after = engine_of(memories(TEXTS))
    index, over = after.index, after.index.centroids.over

    def teaching(count: int, rows: Places, groups: Places, column: SemanticColumn) -> Centroids:
        made = over(count, rows, groups, column)
        index.put([Memory(("something new",), intent="answer 1", key=len(TEXTS) + 1)])
        return made

    monkeypatch.setattr(index.centroids, "over", teaching)
    assert not asyncio.run(cache_sync(after, tmp_path).restore(ENCODER))
    assert index.embedded() == 0
    index.embed({**BY_TEXT, "something new": VECTORS[11]})
    whole = engine_of([*memories(TEXTS), Memory(("something new",), intent="answer 1", key=len(TEXTS) + 1)])
    whole.index.embed({**BY_TEXT, "something new": VECTORS[11]})
    np.testing.assert_allclose(scores(after), scores(whole), atol=1e-6)


@pytest.mark.parametrize("more", [1, 2_000])
def test_that_what_is_taught_while_the_order_is_compared_leaves_the_index_to_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    keep(tmp_path, memories(TEXTS))
    after = engine_of(memories(TEXTS))
    is_own_order = vector_cache.is_own_order

    def teaching(told: NDArray[Any], texts: Sequence[str]) -> bool:
        found = is_own_order(told, texts)
        after.index.put([Memory((f"new {n}",), intent="new", key=len(TEXTS) + 1 + n) for n in range(more)])
        return found

    monkeypatch.setattr(vector_cache, "is_own_order", teaching)
    assert not asyncio.run(cache_sync(after, tmp_path).restore(ENCODER))
    assert after.index.embedded() == 0


def test_that_an_index_changed_by_hand_is_kept_in_the_order_of_the_next_start(tmp_path: Path) -> None:
    engine = engine_of([Power("a power", keywords=(TEXTS[0],), key=1), *memories(TEXTS[1:])])
    engine.index.embed({**BY_TEXT, "a power": VECTORS[0]})
    engine.index.put([Memory((TEXTS[5], "edited"), key=5)])
    engine.index.embed({**BY_TEXT, "edited": VECTORS[2]})
    asyncio.run(cache_sync(engine, tmp_path).save())
    answers = sorted(engine.index.answers().items())
    fresh = engine_of([answer for _, answer in answers])
    asyncio.run(cache_sync(fresh, tmp_path).restore(ENCODER))
    assert fresh.index.unembedded() == []
    for text in ("edited", "a power", TEXTS[77]):
        [row] = fresh.index.exact.rows(text)
        [was] = engine.index.exact.rows(text)
        np.testing.assert_array_equal(fresh.index.semantic.vectors[row], engine.index.semantic.vectors[was])


def test_that_a_library_that_has_changed_takes_the_vectors_of_the_texts_that_it_still_has(tmp_path: Path) -> None:
    keep(tmp_path, memories(TEXTS))
    after = engine_of(memories(["quite new", *TEXTS[3:], "new as well"]))
    assert asyncio.run(cache_sync(after, tmp_path).restore(ENCODER))
    assert after.index.unembedded() == ["quite new", "new as well"]
    [row] = after.index.exact.rows(TEXTS[20])
    np.testing.assert_array_equal(after.index.semantic.vectors[row], BY_TEXT[TEXTS[20]])


def test_that_vectors_of_another_encoder_are_not_taken_up(tmp_path: Path) -> None:
    keep(tmp_path, memories(TEXTS))
    after = engine_of(memories(TEXTS))
    assert not asyncio.run(cache_sync(after, tmp_path).restore(SomeEncoder(Provenance("other", "1", DIMENSION))))
    assert after.index.embedded() == 0


def test_that_damage_is_found_afterwards_and_the_index_is_left_to_the_library(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep(tmp_path, memories(TEXTS))
    [file] = tmp_path.iterdir()
    whole = bytearray(file.read_bytes())
    whole[whole.index(VECTORS[100].tobytes())] ^= 1
    file.write_bytes(whole)
    engine = engine_of(memories(TEXTS))
    kept = cache_sync(engine, tmp_path)
    assert asyncio.run(kept.restore(ENCODER))
    caplog.set_level("INFO")
    assert not asyncio.run(kept.verify(ENCODER))
    assert len(engine.index.unembedded()) == len(TEXTS)
    assert list(tmp_path.iterdir()) == []
    assert "damaged" in caplog.text


def test_that_what_is_sound_is_proved_to_be(tmp_path: Path) -> None:
    keep(tmp_path, memories(TEXTS))
    engine = engine_of(memories(TEXTS))
    kept = cache_sync(engine, tmp_path)
    asyncio.run(kept.restore(ENCODER))
    assert asyncio.run(kept.verify(ENCODER))
    assert engine.index.unembedded() == []


def test_that_nothing_is_kept_while_vectors_are_missing_or_of_a_small_library(tmp_path: Path) -> None:
    engine = engine_of(memories(TEXTS))
    engine.index.embed(dict(list(BY_TEXT.items())[:-1]))
    asyncio.run(cache_sync(engine, tmp_path).save())
    small = engine_of(memories(TEXTS[: LEAST_ROWS - 1]))
    small.index.embed(BY_TEXT)
    asyncio.run(cache_sync(small, tmp_path).save())
    assert list(tmp_path.iterdir()) == []


def test_that_an_index_that_has_not_changed_is_not_written_again(tmp_path: Path) -> None:
    class Counting(VectorCache):
        saved = 0

        def save(self, provenance: Provenance, arrays: Arrays) -> None:
            Counting.saved += 1

    engine = engine_of(memories(TEXTS))
    engine.index.embed(BY_TEXT)
    kept = VectorCacheSync(Counting(tmp_path), engine, TypingPriority())
    asyncio.run(kept.save())
    asyncio.run(kept.save())
    assert Counting.saved == 1
    engine.index.remove(next(iter(engine.index.answers())))
    asyncio.run(kept.save())
    assert Counting.saved == 2


def test_that_a_disk_that_cannot_take_it_costs_nothing_but_the_cache(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Full(VectorCache):
        def save(self, provenance: Provenance, arrays: Arrays) -> None:
            raise CacheError("The cache of vectors could not be written: no space left on device.")

    caplog.set_level("INFO")
    engine = engine_of(memories(TEXTS))
    engine.index.embed(BY_TEXT)
    asyncio.run(VectorCacheSync(Full(tmp_path), engine, TypingPriority()).save())
    assert "no space left" in caplog.text
    assert engine.index.unembedded() == []
