"""Tests of two compared answers: paired by identity, with the first difference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.display.scope.side_by_side import (
    SideBySide,
    combination_word,
    confidences_text,
    difference_text,
    equal_but_rounding,
    side_by_side,
    side_by_side_text,
)
from app.domain.match import EagerExplanation, Match, Operand, Step
from app.domain.scope.inspection import Inspection
from app.settings.model import Settings
from tests.build import some
from tests.gui.inspections import design, led, undetected

TITLES = ("Recommended", "As documented")
SETTINGS = Settings()


def paired(left: Inspection, right: Inspection) -> SideBySide:
    return side_by_side(left, right, TITLES, SETTINGS)


def with_matches(*changes: tuple[str, dict[str, Any]], without: str = "") -> Inspection:
    """Return the design's answer with some matches changed, or one left out."""
    inspection, wanted = design(), dict(changes)
    kept = [match for match in inspection.matches if match.answer.name != without]
    return replace(inspection, matches=led([replace(m, **wanted.get(m.answer.name, {})) for m in kept]))


def by_max(name: str, scorer: str, value: float) -> tuple[str, dict[str, Any]]:
    steps = (Step("confidence", "max", (Operand(scorer, value),), value),)
    return name, {"confidence": value, "winners": (scorer,), "account": EagerExplanation(steps)}


def test_that_the_same_answers_differ_in_nothing() -> None:
    shown = paired(design(), design())
    assert shown.first == "The matches are the same on both sides."
    assert not any(row.is_first or row.change for row in shown.rows)


def test_that_every_answer_stands_once_in_the_order_of_its_better_rank() -> None:
    shown = paired(design(), with_matches(by_max("signing", "fuzzy", 0.8)))
    assert [row.name for row in shown.rows][:4] == ["build-fails-locally", "slow-build", "signing", "ci-red"]
    assert len({row.key for row in shown.rows}) == len(shown.rows) == 10
    signing = shown.rows[2]
    assert (some(signing.left).rank, some(signing.right).rank) == (3, 2)
    assert signing.differs == "rank, confidence"
    assert signing.change == "+28 points"
    assert [row.name for row in shown.rows if row.is_moved] == ["slow-build", "signing"]


def test_that_the_first_difference_names_ranks_numbers_and_what_decides() -> None:
    shown = paired(design(), with_matches(by_max("xcode-build", "fuzzy", 0.842)))
    assert [row.is_first for row in shown.rows].index(True) == 7
    assert shown.first == (
        "First differs here: xcode-build, rank 1, confidence 62 % against 84 %, because the left takes "
        "mean(S 0.713, C 0.525), max(E 0, 0.619) and the right max(F 0.842)."
    )


def test_that_another_score_of_a_decider_is_the_reason() -> None:
    def other(scores: dict[str, float | None]) -> Inspection:
        old = design().powers[0]
        return with_matches((old.answer.name, {"scores": {**old.scores, **scores}, "confidence": 0.7}))

    assert "because Semantic is 0.713 against 0.900" in paired(design(), other({"semantic": 0.9})).first
    assert "because Semantic is absent on the right" in paired(design(), other({"semantic": None})).first


def test_that_a_gap_is_told_with_its_side() -> None:
    shown = paired(design(), with_matches(without="xcode-build"))
    row = shown.rows[7]
    assert (row.right, row.differs, row.is_first) == (None, "only on the left", True)
    assert "xcode-build is rank 1 on the left, confidence 62 %; “As documented” does not have it" in shown.first
    assert "2 listed powers" in shown.first
    swapped = paired(with_matches(without="xcode-build"), design())
    assert [row.name for row in swapped.rows[7:9]] == ["sentry", "xcode-build"]
    assert (swapped.rows[8].left, swapped.rows[8].differs) == (None, "only on the right")
    assert swapped.first.endswith("because xcode-build comes before it on the right.")


def test_that_one_that_only_moved_is_explained_by_what_passed_it() -> None:
    shown = paired(design(), with_matches(by_max("signing", "fuzzy", 0.8)))
    moved = next(row for row in shown.rows if row.name == "slow-build")
    assert (moved.differs, moved.change) == ("rank", "")
    assert shown.first == (
        "First differs here: slow-build, rank 2 against 3, confidence 55 % on both sides, "
        "because signing comes before it on the right."
    )


@pytest.mark.parametrize(("left", "right"), [(0.1, 0.1 + 1e-12), (None, None), (0.0, 0.0)])
def test_that_rounding_is_no_difference(left: float | None, right: float | None) -> None:
    assert equal_but_rounding(left, right)


def test_that_two_numbers_gain_digits_until_they_differ() -> None:
    assert difference_text(0.84211, 0.84213) == ("0.84211", "0.84213")
    assert confidences_text(0.84211, 0.84213) == ("84.211 %", "84.213 %", "+<0.1 points")
    assert confidences_text(0.61, 0.842) == ("61 %", "84 %", "+23 points")
    assert confidences_text(0.842, 0.61)[2] == "−23 points"
    assert confidences_text(0.5, 0.5) == ("50 %", "50 %", "")
    assert not equal_but_rounding(None, 0.0)


def test_that_intents_differ_in_a_sentence() -> None:
    policy = replace(design().detection, policy="priority")
    assert design().intent is not None
    other = replace(design(), detection=policy, intent=replace(design().intent, confidence=0.65))  # type: ignore[type-var]
    assert paired(design(), other).intents_differ == (
        "55 % against 65 %, because the left selects by evidence, the right by priority."
    )
    assert paired(design(), undetected("x")).intents_differ.startswith("On the right no type was found. ")
    assert paired(undetected("x"), undetected("x")).intents_differ == ""


def test_that_outcomes_say_what_differs() -> None:
    shown = paired(design(), replace(design(), resolution=None))
    assert shown.outcomes_differ == "outcome"
    assert shown.outcomes[1] is None


def test_that_the_copy_holds_both_sides_and_the_mark() -> None:
    text = side_by_side_text(paired(design(), with_matches(by_max("slow-build", "fuzzy", 0.842), without="signing")))
    assert "Left: Recommended, query: why does the build keep failing on my mac" in text
    assert "First differs here: slow-build" in text
    line = next(line for line in text.splitlines() if line.startswith("* "))
    assert "slow-build" in line
    assert "0.547" in line
    assert "0.842" in line
    assert "not listed" in next(line for line in text.splitlines() if "signing" in line)


def test_that_a_scorer_by_itself_says_so() -> None:
    assert combination_word("token_overlap") == "Token alone"
    assert combination_word("weighted_average") == "Weighted average"


def test_that_matches_without_steps_are_still_explained() -> None:
    bare: Match = replace(design().matches[0], account=EagerExplanation(), winners=(), confidence=0.1)
    shown = paired(design(), replace(design(), matches=led([bare, *design().matches[1:]])))
    assert any(row.differs for row in shown.rows)
