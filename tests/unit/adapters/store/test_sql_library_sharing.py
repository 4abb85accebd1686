"""Tests of several instances on one library, migrations between versions, and read-only libraries."""

import errno
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import create_engine

from app.adapters.secrets import FileSecrets
from app.adapters.store import faults, opening
from app.adapters.store.connections import ROWS_AT_ONCE
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team.open_library import dry_run, open_to_read
from app.domain.errors import StoreError
from app.domain.library import Memory
from db import upgrade
from db.migrations import revisions, text
from db.schema import TableRow
from tests.nursery import Program

pytestmark = pytest.mark.usefixtures("migrations_run")

PROJECT = Path(__file__).resolve().parents[4]

WRITER = """
import sys
from pathlib import Path
from app.adapters.store.library import SqlLibrary
from app.domain.library import Memory
name = sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
library = SqlLibrary.open(Path(sys.argv[1]))
for number in range(60):
    library.add("memories", [Memory((f"{name} {number}", "second"), id=f"{name}-{number}")])
library.add("memories", (Memory((f"shared {number}",)) for number in range(2_000)))
library.close()
"""


class TestGivingWay:
    def test_that_others_may_run_while_many_rows_are_written_but_hold_up_no_few(self, tmp_path: Path) -> None:
        written: list[int] = []
        library = SqlLibrary.open(tmp_path, yield_to_typing=lambda: written.append(1))
        library.add("memories", [Memory(("one", "two", "three"), id="few")])
        library.add("memories", (Memory((f"few {number}",)) for number in range(ROWS_AT_ONCE)))
        assert written == []
        library.add("memories", (Memory((f"many {number}",)) for number in range(10 * ROWS_AT_ONCE)))
        assert len(written) >= 2 * 9 - 4, "memories and triggers, but for the first piece of each chunk"
        found = [memory.triggers for memory in library.memories()]
        library.close()
        assert found[-10 * ROWS_AT_ONCE :] == [(f"many {number}",) for number in range(10 * ROWS_AT_ONCE)]
        assert len(found) == 1 + 11 * ROWS_AT_ONCE


class TestTwoInstances:
    def test_that_programs_that_start_and_write_at_once_lose_nothing(self, tmp_path: Path) -> None:
        folder = tmp_path / "profile"  # it does not exist yet: they race to create it
        programs = [Program(WRITER, folder, name) for name in ("one", "two", "three")]
        for program in programs:
            assert program.stdout.readline() == "ready\n"
        for program in programs:
            program.tell("\n")
        for program in programs:
            program.output()
        library = SqlLibrary.open(folder)
        assert library.counts()["memories"] == 3 * 60 + 2_000
        assert library.counts()["triggers"] == 3 * 120 + 2_000
        library.close()

    def test_that_the_data_version_tells_of_the_other_instance_alone(self, tmp_path: Path) -> None:
        ours, theirs = SqlLibrary.open(tmp_path), SqlLibrary.open(tmp_path)
        before = ours.data_version()
        ours.put_settings({"theme": "dark"})
        assert ours.data_version() == before
        theirs.put_settings({"theme": "light"})
        assert ours.data_version() != before
        assert ours.setting_values() == {"theme": "light"}
        ours.close()
        theirs.close()

    def test_that_readers_see_the_moment_before_a_write_that_is_under_way(self, tmp_path: Path) -> None:
        library = SqlLibrary.open(tmp_path)
        seen: list[int] = []

        def memories() -> Iterator[Memory]:
            for number in range(3_000):
                yield Memory((f"m{number}",))
                if number % 1_000 == 500:
                    seen.append(library.counts()["triggers"])

        library.add("memories", memories())
        assert seen == [0, 0, 0]
        assert library.counts()["triggers"] == 3_000
        library.close()

    def test_that_many_threads_may_write_and_read_at_once(self, tmp_path: Path) -> None:
        library = SqlLibrary.open(tmp_path)

        def teach(number: int) -> int:
            (key,) = library.add("memories", [Memory((f"m{number}",))]).added
            assert key in {memory.key for memory in library.memories()}
            return key

        with ThreadPoolExecutor(8) as threads:
            keys = list(threads.map(teach, range(40)))
        assert len(set(keys)) == 40
        library.close()


