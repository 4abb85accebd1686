"""Tests of settings of a workbench: live, stored, rejected, and tried without being set."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.domain.library import Line, Memory
from app.settings.model import SettingsError
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk, names


async def test_that_a_choice_is_live_kept_and_refused_where_something_else_wins() -> None:
    async with desk(theme="dark") as workbench:
        await workbench.choose("preset", "as_documented")
        assert workbench.settings.power_combination == "keyword_or_semantic"
        assert workbench.library.setting_values() == {"preset": "as_documented"}
        assert workbench.origins["power_combination"] == "preset"
        with pytest.raises(SettingsError, match="command line"):
            await workbench.choose("theme", "light")
        with pytest.raises(SettingsError, match=r"tiers\.high"):
            await workbench.choose("tiers.high", "7")
        assert workbench.library.setting_values() == {"preset": "as_documented"}


async def test_that_memories_below_the_least_success_score_are_left_out() -> None:
    async with desk(min_score=0.4) as workbench:
        await workbench.import_lines("memories", [Line(1, Memory(("a",), success=0.3)), Line(2, Memory(("b",)))])
        assert await names(workbench, "a") == ["b"]


async def test_that_a_query_can_be_answered_under_other_settings_without_choosing_them() -> None:
    async with desk() as workbench:
        await workbench.teach(Memory(("rotate the keys",)))
        other = await workbench.settle_as("rotate the key", {"combination": "fuzzy"})
        assert other.combination["memory"] == "fuzzy"
        assert other.matches[0].confidence == other.matches[0].scores["fuzzy"]
        assert (await workbench.settle("rotate the key")).combination["memory"] == "balanced"
        documented = await workbench.settle_as("rotate the key", {"preset": "as_documented"})
        assert documented.detection.policy == "priority"
        with pytest.raises(SettingsError, match="best"):
            await workbench.settle_as("x", {"combination": "best"})


async def test_that_a_choice_made_here_can_be_forgotten() -> None:
    async with desk() as workbench:
        await workbench.choose("theme", "dark")
        await workbench.choose("theme", None)
        assert workbench.settings.theme == "system"
        assert workbench.library.setting_values() == {}


async def test_that_the_least_success_score_counts_from_the_start(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.add("memories", [Memory(("low",), success=0.3), Memory(("fine",), success=0.8)])
    library.close()
    async with desk(library=lambda: SqlLibrary.open(tmp_path), min_score=0.5) as workbench:
        assert await names(workbench, "low") == ["fine"]
        low = await workbench.teach(Memory(("lower",), success=0.1))
        assert await names(workbench, low.name) == ["fine"]


async def test_that_a_kept_setting_that_is_refused_is_left_out_and_the_others_hold() -> None:
    library = MemoryLibrary()
    library.put_settings({"matches": "many"})
    library.put_settings({"theme": "dark"})
    async with desk(library=lambda: library, combination="fuzzy") as workbench:
        assert workbench.settings.theme == "dark"
        assert workbench.settings.combination == "fuzzy"
        assert "matches" in workbench.status().faults["settings"]
        await workbench.choose("theme", "light")
        assert str(workbench.settings.theme) == "light"


async def test_that_two_choices_at_once_both_hold() -> None:
    async with desk() as workbench:
        await asyncio.gather(workbench.choose("theme", "dark"), workbench.choose("matches", "7"))
        assert (workbench.settings.theme, workbench.settings.matches) == ("dark", 7)
        assert workbench.library.setting_values() == {"theme": "dark", "matches": "7"}
