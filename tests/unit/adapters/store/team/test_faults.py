"""Tests of a team's server that fails, answers endlessly, or is manipulated."""

import sys
from _thread import interrupt_main
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Timer

import pytest
from sqlalchemy import Connection, text

from app.adapters.secrets import FileSecrets
from app.adapters.store.team import joining
from app.adapters.store.team.server import Server
from app.display.library.journal import joined_words
from app.domain.errors import StoreError
from app.domain.journal import Edit
from app.domain.library import Memory, Power, Transport
from tests.servers.hostile_stores import EARLY, POSTGRES, hostile
from tests.store_servers import needed
from tests.team import Team
from tests.torture.team_faults import FAULTS
from tests.unit.adapters.datastores.test_stores import bounded
from tests.unit.test_settings import PERSONAL

TOLD = {
    "the server is restarted at once": ("cannot be reached", False, True),
    "a statement takes too long": ("change less at once", False, True),
    "another server takes over": ("cannot be reached", False, True),
    "one takes over that lacks the last change": ("put back there", False, False),
    "the disk of the server is full": ("is full", False, True),
    "a client is killed while it makes the tables": ("", True, True),
}
"""Message per fault, whether the change was made, and whether the next one is.

These faults end soon; `python -m tests.torture team --faults` has all.
"""


@pytest.mark.parametrize("fault", TOLD)
def test_that_nothing_acknowledged_is_lost_and_what_happened_is_said(fault: str) -> None:
    words, made, again = TOLD[fault]
    found = FAULTS[fault]()
    assert (found.made, found.again, found.same) == (made, again, True)
    assert words in found.said
    assert bool(found.said) == bool(words)


