"""The session's times as rows and as lines of a file."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from app.display.scope.timing import (
    CSV_HEAD,
    FLOOR,
    HEADS,
    ON_SCREEN,
    Durations,
    parse_stages,
    session_csv,
    session_rows,
)

TIMES = st.lists(st.floats(0.0, 1e6), min_size=1, max_size=40)


def kept(*times: float) -> Durations:
    durations = Durations()
    for ms in times:
        durations.add(ms)
    return durations


def test_that_a_row_has_a_cell_for_each_head() -> None:
    rows = session_rows({ON_SCREEN: kept(8.3, 12.0, 9.1), "embed query": kept(7.0)}, {ON_SCREEN: 10.0})
    assert all(len(row.cells) + 1 == len(HEADS) for row in rows)
    assert (rows[0].stage, rows[0].cells) == ("Answer on screen", ("3", "9.1", "12", "12", "12", "10", "1 (33.3 %)"))
    assert (rows[1].stage, rows[1].cells[-2:]) == ("Embed query", ("–", "–"))


def test_that_the_answer_comes_first_and_stages_without_a_run_not_at_all() -> None:
    durations = {"keywords": kept(0.2), "llm": kept(), FLOOR: kept(0.5), ON_SCREEN: kept(8.0)}
    assert [row.stage for row in session_rows(durations, {})] == ["Answer on screen", "Keywords + lexical", "Keywords"]


def test_that_a_time_a_hair_over_the_budget_does_not_read_as_the_budget() -> None:
    cells = session_rows({ON_SCREEN: kept(10.01)}, {ON_SCREEN: 10.0})[0].cells
    assert cells[1] == "10.01"
    assert cells[-1] == "1 (100 %)"


@given(TIMES, TIMES)
def test_that_the_file_holds_every_run_as_it_was(screen: list[float], embed: list[float]) -> None:
    text = session_csv({ON_SCREEN: kept(*screen), "embed query": kept(*embed)})
    head, *lines = csv.reader(io.StringIO(text))
    assert tuple(head) == CSV_HEAD
    assert {line[3] for line in lines} == {"ms"}
    assert [float(line[2]) for line in lines if line[0] == ON_SCREEN] == screen
    assert [int(line[1]) for line in lines if line[0] == "embed query"] == list(range(1, len(embed) + 1))


def test_that_stages_are_read_from_a_setting_whatever_its_blanks() -> None:
    assert parse_stages(" llm, on screen ,,") == {"llm", "on screen"}
    assert parse_stages("") == frozenset()
