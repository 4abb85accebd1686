"""Tests of profiles older than library marks: own data stays, notices appear once."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from app.adapters.secrets import secret_key
from app.adapters.store import opening
from app.adapters.store.connections import KEY_FILE, KEYED
from app.adapters.store.library import SqlLibrary
from app.adapters.store.opening import FILE
from app.adapters.store.restoring import candidate
from app.adapters.store.values import STORED
from db import upgrade as history
from db.schema import TableRow

pytestmark = pytest.mark.usefixtures("migrations_run")

ADDRESS = "http://192.0.2.1:11434"
POWER = (
    "INSERT INTO powers (id, name, description, steering, keywords, examples, command, args, env, paused, approved) "
    "VALUES (1, 'sh', '', '', '[]', '[]', 'sh', '[]', '{}', 0, 1)"
)
TEAM = "INSERT INTO team (id, library, address, author, head) VALUES (1, 'x', 'postgresql://a@127.0.0.1:1/x', 'a', 3)"


def older(folder: Path, revision: str, *statements: str) -> Path:
    """Make a library of this earlier revision, with an approved power and an address."""
    folder.mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as driver:
        driver.create_function(KEYED, 1, lambda digest: digest)
        with create_engine("sqlite://", creator=lambda: driver, poolclass=StaticPool).begin() as connection:
            history.upgrade(connection, revision)
        for statement in (POWER, "INSERT INTO runs (power_id, approved) VALUES (1, 'digest')",
                          *statements):  # fmt: skip
            driver.execute(statement)
        driver.execute("INSERT INTO settings (key, value) VALUES ('llm.url', ?)", (ADDRESS,))
    return folder / FILE


def opened(folder: Path) -> tuple[bool, str, dict[str, str]]:
    """Return whether its power is approved, by which digest, and its settings."""
    with closing(SqlLibrary.open(folder)) as library:
        (power,) = library.powers()
        return power.approved, library.run_records()[power.key or 0].approved, library.setting_values()


WHOLE = (True, "digest", {"llm.url": ADDRESS})
BARE: tuple[bool, str, dict[str, str]] = (False, "", {})


@pytest.mark.parametrize("revision", ["0008", "0020"])
def test_that_an_upgraded_profile_keeps_what_it_had_and_its_copies_stay_its_own(tmp_path: Path, revision: str) -> None:
    file = older(tmp_path, revision)
    if revision > "0010":
        secret_key(tmp_path / KEY_FILE)
    (tmp_path / "backups").mkdir()
    former = tmp_path / "backups" / "kept-20200101T000000.000000Z.db"
    shutil.copyfile(file, former)
    (tmp_path / "backups" / "kept-20200102T000000.000000Z.db").write_bytes(b"no database")
    for year in range(2090, 2093):  # by a clock that was ahead
        (tmp_path / "backups" / f"library-{year}0101T000000.000000Z-0007.db").write_bytes(b"no database")
    assert opened(tmp_path) == WHOLE
    assert opening.take_notices(file) == []
    made, *others = sorted((tmp_path / "backups").glob("library-*.db"))
    assert len(others) == opening.KEPT_BACKUPS - 1
    for copy in (former, made):
        with candidate(tmp_path, copy) as found:
            assert found.is_own
            found.restore()
        assert opened(tmp_path) == WHOLE


def test_that_an_older_library_without_the_key_of_its_profile_is_from_outside(tmp_path: Path) -> None:
    file = older(tmp_path, "0020")
    assert opened(tmp_path) == BARE
    (told,) = opening.take_notices(file)
    assert "was not made by this profile" in told


@pytest.mark.parametrize("revision", ["0005", "0008", "0020"])
def test_that_an_older_library_in_the_place_of_an_upgraded_one_is_from_outside(tmp_path: Path, revision: str) -> None:
    SqlLibrary.open(tmp_path / "p").close()
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
        (tmp_path / "p" / name).unlink(missing_ok=True)
    if revision == "0005":
        with pytest.raises(sqlite3.OperationalError, match="runs"):
            older(tmp_path / "p", revision)
        with closing(sqlite3.connect(tmp_path / "p" / FILE)) as connection, connection:
            connection.execute("INSERT INTO settings (key, value) VALUES ('llm.url', ?)", (ADDRESS,))
    else:
        older(tmp_path / "p", revision)
    with closing(SqlLibrary.open(tmp_path / "p")) as library:
        assert not any(power.approved for power in library.powers())
        assert library.setting_values() == {}


def test_that_a_profile_that_lost_its_key_is_told_and_can_choose_again(tmp_path: Path) -> None:
    secret_key(tmp_path / KEY_FILE)
    file = older(tmp_path, "0020")
    assert opened(tmp_path) == WHOLE
    (tmp_path / KEY_FILE).write_bytes(b"short")
    assert opened(tmp_path) == BARE
    assert len(opening.take_notices(file)) == 1


@pytest.mark.parametrize("was_in", ["a team", "a team that was left", "none"])
def test_that_settings_that_a_team_may_have_given_are_told_once_with_the_command_that_resets_them(
    tmp_path: Path, was_in: str
) -> None:
    secret_key(tmp_path / KEY_FILE)
    step = "INSERT INTO steps (id, verb, subject, count, source, author) VALUES "
    shared = {"a team": [TEAM], "a team that was left": [f"{step} (9, 'taught', '', 1, '', 'bernd')"], "none": []}[
        was_in
    ]
    file = older(
        tmp_path,
        "0020",
        *shared,
        "INSERT INTO settings (key, value) VALUES ('serve.teach', 'true'), ('tiers.high', '0.95'), ('theme', 'dark')",
        "INSERT INTO settings (key, value) VALUES ('history.privacy', 'off')",
        f"{step} (7, 'set', '', 1, '', NULL)",
        "INSERT INTO setting_revisions VALUES (7, 'history.privacy', NULL, 'off')",
    )
    SqlLibrary.open(tmp_path).close()
    told = opening.take_notices(file)
    if was_in == "none":
        assert told == []
        return
    (sentence,) = told
    assert f"llm.url={ADDRESS}, serve.teach=true" in sentence
    assert "“intentscope settings --reset llm.url --reset serve.teach”" in sentence
    assert not any(key in sentence for key in ("tiers", "theme", "privacy"))
    SqlLibrary.open(tmp_path).close()
    assert opening.take_notices(file) == []


def test_that_every_trigger_that_migrations_make_is_known_and_every_kind_of_column_checked(tmp_path: Path) -> None:
    made: set[str] = set()
    for number, revision in enumerate(history.REVISIONS):
        with closing(sqlite3.connect(tmp_path / f"{number}.db", isolation_level=None)) as driver:
            driver.create_function(KEYED, 1, lambda digest: digest)
            with create_engine("sqlite://", creator=lambda driver=driver: driver, poolclass=StaticPool).begin() as one:
                history.upgrade(one, revision)
            made |= {sql for (sql,) in driver.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")}
            for name in TableRow.metadata.tables:
                assert {kind for _, _, kind, *_ in driver.execute(f"PRAGMA table_info({name})")} <= STORED.keys()
    assert {" ".join(sql.split()) for sql in made} == history.TRIGGERS


def test_that_a_lost_library_is_told_once(tmp_path: Path) -> None:
    file = opening.prepare_file(tmp_path)
    assert opening.take_notices(file) == []
    for content in (None, b""):
        for name in opening.LIBRARY:
            (tmp_path / name).unlink(missing_ok=True)
        if content is not None:
            file.write_bytes(content)
        (told,) = opening.take_notices(opening.prepare_file(tmp_path))
        assert str(file) in told
        assert "restore" in told
        assert opening.take_notices(opening.prepare_file(tmp_path)) == []
