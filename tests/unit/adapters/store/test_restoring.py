"""Tests of restoring: own copies completely, outside ones without the owner's decisions."""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from app.adapters.secrets import FileSecrets
from app.adapters.store import opening, restoring
from app.adapters.store.connections import KEY_FILE
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.adapters.store.restoring import candidate
from app.adapters.store.team.wire import LOCAL
from app.display.library.importing import restored_lines
from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.intent import Rule
from app.domain.journal import Edit
from app.domain.library import Memory, Power, Transport
from app.domain.outside import Restored
from tests.unit.test_settings import HARMLESS, PERSONAL

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS id FROM c"
PORTABLE = {"tiers.high": "0.95", "routes.billing.stores": "invoices"}
CHOSEN = {**PORTABLE, **HARMLESS, **PERSONAL}


@pytest.fixture(scope="module")
def mallory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a profile with a power approved twice, with settings and cases."""
    folder = tmp_path_factory.mktemp("mallory") / "profile"
    with closing(SqlLibrary.open(folder, FileSecrets(folder / "secrets.json"))) as library:
        library.change(Edit("taught"), [Memory(("brew tea", "make tea"), id="tea"), Memory(("boil water",))])
        library.add("rules", [Rule("r", "howto", "how do", "mine", 1)])
        library.add("cases", [Case("tea please", ("tea",), Task.INTENT)], Edit("imported"))
        library.add("powers", [Power("deployer", transport=Transport("/bin/sh", ("-c", "id"), {"TOKEN": "hers"}))])
        (power,) = library.powers()
        library.record_run(power.key or 0, approved="digest")
        approved = Power("deployer", transport=power.transport, approved=True, key=power.key, version=power.version)
        library.change(Edit("approved"), [approved])
        library.choose_settings(Edit("set"), CHOSEN)
        library.choose_settings(Edit("set"), {"theme": "light"})
        assert library.run_records()[power.key or 0].approved == "digest"
    return folder


@pytest.fixture(scope="module")
def sealed(mallory: Path) -> Path:
    return restoring.back_up(mallory)


@pytest.fixture
def copy(sealed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(sealed, tmp_path / "copy.db"))


def changed(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def restored(folder: Path, source: Path, *, accept: bool = False) -> Restored:
    with candidate(folder, source) as found:
        return found.restore(accept=accept)


def everything(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows except those on the library's ownership."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        tables = {name: str(table.select()) for name, table in LOCAL.items() if name != "ownership"}
        return {name: sorted(connection.execute(select), key=repr) for name, select in tables.items()}


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[SqlLibrary]:
    """Open the library of another profile, with a stored value for the first power."""
    folder = tmp_path / "victim"
    secrets = FileSecrets(folder / "secrets.json")
    with closing(SqlLibrary.open(folder, secrets)) as library:
        library.add("powers", [Power("mine", transport=Transport("npx", (), {"TOKEN": "his"}))])
        yield library


# ---- Own copies


def test_that_a_profiles_own_copy_comes_back_whole_also_after_it_was_packed(mallory: Path, copy: Path) -> None:
    changed(copy, "VACUUM")
    before = everything(mallory)
    with candidate(mallory, copy) as found:
        assert (found.is_own, found.settings) == (True, {})
        told = found.restore()
    assert everything(mallory) == before
    assert not told.left_out
    assert len(restored_lines("x", told)) == 2
    with closing(SqlLibrary.open(mallory)) as library:
        assert library.run_records()[library.powers()[0].key or 0].approved == "digest"
    assert not opening.take_notices(mallory / FILE)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE powers SET command = '/bin/bash'",
        "UPDATE powers SET args = '[]'",
        "UPDATE runs SET approved = 'other'",
        "UPDATE settings SET value = 'http://192.0.2.9:1' WHERE key = 'llm.url'",
        "INSERT INTO settings (key, value) VALUES ('mallory', 'was here')",
        "UPDATE setting_revisions SET held = 'http://192.0.2.9:1' WHERE key = 'llm.url'",
        "INSERT INTO pending_secrets VALUES ('power:2:TOKEN', 'power:1:TOKEN')",
        "UPDATE ownership SET mark = zeroblob(32)",
        "DELETE FROM ownership",
    ],
)
def test_that_a_copy_that_somebody_changed_is_from_outside(mallory: Path, copy: Path, statement: str) -> None:
    changed(copy, statement)
    with candidate(mallory, copy) as found:
        assert not found.is_own


def test_that_the_secret_and_the_mark_of_a_profile_are_in_no_copy(mallory: Path, sealed: Path) -> None:
    with closing(sqlite3.connect(mallory / FILE)) as connection:
        ((mark,),) = connection.execute("SELECT mark FROM ownership")
    content = sealed.read_bytes()
    assert mark not in content
    assert (mallory / KEY_FILE).read_bytes() not in content


# ---- Outside copies


def test_that_a_copy_from_outside_brings_no_approvals_addresses_and_permissions(
    copy: Path, tmp_path: Path, victim: SqlLibrary
) -> None:
    victim.close()
    told = restored(tmp_path / "victim", copy)
    assert (told.is_own, told.accepted) == (False, {})
    assert told.left_out.approvals == ("deployer",)
    assert told.left_out.settings == PERSONAL
    lines = "\n".join(restored_lines("copy.db", told))
    assert "approval of 1 power (deployer)" in lines
    assert f"{len(PERSONAL)} settings" in lines
    assert "llm.url=http://192.0.2.1:11434" in lines
    with closing(SqlLibrary.open(tmp_path / "victim")) as library:
        assert [memory.triggers for memory in library.memories()] == [("brew tea", "make tea"), ("boil water",)]
        assert library.setting_values() == {**PORTABLE, **HARMLESS, "theme": "light"}
        (power,) = library.powers()
        assert not power.approved
        assert not library.run_records()[power.key or 0].approved
        assert library.environment(power) == {"TOKEN": ""}


def test_that_undo_and_redo_bring_back_no_approval_and_no_address(copy: Path, tmp_path: Path) -> None:
    with closing(SqlLibrary.open(tmp_path / "hers")) as library:
        assert (tmp_path / "hers" / FILE).exists()
    restored(tmp_path / "victim", copy)
    with closing(SqlLibrary.open(tmp_path / "victim")) as library:
        seen = set[tuple[str, str]]()
        for turn in (library.undo, library.undo, library.undo, library.undo, library.redo, library.redo, library.redo):
            turn()
            seen |= library.setting_values().items()
            assert not any(power.approved for power in library.powers())
            assert not any(record.approved for record in library.run_records().values())
        assert not {key for key, _ in seen} & PERSONAL.keys()


def test_that_settings_come_along_once_they_are_accepted_and_approvals_never(copy: Path, tmp_path: Path) -> None:
    with candidate(tmp_path / "victim", copy) as found:
        assert found.settings == PERSONAL
        assert not (tmp_path / "victim").exists()
        told = found.restore(accept=True)
    assert (told.accepted, told.left_out.settings, told.left_out.approvals) == (PERSONAL, {}, ("deployer",))
    with closing(SqlLibrary.open(tmp_path / "victim")) as library:
        assert library.setting_values() == {**CHOSEN, "theme": "light"}


def test_that_triggers_views_foreign_indexes_and_other_tables_stay_in_the_file(copy: Path, tmp_path: Path) -> None:
    changed(
        copy,
        "CREATE TRIGGER evil AFTER INSERT ON memories BEGIN DELETE FROM memories; END",
        "CREATE TRIGGER worse AFTER INSERT ON powers BEGIN UPDATE powers SET approved = 1; END",
        f"CREATE VIEW extra AS {ENDLESS}",
        "CREATE VIEW broken AS SELECT * FROM absent",
        "CREATE INDEX odd ON memories (abs(id))",
        "CREATE TABLE more (id)",
        "CREATE VIRTUAL TABLE texts USING fts5(a)",
    )
    told = restored(tmp_path / "victim", copy)
    assert set(told.left_out.sql) == {"trigger evil", "trigger worse", "view extra", "view broken"}
    with closing(SqlLibrary.open(tmp_path / "victim")) as library:
        library.add("memories", [Memory(("later",))])
        assert len(library.memories()) == 3
        library.add("powers", [Power("other", transport=Transport("npx"))])
        assert not any(power.approved for power in library.powers())
    with closing(sqlite3.connect(tmp_path / "victim" / FILE)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert not names & {"evil", "worse", "extra", "broken", "odd", "more", "texts"}


def test_that_secrets_that_wait_and_a_team_are_left_out(copy: Path, tmp_path: Path, victim: SqlLibrary) -> None:
    victim.close()
    changed(
        copy,
        "INSERT INTO pending_secrets VALUES ('power:1:TOKEN', NULL), ('stolen', 'power:1:TOKEN')",
        "INSERT INTO team (id, library, address, author, head) "
        "VALUES (1, 'x', 'postgresql://evil@127.0.0.1:1/x', 'me', 3)",
    )
    told = restored(tmp_path / "victim", copy)
    assert told.left_out.team == "postgresql://evil@127.0.0.1:1/x"
    secrets = FileSecrets(tmp_path / "victim" / "secrets.json")
    with closing(SqlLibrary.open(tmp_path / "victim", secrets)) as library:
        assert library.team() is None
    assert secrets.get("power:1:TOKEN") == "his"
    assert secrets.get("stolen") is None


LYING = "UPDATE sqlite_master SET sql = 'create/**/view cases AS SELECT 1 AS id', rootpage = 0 WHERE name = 'cases'"
REFUSED: dict[str, tuple[Sequence[str], str]] = {
    "a view in place of a table": (
        ["ALTER TABLE rules RENAME TO rules2", "CREATE VIEW rules AS SELECT * FROM rules2"], "its rules is a view",
    ),
    "an endless view": (
        ["ALTER TABLE cases RENAME TO c2", f"CREATE VIEW cases AS {ENDLESS}"], "its cases is a view",
    ),
    "a view that says to be a table": (["PRAGMA writable_schema = ON", LYING], "cannot be read"),
    "a virtual table": (
        ["DROP TABLE uses", "CREATE VIRTUAL TABLE uses USING fts5(memory_id, used, last)"], "is a virtual",
    ),
    "a computed column": (
        ["ALTER TABLE uses ADD COLUMN more AS (printf('%.*c', 1000000000, 'x'))"], "columns that are computed",
    ),
    "a missing table": (["DROP TABLE cases"], "its table cases is missing"),
    "a missing column": (["ALTER TABLE memories DROP COLUMN replaces"], "memories has no replaces"),
    "a false early revision": (["UPDATE alembic_version SET version_num = '0001'"], "although its revision has"),
    "a false late revision": (
        ["DROP TABLE notices", "DROP TABLE ownership"], "its table ownership is missing",
    ),
    "no revision": (["DELETE FROM alembic_version"], "does not say of which revision"),
    "two revisions": (["INSERT INTO alembic_version VALUES ('0020')"], "does not say of which revision"),
    "a revision that steers": (
        ["UPDATE alembic_version SET version_num = '../../x' || char(27)"], "does not say of which revision",
    ),
    "a newer revision": (["UPDATE alembic_version SET version_num = 'ffff'"], "newer version of this program"),
    "another program's file": (["DROP TABLE alembic_version"], "not a library of this program"),
    "a text where a number is": (["UPDATE memories SET usage = 'many'"], "none that usage can have"),
    "no number": (["UPDATE rules SET weight = 9e999"], "none that weight can have"),
    "a number that nothing follows": (["UPDATE uses SET used = 9223372036854775807",
                                       "INSERT INTO uses VALUES (9223372036854775807, 1, '2026-01-01')"], "memory_id"),
    "a key that nothing follows": (
        ["UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'memories'"], "none that seq can have",
    ),
    "bytes where a text is": (["UPDATE memories SET response = zeroblob(1000)"], "none that response can have"),
    "a huge text": (["UPDATE triggers SET text = hex(zeroblob(6000000))"], "none that text can have"),
    "a huge value": (["UPDATE memories SET response = zeroblob(200000000)"], "cannot be read"),
    "a text that is none": (["UPDATE memories SET response = CAST(x'ff00fe' AS TEXT)"], "cannot be read"),
    "no JSON": (["UPDATE memories SET tags = '{{{'"], "none that tags can have"),
    "deep JSON": (["UPDATE powers SET args = replace(hex(zeroblob(4500)), '0', '[')"], "none that args can have"),
    "no time": (["UPDATE steps SET at = '2026-13-45'"], "none that at can have"),
    "a switch that is neither": (["UPDATE powers SET approved = 'yes'"], "none that approved can have"),
    "a state that is none": (["UPDATE revisions SET state = '[1]', kind = 'power'"], "recorded state"),
    "a state of other values": (
        ["UPDATE revisions SET kind = 'power', state = json_object('name', json('[1]'))"], "recorded state",
    ),
    "a kind that there is not": (["UPDATE revisions SET kind = 'program', state = '{}'"], "recorded state"),
    "rows without what they belong to": (
        ["INSERT INTO triggers VALUES (77, 0, 'x', zeroblob(32))"], "belong to others that are missing",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_that_a_file_that_is_no_library_is_refused_in_a_sentence_and_nothing_changes(
    copy: Path, victim: SqlLibrary, tmp_path: Path, case: str
) -> None:
    statements, told = REFUSED[case]
    changed(copy, *statements)
    before = victim.data_version(), sorted((tmp_path / "victim").rglob("*"))
    with pytest.raises(StoreError, match=told), candidate(tmp_path / "victim", copy) as found:
        found.restore(accept=True)
    assert (victim.data_version(), sorted((tmp_path / "victim").rglob("*"))) == before


@pytest.mark.parametrize("made", ["a folder", "a pipe", "an empty file", "no file", "a page", "cut", "nobody's"])
def test_that_what_is_no_file_of_sqlite_is_refused_in_a_sentence(copy: Path, tmp_path: Path, made: str) -> None:
    content = copy.read_bytes()
    copy.unlink()
    match made:
        case "a folder":
            copy.mkdir()
        case "a pipe":
            if not hasattr(os, "mkfifo"):
                pytest.skip("no named pipes on this system")
            os.mkfifo(copy)
        case "an empty file":
            copy.touch()
        case "a page":
            copy.write_bytes(content[:4096])
        case "cut":
            copy.write_bytes(content[: len(content) // 2])
        case "nobody's":
            copy.write_bytes(content[:100] + Random(1).randbytes(len(content) - 100))
    with pytest.raises(StoreError, match=r"copy\.db"), candidate(tmp_path / "victim", copy):
        pass
    assert not (tmp_path / "victim").exists()


# ---- A library moved into the profile's place by hand


def test_that_a_library_from_outside_in_the_profiles_place_loses_the_same_and_that_is_told_once(
    mallory: Path, tmp_path: Path, victim: SqlLibrary
) -> None:
    victim.close()
    (tmp_path / "victim" / f"{FILE}-wal").unlink(missing_ok=True)
    with closing(sqlite3.connect(mallory / FILE)) as source, closing(sqlite3.connect(tmp_path / "theirs.db")) as target:
        source.backup(target)
    shutil.copyfile(tmp_path / "theirs.db", tmp_path / "victim" / FILE)
    secrets = FileSecrets(tmp_path / "victim" / "secrets.json")
    with closing(SqlLibrary.open(tmp_path / "victim", secrets)) as library:
        (power,) = library.powers()
        assert not power.approved
        assert not library.run_records()[power.key or 0].approved
        assert library.environment(power) == {"TOKEN": ""}
        assert library.setting_values() == {**PORTABLE, **HARMLESS, "theme": "light"}
    (told,) = opening.take_notices(tmp_path / "victim" / FILE)
    assert "was not made by this profile" in told
    assert "deployer" in told
    assert "llm.url=http://192.0.2.1:11434" in told
    with closing(SqlLibrary.open(tmp_path / "victim", secrets)):
        assert opening.take_notices(tmp_path / "victim" / FILE) == []


def test_that_a_copy_of_ones_own_in_the_profiles_place_stays_whole(mallory: Path, sealed: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(mallory, moved)
    shutil.copyfile(sealed, moved / FILE)
    with closing(SqlLibrary.open(moved)) as library:
        assert library.setting_values()["llm.url"] == PERSONAL["llm.url"]
        assert library.powers()[0].approved
    assert opening.take_notices(moved / FILE) == []


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TRIGGER evil AFTER INSERT ON memories BEGIN DELETE FROM memories; END"],
        [
            "DROP TRIGGER withdraw_approval",
            "CREATE TRIGGER withdraw_approval AFTER UPDATE ON powers BEGIN SELECT 1; END",
        ],
        ["ALTER TABLE cases RENAME TO c2", f"CREATE VIEW cases AS {ENDLESS}"],
        ["DROP TABLE uses", "CREATE VIRTUAL TABLE uses USING fts5(memory_id, used, last)"],
        ["CREATE INDEX odd ON memories (abs(id))"],
        ["CREATE INDEX odd ON memories (id) WHERE abs(id)"],
        ["PRAGMA writable_schema = ON", LYING],
    ],
)
def test_that_a_library_with_sql_of_somebody_else_is_not_opened_and_that_its_rows_can_be_restored(
    mallory: Path, tmp_path: Path, statements: list[str]
) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(mallory, moved)
    changed(moved / FILE, *statements)
    with pytest.raises(StoreError, match=r"SQL that this program did not write|is damaged"):
        SqlLibrary.open(moved)
    if any(name in statements[0] for name in ("cases", "uses", "writable")):
        return
    told = restored(moved, moved / FILE)
    assert not told.is_own
    with closing(SqlLibrary.open(moved)) as library:
        library.add("memories", [Memory(("later",))])
        assert len(library.memories()) == 3


def test_that_a_view_and_an_index_of_the_owner_are_no_reason_to_refuse_a_library(mallory: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(mallory, moved)
    changed(
        moved / FILE, "CREATE VIEW mine AS SELECT * FROM memories", "CREATE INDEX mine2 ON memories (source, usage)"
    )
    with closing(SqlLibrary.open(moved)) as library:
        assert library.powers()[0].approved
