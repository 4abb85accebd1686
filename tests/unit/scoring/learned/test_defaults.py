"""Tests of the shipped weights of described powers, which depend on their number."""

from __future__ import annotations

from dataclasses import astuple, replace
from itertools import pairwise

import pytest

from app.scoring.learned.defaults import ENOUGH_PHRASES, FEW_POWERS, MANY_POWERS, MOST_DESCRIBED, described

FEW, MANY = int(FEW_POWERS), int(MANY_POWERS)


@pytest.mark.parametrize("has_paragraphs", [False, True])
def test_that_none_and_all_weights_fall_with_the_number_of_powers(has_paragraphs: bool) -> None:
    by_count = [described(count, has_paragraphs=has_paragraphs) for count in range(FEW, MANY + 1)]
    for fewer, more in pairwise(by_count):
        assert fewer.none < more.none
        assert fewer.semantic < more.semantic
    assert all(weight >= 0.0 for weights in by_count for weight in astuple(weights))


@pytest.mark.parametrize("has_paragraphs", [False, True])
@pytest.mark.parametrize(("inside", "outside"), [(FEW, 0), (FEW, 1), (MANY, MANY + 1), (MANY, 199)])
def test_that_beyond_its_limits_the_number_of_powers_is_cut(inside: int, outside: int, has_paragraphs: bool) -> None:
    assert described(outside, has_paragraphs=has_paragraphs) == described(inside, has_paragraphs=has_paragraphs)


def test_that_the_best_of_two_powers_stays_the_best_among_few() -> None:
    few, many = described(FEW, has_paragraphs=False), described(MANY, has_paragraphs=False)
    ratios = few.candidate[many.candidate > 0.0] / many.candidate[many.candidate > 0.0]
    assert ratios == pytest.approx(ratios[0]), "all weights change alike, so the order of powers does not"
    assert few.background / many.background == pytest.approx(ratios[0])


@pytest.mark.parametrize("powers", [FEW, MANY, 60])
def test_that_none_rises_with_the_number_of_phrases_of_a_power_and_nothing_else_changes(powers: int) -> None:
    by_count = [described(powers, count, has_paragraphs=False) for count in range(1, int(ENOUGH_PHRASES) + 1)]
    for fewer, more in pairwise(by_count):
        assert fewer.none < more.none
        assert replace(fewer, none=more.none) == more
    assert described(powers, 100.0, has_paragraphs=False) == by_count[-1] == described(powers, has_paragraphs=False)
    most = int(MOST_DESCRIBED)
    assert described(most, 1.0, has_paragraphs=False) == described(most, has_paragraphs=False)
