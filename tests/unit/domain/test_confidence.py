"""Tests of calibrations: they rise, keep their ends, and name their origin."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.confidence import KNEE, SHIPPED_MEMORIES, SHIPPED_POWERS, Chance

SCALES = st.builds(Chance, st.floats(1.0, 40.0), st.floats(-30.0, 10.0)) | st.builds(
    SHIPPED_MEMORIES.among, st.integers(0, 100_000)
)
UNIT = st.floats(0.0, 1.0)


@given(chance=SCALES, one=UNIT, other=UNIT)
def test_that_a_higher_confidence_is_never_right_less_often(chance: Chance, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= chance(low) <= chance(high) <= 1.0


@given(chance=SCALES)
def test_that_nothing_stays_nothing_and_word_for_word_is_sure(chance: Chance) -> None:
    assert (chance(0.0), chance(1.0)) == (0.0, 1.0)
    assert (chance(-0.5), chance(1.5)) == (0.0, 1.0)


def test_that_the_curve_is_the_logistic_one_up_to_the_knee_and_straight_from_there() -> None:
    chance = Chance(10.0, -5.0)
    assert chance(0.6) == pytest.approx(1.0 / (1.0 + math.exp(-1.0)))
    assert chance(0.95) == pytest.approx((chance(KNEE) + 1.0) / 2.0)


@given(slope=st.floats(1.0, 40.0), offset=st.floats(-30.0, 10.0))
def test_that_chances_of_the_logarithm_end_where_confidences_do(slope: float, offset: float) -> None:
    chance = Chance(slope, offset, of_logarithm=True)
    odds = math.exp(offset) * 0.5**slope
    assert chance(0.5) == pytest.approx(odds / (1.0 + odds))
    assert chance(1e-30) < 1e-20
    assert 0.0 <= chance(1e-300) <= chance(0.2) <= chance(0.95) <= 1.0


def test_that_a_faint_second_is_none() -> None:
    # A cosine of 0.1 is usual for two sentences about different things.
    assert SHIPPED_MEMORIES.among(2)(0.1) < 0.1


def test_that_among_more_answers_the_same_confidence_is_right_less_often() -> None:
    few, many = SHIPPED_POWERS.among(10), SHIPPED_POWERS.among(1_000)
    assert few(0.5) > many(0.5)
    assert few.crowd == 0.0
    assert few.is_shipped
    assert few.among(1_000) == few


def test_that_a_scale_without_a_crowd_takes_no_notice_of_it() -> None:
    fitted = Chance(9.0, -4.0, asked=80, ece=0.02)
    assert fitted.among(1_000) is fitted
    assert not fitted.is_shipped


@pytest.mark.parametrize(
    ("slope", "offset"), [(0.0, 1.0), (-1.0, 1.0), (math.nan, 1.0), (math.inf, 0.0), (1.0, math.nan)]
)
def test_that_a_scale_that_does_not_rise_is_refused(slope: float, offset: float) -> None:
    with pytest.raises(ValueError, match="a scale rises"):
        Chance(slope, offset)
