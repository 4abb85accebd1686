"""Tests of backups on request: complete copies, restored entirely or not at all."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.adapters.store import opening, restoring
from app.adapters.store.connections import KEY_FILE, library_identity
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.adapters.store.restoring import candidate
from app.domain.errors import StoreError
from app.domain.library import Memory


def names(folder: Path) -> set[str]:
    with closing(SqlLibrary.open(folder)) as library:
        return {memory.name for memory in library.memories()}


def restore(folder: Path, source: Path) -> Path:
    with candidate(folder, source) as found:
        return Path(found.restore().before)


def teach(folder: Path, text: str) -> None:
    with closing(SqlLibrary.open(folder)) as library:
        library.put_memory(Memory((text,)))


def test_that_a_copy_holds_what_was_there_and_is_its_owners_alone(tmp_path: Path) -> None:
    teach(tmp_path, "one")
    first = restoring.back_up(tmp_path)
    teach(tmp_path, "two")
    second = restoring.back_up(tmp_path)
    assert list(restoring.backups_of(tmp_path)) == [second, first]
    if os.name == "posix":
        assert second.stat().st_mode & 0o077 == 0
    before = restore(tmp_path, first)
    assert names(tmp_path) == {"one"}
    restore(tmp_path, before)
    assert names(tmp_path) == {"one", "two"}


def test_that_a_library_that_was_restored_or_moved_is_still_itself_and_no_other_is(tmp_path: Path) -> None:
    for name in ("one", "two"):
        teach(tmp_path / name, name)
    first, second = (library_identity(tmp_path / name / FILE) for name in ("one", "two"))
    assert first != second
    restore(tmp_path / "one", restoring.back_up(tmp_path / "two"))
    (tmp_path / "one").rename(tmp_path / "three")
    assert library_identity(tmp_path / "three" / FILE) == first
    assert first not in (tmp_path / "three" / KEY_FILE).read_bytes().hex()


def test_that_what_is_no_library_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    teach(tmp_path, "one")
    (tmp_path / "other").write_bytes(b"SQLite format 3\0 but no more than that")
    (tmp_path / "empty").touch()
    for name in ("other", "empty", "missing"):
        with pytest.raises(StoreError, match=name):
            restore(tmp_path, tmp_path / name)
    with pytest.raises(StoreError, match="the library itself"):
        restoring.back_up(tmp_path, tmp_path / FILE)
    assert names(tmp_path) == {"one"}
    assert list(restoring.backups_of(tmp_path)) == []


def test_that_what_stands_in_the_log_of_an_open_library_is_restored_with_it(tmp_path: Path) -> None:
    open_one, other = tmp_path / "open", tmp_path / "other"
    teach(other, "old")
    with closing(SqlLibrary.open(open_one)) as library:
        library.put_memory(Memory(("new",)))
        assert (open_one / f"{FILE}-wal").stat().st_size
        restore(other, open_one / FILE)
    assert names(other) == {"new"}


@pytest.mark.parametrize("content", [b"no library at all", None])
def test_that_a_damaged_library_is_moved_aside_for_a_copy(tmp_path: Path, content: bytes | None) -> None:
    teach(tmp_path, "one")
    copy = restoring.back_up(tmp_path)
    file = tmp_path / FILE
    whole = file.read_bytes()
    damaged = whole[:4096] + b"\xff" * 20_480 + whole[24_576:] if content is None else content
    file.write_bytes(damaged)
    aside = restore(tmp_path, copy)
    assert names(tmp_path) == {"one"}
    assert aside.read_bytes() == damaged


def test_that_a_copy_is_not_put_among_the_profiles_own_files(tmp_path: Path) -> None:
    teach(tmp_path / "p", "one")
    for name in (f"{FILE}-wal", KEY_FILE, "deeper/x"):
        with pytest.raises(StoreError, match="own files"):
            restoring.back_up(tmp_path / "p", tmp_path / "p" / name)
    for place in (tmp_path, tmp_path / "nowhere" / "a.db"):
        with pytest.raises(StoreError, match="name another file"):
            restoring.back_up(tmp_path / "p", place)
    with pytest.raises(StoreError, match="name another file"):
        restore(tmp_path / "p", tmp_path)


def test_that_what_is_stored_while_a_copy_is_made_is_in_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teach(tmp_path, "one")
    old = restoring.back_up(tmp_path)
    made, plain = [0], opening.copy_library

    def copied(file: Path, target: Path) -> None:
        plain(file, target)
        made[0] += 1
        if made[0] == 2:
            teach(tmp_path, "between")

    monkeypatch.setattr(opening, "copy_library", copied)
    before = restore(tmp_path, old)
    assert names(tmp_path) == {"one"}
    restore(tmp_path, before)
    assert names(tmp_path) == {"one", "between"}


def test_that_a_version_that_cannot_be_read_is_damage_and_no_newer_program(tmp_path: Path) -> None:
    teach(tmp_path, "one")
    copy = restoring.back_up(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = x'ff00ff'")
        connection.commit()
    restore(tmp_path, copy)
    assert names(tmp_path) == {"one"}


def test_that_a_full_disk_is_that_of_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(file: Path, target: Path) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    teach(tmp_path / "mine", "one")
    monkeypatch.setattr(opening, "copy_library", fails)
    with pytest.raises(StoreError, match=r"The disk that holds .*copy\.db is full, so nothing was changed"):
        restoring.back_up(tmp_path / "mine", tmp_path / "copy.db")
