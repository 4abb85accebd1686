"""Tests of leftovers of killed programs: removed at the next start, unless still in use."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import pytest

from app.adapters.store import restoring
from app.adapters.store.library import SqlLibrary
from app.adapters.store.ownership import remove_abandoned, remove_from_system
from app.domain.errors import StoreError
from app.domain.library import Memory
from tests.nursery import Program

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and signals of POSIX")

HELD = """
import sys
from pathlib import Path
from app.adapters.store import opening, restoring
from app.adapters.store.library import SqlLibrary

def held(*_):
    copy(*_)
    print("copied", flush=True)
    sys.stdin.read()

copy, opening.copy_library = opening.copy_library, held
work, folder, other = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
if work == "restore":
    with restoring.candidate(folder, other) as found:
        found.restore()
else:
    restoring.back_up(folder, other if work == "elsewhere" else None)
"""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    made = tmp_path / "profile"
    with closing(SqlLibrary.open(made)) as library:
        library.put_memory(Memory(("one",)))
    return made


def begun(work: str, profile: Path, other: Path) -> Program:
    """Start a program that stops in the middle of its work, after making its copy."""
    program = Program(HELD, work, profile, other)
    assert program.stdout.readline() == "copied\n"
    return program


def listed(folder: Path) -> list[str]:
    """Return all files except the library's log, which the last reader leaves."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(map(str, set(found) - {Path("profile/library.db-wal"), Path("profile/library.db-shm")}))


@POSIX
@pytest.mark.parametrize("work", ["backup", "elsewhere", "restore"])
def test_that_a_killed_program_leaves_nothing_for_longer_than_the_next_start(
    profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    other = tmp_path / "out" / "copy.db"
    if work == "restore":
        restoring.back_up(profile, other)
    before = listed(tmp_path)
    with begun(work, profile, other) as program:
        used = list(tmp_path.glob("*/.intentscope-*"))
        assert used
        assert all(path.stat().st_mode & 0o077 == 0 for path in used)
        assert not os.listdir(tmp_path / "tmp")
        SqlLibrary.open(profile).close()
        assert all(path.exists() for path in used), "they are in use"
        program.kill()
    assert listed(tmp_path) != before
    SqlLibrary.open(profile).close()
    if work == "elsewhere":
        restoring.back_up(profile, other)
        other.unlink()
    assert listed(tmp_path) == before


@POSIX
def test_that_a_copy_is_neither_opened_nor_given_away_in_a_shared_folder(profile: Path, tmp_path: Path) -> None:
    shared, bank = tmp_path / "shared", tmp_path / "bank.sqlite"
    shared.mkdir()
    shared.chmod(0o777)
    with closing(sqlite3.connect(bank)) as connection:
        connection.execute("CREATE TABLE money(x)")
    (shared / "a.db.part").touch()
    (shared / "a.db.part").chmod(0o666)
    (shared / "b.db.part").symlink_to(bank)
    (shared / "c.db").symlink_to(bank)
    for name in ("a.db", "b.db"):
        made = restoring.back_up(profile, shared / name)
        assert made.stat().st_mode & 0o777 == 0o600
        assert made.stat().st_uid == os.geteuid()
    for name in ("c.db", "d.db"):
        if name == "d.db":
            os.mkfifo(shared / name)
        with pytest.raises(StoreError, match=r"it is a (link|pipe)"):
            restoring.back_up(profile, shared / name)
    with closing(sqlite3.connect(bank)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("money",)]
    assert sorted(os.listdir(shared)) == ["a.db", "a.db.part", "b.db", "b.db.part", "c.db", "d.db"]


@POSIX
def test_that_a_relative_path_leads_a_copy_through_no_link(
    profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clone").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "clone")
    Path("out").symlink_to("../home")
    with pytest.raises(StoreError, match="“out” is a link"):
        restoring.back_up(profile, Path("out/copy.db"))
    assert not os.listdir(tmp_path / "home")
    assert restoring.back_up(profile, Path("copy.db")) == tmp_path / "clone" / "copy.db"


def old(path: Path, content: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (0, 0))
    return path


def test_that_the_leavings_of_earlier_versions_go_too(
    profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    own = profile / "backups"
    gone = [
        old(own / "kept-20250101T000000.000000Z.db.part", b"by a killed program"),
        old(own / "kept-20250101T000000.000000Z.db.part-journal"),
        old(own / "library-20250101T000000.000000Z-0001.db.part-wal"),
        old(profile / ".settings.toml.x1y2z3a4.part"),
        old(profile / ".guide.json.1234.part"),
        old(profile / "cache" / "vectors-0123456789abcdef.77.new"),
    ]
    (profile / ".tables.json.1234.part").write_text("now being written")
    stays = [
        profile / ".tables.json.1234.part",
        old(own / "kept-20250102T000000.000000Z.db", b"a copy"),
        old(own / "mine.part"),
        old(profile / "mine.part"),
    ]
    with closing(sqlite3.connect(own / "kept-20250103T000000.000000Z.db.part")) as writing:
        writing.execute("CREATE TABLE t(x)")
        writing.execute("BEGIN EXCLUSIVE")
        stays.append(own / "kept-20250103T000000.000000Z.db.part")
        assert sorted(remove_abandoned(profile)) == sorted(gone)
        assert [path for path in gone if path.exists()] == []
        assert [path for path in stays if not path.exists()] == []
    library = old(tmp_path / "tmp" / "intentscope-abcd1234" / "library.db", (profile / "library.db").read_bytes())
    old(library.with_name("digests.key"))
    others = [
        old(tmp_path / "tmp" / "intentscope-abcd1235" / "engine-1.sock"),
        old(tmp_path / "tmp" / "other" / "library.db"),
    ]
    (tmp_path / "tmp" / "intentscope-abcd1236").mkdir()
    (tmp_path / "tmp" / "intentscope-abcd1236" / "library.db").write_bytes(b"now being written")
    if sys.platform != "win32":
        (tmp_path / "tmp" / "intentscope-abcd1237").symlink_to("other")
    assert remove_from_system() == [library.parent]
    assert all(path.exists() for path in others)
    assert (tmp_path / "tmp" / "intentscope-abcd1236" / "library.db").exists()
    assert not library.parent.exists()


def test_that_a_profile_without_leavings_is_left_alone(profile: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (profile, *profile.rglob("*"))}
    time.sleep(0.01)
    assert remove_abandoned(profile) == []
    assert {path: path.stat().st_mtime_ns for path in (profile, *profile.rglob("*"))} == before
    assert remove_abandoned(profile / "none") == []
