"""Tests of cases with excluded answers only."""

from __future__ import annotations

import pytest

from app.domain.case import Case, Task
from app.evaluation.answers import Answered, RankedName, acceptable
from app.evaluation.distribution import confusion, mistakes
from app.evaluation.evaluation import measured

NAMES = (RankedName("a", 0.8), RankedName("b", 0.5))


def answered(case: Case, *, rejected: bool = False, names: tuple[RankedName, ...] = NAMES) -> Answered:
    right = acceptable(case.expected)
    rank = next((n for n, one in enumerate(names, 1) if one.name in right), None)
    return Answered(case, right, names, rank, rejected)


@pytest.mark.parametrize(
    ("unwanted", "rejected", "names", "is_right"),
    [
        (("a",), False, NAMES, False),
        (("b",), False, NAMES, True),
        (("a",), True, NAMES, True),
        (("a", "b"), False, NAMES, False),
        (("a",), True, (), True),
    ],
)
def test_that_it_is_right_unless_an_unwanted_answer_is_given(
    unwanted: tuple[str, ...], rejected: bool, names: tuple[RankedName, ...], is_right: bool
) -> None:
    case = Case("q", (), Task.POWER, unwanted=unwanted)
    assert answered(case, rejected=rejected, names=names).is_right is is_right


def test_that_the_top_answer_counts_whatever_its_confidence() -> None:
    assert not answered(Case("q", (), Task.POWER, unwanted=("a",)), rejected=True).top_is_right
    assert answered(Case("q", (), Task.POWER, unwanted=("b",))).top_is_right


def test_that_what_is_expected_comes_before_what_is_unwanted() -> None:
    both = answered(Case("q", ("b",), Task.POWER, unwanted=("c",)))
    assert (both.is_right, both.unwanted) == (False, ())
    assert answered(Case("q", ("a",), Task.POWER, unwanted=("b",))).is_right


def test_that_only_accuracy_and_delivered_count_cases_without_labels() -> None:
    labelled = [answered(Case("q", ("a",), Task.INTENT)), answered(Case("r", (), Task.INTENT), rejected=True)]
    unlabelled = answered(Case("s", (), Task.INTENT, unwanted=("a",)))
    without, with_ = measured(labelled), measured([*labelled, unlabelled])
    assert without["accuracy"] == 1.0
    assert with_["accuracy"] == pytest.approx(2 / 3)
    assert {name for name in without if without[name] != with_[name]} == {"accuracy", "delivered"}
    assert confusion(labelled, Task.INTENT) == confusion([*labelled, unlabelled], Task.INTENT)
    assert not mistakes([unlabelled])
