"""Tests of the watched settings file: applied, rejected, corrected."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.bootstrap import make_forgiving_workbench, make_workbench
from app.services.system import settings
from app.services.workbench import Workbench
from app.settings.model import Choices
from tests.waiting import until


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("INTENTSCOPE_", "SUBCOG_", "OLLAMA_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(settings, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(settings, "SETTLE_SECONDS", 0.02)
    (tmp_path / "profile").mkdir()
    return tmp_path / "profile" / "settings.toml"


@asynccontextmanager
async def opened(bench: Workbench) -> AsyncGenerator[Workbench, None]:
    await bench.open(encoder=False, llm=False)
    try:
        yield bench
    finally:
        await bench.close()


def said(file: Path, text: str | None) -> None:
    """Write this text to the file, or delete it for None."""
    if text is None:
        file.unlink()
    else:
        file.write_text(text)


async def test_that_a_file_made_changed_and_deleted_while_the_desk_is_open_takes_effect(file: Path) -> None:
    async with opened(make_forgiving_workbench(Choices(profile=file.parent, pairs=("theme=dark",)))) as bench:
        told: list[int] = []
        bench.status_changed.subscribe(lambda _: told.append(bench.settings.matches))
        said(file, "matches = 25\n")
        await until(lambda: bench.settings.matches == 25)
        assert bench.engine.settings.matches == 25
        assert (bench.origins["matches"], bench.settings.theme) == ("file", "dark")
        assert 25 in told
        said(file, 'matches = 7\ntheme = "light"\n')
        await until(lambda: bench.settings.matches == 7)
        assert bench.settings.theme == "dark", "what was said on the command line still wins"
        said(file, None)
        await until(lambda: bench.settings.matches == 10)
        assert "settings" not in bench.status().faults


@pytest.mark.parametrize("make", [make_forgiving_workbench, make_workbench])
async def test_that_a_file_broken_meanwhile_is_told_and_the_last_good_settings_stay(
    file: Path, make: Callable[[Choices], Workbench]
) -> None:
    file.write_text("matches = 25\n")
    async with opened(make(Choices(profile=file.parent))) as bench:
        said(file, "theme = 'dark'\nmatches = = 3\n")
        await until(lambda: "settings" in bench.status().faults)
        told = bench.status().faults["settings"]
        assert "has an error in line 2" in told
        assert told.endswith("The last good settings stay in use.")
        assert (bench.settings.matches, bench.settings.history.privacy) == (25, "full")
        said(file, "matches = 30_000\n")
        await until(lambda: "line 1" in bench.status().faults["settings"])
        said(file, "matches = 30\n")
        await until(lambda: "settings" not in bench.status().faults)
        assert bench.settings.matches == 30


async def test_that_a_file_that_was_broken_at_the_start_counts_once_it_is_mended(file: Path) -> None:
    file.write_text("matches = = 3\n")
    async with opened(make_forgiving_workbench(Choices(profile=file.parent, pairs=("theme=dark",)))) as bench:
        assert "The defaults are used until it is mended" in bench.status().faults["settings"]
        assert bench.settings.history.privacy == "off"
        said(file, "\nmatches = = 4\n")
        await until(lambda: "line 2" in bench.status().faults["settings"])
        assert bench.settings.history.privacy == "off", "it may say that nothing is kept"
        said(file, "matches = 4\n")
        await until(lambda: "settings" not in bench.status().faults)
        found = bench.settings
        assert (found.matches, found.history.privacy, found.theme) == (4, "full", "dark")


@pytest.mark.parametrize("make", [make_forgiving_workbench, make_workbench])
async def test_that_a_file_that_does_not_go_with_the_command_line_any_more_leaves_all_as_it_was(
    file: Path, make: Callable[[Choices], Workbench]
) -> None:
    file.write_text("matches = 25\n")
    choices = Choices(profile=file.parent, pairs=("tiers.high=0.6", "theme=dark"))
    async with opened(make(choices)) as bench:
        said(file, "matches = 30\n[tiers]\nmedium = 0.7\n")
        await until(lambda: "settings" in bench.status().faults)
        assert bench.status().faults["settings"].endswith("The last good settings stay in use.")
        assert "settings" not in bench.status().outside
        found = bench.settings
        assert (found.matches, found.tiers.high, found.theme) == (25, 0.6, "dark")
        assert found.history.privacy == "full"


async def test_that_what_was_chosen_here_holds_over_a_changed_file(file: Path) -> None:
    async with opened(make_forgiving_workbench(Choices(profile=file.parent))) as bench:
        await bench.choose("matches", "12")
        said(file, "matches = 25\nmin_score = 0.2\n")
        await until(lambda: bench.settings.min_score == 0.2)
        assert (bench.settings.matches, bench.origins["matches"]) == (12, "here")
        await bench.choose("matches", None)
        assert bench.settings.matches == 25
