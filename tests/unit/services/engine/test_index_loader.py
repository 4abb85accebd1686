"""Tests of index filling: consistent after each step, with queries in between."""

import asyncio
import gc
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from app.adapters.machine import now_ms
from app.domain.journal import Edit, Item, ItemKind
from app.domain.library import Kind, Memory, Power
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from app.services.engine import index_loader
from app.services.engine import typing_priority as calm_module
from app.services.engine.engine import Engine
from app.services.engine.index_loader import AT_ONCE, IndexDiff, IndexLoader, apply_diff, index_diff
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import MANY, TypingPriority, without_gc
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import adapters_of, desk
from tests.waiting import PATIENCE

EDIT = Edit("edited")


def memories(count: int) -> list[Memory]:
    return [Memory((f"phrase {n}",), key=n, version=1) for n in range(1, count + 1)]


def test_that_only_what_differs_comes_and_goes() -> None:
    index = TriggerIndex(4)
    same, old, gone = memories(3)
    index.put([same, old, gone])
    newer, fresh = Memory(("phrase 2",), key=2, version=5), Memory(("fresh",), key=9)
    found = index_diff(index, [same, newer, fresh])
    assert list(found.added) == [newer, fresh]
    assert [key for _, key in found.removed] == [3]
    assert len(index_diff(index, [same, old, gone])) == 0


class Shared(MemoryLibrary):
    """Library that others change, and that reports the changed memories."""

    told: list[int] | None = None

    def changed_memories(self) -> list[int] | None:
        told, self.told = self.told, []
        return told


async def test_that_of_what_others_change_only_that_is_read() -> None:
    library = Shared()
    library.add("memories", [Memory(("one",)), Memory(("two",)), Memory(("three",))])
    async with desk(lambda: library) as bench:
        loader, index = bench._index_loader, bench.engine.index

        def lacking() -> list[str]:
            return [one.name for one in index_diff(index, [*library.memories(), *library.powers()]).added]

        one, _, three = library.memories()
        edits: list[Item] = [
            replace(one, intent="new"),
            replace(three, intent="untold"),
            Memory(("four",)),
            Power("vault"),
        ]
        library.change(EDIT, edits, [(ItemKind.MEMORY, 2)])
        library.told = [1, 2, 4]
        await loader.load(whole=False)
        assert lacking() == ["three"]
        assert index.answer((Kind.MEMORY, 2)) is None
        library.told = None
        await loader.load(whole=False)
        assert lacking() == []


def test_that_what_is_paused_goes_and_does_not_come_again() -> None:
    index = TriggerIndex(4)
    one, other = memories(2)
    index.put([one, other])
    stored = [replace(one, paused=True), other, Memory(("never in",), paused=True, key=9)]
    found = index_diff(index, stored)
    assert (list(found.added), list(found.removed)) == ([], [(one.kind, 1)])
    asyncio.run(apply_diff(index, found, TypingPriority()))
    assert len(index_diff(index, stored)) == 0


def test_that_vectors_stay_where_only_words_beside_the_triggers_change() -> None:
    index = TriggerIndex(4)
    many = memories(2 * AT_ONCE)
    asyncio.run(
        apply_diff(
            index, IndexDiff(many), TypingPriority(), vector=lambda text: np.eye(4, dtype=np.float32)[len(text) % 4]
        )
    )
    assert index.embedded() == len(many)
    fresh = Memory(("quite fresh",), key=9_999)
    asyncio.run(
        apply_diff(index, IndexDiff([*(replace(one, namespace="help") for one in many), fresh]), TypingPriority())
    )
    assert index.unembedded() == ["quite fresh"]
    assert {answer.namespace for answer in index.answers().values() if isinstance(answer, Memory)} == {
        "help",
        "context",
    }


def test_that_a_large_index_loses_its_blank_rows_a_little_at_a_time() -> None:
    index, turns = TriggerIndex(4), 0
    many = memories(6_000)

    async def work() -> None:
        nonlocal turns
        await apply_diff(index, IndexDiff(many), TypingPriority())
        emptying = asyncio.create_task(
            apply_diff(index, IndexDiff((), [(one.kind, one.key or 0) for one in many[::2]]), TypingPriority())
        )
        while not emptying.done():
            turns += 1
            await asyncio.sleep(0)

    try:
        asyncio.run(work())
    finally:
        gc.unfreeze()
    assert len(index.texts()) == len(index) == 3_000
    assert turns > 2 * 3_000 / AT_ONCE, "one of them for each part that goes, and each that is laid out"


