"""Tests of installations: line-by-line progress, cancellation, and pip's messages."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from app.adapters.encoders import installer
from app.adapters.encoders.installer import ProgramInstaller
from app.adapters.local.machine import resident_bytes
from app.domain.errors import KnownError
from tests.build import some


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
    held = some(resident_bytes())
    assert 10_000_000 < held < 100_000_000_000
