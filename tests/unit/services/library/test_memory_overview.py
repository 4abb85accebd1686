"""Tests of a memory's overview: its history, the cases that expect it, and its neighbours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from app.domain.case import Case, Task
from app.domain.journal import Edit
from app.domain.library import Memory
from app.ports.store import Library
from app.scoring.index.trigger_index import TriggerIndex
from app.services.core import Core
from app.services.library.memory_overview import read_memory_overview
from tests.build import some
from tests.memory_library import MemoryLibrary


class IndexCore:
    """Core with an index, no encoder, and a library in memory."""

    def __init__(self) -> None:
        self.library = MemoryLibrary()
        self.index = TriggerIndex(2)
        self.engine: Any = SimpleNamespace(index=self.index, encoder=None)

    async def in_store(self, call: Callable[[Library], Any]) -> Any:
        return call(self.library)


def test_that_a_close_look_gathers_what_is_known() -> None:
    core = IndexCore()
    memory = core.library.put_memory(Memory(("slow build",), intent="speed"))
    other = core.library.put_memory(Memory(("build is slow",), intent="speed"))
    core.index.put([memory, other])
    core.index.embed({"slow build": np.array([1, 0], np.float32), "build is slow": np.array([0.6, 0.8], np.float32)})
    core.library.change(Edit("edited"), [replace(memory, success=0.75)])
    core.library.add(
        "cases",
        [
            Case("it crawls", ("speed",), Task.INTENT),
            Case("another", ("speed-up",), Task.INTENT),
            Case("the first", ("slow build",), Task.MEMORY),
        ],
    )
    assert memory.key is not None
    look = some(asyncio.run(read_memory_overview(cast("Core", core), memory.key)))
    assert look.memory.success == 0.75
    assert [revision.step.verb for revision in look.revisions] == ["edited"]
    assert sorted(case.text for case in look.cases) == ["it crawls", "the first"]
    assert [near.memory.key for near in look.near] == [other.key]
    assert look.has_meaning


def test_that_a_name_that_is_stored_otherwise_is_found_exactly() -> None:
    core = IndexCore()
    memory = core.library.put_memory(Memory(('say "Grüße"',)))
    core.library.add("cases", [Case("x", ('say "Grüße"',), Task.MEMORY), Case("y", ("say",), Task.MEMORY)])
    assert memory.key is not None
    look = some(asyncio.run(read_memory_overview(cast("Core", core), memory.key)))
    assert [case.text for case in look.cases] == ["x"]
    assert not look.has_meaning
    assert look.near == []


def test_that_a_memory_that_is_gone_is_none() -> None:
    assert asyncio.run(read_memory_overview(cast("Core", IndexCore()), 5)) is None