@pytest.mark.parametrize("mode", [*POSTGRES, *EARLY])
def test_that_a_server_that_lies_is_left(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("psycopg")
    monkeypatch.setattr("app.adapters.store.team.driver.SECONDS", 0.2)
    monkeypatch.setattr("app.adapters.store.team.driver.LONGEST_ANSWER", 16_000_000)
    monkeypatch.setattr("app.adapters.store.team.server.CONNECT_SECONDS", 1)
    with hostile("postgres", mode) as port, closing(Server(f"postgresql://me@127.0.0.1:{port}/notes")) as server:
        with pytest.raises(StoreError) as refused, bounded(), server.transaction():
            pass
        assert str(refused.value).isprintable()
        assert "s3cret" not in str(refused.value)
        assert "nothing was changed" in str(refused.value)


def test_that_joining_such_a_server_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("psycopg")
    monkeypatch.setattr("app.adapters.store.team.driver.LONGEST_ANSWER", 1_000_000)
    with hostile("postgres", "rows") as port, pytest.raises(StoreError, match="longer than 1,000,000 bytes"), bounded():
        joining.join(tmp_path, FileSecrets(tmp_path / "s.json"), f"postgresql://me@127.0.0.1:{port}/notes", None)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C is another thing there")
def test_that_a_statement_that_is_interrupted_ends_on_the_server_too(team: Team) -> None:
    pids: list[object] = []

    def sleep() -> None:
        with team.server.transaction() as connection:
            pids.append(connection.scalar(text("SELECT pg_backend_pid()")))
            Timer(0.2, interrupt_main).start()
            connection.execute(text("SELECT pg_sleep(15)"))

    with pytest.raises(KeyboardInterrupt):
        sleep()
    with team.server.transaction() as connection:
        asked = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid AND query LIKE '%pg_sleep(15)%'")
        assert connection.scalar(asked, {"pid": pids[0]}) == 0


PORTABLE = {"tiers.high": "0.95", "routes.billing.stores": "invoices"}
SHELL = Transport("/bin/sh", ("-c", "true"))


@pytest.fixture
def founded(team: Team, tmp_path: Path) -> Team:
    library = team.member(tmp_path / "anna", "anna")
    library.change(Edit("taught"), [Memory(("brew tea",)), Memory(("boil water",)), Power("sh", transport=SHELL)])
    (power,) = library.powers()
    library.record_run(power.key or 0, approved="yes")
    library.change(
        Edit("approved"), [Power("sh", transport=SHELL, approved=True, key=power.key, version=power.version)]
    )
    assert library.run_records()[power.key or 0].approved == "yes"
    library.change(
        Edit("edited"), [Power("sh", "a shell", transport=SHELL, key=power.key, version=power.version + 1)], anyway=True
    )
    return team


def said(team: Team, *statements: str) -> None:
    with team.server.transaction() as connection:
        for statement in statements:
            connection.execute(text(statement))


def offer(connection: Connection, settings: dict[str, str]) -> None:
    for key, value in settings.items():
        connection.execute(text("INSERT INTO settings VALUES (:key, :value)"), {"key": key, "value": value})


def test_that_only_settings_of_a_library_come_from_a_server_and_the_others_are_named(
    founded: Team, tmp_path: Path
) -> None:
    with founded.server.transaction() as connection:
        offer(connection, {**PORTABLE, **PERSONAL, "no.such": "1", "tiers.medium": "much"})
    carl = tmp_path / "carl"
    joined = joining.join(carl, founded.secrets(carl), founded.address_of("rita"), None)
    library = founded.open(carl)
    assert library.setting_values() == PORTABLE
    assert set(joined.left_out) == {*PERSONAL, "no.such", "tiers.medium"}
    assert "llm.url" in joined_words(joined)[-1]
    with founded.server.transaction() as connection:
        connection.execute(text("DELETE FROM settings"))
        offer(connection, PERSONAL)
    library.close()
    founded.opened[0].change(Edit("taught"), [Memory(("later",))])
    library = founded.open(carl)
    assert "later" in [memory.triggers[0] for memory in library.memories()]
    assert library.setting_values() == PORTABLE


def test_that_no_approval_comes_from_a_server_and_none_comes_back_by_undo(founded: Team, tmp_path: Path) -> None:
    said(
        founded,
        "UPDATE powers SET approved = true",
        "UPDATE revisions SET state = jsonb_set(state::jsonb, '{approved}', '1')::text "
        "WHERE kind = 'power' AND state IS NOT NULL",
    )
    bernd = tmp_path / "bernd"
    joining.join(bernd, founded.secrets(bernd), founded.address_of("bernd"), None)
    library = founded.open(bernd)
    assert [power.approved for power in library.powers()] == [False]
    library.undo(library.steps(1)[0].id)
    assert [power.approved for power in library.powers()] == [False]
    assert all(not record.approved for record in library.run_records().values())


@contextmanager
def undone(team: Team, *statements: str) -> Iterator[None]:
    try:
        yield
    finally:
        said(team, *statements)


ODD = {
    "a text where a number is": (
        "ALTER TABLE memories ALTER COLUMN success TYPE text USING 'much'",
        "ALTER TABLE memories ALTER COLUMN success TYPE double precision USING 0.5",
    ),
    "a number that is none": ("UPDATE memories SET success = 'NaN'", "SELECT 1"),
    "a number that nothing follows": ("UPDATE memories SET usage = 9223372036854775807", "SELECT 1"),
    "a number out of range": ("UPDATE memories SET usage = -5", "SELECT 1"),
    "a trigger of no memory": ("INSERT INTO triggers VALUES (999, 0, 'x', '\\x00')", "DELETE FROM triggers"),
    "a date before the calendar": ("UPDATE steps SET at = '4000-01-01 00:00:00 BC'", "DELETE FROM steps"),
    "a text that nobody reads": ("UPDATE memories SET response = repeat('x', 1000001)", "SELECT 1"),
    "an object where a list is": ("UPDATE memories SET tags = '{\"x\": 1}'", "SELECT 1"),
    "a word where a list is": ("UPDATE memories SET tags = '\"x\"'", "SELECT 1"),
    "a state that is none": (
        "INSERT INTO revisions SELECT id, 'power', 99, '{\"name\": 1}', 1, 1 FROM steps LIMIT 1", "SELECT 1",
    ),
    "a kind that there is not": (
        "INSERT INTO revisions SELECT id, 'program', 99, '{}', 1, 1 FROM steps LIMIT 1", "SELECT 1",
    ),
    "keys that nothing follows": ("UPDATE library SET keys = '{\"memories\": 9223372036854775807}'", "SELECT 1"),
    "keys of other tables": ("UPDATE library SET keys = '{\"settings\": 1}'", "SELECT 1"),
    "keys that are none": ("UPDATE library SET keys = '[]'", "SELECT 1"),
    "no library": ("CREATE TABLE kept AS SELECT * FROM library; DELETE FROM library",
                   "INSERT INTO library SELECT * FROM kept; DROP TABLE kept"),
    "two libraries": ("INSERT INTO library SELECT 'x', 1, 1, '{}'", "DELETE FROM library WHERE id = 'x'"),
    "no version": ("CREATE TABLE kept AS SELECT * FROM intentscope_version; DELETE FROM intentscope_version",
                   "INSERT INTO intentscope_version SELECT * FROM kept; DROP TABLE kept"),
    "two versions": ("INSERT INTO intentscope_version VALUES ('x')",
                     "DELETE FROM intentscope_version WHERE version_num = 'x'"),
    "a column less": ("ALTER TABLE memories RENAME tags TO marks", "ALTER TABLE memories RENAME marks TO tags"),
    "a change of nothing": ("INSERT INTO touched VALUES ('program', '1', 1000)", "SELECT 1"),
    "a change without a number": ("INSERT INTO touched VALUES ('memory', 'x', 1000)", "SELECT 1"),
}  # fmt: skip
"""Manipulations of a server, and the statements that undo them."""

ENDLESS = {
    "triggers": "SELECT m.id AS memory_id, n AS position, 'x' || n AS text, '\\x00'::bytea AS digest "
    "FROM memories m, generate_series(1, 60) AS n",
    "touched": "SELECT 'memory' AS kind, n::text AS key, 1000 AS seq FROM generate_series(1, 60) AS n",
}
"""Endless views that replace tables, by name."""


@pytest.mark.parametrize("table", ENDLESS)
def test_that_more_than_a_library_can_hold_is_not_taken_over(
    founded: Team, tmp_path: Path, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bernd = tmp_path / "bernd"
    joining.join(bernd, founded.secrets(bernd), founded.address_of("bernd"), None)
    monkeypatch.setattr("app.adapters.store.team.wire.MOST_PARTS", 50)
    monkeypatch.setattr("app.adapters.store.team.server.MOST_TOUCHED", 50)
    back = (f"DROP VIEW {table}", f"ALTER TABLE kept_{table} RENAME TO {table}")
    with undone(founded, *back):
        said(
            founded,
            "UPDATE touched SET seq = 1000",
            f"ALTER TABLE {table} RENAME TO kept_{table}",
            f"CREATE VIEW {table} AS {ENDLESS[table]}",
            f"GRANT SELECT ON {table} TO bernd",
            "UPDATE library SET head = head + 1",
        )
        library = founded.open(bernd)
        assert library.refusal.startswith("The team's server holds")
        assert len(library.memories()) == 2


def test_that_a_text_that_another_program_did_not_escape_is_taken_over(founded: Team, tmp_path: Path) -> None:
    bernd = tmp_path / "bernd"
    with undone(founded, "DELETE FROM memories"):
        said(founded, "UPDATE memories SET response = U&'\\E000x'", "UPDATE library SET head = head + 1")
        joining.join(bernd, founded.secrets(bernd), founded.address_of("bernd"), None)
        assert {memory.response for memory in founded.open(bernd).memories()} == {"\ue000x"}


@pytest.mark.parametrize("done", ODD)
def test_that_odd_rows_are_refused_in_a_sentence_and_nothing_is_changed(
    founded: Team, tmp_path: Path, done: str
) -> None:
    statement, back = ODD[done]
    bernd = tmp_path / "bernd"
    is_later = "touched" in statement
    if is_later:
        joining.join(bernd, founded.secrets(bernd), founded.address_of("bernd"), None)
    with undone(founded, "DELETE FROM memories", back):
        said(founded, statement, "UPDATE library SET head = head + 1")
        if is_later:
            library = founded.open(bernd)
            assert library.refusal.startswith("The team's server holds")
            assert len(library.memories()) == 2
        else:
            with pytest.raises(StoreError, match="The team's server holds"):
                joining.join(bernd, founded.secrets(bernd), founded.address_of("bernd"), None)
            assert not bernd.exists()
