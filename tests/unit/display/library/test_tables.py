"""Tests of tables' captions: number of rows, times, and filters."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.display.library.memories import MEMORY_COLUMNS, memory_facets, memory_filter
from app.display.library.tables import Choice, Facet, count_of_total, first_names, short_time
from app.domain.filters import MemoryOrder
from app.domain.library import Dated, Memory

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(("shown", "whole", "said"), [(1204, 100_000, "1,204 of 100,000"), (60, 60, "60"), (0, 0, "0")])
def test_that_the_count_names_both_numbers_only_where_they_differ(shown: int, whole: int, said: str) -> None:
    assert count_of_total(shown, whole) == said


def test_that_long_lists_are_cut_with_their_number() -> None:
    assert first_names(["a", "b"]) == "a, b"
    assert first_names(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


def test_that_a_time_of_today_has_no_day_and_an_unreadable_one_stays() -> None:
    at = NOW.astimezone()
    assert short_time("2026-11-22 12:00:00", NOW) == f"{at:%H:%M}"
    assert short_time("2026-01-02 12:00:00", NOW).startswith("2026-01-02 ")
    assert short_time("", NOW) == ""
    assert short_time("some day", NOW) == "some day"


def test_that_a_facet_names_a_value_that_nothing_has_any_more() -> None:
    facet = Facet("label", "Label", (Choice("a", "Apple", 3),))
    assert facet.word_of("a") == "Apple"
    assert facet.word_of("gone") == "gone"
    assert not facet.is_long


def test_that_facets_keep_the_order_and_the_counts_of_the_store() -> None:
    facets = {facet.key: facet for facet in memory_facets({"label": [("b", 2), ("a", 1)], "source": [("", 3)]})}
    assert [(choice.value, choice.count) for choice in facets["label"].choices] == [("b", 2), ("a", 1)]
    assert facets["source"].choices[0].word == "unknown"
    assert set(facets) == {"namespace", "label", "tag", "source", "success", "usage", "right", "age", "paused"}


def test_that_what_is_chosen_becomes_a_filter() -> None:
    chosen = {"label": "x", "success": (0.3, 0.7), "age": ("since", 7), "paused": False}
    wanted = memory_filter("  build ", chosen, NOW)
    assert (wanted.text, wanted.label, wanted.success, wanted.paused) == ("build", "x", (0.3, 0.7), False)
    assert (wanted.updated_from, wanted.updated_to) == ("2026-11-15 12:00:00", None)
    assert memory_filter("", {"age": ("before", 90)}, NOW).updated_to == "2026-08-24 12:00:00"


def test_that_every_column_that_sorts_names_an_order_of_the_store() -> None:
    orders = [column.order for column in MEMORY_COLUMNS]
    assert len(set(orders)) == len(orders)
    assert all(MemoryOrder(order) for order in orders)


def test_that_a_row_says_what_the_memory_holds() -> None:
    memory = Memory(("first", "second", "third"), "do it", "fix", tags=("a", "b"), paused=True, key=1)
    row = Dated(memory, "2026-01-01 00:00:00", "2026-01-02 00:00:00", 1204)
    said = {column.key: column.cell(row) for column in MEMORY_COLUMNS}
    assert said["trigger"] == "first"
    assert MEMORY_COLUMNS[0].aside is not None
    assert MEMORY_COLUMNS[0].aside(row) == "+2"
    assert (said["label"], said["tags"], said["paused"]) == ("fix", "a, b", "Paused")
    assert (said["success"], said["usage"]) == ("50 %", "1,204")
