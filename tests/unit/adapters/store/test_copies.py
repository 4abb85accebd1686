"""A copy of a library that a person asked for is the library, and is put back whole or not at all."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from app.adapters.store import copies
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.domain.errors import StoreError
from app.domain.library import Memory


def names(folder: Path) -> set[str]:
    with closing(SqlLibrary.open(folder)) as library:
        return {memory.name for memory in library.memories()}


def teach(folder: Path, text: str) -> None:
    with closing(SqlLibrary.open(folder)) as library:
        library.put_memory(Memory((text,)))


def test_that_a_copy_holds_what_was_there_and_is_its_owners_alone(tmp_path: Path) -> None:
    teach(tmp_path, "one")
    first = copies.back_up(tmp_path)
    teach(tmp_path, "two")
    second = copies.back_up(tmp_path)
    assert list(copies.kept(tmp_path)) == [second, first]
    if os.name == "posix":
        assert second.stat().st_mode & 0o077 == 0
    before = copies.restore(tmp_path, first)
    assert names(tmp_path) == {"one"}
    copies.restore(tmp_path, before)
    assert names(tmp_path) == {"one", "two"}


def test_that_what_is_no_library_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    teach(tmp_path, "one")
    (tmp_path / "other").write_bytes(b"SQLite format 3\0 but no more than that")
    (tmp_path / "empty").touch()
    for name in ("other", "empty", "missing"):
        with pytest.raises(StoreError, match=name):
            copies.restore(tmp_path, tmp_path / name)
    with pytest.raises(StoreError, match="the library itself"):
        copies.back_up(tmp_path, tmp_path / FILE)
    assert names(tmp_path) == {"one"}
    assert list(copies.kept(tmp_path)) == []
