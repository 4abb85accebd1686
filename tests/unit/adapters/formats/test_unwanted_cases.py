"""What must not come first: kept, found, taken back, migrated, and carried in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import orjson
import pytest
import sqlalchemy as sa
from alembic import command

from app.adapters.formats.records import ItemKind, RefusedError, case_of, kind_of, record_of
from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.filters import CaseFilter
from app.domain.journal import Deed
from db.upgrade import configuration

CASE = Case("turn the keys", ("keys",), Task.INTENT, unwanted=("doors", "locks"))


def test_that_what_is_unwanted_is_kept_found_and_taken_back(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    try:
        library.add_cases([CASE, Case("other", ("doors",), Task.INTENT)])
        (stored, _) = library.cases()
        assert stored.unwanted == ("doors", "locks")
        assert library.find_cases(CaseFilter("locks")) == [stored.key]
        library.change(Deed("edited"), [replace(stored, unwanted=())])
        assert library.cases()[0].unwanted == ()
        library.undo()
        assert library.cases()[0].unwanted == ("doors", "locks")
        library.redo()
        assert library.cases()[0].unwanted == ()
    finally:
        library.close()


def test_that_a_library_of_before_is_migrated_and_its_steps_can_be_taken_back(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "today")
    library.change(Deed("added"), [Case("turn", ("keys",), Task.INTENT)])
    library.change(Deed("edited"), [replace(library.cases()[0], expected=("doors",))])
    library.close()
    before = tmp_path / "before"
    before.mkdir()
    engine = sa.create_engine(f"sqlite:///{before / 'library.db'}")
    with engine.begin() as connection:
        command.upgrade(configuration(connection), "0003")
    with engine.connect() as connection:
        connection.exec_driver_sql("ATTACH ? AS today", (str(tmp_path / "today" / "library.db"),))
        for table in ("cases", "steps", "revisions"):
            old = sa.Table(table, sa.MetaData(), autoload_with=connection)
            new = sa.Table(table, sa.MetaData(schema="today"), autoload_with=connection)
            names = old.c.keys()
            connection.execute(old.insert().from_select(names, sa.select(*(new.c[name] for name in names))))
        connection.exec_driver_sql("UPDATE main.revisions SET state = json_remove(state, '$.unwanted')")
        connection.commit()
    engine.dispose()
    library = SqlLibrary.open(before)
    try:
        assert library.cases()[0].unwanted == ()
        library.undo()
        (case,) = library.cases()
        assert (case.expected, case.unwanted) == (("keys",), ())
    finally:
        library.close()


def test_that_a_record_reads_back_as_the_same_case() -> None:
    assert case_of(orjson.loads(orjson.dumps(record_of(CASE)))) == CASE
    assert "unwanted" not in record_of(replace(CASE, unwanted=()))


def test_that_a_record_may_say_only_what_is_unwanted() -> None:
    record = {"text": "turn", "unwanted": "doors", "task": "power"}
    assert kind_of(record) is ItemKind.CASES
    assert case_of(record) == Case("turn", (), Task.POWER, unwanted=("doors",))
    assert case_of({"text": "t", "unwanted": ["How-To"]}, Task.TYPE).unwanted == ("howto",)


@pytest.mark.parametrize("record", [{"text": "turn", "unwanted": []}, {"text": "turn", "unwanted": [" "]}])
def test_that_a_record_that_says_nothing_is_refused(record: dict[str, object]) -> None:
    with pytest.raises(RefusedError):
        case_of(record, Task.POWER)
