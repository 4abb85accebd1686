"""Past queries in the library's file: from the shape before them, small on disk, and all or nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command

from app.adapters import sql_connections
from app.adapters.sql_library import SqlLibrary
from app.domain.journal import Deed
from app.domain.library import Memory
from app.domain.past import Decision, Doubt, PastFilter, PastQuery, Source
from db import upgrade

QUERY = PastQuery("2026-11-22 04:26:21", Source.LOG, "q", doubts=(Doubt.WEAK,), trace={"n": 1})


def made_by(folder: Path, revision: str) -> Path:
    """A profile as a program of that revision left it."""
    folder.mkdir()
    engine = sql_connections.engine(folder / "library.db", "BEGIN IMMEDIATE", sql_connections.MIGRATING)
    with engine.begin() as connection:
        command.upgrade(upgrade.configuration(connection), revision)
    engine.dispose()
    return folder


def test_that_a_library_of_before_keeps_its_steps_and_learns_to_keep_queries(tmp_path: Path) -> None:
    folder = made_by(tmp_path / "profile", "0004")
    with closing(sqlite3.connect(folder / "library.db")) as driver, driver:
        driver.execute("INSERT INTO queries (text) VALUES ('never written by a program')")
        driver.execute("INSERT INTO steps (verb, subject, count, source) VALUES ('taught', 'x', 1, 'window')")
    library = SqlLibrary.open(folder)
    assert [step.verb for step in library.steps()] == ["taught"]
    assert library.find_queries(PastFilter()) == []
    keys = library.note_queries([QUERY])
    library.decide(Deed("skipped"), keys, Decision.SKIPPED)
    library.undo()
    library.change(Deed("taught"), [Memory(("x",))])
    assert library.queries_by_key(keys)[0].waits
    library.close()


def test_that_a_trace_goes_with_its_query(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    library.forget_queries(library.note_queries([QUERY]))
    library.close()
    with closing(sqlite3.connect(tmp_path / "library.db")) as driver:
        assert driver.execute("SELECT count(*) FROM traces").fetchone() == (0,)


def test_that_a_batch_that_fails_leaves_nothing(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    with pytest.raises(TypeError):
        library.note_queries([QUERY, PastQuery("2026-11-22 04:26:21", Source.LOG, "r", trace={"no": object()})])
    assert library.find_queries(PastFilter()) == []
    library.close()


def test_that_traces_are_pressed_small(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path)
    scores = {"exact": 0.0, "fuzzy": 0.5, "token_overlap": 0.25, "semantic": 0.7, "centroid": 0.6, "keyword": None}
    match = {"kind": "memory", "id": "a", "name": "a", "confidence": 0.65, "band": "medium", "scores": scores}
    (key,) = library.note_queries([PastQuery("2026-11-22 04:26:21", Source.LOG, "q", trace={"matches": [match] * 20})])
    query = library.query(key)
    assert query is not None
    assert query.trace == {"matches": [match] * 20}
    library.close()
    with closing(sqlite3.connect(tmp_path / "library.db")) as driver:
        (size,) = driver.execute("SELECT length(document) FROM traces").fetchone()
        assert size < len(str(query.trace)) / 10
