"""Tests of the design's table of sizes, and of panes that shrink first."""

from __future__ import annotations

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.gui.scope.docks.arrangement import BELOW, LEAST_SIDE, LEFT, RIGHT, room


@pytest.mark.parametrize(
    ("width", "height", "sizes"), [(1112, 692, (280, 290, 492, 200)), (1752, 972, (384, 580, 728, 244))]
)
def test_that_the_two_designed_windows_have_its_sizes(width: float, height: float, sizes: tuple[float, ...]) -> None:
    assert astuple(room(width, height, {}))[:4] == sizes
    assert not room(width, height, {}).is_overlaid


def test_that_between_them_sizes_grow_evenly() -> None:
    assert room(1432, 832, {}).left == pytest.approx(340)
    assert room(1432, 832, {}).right == pytest.approx(510)


def test_that_dragged_sizes_stay_within_the_design_s_bounds() -> None:
    got = room(1752, 972, {"left": 900.0, "right": 290.0, "below": 10.0})
    assert (got.left, got.right, got.below) == (LEFT[1], 290.0, BELOW[0])


def test_that_what_lies_below_shrinks_before_what_is_above() -> None:
    heights = [room(1112, height, {}) for height in range(700, 400, -10)]
    assert heights[0].below == 200
    assert heights[-1].below == BELOW[0]
    assert room(1112, 700, {}, below=False).above == 700


def test_that_the_right_side_lies_over_the_centre_only_where_the_centre_would_be_too_narrow() -> None:
    assert not room(540 + 280 + 288 + 2, 700, {}).is_overlaid
    assert room(540 + 280 + 288 + 1, 700, {}).is_overlaid
    assert not room(700, 700, {}, yields=False).is_overlaid
    assert not room(700, 700, {}, right=False).is_overlaid


@given(
    st.floats(600, 4000),
    st.floats(300, 2500),
    st.dictionaries(st.sampled_from(("left", "right", "below")), st.floats(0, 2000)),
    st.booleans(),
)
def test_that_the_centre_never_goes(width: float, height: float, wished: dict[str, float], yields: bool) -> None:
    got = room(width, height, wished, yields=yields)
    beside = 0.0 if got.is_overlaid else got.right
    assert width - got.left - beside >= min(320, width - 2 * LEAST_SIDE - 2)
    assert got.above > 0
    assert LEAST_SIDE <= got.left <= LEFT[1]
    assert got.right <= RIGHT[1]
