"""Tests of one bad value in one row: a message, no traceback, and all other rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import Text

from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import CaseFilter, MemoryFilter
from app.domain.intent import Rule
from app.domain.journal import Edit, ThingKind
from app.domain.library import Memory, Power, Tool, Transport
from app.domain.review.history import Doubt, HistoryEntry, HistoryFilter, Source
from db.schema import TableRow
from tests.build import some

pytestmark = pytest.mark.usefixtures("migrations_run")

NO_UTF8 = "CAST(x'ff00fe' AS TEXT)"
WORDS = "'no JSON {'"
TABLES = "memories triggers powers tools rules cases steps revisions queries traces runs settings".split()
KINDS: dict[str, Callable[[SqlLibrary], list[str]]] = {
    "memories": lambda library: [memory.response for memory in library.memories()],
    "powers": lambda library: [power.name for power in library.powers()],
    "rules": lambda library: [rule.id for rule in library.rules()],
    "cases": lambda library: [case.text for case in library.cases()],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a profile with three items of each kind, closed."""
    folder = tmp_path_factory.mktemp("profile")
    library = SqlLibrary.open(folder)
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
    gone = [(ThingKind.RULE, rule.key) for rule in library.rules() if rule.pack == "gone" and rule.key is not None]
    library.change(Edit("deleted"), gone=gone)
    library.close()
    return folder


def damages(table: str) -> list[tuple[str, str]]:
    """Return every non-key column of a table with its most harmful value."""
    columns = [column for column in TableRow.metadata.tables[table].columns if not column.primary_key]
    return [(column.name, NO_UTF8 if type(column.type) is Text else WORDS) for column in columns]


def damaged(folder: Path, place: Path, table: str, column: str, value: str) -> Path | None:
    """Copy the profile with this value in a table's second row; None if SQLite rejects it."""
    place.mkdir(exist_ok=True)
    for name in ("library.db", "digests.key"):
        (place / name).write_bytes((folder / name).read_bytes())
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
    lambda library: library.history(ThingKind.MEMORY, 2),
    lambda library: library.history(ThingKind.POWER, 2),
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
def test_that_a_damaged_value_is_told_and_costs_its_row_alone(folder: Path, tmp_path: Path, table: str) -> None:
    for column, value in damages(table):
        place = damaged(folder, tmp_path / "damaged", table, column, value)
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


def test_that_the_rows_are_named(folder: Path, tmp_path: Path) -> None:
    place = damaged(folder, tmp_path / "damaged", "memories", "tags", "'no JSON {'")
    assert place is not None
    library = SqlLibrary.open(place)
    assert library.damaged() == {}
    assert [memory.response for memory in library.memories()] == ["a", "c"]
    assert library.damaged() == {"memories": [2]}
    library.close()


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
    folder: Path, tmp_path: Path, table: str, column: str, value: str, named: dict[str, object]
) -> None:
    place = some(damaged(folder, tmp_path / "damaged", table, column, value))
    with closing(SqlLibrary.open(place)) as library:
        queries = library.traced_queries(library.find_queries(HistoryFilter()))
        assert len(library.run_records()) + len(library.setting_values()) + len(queries) == 9 - len(named)
        assert sum(query.trace is not None for query in queries) == (2 if table in ("queries", "traces") else 3)
        assert library.damaged() == named
