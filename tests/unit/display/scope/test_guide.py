"""Tests of the explanations of teaching and marking, checked against the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.display.scope import guide
from app.domain.library import Answer, Memory, Power
from app.domain.match import Match
from app.domain.scope.inspection import Inspection
from tests.gui.inspections import design


def with_confidences(*values: float) -> tuple[Match, ...]:
    found = [replace(match, confidence=value) for match, value in zip(design().matches, values, strict=False)]
    following = [match.confidence for match in found[1:]]
    leads = [match.confidence - other for match, other in zip(found, following, strict=False)]
    return tuple(replace(match, lead=lead) for match, lead in zip(found, [*leads, None], strict=True))


def standing(inspection: Inspection, answer: Answer) -> str:
    return guide.rank_message(inspection, answer, answer.triggers[0])


def test_that_a_leader_is_told_by_how_much() -> None:
    matches = with_confidences(0.9, 0.756)
    inspection = replace(design(), matches=matches)
    assert standing(inspection, matches[0].answer) == "It now leads by 14 points."
    assert standing(inspection, matches[1].answer) == (
        f"It is now number 2, 14 points behind {matches[0].answer.name}."
    )


def test_that_ties_and_loners_are_told_apart() -> None:
    tied = with_confidences(0.9, 0.9)
    inspection = replace(design(), matches=tied)
    assert standing(inspection, tied[0].answer) == f"It is now level with {tied[1].answer.name}."
    assert standing(inspection, tied[1].answer) == f"It is now level with {tied[0].answer.name}."
    alone = with_confidences(0.9)
    assert standing(replace(design(), matches=alone), alone[0].answer) == "It is now the only match."
    assert standing(replace(design(), matches=alone), tied[1].answer) == ""


def test_that_an_answer_which_has_not_got_the_trigger_yet_does_not_stand_anywhere() -> None:
    matches = with_confidences(0.9, 0.5)
    assert guide.rank_message(replace(design(), matches=matches), matches[0].answer, "taught a moment ago") == ""


def test_that_an_answer_of_the_same_name_and_another_kind_is_another() -> None:
    matches = with_confidences(0.9, 0.5)
    namesake = Power(matches[0].answer.name, key=99)
    assert standing(replace(design(), matches=matches), namesake) == ""


@pytest.mark.parametrize(
    ("before", "after", "fits", "said"),
    [
        (0.5, 0.55, True, "x marked right: success 50 % → 55 %. Kept as a case."),
        (0.5, 0.45, False, "x marked wrong: success 50 % → 45 %. Kept as a case."),
        (1.0, 1.0, True, "x marked right: success stays 100 %. Kept as a case."),
        (0.0, 0.0, False, "x marked wrong: success stays 0 %. Kept as a case."),
    ],
)
def test_that_a_mark_tells_how_the_score_moved(before: float, after: float, fits: bool, said: str) -> None:
    memory = Memory(("x",), success=before)
    assert guide.marked_message(memory, replace(memory, success=after), fits=fits) == said


def test_that_a_mark_on_what_was_not_found_says_what_it_does_not_do() -> None:
    assert guide.not_found_message(Memory(("x",))) == "x is still not found: teach it this query, too."


def test_that_a_power_marked_right_is_a_case_and_has_no_score() -> None:
    assert guide.marked_message(Power("p"), Power("p"), fits=True) == "p marked right. Kept as a case."


def test_that_triggers_and_examples_are_told_apart_and_long_names_cut() -> None:
    assert guide.trigger_added_message(Memory(("x",), id="slow-build")) == "Taught as a trigger of slow-build."
    assert guide.trigger_added_message(Power("sentry")) == "Taught as an example of sentry."
    assert guide.taught_message(Memory(("y" * 100,))) == f"Taught as “{'y' * 59}…”."
