"""Tests of words: numbers (DESIGN, "Numbers"), the glossary, and the LLM's bar of a waterfall."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.merge import MERGERS
from app.display import numbers, words
from app.display.scope.llm import LlmTimes
from app.display.scope.timing import bins, llm_bar, waterfall
from app.display.words import GLOSSARY, about
from app.domain.language import percents
from app.domain.llm import LlmOutcome
from app.domain.match import Query
from app.domain.scope.inspection import Stage, Trace
from app.scoring.scorers import SCORERS
from app.settings.model import PRESETS, Combination
from tests.golden import written
from tests.gui.llm_states import inspection_in, report_of

HELP = Path(__file__).resolve().parents[3] / "resources" / "help"


def named(term: str) -> str:
    name = words.MERGES.get(term, term).replace("_", " ")
    return name[:1].upper() + name[1:]


@pytest.mark.parametrize("term", GLOSSARY)
def test_that_a_sentence_begins_with_its_term(term: str) -> None:
    assert GLOSSARY[term].startswith(f"{named(term)}: ")
    assert GLOSSARY[term].endswith(".")


def test_that_whatever_can_be_chosen_by_a_name_is_explained() -> None:
    combinations = set(get_args(Combination)) - set(SCORERS)
    assert combinations | set(PRESETS) | set(MERGERS) <= set(GLOSSARY)
    assert all(SCORERS[key].summary for key in SCORERS)


def test_that_the_help_knows_every_term() -> None:
    read = (HELP / "index.md").read_text() + (HELP / "scorers.md").read_text()
    assert [term for term in GLOSSARY if f"**{named(term)}**" not in read and f"`{term}`" not in read] == []


def test_that_terms_are_told_a_line_each_and_unknown_ones_not_at_all() -> None:
    assert about("max", "nothing", "max", "balanced").splitlines() == [GLOSSARY["max"], GLOSSARY["balanced"]]
    assert about("nothing") == ""


UNIT = st.floats(0.0, 1.0)
LIMITS = st.lists(st.sampled_from([0.3, 0.5, 0.6, 0.75, 0.8, 0.85, 0.95]), max_size=4)
NEAR = st.builds(lambda limit, off: limit + off, st.sampled_from([0.3, 0.5, 0.75, 0.85]), st.floats(-1e-3, 1e-3))


GOLDEN = Path(__file__).with_name("words.txt")
"""Reviewed text of numbers and of the LLM's bar; `GOLDEN.write_text(read(), "utf-8")` writes it again."""
SCORES = (None, 0.0, 1.0, 0.5, 0.8496, 0.84999, 0.85, 0.8504, 0.0004, 0.00001, 0.9996, 0.99999999)
DURATIONS = (0.0, 0.04, 0.001, 0.2, 9.04, 9.96, 9.996, 10.0, 10.01, 200.3, 13.4, 740.2)
CHANCES = (0.0, 0.0003, 0.01, 0.9949, 0.995, 1.0)
NEAR_LIMITS = ((0.0099, 0.5), (0.004, 0.005), (0.99999, 0.9), (0.9971, 0.998), (0.9981, 0.998))
DIFFERENCES = (0.0001, 0.01, 0.031, 0.0999, 0.854, 0.998, 0.99999, 1.0)
PAIRS = ((0.9, 0.1), (0.865, 0.0963), (0.381, 0.317), (0.84533, 0.89499), (0.996, 0.0002), (0.3, 0.3004))
STAGES = (
    Stage("keywords", 0.2, start_ms=0.0),
    Stage("lexical", 0.4, start_ms=0.2),
    Stage("paint", 11.0, start_ms=0.9),
    Stage("embed query", 7.0, start_ms=12.0),
)