def test_that_the_index_is_whole_at_every_step() -> None:
    index = TriggerIndex(4)
    many = memories(3 * AT_ONCE + 5)
    seen: list[tuple[int, int]] = []

    def look(done: int, total: int) -> None:
        assert len(index) == done
        index.score(ScoredText("phrase 7"))
        seen.append((done, total))

    asyncio.run(apply_diff(index, IndexDiff(many), TypingPriority(), look))
    assert seen == [(n, len(many)) for n in (AT_ONCE, 2 * AT_ONCE, 3 * AT_ONCE, len(many))]
    asyncio.run(apply_diff(index, IndexDiff((), tuple(index.answers())), TypingPriority()))
    assert len(index) == 0


async def test_that_a_question_has_its_turn_between_two_steps() -> None:
    index, order = TriggerIndex(4), []

    filling = asyncio.create_task(
        apply_diff(index, IndexDiff(memories(4 * AT_ONCE)), TypingPriority(), lambda done, _: order.append(done))
    )
    await asyncio.sleep(0)
    order.append(0)
    await filling
    assert order == [AT_ONCE, 0, 2 * AT_ONCE, 3 * AT_ONCE, 4 * AT_ONCE]


def test_that_work_gives_way_to_a_key_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds
        if seconds > calm_module.BREATH_SECONDS:
            typing_priority.note_key()  # endless key presses

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", sleep)
    typing_priority = TypingPriority()
    typing_priority.yield_to_typing()
    assert slept == [calm_module.BREATH_SECONDS], "nobody types, but others may want to run"
    slept.clear()
    typing_priority.note_key()
    assert typing_priority.is_typing
    typing_priority.yield_to_typing()
    assert sum(slept[1:]) == pytest.approx(calm_module.LONGEST_SECONDS)
    slept.clear()
    typing_priority.yield_to_typing()
    assert slept == [calm_module.BREATH_SECONDS], "now it goes on for as long, whatever is typed"
    now[0] += calm_module.LONGEST_SECONDS
    typing_priority.note_key()
    typing_priority.yield_to_typing()
    assert sum(slept[2:]) == pytest.approx(calm_module.LONGEST_SECONDS)
    now[0] += calm_module.TYPING_SECONDS
    typing = typing_priority.is_typing
    assert not typing


def test_that_pythons_collector_rests_while_many_things_are_made() -> None:
    assert gc.isenabled()
    with without_gc(MANY - 1):
        assert gc.isenabled(), "few things are no reason"
    try:
        with without_gc(MANY), without_gc(MANY):
            assert not gc.isenabled()
        assert gc.isenabled()
    finally:
        gc.unfreeze()


def test_that_what_was_made_in_great_number_is_never_looked_at() -> None:
    try:
        for _ in range(2):  # the second has the same size, too
            with without_gc(MANY):
                made = [[place] for place in range(MANY)]
            assert not any(held is made for generation in range(3) for held in gc.get_objects(generation))
    finally:
        gc.unfreeze()


def test_that_the_collector_rests_until_the_last_thread_is_done() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def make() -> None:
        with without_gc(MANY):
            begun.set()
            may_end.wait()

    other = threading.Thread(target=make)
    other.start()
    try:
        begun.wait()
        with without_gc(MANY):
            pass
        assert not gc.isenabled()
        may_end.set()
        other.join()
        assert gc.isenabled()
    finally:
        may_end.set()
        gc.unfreeze()


def loader(release_memory: Callable[[], None]) -> IndexLoader:
    adapters = adapters_of(release_memory=release_memory)
    return IndexLoader(adapters, Engine.bare(now_ms, LlmRequests(None, now_ms, EngineMetrics())), {})


async def test_that_memory_is_given_back_while_somebody_never_stops_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_loader, "GIVE_BACK_SECONDS", 0.0)
    monkeypatch.setattr(index_loader, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(TypingPriority, "quiet_seconds", -1.0)
    monkeypatch.setattr(TypingPriority, "is_typing", True)
    given: list[int] = []

    loop, twice = asyncio.get_running_loop(), asyncio.Event()

    def release_memory() -> None:
        given.append(len(given))
        if len(given) == 2:
            loop.call_soon_threadsafe(twice.set)

    keeping = asyncio.create_task(loader(release_memory).release_memory_periodically())
    await asyncio.wait_for(twice.wait(), PATIENCE)
    keeping.cancel()
    assert given[:2] == [0, 1]


async def test_that_nothing_is_given_back_where_nobody_has_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_loader, "GIVE_BACK_SECONDS", 0.0)
    given: list[bool] = []

    keeping = asyncio.create_task(loader(lambda: given.append(True)).release_memory_periodically())
    for _ in range(20):
        await asyncio.sleep(0)
    keeping.cancel()
    assert given == []
