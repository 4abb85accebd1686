"""Tests of outside faults and damaged rows: a message for the user, and everything else unchanged."""

import errno
import os
import random
import shutil
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import JSON, Text

from app.adapters.store import connections, faults, opening
from app.adapters.store.faults import tried_writing
from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.errors import KnownError, StoreError, StoreGoneError
from app.domain.filters import CaseFilter, MemoryEdit, MemoryFilter
from app.domain.history import Doubt, HistoryEntry, HistoryFilter, Source
from app.domain.intent import Rule
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, Power, Tool, Transport
from db.schema import TableRow
from tests.build import some
from tests.nursery import Program

pytestmark = pytest.mark.usefixtures("migrations_run")

PROJECT = Path(__file__).resolve().parents[4]
NOBODY = 65534
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a profile with 500 memories, closed, which is only copied."""
    folder = tmp_path_factory.mktemp("closed") / "profile"
    library = SqlLibrary.open(folder)
    library.add("memories", (Memory((f"phrase {number} " + "x" * 50,)) for number in range(500)))
    library.close()
    return folder


@pytest.fixture
def folder(closed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(closed, tmp_path / "profile"))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 150)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def sentence_of_refusal(folder: Path) -> str:
    """Return the message of a failed opening, after checking that nothing changed."""
    before = contents(folder)
    with pytest.raises(StoreError) as caught:
        SqlLibrary.open(folder).close()
    assert contents(folder) == before
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


class TestWhatIsInTheFile:
    @pytest.mark.parametrize("start", [b"not a database at all, but long enough to look like one", b"x", b"SQLite"])
    def test_that_a_file_that_is_no_database_is_left_alone(self, folder: Path, start: bytes) -> None:
        (folder / "library.db").write_bytes(start)
        assert "not a library" in sentence_of_refusal(folder)

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
    def test_that_a_pipe_in_its_place_is_not_waited_for(self, folder: Path) -> None:
        (folder / "library.db").unlink()
        os.mkfifo(folder / "library.db")
        assert "a pipe or a device" in sentence_of_refusal(folder)

    def test_that_another_programs_database_is_left_alone(self, folder: Path) -> None:
        (folder / "library.db").unlink()
        with closing(sqlite3.connect(folder / "library.db")) as connection:
            connection.execute("CREATE TABLE bookmarks (url)")
        assert "not a library" in sentence_of_refusal(folder)

    def test_that_a_newer_library_is_left_alone(self, folder: Path) -> None:
        with closing(sqlite3.connect(folder / "library.db")) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        assert "newer version" in sentence_of_refusal(folder)
        with closing(sqlite3.connect(folder / "library.db")) as connection, connection:
            connection.execute("INSERT INTO alembic_version VALUES ('0001')")
        assert "damaged" in sentence_of_refusal(folder)

    @pytest.mark.parametrize("size", [100, 4_096, 5_000, 40_000])
    def test_that_a_library_cut_short_is_left_alone(self, folder: Path, size: int) -> None:
        with (folder / "library.db").open("r+b") as stream:
            stream.truncate(size)
        assert "damaged" in sentence_of_refusal(folder)

    def test_that_a_library_with_a_broken_first_page_is_left_alone(self, folder: Path) -> None:
        with (folder / "library.db").open("r+b") as stream:
            stream.seek(100)
            stream.write(random.Random(1).randbytes(3_000))
        assert "damaged" in sentence_of_refusal(folder)

    @pytest.mark.parametrize("hit", [b"st\xd6ged", b"stayed"])
    @pytest.mark.parametrize("name", [b"staged", b"pending_secrets", b"version_num", b"TABLE powers"])
    def test_that_damage_in_what_the_tables_are_called_is_told(self, folder: Path, name: bytes, hit: bytes) -> None:
        file = folder / "library.db"
        file.write_bytes(file.read_bytes().replace(name, hit.ljust(len(name), b"x")))
        with pytest.raises(StoreError, match="damaged"), closing(SqlLibrary.open(folder)) as library:
            library.add("powers", [Power("new")])

    def test_that_damage_further_in_is_told_when_it_is_met(self, folder: Path) -> None:
        file = folder / "library.db"
        with closing(sqlite3.connect(file)) as connection:
            (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'memories'").fetchone()
            (size,) = connection.execute("PRAGMA page_size").fetchone()
        with file.open("r+b") as stream:
            stream.seek((root - 1) * size)
            stream.write(b"\xff" * size)
        before = file.read_bytes()
        library = SqlLibrary.open(folder)
        with pytest.raises(StoreError, match="damaged"):
            library.memories()
        with pytest.raises(StoreError, match="damaged"):
            library.add("memories", [Memory(("new",))])
        library.close()
        assert file.read_bytes() == before

    def test_that_a_text_that_is_no_utf_8_costs_its_memory_alone(self, folder: Path) -> None:
        with closing(sqlite3.connect(folder / "library.db")) as connection, connection:
            connection.execute("UPDATE triggers SET text = CAST(x'ff00fe' AS TEXT) WHERE memory_id = 1")
        library = SqlLibrary.open(folder)
        assert len(library.memories()) == 499
        assert library.damaged() == {"memories": [1]}
        with pytest.raises(StoreError, match="damaged among its memories"):
            library.edit_memories(Edit("paused"), [1], MemoryEdit(paused=True))
        library.close()

    def test_that_an_empty_file_is_a_new_library(self, tmp_path: Path) -> None:
        (tmp_path / "library.db").touch()
        library = SqlLibrary.open(tmp_path)
        assert library.memories() == []
        library.close()


class TestWhatIsAround:
    @pytest.mark.parametrize("path", ["file", "file/profile"])
    def test_that_a_file_where_a_folder_is_needed_is_left_alone(self, tmp_path: Path, path: str) -> None:
        (tmp_path / "file").write_text("mine")
        with pytest.raises(StoreError, match="expected a folder, found a file"):
            SqlLibrary.open(tmp_path / path)
        assert (tmp_path / "file").read_text() == "mine"

    def test_that_a_folder_where_the_file_should_be_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "library.db").mkdir()
        assert "expected a file, found a folder" in sentence_of_refusal(tmp_path)

    def test_that_an_impossible_name_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="cannot be opened"):
            SqlLibrary.open(tmp_path / ("x" * 300))

    @pytest.mark.parametrize("name", ["100% sure", "a?b#c&d=e", "Übersicht profil", "%s"])
    def test_that_any_other_name_will_do(self, tmp_path: Path, name: str) -> None:
        library = SqlLibrary.open(tmp_path / name)
        library.put_settings({"theme": "dark"})
        library.close()
        assert (tmp_path / name / "library.db").stat().st_size > 0
        assert [path.name for path in tmp_path.iterdir()] == [name]

    @POSIX
    def test_that_the_folder_is_for_its_owner_alone(self, tmp_path: Path) -> None:
        for _ in range(2):
            SqlLibrary.open(tmp_path / "a" / "profile").close()
            assert stat.S_IMODE((tmp_path / "a" / "profile").stat().st_mode) == 0o700
            (tmp_path / "a" / "profile").chmod(0o755)
            for name in ("learned.lock", "refits.json"):  # once it was fitted
                (tmp_path / "a" / "profile" / name).touch()

    @POSIX
    def test_that_a_read_only_library_stays_so_until_it_is_made_writable(self, folder: Path) -> None:
        file, side = folder / "library.db", folder / "library.db-shm"
        side.touch(0o400)  # as SQLite leaves it beside a read-only library
        for mode in (0o400, 0o600):
            file.chmod(mode)
            opening.make_private(folder)
            assert stat.S_IMODE(file.stat().st_mode) == stat.S_IMODE(side.stat().st_mode) == mode

    @POSIX
    def test_that_a_folder_with_other_things_in_it_keeps_its_mode(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.odt").touch()
        tmp_path.chmod(0o755)
        for _ in range(2):
            SqlLibrary.open(tmp_path).close()
            assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


AS_NOBODY = """
import os, sys
from pathlib import Path
import sqlalchemy.dialects.sqlite
from app.adapters.store.faults import tried_writing
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import take_notices
from app.domain.errors import StoreError, StoreGoneError
if os.getuid() == 0:  # root may write everywhere, so become somebody who may not
    os.setgid({nobody}); os.setuid({nobody})
