"""Tests of migrations from the first version, with dates, clock changes and secrets."""

import json
import re
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.adapters.store import connections
from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.filters import MemoryEdit, MemoryFilter
from app.domain.history import HistoryEntry, Source
from app.domain.journal import Edit, ItemKind
from app.domain.library import Memory, Power, Transport
from db import upgrade
from db.schema import digest
from tests.build import some

FIRST = """
INSERT INTO memories (id, external_id, intent, response, namespace, tags, success, usage, paused, created, updated)
VALUES (3, 'm-1', 'keys', 'monthly', 'security', '["ops"]', 0.7, 4, 1, '2025-01-02 03:04:05', '2025-02-03 04:05:06');
INSERT INTO rules (id, external_id, label, pattern, pack, position, weight, purpose, enabled)
VALUES (5, 'mine.a', 'howto', 'how', 'mine', 1, 1.0, 'search_intent', 1);
INSERT INTO powers (id, name, description, steering, keywords, examples, args, env, paused, approved)
VALUES (2, 'pg', '', '', '[]', '[]', '[]', '{"TOKEN":"hush"}', 0, 1);
"""


@pytest.fixture
def first(tmp_path: Path) -> Path:
    folder = tmp_path / "profile"
    folder.mkdir()
    engine = connections.engine(folder / "library.db", "BEGIN IMMEDIATE", connections.MIGRATING)
    with engine.begin() as connection:
        upgrade.upgrade(connection, "0001")
    engine.dispose()
    with closing(sqlite3.connect(folder / "library.db")) as driver, driver:
        driver.executescript(FIRST)
        driver.executemany(
            "INSERT INTO triggers VALUES (3, ?, ?, ?)",
            [(place, text, digest(text)) for place, text in enumerate(("rotate the keys", "new keys"))],
        )
        driver.execute(
            "INSERT INTO cases (id, task, text, digest, expected) VALUES (9, 'intent', 'q', ?, '[\"keys\"]')",
            (digest("q"),),
        )
    return folder


def test_that_addresses_of_before_lose_their_secrets_in_settings_steps_and_copies(tmp_path: Path) -> None:
    engine = connections.engine(tmp_path / "library.db", "BEGIN IMMEDIATE", connections.MIGRATING)
    addresses = {
        "llm.url": ("http://me:s3/c@ret@h:1/v", "http://h:1/v"),
        "route.qdrant": ("https://h/q?api_key=s3cret&a=1", "https://h/q?a=1"),
        "route.postgresql": ("postgresql://me:s3cret@h/d?sslkey=/k", "postgresql://me@h/d?sslkey=/k"),
        "encoder.url": ("https://h/v?key=s3cret&b=2&sig=s3cret", "https://h/v?b=2"),
        "updates.url": ("https://h/v#access_token=s3cret", "https://h/v"),
        "matches": ("7@", "7@"),
    }
    with engine.begin() as connection:
        upgrade.upgrade(connection, "0016")
    engine.dispose()
    with closing(sqlite3.connect(tmp_path / "library.db")) as driver, driver:
        for number, (key, (held, _)) in enumerate(addresses.items(), 1):
            driver.execute("INSERT INTO settings (key, value) VALUES (?, ?)", (key, held))
            step = "INSERT INTO steps (id, verb, subject, count, source) VALUES (?, 'set', ?, 1, '')"
            driver.execute(step, (number, f"{key} to {held}"))
            driver.execute("INSERT INTO setting_revisions VALUES (?, ?, ?, ?)", (number, key, held, held))
    with closing(SqlLibrary.open(tmp_path)) as library:
        kept = {key: left for key, (_, left) in addresses.items()}
        assert library.setting_values() == kept
        assert {step.subject for step in library.steps()} == {f"{key} to {left}" for key, left in kept.items()}
    with closing(sqlite3.connect(tmp_path / "library.db")) as driver:
        found = driver.execute("SELECT key, held, present FROM setting_revisions").fetchall()
        assert sorted(found) == sorted((key, left, left) for key, left in kept.items())
    (copy,) = (tmp_path / "backups").iterdir()
    assert not re.search(rb"s3cret|s3/c@ret", copy.read_bytes())


