"""The search for alike triggers stays right while the library is edited under it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.domain.duplicates import Alikeness, Likeness
from app.domain.library import Kind, Memory
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.library.duplicate_findings import Findings
from app.services.library import duplicates

MANY = 1_500
MEANING = Alikeness(1.0, 0.99)
ALIKE = {"how old are you", "tell me your age"}


def memories() -> list[Memory]:
    """Texts that are not alike, and at the end two that mean the same under two labels."""
    texts = [f"{number * 7_919:x} {number:o} {number}" for number in range(MANY)] + sorted(ALIKE)
    return [Memory((text,), intent=f"label {number}", key=number) for number, text in enumerate(texts, 1)]


def taught() -> TriggerIndex:
    random, index = np.random.default_rng(5), TriggerIndex(16)
    vectors = random.normal(size=(MANY + 2, 16)).astype(np.float32)
    vectors[-1] = vectors[-2]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index.put(memories())
    index.embed({memory.triggers[0]: vector for memory, vector in zip(memories(), vectors, strict=True)})
    return index


def desk_with(index: TriggerIndex, meanwhile: Callable[[], None]) -> Any:
    """A desk on which something is done while the store is asked."""

    async def in_store(_: object) -> set[object]:
        meanwhile()
        await asyncio.sleep(0)
        return set()

    return SimpleNamespace(engine=SimpleNamespace(index=index), in_store=in_store)


def near_conflicts(found: float | Findings) -> list[set[str]]:
    assert isinstance(found, Findings)
    wanted = (finding for finding in found.found if finding.likeness is Likeness.NEAR_CONFLICT)
    return [{holding.trigger for holding in finding.holdings} for finding in wanted]


def test_that_an_index_laid_out_anew_before_the_search_is_searched_as_it_is_then() -> None:
    index = taught()

    def thin_out() -> None:
        for key in range(1, 1_202):
            index.remove((Kind.MEMORY, key))
        before = len(index.texts())
        index.put([Memory(("one more",), intent="more", key=9_999)])
        assert len(index.texts()) < before

    async def work() -> None:
        steps = [step async for step in duplicates.search_in_background(desk_with(index, thin_out), MEANING)]
        assert near_conflicts(steps[-1]) == [ALIKE]
        assert isinstance(steps[-1], Findings)
        assert steps[-1].searched == MANY + 3 - 1_201

    asyncio.run(work())


def test_that_an_answer_edited_during_the_search_is_compared_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "SLICE_SECONDS", 0.0)
    index = taught()

    async def work() -> None:
        search = duplicates.search_in_background(desk_with(index, lambda: None), MEANING)
        assert await anext(search) == 0.0
        index.put([Memory(memories()[-1].triggers, "Another answer.", intent=memories()[-1].intent, key=MANY + 2)])
        steps = [step async for step in search]
        assert near_conflicts(steps[-1]) == [ALIKE]

    asyncio.run(work())
