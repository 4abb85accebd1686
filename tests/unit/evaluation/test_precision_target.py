"""Tests of thresholds that reach a precision with a given out-of-scope share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.evaluation.thresholds import precision_target_line
from app.domain.case import Task
from app.evaluation.answers import Top, top_of
from app.evaluation.comparison import interval
from app.evaluation.curves import LEAST_ANSWERED, precision_target
from tests.build import some
from tests.unit.evaluation.made import answer

CONFIDENCES = st.integers(1, 99).map(lambda one: one / 100)
KNOWN = st.lists(st.tuples(CONFIDENCES, st.booleans()), min_size=1, max_size=90)
STRANGE = st.lists(CONFIDENCES, max_size=30)


def _answers(known: list[tuple[float, bool]], strange: list[float]) -> list[Top]:
    own = [answer("a", f"a:{one}" if is_right else f"b:{one}") for one, is_right in known]
    return [top_of(one) for one in (*own, *(answer("oos", f"a:{one}") for one in strange))]


@given(known=KNOWN, strange=STRANGE, target=st.floats(0.5, 0.99), share=st.floats(0.0, 0.6))
def test_that_a_line_keeps_its_promise_and_no_lower_one_does(
    known: list[tuple[float, bool]], strange: list[float], target: float, share: float
) -> None:
    share = share if strange else 0.0
    found = precision_target(_answers(known, strange), target, share)

    def precision(line: float) -> tuple[float, int]:
        over = [is_right for one, is_right in known if one >= line]
        out = [one for one in strange if one >= line]
        inside = (1.0 - share) / len(known)
        outside = share / len(strange) if strange else 0.0
        whole = inside * len(over) + outside * len(out)
        return (inside * sum(over) / whole if whole else 0.0), len(over) + len(out)

    lines = {one for one, _ in known} | set(strange)
    kept = [line for line in lines if precision(line)[0] >= target and precision(line)[1] >= LEAST_ANSWERED]
    if found is None:
        assert all(precision(line)[0] < target + 1e-9 for line in kept)
        return
    assert (found.precision, found.answered) == pytest.approx(precision(found.threshold))
    assert found.precision >= target - 1e-9
    assert found.low <= found.precision <= found.high
    assert all(line >= found.threshold - 1e-9 for line in kept)
    assert found.coverage == pytest.approx(sum(one >= found.threshold for one, _ in known) / len(known))


def test_that_more_strangers_take_a_higher_line() -> None:
    known = [(0.5 + place / 200, place % 50 != 3) for place in range(90)]
    answers = _answers(known, [0.3, 0.55, 0.6, 0.7, 0.75])
    lines = [found.threshold for share in (0.0, 0.05, 0.2) if (found := precision_target(answers, 0.95, share))]
    assert len(lines) == 3
    assert lines == sorted(lines)
    assert lines[0] < lines[-1]


def test_that_a_share_of_strangers_takes_some_and_a_line_enough_cases() -> None:
    with pytest.raises(ValueError, match="nothing is found"):
        precision_target(_answers([(0.9, True)] * 30, []), 0.9, 0.1)
    assert precision_target(_answers([(0.9, True)] * (LEAST_ANSWERED - 1), []), 0.9) is None
    assert precision_target(_answers([], [0.5] * 30), 0.9) is None
    assert "No value keeps that" in precision_target_line(None, Task.POWER)
    found = some(precision_target(_answers([(0.9, True)] * 45, [0.1] * 5), 0.9))
    line = precision_target_line(found, Task.POWER)
    assert line.startswith("tiers.high: From 0.1")
    assert "Of out-of-scope queries, assumed to be 10.0 % of all, 100.0 % get one too." in line
    assert "bands.high" in precision_target_line(precision_target(_answers([(0.9, True)] * 30, []), 0.9), Task.INTENT)


def test_that_an_interval_is_narrower_of_more_cases() -> None:
    assert interval(900.0, 1000.0)[0] > interval(45.0, 50.0)[0]
    assert 0.0 <= interval(0.0, 5.0)[0] <= interval(0.0, 5.0)[1] < 1.0