class TestFromTheFirstShape:
    def test_that_everything_is_still_there_and_can_be_found(self, first: Path) -> None:
        library = SqlLibrary.open(first)
        memory = Memory(
            ("rotate the keys", "new keys"), "monthly", "keys", "security", ("ops",), "m-1", 0.7, 4, True, 3
        )
        assert library.memories() == [memory]
        assert library.cases() == [Case("q", ("keys",), Task.INTENT, 9)]
        assert [(rule.id, rule.key) for rule in library.rules()] == [("mine.a", 5)]
        assert library.find_memories(MemoryFilter("rot key")) == [3]
        (dated,) = library.memories_by_key([3])
        assert (dated.created, dated.updated) == ("2025-01-02 03:04:05", "2025-02-03 04:05:06")
        library.close()

    def test_that_a_copy_was_made_first(self, first: Path) -> None:
        SqlLibrary.open(first).close()
        (copy,) = (first / "backups").iterdir()
        assert copy.name.endswith("-0001.db")

    def test_that_numbers_are_never_given_twice_from_now_on(self, first: Path) -> None:
        library = SqlLibrary.open(first)
        library.change(Edit("deleted"), gone=[(ItemKind.CASE, 9), (ItemKind.RULE, 5), (ItemKind.MEMORY, 3)])
        assert library.add("cases", [Case("other", (), Task.INTENT)]).added == (10,)
        assert library.add("memories", [Memory(("a",))]).added == (4,)
        library.undo()
        assert len(library.cases()) == 2
        (dated,) = library.memories_by_key([3])
        assert dated.created == "2025-01-02 03:04:05"
        library.close()

    def test_that_secrets_leave_the_library(self, first: Path) -> None:
        library = SqlLibrary.open(first)
        (power,) = library.powers()
        assert power.transport.env == {"TOKEN": ""}
        assert library.environment(power) == {"TOKEN": "hush"}
        assert str(first / "secrets.json") in (library.secrets_fault() or "")
        library.close()
        left = [path.name for path in first.iterdir() if path.is_file() and b"hush" in path.read_bytes()]
        assert left == ["secrets.json"]
        if sys.platform != "win32":
            assert stat.S_IMODE((first / "secrets.json").stat().st_mode) == 0o600


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqlLibrary]:
    library = SqlLibrary.open(tmp_path / "profile")
    yield library
    library.close()


def taught(library: SqlLibrary, text: str, response: str = "") -> Memory:
    written = some(library.change(Edit("taught"), [Memory((text,), response)]))
    (memory,) = written.items
    assert isinstance(memory, Memory)
    return memory


def date(library: SqlLibrary, step: int, moment: str) -> None:
    with closing(sqlite3.connect(library.file)) as connection, connection:
        connection.execute("UPDATE steps SET at = datetime('now', ?) WHERE id = ?", (moment, step))