take_notices(Path(sys.argv[1], "library.db"))
try:
    SqlLibrary.open(Path(sys.argv[1]))
except StoreError as error:
    print(error)
"""


@POSIX
class TestPermissions:
    @pytest.fixture
    def shared(self, folder: Path) -> Iterator[Path]:
        """Make a profile that another user may see, unlike the tests' folders."""
        place = Path(tempfile.mkdtemp())
        place.chmod(0o755)
        profile = place / "profile"
        shutil.copytree(folder, profile)
        profile.chmod(0o777)
        (profile / "library.db").chmod(0o666)
        yield profile
        profile.chmod(0o755)
        shutil.rmtree(place)

    def refused_to_another_user(self, folder: Path) -> str:
        return Program(AS_NOBODY.format(nobody=NOBODY), folder).output()

    def test_that_what_may_not_be_written_is_told(self, shared: Path) -> None:
        before = contents(shared)
        (shared / "library.db").chmod(0o444)
        assert f"{shared / 'library.db'} is read-only" in self.refused_to_another_user(shared)
        (shared / "library.db").chmod(0o666)
        shared.chmod(0o555)
        assert f"{shared} is read-only" in self.refused_to_another_user(shared)
        assert f"{shared} is read-only" in self.refused_to_another_user(shared / "new")
        assert contents(shared) == before

    @pytest.mark.parametrize(("of_file", "of_folder"), [(0o444, 0o777), (0o444, 0o555), (0o666, 0o555)])
    def test_that_a_read_only_library_can_be_backed_up(self, shared: Path, of_file: int, of_folder: int) -> None:
        (shared / "digests.key").chmod(0o444)
        (shared / "library.db").chmod(of_file)
        shared.chmod(of_folder)
        before, target = (shared / "library.db").read_bytes(), shared.parent / "own" / "copy.db"
        target.parent.mkdir(0o700)
        if os.getuid() == 0:
            os.chown(target.parent, NOBODY, NOBODY)
        code = "from app.adapters.store.restoring import back_up\n" + AS_NOBODY.replace(
            "SqlLibrary.open(Path(sys.argv[1]))", "print(back_up(Path(sys.argv[1]), Path(sys.argv[2])))"
        )
        assert Program(code.format(nobody=NOBODY), shared, target).output().strip() == str(target)
        assert (shared / "library.db").read_bytes() == before
        with closing(sqlite3.connect(target)) as copy:
            assert copy.execute("SELECT count(*) FROM memories").fetchone()

    def test_that_sqlites_own_refusal_is_told_too(self, folder: Path) -> None:
        file = folder / "library.db"
        with (
            closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection,
            pytest.raises(StoreError, match="read-only"),
            faults.known_faults(file),
        ):
            connection.execute("DELETE FROM memories")