class TestSchema:
    def test_that_migrations_make_what_the_schema_says(self, tmp_path: Path) -> None:
        SqlLibrary.open(tmp_path).close()
        engine = create_engine(f"sqlite:///{tmp_path / 'library.db'}")
        with engine.connect() as connection:
            ours = {"compare_type": True, "include_name": lambda name, *_: not str(name).startswith("found")}
            context = MigrationContext.configure(connection, opts=ours)
            assert compare_metadata(context, TableRow.metadata) == []
            made = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master").all()
        engine.dispose()
        statements = {row.name: row.sql for row in made}
        assert "AUTOINCREMENT" in statements["memories"]
        assert "WITHOUT ROWID" in statements["triggers"]
        assert "ON DELETE CASCADE" in statements["triggers"]
        assert "ck_memories_success" in statements["memories"]


class TestMigration:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "profile"
        library = SqlLibrary.open(folder)
        library.add("memories", [Memory(("a", "b")), Memory(("c",))])
        library.close()
        return folder

    def add(self, monkeypatch: pytest.MonkeyPatch, revision: str, fault: Exception | None = None) -> None:
        """Add a later migration, which fails in the end with a fault."""

        def migrate(op: Operations) -> None:
            with op.batch_alter_table("memories", recreate="always") as batch:
                batch.add_column(text(f"added_{revision}", nullable=True))
            if fault is not None:
                raise fault

        monkeypatch.setitem(revisions.MIGRATIONS, revision, migrate)
        monkeypatch.setattr(upgrade, "REVISIONS", (*upgrade.REVISIONS, revision))
        monkeypatch.setattr(upgrade, "HEAD", revision)

    def columns(self, file: Path) -> set[str]:
        with closing(sqlite3.connect(file)) as connection:
            return {name for _, name, *_ in connection.execute("PRAGMA table_info(memories)")}

    def test_that_an_older_library_is_copied_and_then_migrated(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.add(monkeypatch, "9001")
        (folder / "backups").mkdir()
        (folder / "backups" / "library-20200101T000000.000000Z-0001.db.part").write_text("by a program that was killed")
        library = SqlLibrary.open(folder)
        assert [memory.triggers for memory in library.memories()] == [("a", "b"), ("c",)]
        library.close()
        assert "added_9001" in self.columns(folder / "library.db")
        (backup,) = (folder / "backups").iterdir()
        assert "added_9001" not in self.columns(backup)
        with closing(sqlite3.connect(backup)) as connection:
            assert connection.execute("SELECT count(*) FROM triggers").fetchone() == (3,)

    def test_that_a_new_library_and_one_of_today_are_not_copied(self, folder: Path) -> None:
        SqlLibrary.open(folder).close()
        assert not (folder / "backups").exists()

    def test_that_the_last_three_copies_are_kept(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for revision in ("9001", "9002", "9003", "9004"):
            self.add(monkeypatch, revision)
            SqlLibrary.open(folder).close()
        names = sorted(path.stem for path in (folder / "backups").iterdir())
        assert [name.rpartition("-")[2] for name in names] == ["9001", "9002", "9003"]

    def test_that_a_migration_that_fails_leaves_the_library_as_it_was(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.add(monkeypatch, "9001", LookupError("a bug of tomorrow"))
        before = (folder / "library.db").read_bytes()
        with pytest.raises(LookupError, match="a bug of tomorrow"):
            SqlLibrary.open(folder)
        assert (folder / "library.db").read_bytes() == before

    def test_that_a_damaged_older_library_is_not_migrated(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file = folder / "library.db"
        with closing(sqlite3.connect(file)) as connection:
            (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'rules'").fetchone()
            (size,) = connection.execute("PRAGMA page_size").fetchone()
        with file.open("r+b") as stream:
            stream.seek((root - 1) * size)
            stream.write(b"\xff" * size)
        before = file.read_bytes()
        self.add(monkeypatch, "9001")
        with pytest.raises(StoreError, match="damaged"):
            SqlLibrary.open(folder)
        assert file.read_bytes() == before
        assert not (folder / "backups").exists()

    def test_that_no_room_for_the_copy_means_no_migration(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "backups").write_text("in the way")
        self.add(monkeypatch, "9001")
        with pytest.raises(StoreError, match="backups"):
            SqlLibrary.open(folder)
        assert "added_9001" not in self.columns(folder / "library.db")


NOBODY = 65534
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")

READING = """
import os, sys
from pathlib import Path
import filelock
import sqlalchemy.dialects.sqlite
from app.adapters.secrets import FileSecrets
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
        "import os, sys; from pathlib import Path; from app.adapters.secrets import FileSecrets; "
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


def test_that_a_dry_run_without_room_for_its_copy_names_the_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    SqlLibrary.open(tmp_path).close()
    monkeypatch.setattr(shutil, "copyfile", full)
    with (
        pytest.raises(StoreError, match="is full, so nothing was changed"),
        dry_run(tmp_path, FileSecrets(tmp_path / "secrets.json")),
    ):
        pass


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