class TestTime:
    def test_that_a_clock_that_goes_back_reorders_nothing(self, library: SqlLibrary) -> None:
        first, second = taught(library, "a"), taught(library, "b")
        date(library, first.version, "+9 years")
        date(library, second.version, "-9 years")
        assert [step.id for step in library.steps()] == [second.version, first.version]
        library.undo()
        assert library.memories() == [first]
        library.redo()
        assert library.memories() == [first, second]
        library.prune(30)
        assert len(library.steps()) == 2

    def test_that_what_is_older_than_it_is_kept_goes(self, library: SqlLibrary) -> None:
        old, young = taught(library, "a"), taught(library, "b")
        library.change(Edit("deleted"), gone=[(ItemKind.MEMORY, old.key or 0)])
        for step in (old.version, young.version):
            date(library, step, "-41 days")
        date(library, library.steps()[0].id, "-2 days")
        library.prune(30)
        assert [step.verb for step in library.steps()] == ["deleted"]
        assert [binned.item for binned in library.binned()] == [old]

    def test_that_a_clock_far_ahead_forgets_nothing(self, library: SqlLibrary) -> None:
        """With that clock all earlier activity is 45 days old; then little is done at that time."""
        memory = taught(library, "a")
        library.change(Edit("deleted"), gone=[(ItemKind.MEMORY, memory.key or 0)])
        old = HistoryEntry("2000-01-01 00:00:00", Source.WINDOW, "what is old")
        library.add_queries([old])
        with closing(sqlite3.connect(library.file)) as connection, connection:
            connection.execute("UPDATE steps SET at = datetime('now', '-45 days')")
            connection.execute("UPDATE queries SET at = datetime('now', '-45 days')")
        for text in ("b", "c"):
            library.prune(30)
            assert library.prune_queries(30, 1_000, 1_000) == 0
            taught(library, text)
            library.add_queries([replace(old, at=f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}", text=text)])
        assert [step.verb for step in library.steps()] == ["taught", "taught", "deleted", "taught"]
        assert [binned.item for binned in library.binned()] == [memory]
        assert library.count_queries().kept == 3

    def test_that_what_was_done_with_a_clock_far_ahead_outlives_its_mending(self, library: SqlLibrary) -> None:
        first, second = taught(library, "a"), taught(library, "b")
        library.add_queries([HistoryEntry("2126-01-01 00:00:00", Source.WINDOW, "from the future")])
        date(library, first.version, "-2 days")
        date(library, second.version, "+45 days")
        library.prune(30)
        assert library.prune_queries(30, 1_000, 1_000) == 0
        assert len(library.steps()) == 2

    def test_that_a_clock_far_behind_forgets_nothing(self, library: SqlLibrary) -> None:
        """With that clock all earlier activity is in the future."""
        first, second = taught(library, "a"), taught(library, "b")
        library.add_queries([HistoryEntry("2126-01-01 00:00:00", Source.WINDOW, "later")])
        date(library, first.version, "+45 days")
        date(library, second.version, "+46 days")
        third = taught(library, "c")
        library.prune(1)
        assert library.prune_queries(1, 1_000, 1_000) == 0
        assert [step.id for step in library.steps()] == [third.version, second.version, first.version]


class TestTwoInstances:
    def test_that_steps_outlive_the_program(self, library: SqlLibrary) -> None:
        taught(library, "a")
        library.close()
        again = SqlLibrary.open(library.file.parent)
        assert again.undo() is not None
        again.close()
        third = SqlLibrary.open(library.file.parent)
        assert third.memories() == []
        assert third.redo() is not None
        assert [memory.name for memory in third.memories()] == ["a"]
        third.close()


class TestFullDisk:
    def test_that_a_full_disk_leaves_items_journal_and_index_as_they_were(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "WRITING", (*connections.WRITING, "PRAGMA max_page_count=120"))
        library = SqlLibrary.open(tmp_path)
        library.add("memories", [Memory((f"phrase {n}",), "x" * 300) for n in range(300)], Edit("imported"))
        keys = library.find_memories(MemoryFilter())
        before = (library.memories(), library.steps())
        edit = MemoryEdit(add_tags=tuple(f"tag {number} " + "y" * 200 for number in range(20)))
        with pytest.raises(StoreError, match="full"):
            library.edit_memories(Edit("edited"), keys, edit)
        assert (library.memories(), library.steps()) == before
        assert len(library.find_memories(MemoryFilter("phrase"))) == 300
        library.close()


class TestSecretsInCopies:
    def test_that_the_copy_of_an_older_library_loses_its_values(self, first: Path) -> None:
        SqlLibrary.open(first).close()
        (copy,) = (first / "backups").iterdir()
        assert b"hush" not in copy.read_bytes()
        if sys.platform != "win32":
            assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        copy.replace(first / "library.db")
        library = SqlLibrary.open(first)
        (stored,) = library.powers()
        assert library.environment(stored) == {"TOKEN": "hush"}, "the copy is whole, and finds its values"
        library.close()

    def test_that_a_copy_that_cannot_be_read_is_left_alone(self, first: Path) -> None:
        (first / "backups").mkdir(mode=0o700)
        broken = first / "backups" / "library-20200101T000000.000000Z-0001.db"
        broken.write_bytes(b"no library" * 200)
        SqlLibrary.open(first).close()
        assert broken.read_bytes() == b"no library" * 200


class TestSecretsThatGo:
    def test_that_secrets_go_with_the_bin(self, library: SqlLibrary) -> None:
        written = some(library.change(Edit("taught"), [Power("pg", transport=Transport(env={"TOKEN": "hush"}))]))
        file = library.file.with_name("secrets.json")
        library.change(Edit("deleted"), gone=[(ItemKind.POWER, written.items[0].key or 0)])
        assert "hush" in file.read_text()
        library.empty_bin()
        assert "hush" not in file.read_text()


def test_that_a_bare_variable_that_an_older_program_stored_stays_a_reference(tmp_path: Path) -> None:
    transport = Transport("serve", env={"API_KEY": "${GH}", "PIN": "${PIN}"})
    with closing(SqlLibrary.open(tmp_path)) as library:
        library.add("powers", [Power("forge", transport=transport)])
    with closing(sqlite3.connect(tmp_path / "library.db")) as connection, connection:
        env = json.dumps({"API_KEY": "$GH", "PIN": "s3cret"})
        connection.execute("UPDATE powers SET env = ?", [env])
    for _ in range(2):
        with closing(SqlLibrary.open(tmp_path)) as library:
            (power,) = library.powers()
            assert power.transport.env["API_KEY"] == "${GH}"
            assert power.transport.env["PIN"] == ""
    assert list(json.loads((tmp_path / "secrets.json").read_text("utf-8")).values()) == ["s3cret"]
