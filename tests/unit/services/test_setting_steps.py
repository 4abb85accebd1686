"""Tests of settings in journal steps: undone and redone, immediately and after a restart."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.errors import KnownError
from app.domain.journal import Edit
from app.domain.library import Memory
from app.domain.scope.why_not import Change, ChangeSettings
from app.services.workbench import Workbench
from app.settings.model import SettingsError
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk

LINE = {"fallback_threshold": "0.11"}
SET = Edit("set", "fallback_threshold to 0.11")


async def sentence(bench: Workbench, *, redo: bool = False) -> str | None:
    done = await (bench.curator.redo() if redo else bench.undo())
    return None if done is None else done.sentence


async def test_that_steps_of_settings_and_of_the_library_are_taken_back_in_turn() -> None:
    async with desk(MemoryLibrary) as bench:
        before = bench.settings.fallback_threshold
        await bench.teach(Memory(("x",), id="x"))
        await bench.choose_all(dict(LINE), SET)
        await bench.teach(Memory(("y",), id="y"))
        assert await sentence(bench) == "Undone: taught “y”."
        assert await sentence(bench) == "Undone: set fallback_threshold to 0.11."
        assert (bench.settings.fallback_threshold, bench.origins["fallback_threshold"]) == (before, "default")
        assert await sentence(bench) == "Undone: taught “x”."
        for said in ("taught “x”", "set fallback_threshold to 0.11", "taught “y”"):
            assert await sentence(bench, redo=True) == f"Redone: {said}."
        assert bench.settings.fallback_threshold == 0.11
        assert [memory.name for memory in bench.library.memories()] == ["x", "y"]


async def test_that_what_is_chosen_in_the_window_is_taken_back_first_unless_it_is_only_a_look() -> None:
    async with desk() as bench:
        await bench.teach(Memory(("x",)))
        await bench.choose("llm.url", "http://127.0.0.1:1")
        await bench.choose("theme", "dark")
        assert next(step.sentence for step in await bench.journal.steps()) == "set llm.url to http://127.0.0.1:1"
        assert await bench.curator.undo() is not None
        assert (bench.settings.llm.url, bench.settings.theme) == ("", "dark")
        assert [memory.name for memory in bench.library.memories()] == ["x"]
        for key, address in (("llm.url", "http://me:s3cret@h:1"), ("route.qdrant", "http://h?api_key=s3cret")):
            with pytest.raises(SettingsError, match="does not belong here") as told:
                await bench.choose(key, address)
            assert "s3cret" not in f"{told.value} {await bench.journal.steps()} {bench.library.setting_values()}"
        await bench.choose("matches", "7")
        await bench.choose("matches", None)
        assert next(step.sentence for step in await bench.journal.steps()) == "reset matches"


async def test_that_what_why_not_sets_is_a_step_with_its_source() -> None:
    async with desk(MemoryLibrary) as bench:
        act = ChangeSettings((("tiers.high", "0.6"), ("tiers.medium", "0.5")))
        await bench.why_nots.apply(Change("setting.tiers.high", True, None, act), source="command line")
        (step,) = bench.library.steps()
        assert step.sentence == "set tiers.high to 0.6 and tiers.medium to 0.5"
        assert (step.count, step.source) == (2, "command line")


async def test_that_a_step_whose_settings_are_refused_by_now_stays() -> None:
    async with desk(MemoryLibrary) as bench:
        await bench.choose_all({"tiers.high": "0.5", "tiers.medium": "0.4"})
        await bench.choose_all({"tiers.medium": "0.3"}, Edit("set", "tiers.medium to 0.3"))
        await bench.choose_all({"tiers.high": "0.35"})
        await bench.choose_all({"theme": "dark"})
        assert bench.settings.tiers.high == 0.35, "what was chosen together stays so"
        for _ in range(2):
            with pytest.raises(SettingsError):
                await bench.undo()
            assert bench.library.setting_values()["tiers.medium"] == "0.3"
        await bench.choose_all({"tiers.high": "0.5"})
        assert await sentence(bench) == "Undone: set tiers.medium to 0.3."
        assert bench.settings.tiers.medium == 0.4


async def test_that_what_was_chosen_anew_stays_and_so_does_the_step() -> None:
    async with desk(MemoryLibrary) as bench:
        await bench.choose_all(dict(LINE), SET)
        await bench.choose_all({"fallback_threshold": "0.6"})
        with pytest.raises(KnownError):
            await bench.undo()
        assert bench.settings.fallback_threshold == 0.6
        await bench.choose_all({"fallback_threshold": "0.11"})
        assert await sentence(bench) == "Undone: set fallback_threshold to 0.11."


def test_that_they_are_taken_back_after_a_restart(tmp_path: Path) -> None:
    async def chosen() -> None:
        async with desk(lambda: SqlLibrary.open(tmp_path)) as bench:
            await bench.choose_all(dict(LINE), SET)

    async def undone() -> None:
        async with desk(lambda: SqlLibrary.open(tmp_path)) as bench:
            assert bench.settings.fallback_threshold == 0.11
            assert await sentence(bench) == "Undone: set fallback_threshold to 0.11."
            assert bench.settings.fallback_threshold != 0.11

    asyncio.run(chosen())
    asyncio.run(undone())
