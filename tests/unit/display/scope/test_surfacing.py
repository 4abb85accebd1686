"""What an intent surfaces, and which rows of the table no confidence can reach."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.surfacing import SURFACING, is_dead, surfacing_row
from app.display.scope.surfacing import surfacing
from app.domain.inspection import Inspection
from app.settings.model import Settings, layer
from tests.gui.inspections import design

UNIT = st.floats(0.0, 1.0)


def with_confidence(confidence: float) -> Inspection:
    inspection = design()
    assert inspection.intent is not None
    return replace(inspection, intent=replace(inspection.intent, confidence=confidence))


def settings(threshold: float = 0.6, *, enabled: bool = True) -> Settings:
    return layer(here={"search_intent.surfacing_threshold": threshold, "search_intent.enabled": enabled}).values


@pytest.mark.parametrize(
    ("confidence", "count"), [(1.0, 15), (0.8, 15), (0.7999, 10), (0.5, 10), (0.4999, 5), (0.3, 5), (0.2999, 0)]
)
def test_that_the_table_is_the_documents(confidence: float, count: int) -> None:
    row = surfacing_row(confidence, 0.0)
    assert (row.count if row else 0) == count


@given(UNIT, UNIT)
def test_that_nothing_falls_into_a_dead_row_and_something_into_every_other(confidence: float, threshold: float) -> None:
    row = surfacing_row(confidence, threshold)
    assert row is None or not is_dead(row, threshold)
    for other in SURFACING:
        if not is_dead(other, threshold):
            assert surfacing_row(max(other.least, threshold), threshold) is other


@given(UNIT, UNIT)
def test_that_the_numbers_in_the_sentence_tell_its_truth(confidence: float, threshold: float) -> None:
    shown = surfacing(with_confidence(confidence), settings(threshold))
    row = surfacing_row(confidence, threshold)
    assert shown.count == (row.count if row else 0)
    assert shown.sentence.startswith("Nothing is surfaced" if row is None else f"At most {row.count} memories")
    assert [shown_row.holds for shown_row in shown.rows] == [row is other for other in SURFACING]


def test_that_the_sentence_is_the_designs() -> None:
    assert surfacing(with_confidence(0.45), settings()).sentence == "Nothing is surfaced: 0.450 is below 0.600."
    assert (
        surfacing(with_confidence(0.65), settings()).sentence
        == "At most 10 memories are surfaced: 0.650 is above 0.600."
    )
    assert surfacing(with_confidence(0.6), settings()).sentence.endswith("0.600 is the threshold itself.")
    assert surfacing(with_confidence(0.2), settings(0.1)).sentence == "Nothing is surfaced: 0.200 is below 0.300."
    none = replace(design(), intent=None)
    assert surfacing(none, settings()).sentence == "Nothing is surfaced: there is no type."


def test_that_a_confidence_a_hair_below_the_threshold_is_not_rounded_up_to_it() -> None:
    assert "0.59996 is below 0.600" in surfacing(with_confidence(0.59996), settings()).sentence


def test_that_the_row_under_the_threshold_is_dead_and_says_why() -> None:
    high, middle, low = surfacing(with_confidence(0.65), settings()).rows
    assert (high.dead, high.note) == (False, "")
    assert (middle.dead, middle.holds, middle.note) == (False, True, "from 0.600 on")
    assert (low.dead, low.note) == (True, "never reached")


def test_that_with_detection_off_every_row_is_dead() -> None:
    shown = surfacing(replace(design(), intent=None), settings(enabled=False))
    assert [row.dead for row in shown.rows] == [True, True, True]
