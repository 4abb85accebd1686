"""Tests of growing arrays: in small steps or at once, the content is the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.columns import column
from app.scoring.columns.column import Growing

WIDTH = 3
DECISION_VERBS = st.lists(
    st.tuples(st.sampled_from(("lengthen", "extend", "put", "widen", "step", "leave")), st.integers(1, 40)), max_size=60
)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column, "MOVED_AT_ONCE", 4 * WIDTH * 7)
    monkeypatch.setattr(column, "LEAST_ROOM", 2)


@given(edits=DECISION_VERBS, fill=st.sampled_from((0, 5)))
def test_that_rows_are_the_same_however_the_room_grows(edits: list[tuple[str, int]], fill: int) -> None:
    array: Growing[np.int32] = Growing(np.int32, width=WIDTH, fill=fill)
    wanted = np.zeros((0, WIDTH), np.int32)
    steps: list[Iterator[None]] = []
    for number, (edit, count) in enumerate(edits):
        values = np.full((count, WIDTH), 100 + number, np.int32)
        if edit == "lengthen":
            assert array.lengthen(count) == len(wanted)
            wanted = np.concatenate((wanted, np.full((count, WIDTH), fill, np.int32)))
        elif edit == "extend":
            array.extend(values)
            wanted = np.concatenate((wanted, values))
        elif edit == "put":
            rows = np.arange(0, len(wanted), count)
            array.put(rows, values[:1].repeat(len(rows), axis=0))
            wanted[rows] = 100 + number
        elif edit == "widen":
            steps.append(array.widening(count))
        elif edit == "leave":
            steps.clear()
        for step in steps[-2:]:
            next(step, None)
        np.testing.assert_array_equal(array.view, wanted)


def test_that_no_room_is_made_where_there_is_some() -> None:
    array: Growing[np.float32] = Growing(np.float32, width=WIDTH)
    array.lengthen(100)
    assert list(array.widening(20)) == []


def test_that_what_was_widened_is_not_copied_when_it_grows() -> None:
    array: Growing[np.float32] = Growing(np.float32, width=WIDTH)
    array.lengthen(100)
    assert len(list(array.widening(1_000))) > 10
    room = array.view.base
    array.lengthen(1_000)
    assert array.view.base is room
