"""Tests of writing commands, which wait for another writing program, such as an import."""

from __future__ import annotations

import io
import sqlite3
import sys
from pathlib import Path

import pytest

from app import __main__ as front_door
from app.adapters.store import connections
from app.surfaces.cli.output import WAITING

WRITING = (
    ["teach", "turn the keys", "--to", "memory:keys"],
    ["pause", "memory:keys"],
    ["undo"],
    ["redo"],
    ["remove", "memory:keys"],
    ["bin", "--restore", "memory:keys"],
)


class Release(io.StringIO):
    """Standard error that unlocks the library after the notice of waiting."""

    def __init__(self, other: sqlite3.Connection) -> None:
        super().__init__()
        self._other = other

    def write(self, text: str) -> int:
        if WAITING in text:
            self._other.execute("COMMIT")
        return super().write(text)


def test_that_every_writing_verb_waits_for_another_program_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = ["--profile", str(tmp_path)]
    assert front_door.main(["teach", "rotate the keys", "--intent", "keys", "--name", "keys", *profile]) == 0
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 50)
    other = sqlite3.connect(tmp_path / "library.db", isolation_level=None, check_same_thread=False)
    for words in WRITING:
        other.execute("BEGIN IMMEDIATE")
        told = Release(other)
        monkeypatch.setattr(sys, "stderr", told)
        assert front_door.main([*words, *profile]) == 0, (words, told.getvalue())
        assert told.getvalue().strip() == WAITING, words
    other.close()
