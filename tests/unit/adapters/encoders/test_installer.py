"""Fetching what an encoder lacks: a line of news after another, ended with its listener, failures in pip's words."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from app.adapters.encoders import installer
from app.adapters.encoders.installer import ProgramInstaller
from app.adapters.process.memory import resident_bytes
from app.domain.errors import KnownError


def test_that_what_a_program_says_comes_line_by_line_and_its_failure_is_an_error() -> None:
    async def work() -> None:
        script = "print('Collecting torch'); print('ERROR: No space left on device.'); raise SystemExit(1)"
        lines = installer._lines([sys.executable, "-u", "-c", script])
        assert [await anext(lines), await anext(lines)] == ["Collecting torch", "ERROR: No space left on device."]
        with pytest.raises(KnownError, match=r"It could not be fetched: No space left on device\."):
            await anext(lines)

    asyncio.run(work())


@pytest.mark.skipif(sys.platform == "win32", reason="there is no interrupt there")
def test_that_a_program_ends_when_nobody_listens_any_more(tmp_path: Path) -> None:
    script = f"""
import os, time
try:
    print(os.getpid(), flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    open({str(tmp_path / "rolled-back")!r}, "w").close()
"""

    async def work() -> None:
        async with aclosing(installer._lines([sys.executable, "-c", script])) as lines:
            process = int(await anext(lines))
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
        assert (tmp_path / "rolled-back").exists()

    asyncio.run(work())


def test_that_the_extra_is_held_to_the_tested_files() -> None:
    wanted = ProgramInstaller()._wanted()
    assert wanted[:2] == ["--no-deps", "--require-hashes"]
    assert wanted[-2:] == ["--requirement", str(installer.LOCK)]
    assert "\nsentence-transformers==" in installer.LOCK.read_text("utf-8")


def test_that_without_the_lists_the_extra_is_what_the_package_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installer, "LOCK", tmp_path / "none")
    wanted = ProgramInstaller()._wanted()
    assert [re.split("[><=]", word)[0] for word in wanted] == ["sentence-transformers", "torch"]


def test_that_where_nothing_can_be_installed_there_is_a_sentence_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = "run --with sentence-transformers"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert command in ProgramInstaller().hindrance()
    monkeypatch.delattr(sys, "frozen")
    assert ProgramInstaller().hindrance() == ""
    monkeypatch.setattr(installer, "find_spec", lambda name: None)
    assert "no pip" in ProgramInstaller().hindrance()
    monkeypatch.undo()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "cannot be written to" in ProgramInstaller().hindrance()

    async def work() -> None:
        with pytest.raises(KnownError, match=command):
            await anext(ProgramInstaller().install())

    asyncio.run(work())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only told there")
def test_that_the_memory_held_is_told_in_bytes() -> None:
    held = resident_bytes()
    assert held is not None
    assert 10_000_000 < held < 100_000_000_000
