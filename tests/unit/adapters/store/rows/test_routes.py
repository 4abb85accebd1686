"""Tests of damaged router tables: reported and recreated, the rest unchanged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.adapters.store.library import SqlLibrary
from app.adapters.store.rows.routes import DAMAGED_CACHE, DAMAGED_ROWS
from app.domain.library import Memory
from app.domain.llm import LlmAnswer
from app.domain.route import CachedRoute, RouteFilter
from tests.contracts.test_routes import LINE, NOW

KEPT = CachedRoute("q", "d", LlmAnswer("graph_traversal", 0.8, "json"), NOW)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqlLibrary]:
    made = SqlLibrary.open(tmp_path / "profile")
    made.add("memories", [Memory(("kept",))])
    made.routes.keep(KEPT, 10)
    yield made
    assert [memory.triggers for memory in made.memories()] == [("kept",)]
    made.close()


def spoil(library: SqlLibrary, *statements: str) -> None:
    connection = sqlite3.connect(library.file, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_that_damaged_answers_are_told_and_thrown_away(library: SqlLibrary) -> None:
    library.routes.keep(CachedRoute("second", "d", KEPT.answer, NOW), 10)
    spoil(library, "UPDATE route_cache SET confidence = 7 WHERE text = 'q'")
    found, damage = library.routes.find_answers("d", 0.0, NOW)
    assert ([one.text for one in found], damage) == (["second"], DAMAGED_ROWS)
    for spoiling in (
        "UPDATE route_cache SET confidence = 'x' WHERE text = 'q'",
        "UPDATE route_cache SET text = 'another' WHERE text = 'q'",
        "UPDATE route_cache SET mode = x'00ff' WHERE text = 'q'",
    ):
        library.routes.keep(KEPT, 10)
        spoil(library, spoiling)
        assert [one.text for one in library.routes.find_answers("d", 0.0, NOW)[0]] == ["second"]
    assert library.routes.find_answers("d", 0.0, NOW)[1] == ""


@pytest.mark.parametrize(
    "damage", [("DROP TABLE route_cache",), ("DROP TABLE route_cache", "CREATE TABLE route_cache (nonsense)")]
)
def test_that_a_lost_table_is_made_anew(library: SqlLibrary, damage: tuple[str, ...]) -> None:
    spoil(library, *damage)
    assert library.routes.find_answers("d", 0.0, NOW) == ([], DAMAGED_CACHE)
    library.routes.keep(KEPT, 10)
    assert library.routes.find_answers("d", 0.0, NOW)[0] == [KEPT]


def test_that_a_verb_makes_its_table_anew_too(library: SqlLibrary) -> None:
    spoil(library, "DROP TABLE route_cache", "DROP TABLE route_decisions")
    library.routes.keep(KEPT, 10)
    library.routes.add([LINE])
    assert len(library.routes.find(RouteFilter())) == 1
