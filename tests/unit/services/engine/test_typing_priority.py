"""Tests of background work: nothing starts after it is stopped, even during closing."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from app.services.engine.typing_priority import Background
from app.services.workbench import Workbench
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, desk


async def test_that_what_lets_go_can_begin_nothing_else() -> None:
    begun: list[str] = []

    background = Background()

    async def late() -> None:
        begun.append("late")

    async def first() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            background.start(late())

    background.start(first())
    await asyncio.sleep(0)
    await background.stop()
    background.start(late())
    await asyncio.sleep(0)
    assert begun == []


async def test_that_stopping_waits_for_what_takes_its_time_to_let_go() -> None:
    ended: list[str] = []

    background = Background()

    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            ended.append("slow")

    background.start(slow())
    await asyncio.sleep(0)
    await background.stop()
    assert ended == ["slow"]


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.03, 0.06])
async def test_that_a_desk_closed_while_its_encoder_loads_leaves_no_task_that_fails(
    pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workbench, "ready", _at_once)
    bugs: list[dict[str, Any]] = []

    class SlowToClose(MemoryLibrary):
        def close(self) -> None:
            time.sleep(0.05)
            super().close()

    def loads() -> LetterEncoder:
        time.sleep(0.04)
        return LetterEncoder()

    asyncio.get_running_loop().set_exception_handler(lambda loop, context: bugs.append(context))
    async with desk(SlowToClose, loads):
        await asyncio.sleep(pause)
    await asyncio.sleep(0.1)
    assert bugs == []


async def _at_once(*_: object) -> None: ...
