"""Tests of backups on request, complete or not at all, and of leftovers of killed programs."""

import os
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import pytest

from app.adapters.store import opening, restoring
from app.adapters.store.connections import KEY_FILE, library_identity
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.adapters.store.ownership import remove_abandoned, remove_from_system
from app.adapters.store.restoring import candidate
from app.domain.errors import StoreError
from app.domain.library import Memory
from tests.nursery import Program


def names(folder: Path) -> set[str]:
    with closing(SqlLibrary.open(folder)) as library:
        return {memory.name for memory in library.memories()}


def restore(folder: Path, source: Path) -> Path:
    with candidate(folder, source) as found:
        return Path(found.restore().before)


def teach(folder: Path, text: str) -> None:
    with closing(SqlLibrary.open(folder)) as library:
        library.add("memories", [Memory((text,))])


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
        library.add("memories", [Memory(("new",))])
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
        library.add("memories", [Memory(("one",))])
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