def read() -> str:
    late, answered = report_of(LlmOutcome.LATE), report_of(LlmOutcome.ANSWERED)
    bars = {
        "late": late,
        "answered": answered,
        "no answer": report_of(LlmOutcome.TIMED_OUT),
        "later than the axis of its budget": replace(late, ms=1397.0),
        "larger budget": replace(answered, budget_ms=500.0),
    }
    pauses = (LlmOutcome.ASKING, LlmOutcome.UNREACHABLE, LlmOutcome.OFF)
    return written(
        {
            "scores beside 0.5 and 0.85": {one: numbers.score(one, (0.5, 0.85)) for one in SCORES},
            "milliseconds beside 10 and 200": {one: numbers.milliseconds(one, (10.0, 200.0)) for one in DURATIONS},
            "chances at a glance": {one: numbers.rough_chance(one, ()) for one in CHANCES},
            "chances beside a threshold": {one: numbers.rough_chance(one[0], one[1:]) for one in NEAR_LIMITS},
            "differences of confidences": {one: numbers.points(one) for one in DIFFERENCES},
            "points between two confidences": {one: numbers.points_apart(*one) for one in PAIRS},
            "ticks": [numbers.tick(value, digits) for value, digits in ((0.0, 0), (0.3, 1), (0.75, 2), (1.0, 0))],
            "percent, fixed, count": [numbers.percent(16, 412), numbers.fixed(-0.1), numbers.count(12_345)],
            **{f"LLM's bar, {name}": llm_bar(report) for name, report in bars.items()},
            "typing pause": {one: waterfall(inspection_in(one).trace).pause_text for one in pauses},
            "waterfall with the time in which the window paints": waterfall(Trace(STAGES)),
        }
    )


def test_that_numbers_and_bars_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
    for value in CHANCES:
        assert percents(value, 0) == numbers.rough_chance(value, ())
        assert " %" not in numbers.unbroken(numbers.rough_chance(value, ()))
    assert all(numbers.points_apart(one, other) == numbers.points_apart(other, one) for one, other in PAIRS)


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


@given(st.floats(0.005, 5_000.0), st.sampled_from([10.0, 200.0]))
def test_that_a_duration_under_a_budget_never_reads_as_the_budget(ms: float, budget: float) -> None:
    assert (float(numbers.milliseconds(ms, (budget,))) >= budget) == (ms >= budget)


@given(st.integers(0, 2_000), st.integers(1, 2_000))
def test_that_only_none_is_zero_percent_and_only_all_is_a_hundred(part: int, whole: int) -> None:
    part = min(part, whole)
    shown = numbers.percent(part, whole)
    assert (shown == "0 %") == (part == 0)
    assert (shown == "100 %") == (part == whole)


def test_that_a_query_counts_once_and_grows_when_its_late_answer_comes() -> None:
    times, query = LlmTimes(), Query.of("why")
    assert not times.take(query, report_of(LlmOutcome.ASKING))
    assert times.take(query, report_of(LlmOutcome.TIMED_OUT))
    assert list(times.durations.sorted()) == [200.4]
    assert times.take(query, report_of(LlmOutcome.LATE))
    assert not times.take(query, report_of(LlmOutcome.LATE))
    assert list(times.durations.sorted()) == [740.0]
    assert times.take(Query.of("why"), report_of(LlmOutcome.ANSWERED))
    assert list(times.durations.sorted()) == [142.0, 740.0]
    assert not times.take(query, report_of(LlmOutcome.UNREACHABLE))


def test_that_what_was_given_up_is_over_budget_even_if_the_clock_says_otherwise() -> None:
    times = LlmTimes()
    times.take(Query.of("why"), replace(report_of(LlmOutcome.TIMED_OUT), ms=199.9))
    assert times.durations.sorted()[0] > 200.0


def test_that_forgotten_times_stay_forgotten() -> None:
    times, query = LlmTimes(), Query.of("why")
    times.take(query, report_of(LlmOutcome.TIMED_OUT))
    times.forget()
    assert not times.take(query, report_of(LlmOutcome.TIMED_OUT))
    assert len(times.durations) == 0


def test_that_a_logarithmic_axis_has_round_marks_in_ms() -> None:
    made = bins(sorted([70.0, 130.0, 128.0, 411.0, 743.0]), 200.0, log=True)
    assert [text for _, text in made.marks()] == ["100", "200", "500"]
    assert made.place(200.0) == pytest.approx(math.log10(200.0))
    narrow = bins([35.0, 40.0, 45.0], None, log=True)
    assert len(narrow.marks()) >= 3
