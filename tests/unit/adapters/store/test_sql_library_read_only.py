"""Tests of read-only libraries: readable, with a warning that nothing is stored."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.adapters.local.secrets import FileSecrets
from app.adapters.store import faults, opening
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team.open_library import dry_run, open_to_read
from app.domain.errors import StoreError
from app.domain.library import Memory
from tests.nursery import Program

pytestmark = pytest.mark.usefixtures("migrations_run")

PROJECT = Path(__file__).resolve().parents[4]
NOBODY = 65534
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")

READING = """
import os, sys
from pathlib import Path
import filelock
import sqlalchemy.dialects.sqlite
from app.adapters.local.secrets import FileSecrets
from app.adapters.store.team.open_library import open_to_read
from app.domain.library import Memory
from app.domain.errors import StoreError
if os.getuid() == 0:  # root may write everywhere, so become somebody who may not
    os.setgid({nobody}); os.setuid({nobody})
folder, said = Path(sys.argv[1]), []
try:
    library = open_to_read(folder, FileSecrets(folder / "secrets.json"), lambda: None, said.append)
except StoreError as error:
    print("refused", error)
else:
    print(*(memory.triggers[0] for memory in library.memories()), sep=", ")
    library.add("memories", [Memory(("written to a copy",))])
    place = library.file.parent
    library.close()
    print("gone" if not place.exists() else "left", *said)
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """Make a profile with one memory that another user may see, unlike the tests' folders."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    profile = place / "profile"
    library = SqlLibrary.open(profile)
    library.add("memories", [Memory(("order tea",))])
    library.close()
    (profile / "library.db").chmod(0o644)
    profile.chmod(0o555)
    yield profile
    profile.chmod(0o755)
    shutil.rmtree(place)


def read_by_another_user(folder: Path) -> list[str]:
    return Program(READING.format(nobody=NOBODY), folder).output().splitlines()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@POSIX
def test_that_a_library_of_somebody_else_is_read_and_not_a_byte_of_it_changed(shared: Path) -> None:
    before = contents(shared)
    memories, told = read_by_another_user(shared)
    assert memories == "order tea"
    assert told.startswith(f"gone Nothing can be written to {shared}")
    assert told.endswith("is not kept.")
    assert contents(shared) == before


@POSIX
def test_that_what_stands_only_in_the_log_is_read_too(shared: Path) -> None:
    shared.chmod(0o755)
    writing = SqlLibrary.open(shared)
    writing.add("memories", [Memory(("in the log",))])
    kept = contents(shared)
    writing.close()
    for name in ("library.db", "library.db-wal"):  # the files that a killed program leaves
        (shared / name).write_bytes(kept[name])
        (shared / name).chmod(0o644)
    shared.chmod(0o555)
    assert read_by_another_user(shared)[0] == "order tea, in the log"
    assert set(contents(shared)) == {*kept, "library.db-wal"} - {"library.db-shm"}


@POSIX
def test_that_what_may_not_be_read_is_refused_and_not_called_read_only(shared: Path) -> None:
    (shared / "library.db").chmod(0o200)
    (refused,) = read_by_another_user(shared)
    assert "it cannot be copied: Permission denied" in refused
    shared.chmod(0o311)
    (refused,) = read_by_another_user(shared)
    assert "you may not read it" in refused


@POSIX
def test_that_where_there_is_no_library_none_is_made_up(shared: Path) -> None:
    shared.chmod(0o755)
    (shared / "library.db").unlink()
    shared.chmod(0o555)
    (refused,) = read_by_another_user(shared)
    assert "is read-only" in refused


def test_that_a_library_that_can_be_written_is_opened_itself(tmp_path: Path) -> None:
    said: list[str] = []
    library = open_to_read(tmp_path, FileSecrets(tmp_path / "secrets.json"), lambda: None, said.append)
    library.add("memories", [Memory(("order tea",))])
    library.close()
    assert not said
    with closing(SqlLibrary.open(tmp_path)) as again:
        assert len(again.memories()) == 1


def begin_copying(tmp_path: Path, then: str) -> Program:
    """Start another process, possibly with the same number, that has copied the profile."""
    copying = (
        "import os, sys; from pathlib import Path; from app.adapters.local.secrets import FileSecrets; "
        "from app.adapters.store.team.open_library import dry_run; "
        "with_copy = dry_run(Path(sys.argv[1]), FileSecrets(Path('s'))); with_copy.__enter__(); "
        f"print('copied', flush=True); {then}"
    )
    begun = Program(copying, tmp_path / "profile", TMPDIR=str(tmp_path))
    assert begun.stdout.readline() == "copied\n"
    return begun


def copies(folder: Path) -> list[Path]:
    return [path.parent for path in folder.glob(".intentscope-*/library.db")]


def test_that_a_copy_that_an_ended_process_left_behind_goes_with_the_next(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    SqlLibrary.open(profile).close()
    with begin_copying(tmp_path, "os._exit(0)") as ended:
        ended.wait()
    (left,) = copies(profile)
    secrets = FileSecrets(tmp_path / "secrets.json")
    with dry_run(profile, secrets), dry_run(profile, secrets):
        assert not left.exists()
        assert len(copies(profile)) == 2
    assert copies(profile) == []


def test_that_a_copy_that_is_used_stays_whatever_the_number_of_its_process_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In a container that shares the folder, its number is another process here, or none.
    monkeypatch.setattr("psutil.pid_exists", lambda number: False)
    profile = tmp_path / "profile"
    SqlLibrary.open(profile).close()
    with begin_copying(tmp_path, "sys.stdin.read()"):
        (used,) = copies(profile)
        with dry_run(profile, FileSecrets(tmp_path / "secrets.json")):
            SqlLibrary.open(profile).close()
            assert (used / "library.db").exists()


@POSIX
def test_that_a_profile_that_cannot_be_written_is_copied_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with dry_run(tmp_path / "profile", FileSecrets(tmp_path / "secrets.json")) as library:
        assert library.memories() == []
        assert len(copies(tmp_path)) == 1
    assert not (tmp_path / "profile").exists()
    assert copies(tmp_path) == []


def test_that_a_file_for_which_there_is_no_room_means_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # SQLite cannot create the file shared among readers, and reports "disk I/O error".
    SqlLibrary.open(tmp_path).close()

    def fails(file: Path) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR | 19 << 8
        raise error

    monkeypatch.setattr(opening, "_use_wal", fails)
    with pytest.raises(StoreError, match=r"cannot be opened at .* \(disk I/O error\)"):
        SqlLibrary.open(tmp_path)
    monkeypatch.setattr(faults, "ROOM", 1 << 60)
    with pytest.raises(StoreError, match="is full, so nothing was changed: free some space"):
        SqlLibrary.open(tmp_path)
