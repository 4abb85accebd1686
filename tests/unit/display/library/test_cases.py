"""Tests of cases as rows: answers written and read, and results of runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.display.library.cases import (
    CASE_COLUMNS,
    CaseRow,
    answers_fault,
    canonical_answers,
    case_facets,
    edited_case,
    format_answers,
    is_of_result,
    keys_by_outcome,
    parse_answers,
    progress_words,
    summary,
)
from app.domain.case import Case, Task
from app.evaluation.answers import Delivery
from app.services.evaluation.case_runs import CaseRun, Outcome

RIGHT = Outcome(1, 0, Delivery.RIGHT, 1, 0.9, "a")
MISSING = Outcome(2, 0, Delivery.MISSING, None, 0.2, None)
LATER = Outcome(3, 0, Delivery.WRONG, 3, 0.7, "c")
OUTCOMES = {1: RIGHT, 2: MISSING, 3: LATER}


@pytest.mark.parametrize("answers", [(), ("a",), ("a, b", "c")])
def test_that_answers_read_as_they_are_written(answers: tuple[str, ...]) -> None:
    assert parse_answers(format_answers(answers)) == answers


def test_that_the_words_for_no_match_and_blanks_are_no_answers() -> None:
    assert parse_answers(" none ; oos;;no match; a; a ") == ("a",)


def test_that_a_row_says_what_it_expects_and_what_it_came_to() -> None:
    case = Case("q", (), Task.POWER, 2)
    assert [column.cell(CaseRow(case)) for column in CASE_COLUMNS] == ["q", "Power", "no match", "", "", "", "", ""]
    told = [column.cell(CaseRow(case, OUTCOMES)) for column in CASE_COLUMNS]
    assert told[4:] == ["✗ missing", "no match", "–", "20 %"]
    beside = {2: replace(MISSING, answered="a", why="Unexpected beside it: “git”.", fault="and git")}
    assert [column.cell(CaseRow(case, beside)) for column in CASE_COLUMNS][5] == "a, and git"
    unwanted = Case("q", (), Task.POWER, 1, unwanted=("b", "c"))
    assert [column.cell(CaseRow(unwanted, OUTCOMES)) for column in CASE_COLUMNS][2:5] == ["", "b; c", "✓ right"]


def test_that_an_outcome_of_another_version_is_forgotten() -> None:
    assert CaseRow(Case("q", (), Task.POWER, 1, version=5), OUTCOMES).outcome is None


def test_that_an_edit_changes_one_column() -> None:
    case = Case("q", ("a",), Task.TYPE, 1)
    assert edited_case(case, "text", " p ").text == "p"
    assert edited_case(case, "expected", "How-To; debug").expected == ("howto", "troubleshoot")
    assert edited_case(case, "unwanted", "x").unwanted == ("x",)
    assert "none of the six types" in answers_fault(Task.TYPE, ("x",))
    assert answers_fault(Task.POWER, ("x",)) == answers_fault(Task.TYPE, ("vs",)) == ""
    assert canonical_answers(Task.POWER, ("vs",)) == ("vs",)


def test_that_keys_are_sorted_by_what_came_out_and_the_others_come_last() -> None:
    keys = [4, 3, 2, 1]
    assert keys_by_outcome(keys, OUTCOMES, "result", descending=False) == [3, 2, 1, 4]
    assert keys_by_outcome(keys, OUTCOMES, "result", descending=True) == [1, 2, 3, 4]
    assert keys_by_outcome(keys, OUTCOMES, "rank", descending=False) == [1, 3, 4, 2]
    assert keys_by_outcome(keys, OUTCOMES, "confidence", descending=True) == [1, 3, 2, 4]


def test_that_runs_are_summed_up() -> None:
    assert summary({}) == ""
    assert summary(OUTCOMES) == "1 right, 1 wrong, 1 missing (33.3 % right)."
    assert summary({}, 1) == "1 case for a route was passed over: routing is off."
    assert progress_words(CaseRun(8, 20_000)) == "8 of 20,000 cases"


def test_that_results_are_sifted_by_only_after_a_run() -> None:
    tasks, *none = case_facets({Task.POWER: 3, Task.ROUTE: 0}, {})
    assert [(choice.value, choice.count) for choice in tasks.choices] == [(Task.POWER, 3)]
    assert none == []
    results = case_facets({}, OUTCOMES)[1]
    counts = [("failed", 2), ("right", 1), ("wrong", 1), ("missing", 1)]
    assert [(choice.value, choice.count) for choice in results.choices] == counts
    for result, count in counts:
        assert sum(is_of_result(one, result) for one in OUTCOMES.values()) == count