@pytest.mark.usefixtures("impatient")
class TestLocks:
    def test_that_a_write_waits_for_another_program_and_then_says_so(self, folder: Path) -> None:
        library = SqlLibrary.open(folder)
        with closing(sqlite3.connect(folder / "library.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="in use by another program"):
                library.put_settings({"theme": "dark"})
            assert len(library.memories()) == 500
            other.execute("ROLLBACK")
        library.put_settings({"theme": "dark"})
        assert library.setting_values() == {"theme": "dark"}
        library.close()

    def test_that_a_library_locked_while_it_is_made_or_held_alone_is_told(self, tmp_path: Path, folder: Path) -> None:
        made = ("CREATE TABLE alembic_version (version_num)", "BEGIN EXCLUSIVE")
        held = ("PRAGMA locking_mode=EXCLUSIVE", "UPDATE memories SET usage = 1 WHERE id = 1")
        for place, statements in ((tmp_path / "new", made), (folder, held)):
            place.mkdir(exist_ok=True)
            with closing(sqlite3.connect(place / "library.db", isolation_level=None)) as other:
                for statement in statements:
                    other.execute(statement)
                with pytest.raises(StoreError, match="in use by another program"):
                    SqlLibrary.open(place)


class TestFullDisk:
    def test_that_a_full_disk_changes_nothing_and_is_told(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # A limit on pages fails with the same code, at the same place, as a full disk.
        monkeypatch.setattr(connections, "WRITING", (*connections.WRITING, "PRAGMA max_page_count=60"))
        library = SqlLibrary.open(folder)
        with pytest.raises(StoreError, match="full"):
            library.add("memories", (Memory((f"new {number}" + "y" * 200,)) for number in range(5_000)))
        assert len(library.memories()) == 500
        library.put_settings({"theme": "dark"})
        assert library.setting_values() == {"theme": "dark"}
        library.close()


class TestBugs:
    def test_that_a_mistake_of_ours_is_no_store_error(self, folder: Path) -> None:
        library = SqlLibrary.open(folder)
        with pytest.raises(AttributeError):
            library.add("memories", ["not a memory"])
        library.close()
        with pytest.raises(RuntimeError):
            library.put_settings({"theme": "dark"})


class TestAfterACrash:
    def test_that_an_unfinished_write_is_rolled_back(self, folder: Path, tmp_path: Path) -> None:
        file = folder / "library.db"
        with closing(sqlite3.connect(file, isolation_level=None)) as dying:
            dying.execute("PRAGMA journal_mode=DELETE")
            dying.execute("PRAGMA cache_size=1")  # so that changes reach the file before the commit
            dying.execute("BEGIN")
            dying.execute("UPDATE triggers SET text = 'overwritten'")
            dying.execute("UPDATE memories SET response = 'overwritten'")
            shutil.copytree(folder, tmp_path / "found")
        assert (tmp_path / "found" / "library.db-journal").stat().st_size > 0
        library = SqlLibrary.open(tmp_path / "found")
        assert {memory.response for memory in library.memories()} == {""}
        library.close()

    def test_that_a_write_that_was_not_yet_moved_to_the_file_is_there(self, folder: Path, tmp_path: Path) -> None:
        dying = SqlLibrary.open(folder)
        dying.add("memories", [Memory(("the last words",))])
        shutil.copytree(folder, tmp_path / "found", ignore=shutil.ignore_patterns("*-shm"))
        dying.close()
        library = SqlLibrary.open(tmp_path / "found")
        assert library.memories()[-1].triggers == ("the last words",)
        library.close()


@POSIX
class TestGoneWhileOpen:
    """An open file is removed; Windows does not allow it."""

    def test_that_nothing_is_said_to_be_stored_in_a_library_that_was_removed(self, folder: Path) -> None:
        library = SqlLibrary.open(folder)
        shutil.rmtree(folder)
        with pytest.raises(StoreGoneError, match="was removed or replaced while it was open"):
            library.put_settings({"theme": "dark"})
        with pytest.raises(StoreGoneError):
            library.data_version()
        library.close()

    def test_that_nothing_is_said_to_be_stored_in_a_library_that_was_replaced(
        self, folder: Path, tmp_path: Path
    ) -> None:
        library = SqlLibrary.open(folder)
        SqlLibrary.open(tmp_path / "other").close()
        (tmp_path / "other" / "library.db").replace(folder / "library.db")
        with pytest.raises(StoreGoneError):
            library.add("memories", [Memory(("order tea",))])
        library.close()


ADDS = """
import sys
from pathlib import Path
from app.adapters.store.faults import tried_writing
from app.adapters.store.library import SqlLibrary
from app.domain.library import Memory, Power
from app.domain.errors import StoreError
try:
    library = SqlLibrary.open(Path(sys.argv[1]))
    added = library.add("memories", (Memory((f"other {n}",)) for n in range(500))).added
    library.close()
    print(len(added))
except StoreError as error:
    print(error)
"""


def added_by_another_process(folder: Path) -> str:
    return Program(ADDS, folder).output().strip()


def texts_in(folder: Path) -> list[str]:
    """Return the texts that another process finds in the library."""
    with closing(sqlite3.connect(f"{(folder / 'library.db').as_uri()}?mode=ro", uri=True)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM triggers WHERE memory_id > 500")]


@POSIX
class TestFilesBesideGoneWhileOpen:
    """The log and the shared memory are as important as the library's file."""

    @pytest.mark.parametrize("ends", [["-wal"], ["-shm"], ["-wal", "-shm"]])
    def test_that_nothing_more_is_said_to_be_stored_and_what_was_is_there(self, folder: Path, ends: list[str]) -> None:
        library = SqlLibrary.open(folder)
        library.change(Edit("taught"), [Memory(("order tea",))])
        for end in ends:
            (folder / f"library.db{end}").unlink()
        with pytest.raises(StoreGoneError, match="beside the library"):
            library.change(Edit("taught"), [Memory(("order coffee",))])
        with pytest.raises(StoreGoneError):
            library.data_version()
        library.close()
        assert texts_in(folder) == ["order tea"]
        assert added_by_another_process(folder) == "500"
        assert len(texts_in(folder)) == 501

    @pytest.mark.parametrize("ends", [["-wal"], ["-shm"], ["-wal", "-shm"]])
    def test_that_another_process_stores_what_it_says_or_refuses(self, folder: Path, ends: list[str]) -> None:
        library = SqlLibrary.open(folder)
        library.change(Edit("taught"), [Memory(("order tea",))])
        for end in ends:
            (folder / f"library.db{end}").unlink()
        said = added_by_another_process(folder)
        with pytest.raises(StoreGoneError):
            library.change(Edit("taught"), [Memory(("order coffee",))])
        library.close()
        there = texts_in(folder)
        assert "order coffee" not in there
        assert len([text for text in there if text.startswith("other")]) == (500 if said == "500" else 0)
        if ends != ["-wal", "-shm"]:  # without both files, no program can know that there was a log
            assert "order tea" in there
        with closing(SqlLibrary.open(folder)) as again:
            assert len(again.memories()) == 500 + len(there)

    def test_that_two_who_have_it_open_both_stop(self, folder: Path) -> None:
        one, other = SqlLibrary.open(folder), SqlLibrary.open(folder)
        one.change(Edit("taught"), [Memory(("order tea",))])
        (folder / "library.db-wal").unlink()
        for library in (one, other):
            with pytest.raises(StoreGoneError, match="what was stored before is kept"):
                library.put_settings({"theme": "dark"})
        one.close()
        other.close()
        assert texts_in(folder) == ["order tea"]

    def test_that_closing_a_library_that_was_replaced_leaves_the_new_ones_log_alone(
        self, folder: Path, tmp_path: Path
    ) -> None:
        library = SqlLibrary.open(folder)
        library.put_settings({"theme": "dark"})
        moved = tmp_path / "moved"
        moved.mkdir()
        for file in folder.glob("library.db*"):
            file.rename(moved / file.name)
        fresh = SqlLibrary.open(folder)
        fresh.add("memories", [Memory(("order tea",))])
        library.close()
        assert (folder / "library.db-wal").exists()
        kept = contents(folder)
        fresh.close()
        killed = tmp_path / "killed"
        killed.mkdir()
        for name in ("library.db", "library.db-wal"):
            (killed / name).write_bytes(kept[name])
        with closing(SqlLibrary.open(killed)) as again:
            assert [memory.triggers for memory in again.memories()] == [("order tea",)]


class TestTriedWriting:
    """`doctor` tests the disk itself."""

    def test_that_it_tells_the_room_and_leaves_nothing(self, tmp_path: Path) -> None:
        assert "MB are free; a small test file was written" in tried_writing(tmp_path / "library.db")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("number", "told"),
        [(errno.ENOSPC, "is full"), (errno.EROFS, "is read-only"), (errno.EIO, "cannot be opened at")],
    )
    def test_that_what_refuses_it_is_told_and_nothing_left(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, told: str
    ) -> None:
        def refuse(descriptor: int) -> None:
            raise OSError(number, "refused")

        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(StoreError, match=told):
            tried_writing(tmp_path / "library.db")
        assert list(tmp_path.iterdir()) == []


NO_UTF8 = "CAST(x'ff00fe' AS TEXT)"
WORDS = "'no JSON {'"
HARMFUL = {Text: (NO_UTF8,), JSON: (WORDS, "'[1]'", "'[[]]'", "'{\"a\": 1}'", "'\"x\"'", "'null'", "'7'")}
TABLES = "memories triggers powers tools rules cases steps revisions queries traces runs settings".split()
KINDS: dict[str, Callable[[SqlLibrary], list[str]]] = {
    "memories": lambda library: [memory.response for memory in library.memories()],
    "powers": lambda library: [power.name for power in library.powers()],
    "rules": lambda library: [rule.id for rule in library.rules()],
    "cases": lambda library: [case.text for case in library.cases()],
}


@pytest.fixture(scope="module")
def damaged_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    damaged_folder = tmp_path_factory.mktemp("profile")
    library = SqlLibrary.open(damaged_folder)
    for name in ("a", "b", "c"):
        edit = Edit("taught")
        written = library.change(edit, [Memory((f"{name} one", f"{name} two"), name, tags=("t",))])
        power = Power(name, keywords=("k",), tools=(Tool("t", "d"),), transport=Transport("npx", ("x",), {"K": ""}))
        library.change(edit, [power])
        library.change(edit, [Rule(name, "howto", name, "mine", 1)])
        library.change(edit, [Case(name, ("x",), Task.INTENT)])
        at = "2126-11-22 00:00:00"
        library.add_queries([HistoryEntry(at, Source.LOG, name, doubts=(Doubt.WEAK,), trace={"n": 1})])
        library.record_run(1 + "abc".index(name), approved="x", tools=[], seen={}, calls=1)
        library.put_settings({f"key.{name}": "1"})
        assert written is not None
    library.change(Edit("taught"), [Rule(name, "howto", name, "gone", 9) for name in ("x", "y", "z")])
    gone = [(ItemKind.RULE, rule.key) for rule in library.rules() if rule.pack == "gone" and rule.key is not None]
    library.change(Edit("deleted"), gone=gone)
    library.close()
    return damaged_folder


def damages(table: str) -> list[tuple[str, str]]:
    """Return every non-key column of a table with its most harmful values."""
    columns = [column for column in TableRow.metadata.tables[table].columns if not column.primary_key]
    return [(column.name, value) for column in columns for value in HARMFUL.get(type(column.type), (WORDS,))]


def damaged(damaged_folder: Path, place: Path, table: str, column: str, value: str) -> Path | None:
    """Copy the profile with this value in a table's second row; None if SQLite rejects it."""
    place.mkdir(exist_ok=True)
    for name in ("library.db", "digests.key"):
        (place / name).write_bytes((damaged_folder / name).read_bytes())
    with closing(sqlite3.connect(place / "library.db")) as connection:
        connection.create_function("exactly", 1, repr)
        connection.execute("PRAGMA ignore_check_constraints=ON")
        keys = [name for _, name, _, _, _, is_key in connection.execute(f"PRAGMA table_info({table})") if is_key]
        order = ", ".join(keys)
        second = connection.execute(f"SELECT {order} FROM {table} ORDER BY {order} LIMIT 1 OFFSET 1").fetchone()  # noqa: S608 - names of ours
        where = " AND ".join(f"{name} = ?" for name in keys)
        try:
            with connection:
                connection.execute(f"UPDATE {table} SET {column} = {value} WHERE {where}", second)  # noqa: S608
        except sqlite3.Error:
            return None
    return place


LISTS: dict[str, Callable[[SqlLibrary], int]] = {
    "memories": lambda library: len(library.memories_by_key(library.find_memories(MemoryFilter()))),
    "cases": lambda library: len(library.cases_by_key(library.find_cases(CaseFilter()))),
    "steps": lambda library: len(library.steps()),
    "bin": lambda library: len(library.binned()),
    "queries": lambda library: len(library.traced_queries(library.find_queries(HistoryFilter()))),
    "runs": lambda library: len(library.run_records()),
    "settings": lambda library: len(library.setting_values()),
}
CALLS: tuple[Callable[[SqlLibrary], object], ...] = (
    lambda library: library.facets(),
    lambda library: library.intents(0.5),
    lambda library: library.counts(),
    lambda library: library.history(ItemKind.MEMORY, 2),
    lambda library: library.history(ItemKind.POWER, 2),
    lambda library: library.count_queries(),
    lambda library: library.secrets_fault(),
    lambda library: library.change(Edit("taught"), [Memory(("new",))]),
    lambda library: library.add("memories", [Memory(("b one",), "other")]),
    lambda library: library.add("powers", [Power("b")]),
    lambda library: library.add("rules", [Rule("b", "howto", "other", "mine", 1)]),
    lambda library: library.add("cases", [Case("b", ("y",), Task.INTENT)]),
    lambda library: [library.undo() for _ in range(3)],
    lambda library: library.redo(),
    lambda library: library.prune(30),
    lambda library: library.empty_bin(),
)


@pytest.mark.parametrize("table", TABLES)
def test_that_a_damaged_value_is_told_and_costs_its_row_alone(damaged_folder: Path, tmp_path: Path, table: str) -> None:
    for column, value in damages(table):
        place = damaged(damaged_folder, tmp_path / "damaged", table, column, value)
        if place is None:
            continue
        library = SqlLibrary.open(place)
        for kind, read in KINDS.items():
            found = read(library)
            assert len(set(found)) == len(found) >= 2, (column, kind)
            assert len(found) + len(library.damaged().get(kind, ())) == 3, (column, kind)
        for name, count in LISTS.items():
            assert count(library) >= 2, (column, name)
        for call in CALLS:
            with suppress(KnownError):
                call(library)
        library.close()


@pytest.mark.parametrize("state", ["[1]", "null", "{}"])
def test_that_a_recorded_state_of_another_kind_refuses_its_undo(
    damaged_folder: Path, tmp_path: Path, state: str
) -> None:
    place = some(damaged(damaged_folder, tmp_path / "damaged", "revisions", "state", f"'{state}'"))
    with closing(SqlLibrary.open(place)) as library, pytest.raises(StoreError, match="among its recorded states"):
        list(iter(library.undo, None))


def test_that_a_notice_that_is_no_text_is_dropped(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "library.db")) as connection, connection:
        connection.execute("INSERT INTO notices (sentence) VALUES (x'ff00'), ('Restored.')")
    assert [opening.take_notices(folder / "library.db") for _ in range(2)] == [["Restored."], []]


@pytest.mark.parametrize(
    ("table", "column", "value", "named"),
    [
        ("runs", "told", WORDS, {"runs": [2]}),
        ("settings", "value", NO_UTF8, {"settings": ["key.b"]}),
        ("queries", "doubts", WORDS, {"queries": [2]}),
        ("traces", "document", WORDS, {}),
    ],
)
def test_that_rows_that_are_no_items_are_named_too(
    damaged_folder: Path, tmp_path: Path, table: str, column: str, value: str, named: dict[str, object]
) -> None:
    place = some(damaged(damaged_folder, tmp_path / "damaged", table, column, value))
    with closing(SqlLibrary.open(place)) as library:
        queries = library.traced_queries(library.find_queries(HistoryFilter()))
        assert len(library.run_records()) + len(library.setting_values()) + len(queries) == 9 - len(named)
        assert sum(query.trace is not None for query in queries) == (2 if table in ("queries", "traces") else 3)
        assert library.damaged() == named
