"""Tests of the format of numbers (DESIGN, "Numbers")."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display import numbers
from app.domain.language import percents

UNIT = st.floats(0.0, 1.0)
LIMITS = st.lists(st.sampled_from([0.3, 0.5, 0.6, 0.75, 0.8, 0.85, 0.95]), max_size=4)
NEAR = st.builds(lambda limit, off: limit + off, st.sampled_from([0.3, 0.5, 0.75, 0.85]), st.floats(-1e-3, 1e-3))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "\N{EN DASH}"),
        (0.0, "0"),
        (1.0, "1.000"),
        (0.5, "0.500"),
        (0.8496, "0.8496"),
        (0.84999, "0.84999"),
        (0.85, "0.850"),
        (0.8504, "0.850"),
        (0.0004, "0.0004"),
        (0.00001, "<0.001"),
        (0.9996, "0.9996"),
        (0.99999999, ">0.999"),
    ],
)
def test_that_a_score_is_written_so(value: float | None, shown: str) -> None:
    assert numbers.score(value, (0.5, 0.85)) == shown


@given(UNIT | NEAR, LIMITS)
def test_that_a_shown_score_lies_on_its_side_of_every_threshold(value: float, limits: list[float]) -> None:
    shown = numbers.score(value, limits)
    if shown == "<0.001":
        assert 0.0 < value < 0.001
    elif shown == ">0.999":
        assert 0.999 < value < 1.0
    else:
        for limit in limits:
            assert (float(shown) >= limit) == (value >= limit)


@given(UNIT)
def test_that_only_a_true_zero_is_zero_and_only_a_true_one_is_one(value: float) -> None:
    shown = numbers.score(value)
    assert (shown == "0") == (value == 0.0)
    assert (shown == "1.000") == (value == 1.0)
    assert shown != "0.000"


@given(UNIT)
def test_that_a_score_has_three_decimals_unless_it_needs_more(value: float) -> None:
    shown = numbers.score(value)
    if shown[0] not in "<>" and shown != "0":
        assert len(shown.partition(".")[2]) in (3, 4)
        assert math.isclose(float(shown), value, abs_tol=5.1e-4)


@given(st.floats(-1.0, 1.0))
def test_that_a_difference_has_its_sign_and_a_real_minus(value: float) -> None:
    shown = numbers.signed(value)
    assert "-" not in shown.replace("e-", "")
    assert (shown == "0") == (value == 0.0)
    if value:
        assert shown[0] == ("+" if value > 0 else numbers.MINUS)


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (0.0, "0"),
        (0.04, "0.04"),
        (0.001, "<0.01"),
        (0.2, "0.2"),
        (9.04, "9.0"),
        (9.96, "9.96"),
        (9.996, "9.996"),
        (10.0, "10"),
        (10.01, "10.01"),
        (200.3, "200.3"),
        (13.4, "13"),
        (740.2, "740"),
    ],
)
def test_that_a_duration_is_written_so(ms: float, shown: str) -> None:
    assert numbers.milliseconds(ms, (10.0, 200.0)) == shown


@given(st.floats(0.005, 5_000.0), st.sampled_from([10.0, 200.0]))
def test_that_a_duration_under_a_budget_never_reads_as_the_budget(ms: float, budget: float) -> None:
    assert (float(numbers.milliseconds(ms, (budget,))) >= budget) == (ms >= budget)


@given(st.integers(0, 2_000), st.integers(1, 2_000))
def test_that_only_none_is_zero_percent_and_only_all_is_a_hundred(part: int, whole: int) -> None:
    part = min(part, whole)
    shown = numbers.percent(part, whole)
    assert (shown == "0 %") == (part == 0)
    assert (shown == "100 %") == (part == whole)


def test_that_percent_and_ticks_read_as_in_the_design() -> None:
    assert numbers.percent(16, 412) == "3.9 %"
    assert [numbers.tick(value, digits) for value, digits in ((0.0, 0), (0.3, 1), (0.75, 2), (1.0, 0))] == [
        "0",
        ".3",
        ".75",
        "1",
    ]
    assert numbers.fixed(-0.1) == f"{numbers.MINUS}0.100"
    assert numbers.count(12_345) == "12,345"


@pytest.mark.parametrize(
    ("value", "thresholds", "shown"),
    [
        (0.0, (), "0 %"),
        (0.0003, (), "<1 %"),
        (0.0099, (0.5,), "<1 %"),
        (0.004, (0.005,), "0.4 %"),
        (0.01, (), "1 %"),
        (0.9949, (), "99 %"),
        (0.995, (), ">99 %"),
        (0.99999, (0.9,), ">99 %"),
        (0.9971, (0.998,), "99.7 %"),
        (0.9981, (0.998,), "99.8 %"),
        (1.0, (), "100 %"),
    ],
)
def test_that_next_to_the_ends_a_glance_tells_whole_percents(
    value: float, thresholds: tuple[float, ...], shown: str
) -> None:
    assert numbers.rough_chance(value, thresholds) == shown
    assert thresholds or percents(value, 0) == shown
    assert " %" not in numbers.unbroken(shown)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0001, "<0.1 points"),
        (0.01, "1 point"),
        (0.031, "3.1 points"),
        (0.0999, "10 points"),
        (0.854, "85 points"),
        (0.998, "99.8 points"),
        (0.99999, "99.9 points"),
        (1.0, "100 points"),
    ],
)
def test_that_a_difference_of_confidences_is_in_points(value: float, shown: str) -> None:
    assert numbers.points(value) == shown


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        (0.9, 0.1, "80 points"),
        (0.865, 0.0963, "76.9 points"),
        (0.381, 0.317, "6.4 points"),
        (0.84533, 0.89499, "5.0 points"),
        (0.996, 0.0002, "99.6 points"),
        (0.3, 0.3004, "<0.1 points"),
    ],
)
def test_that_points_do_not_contradict_the_percentages_beside_them(one: float, other: float, shown: str) -> None:
    assert numbers.points_apart(one, other) == shown == numbers.points_apart(other, one)
