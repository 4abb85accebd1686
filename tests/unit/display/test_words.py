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


def test_that_the_llms_bar_is_hatched_past_its_budget() -> None:
    late = llm_bar(report_of(LlmOutcome.LATE))
    assert (late.solid, late.end, late.axis) == (200.0, 740.0, 800.0)
    assert (late.text, late.scale_text, late.budget_text) == ("740 ms", "0 to 800 ms", "200 ms budget")
    assert late.outcome == "answered late"
    in_time = llm_bar(report_of(LlmOutcome.ANSWERED))
    assert in_time.solid == in_time.end == 142.0


def test_that_a_time_out_is_hatched_as_far_as_one_sees() -> None:
    bar = llm_bar(report_of(LlmOutcome.TIMED_OUT))
    assert (bar.solid, bar.end, bar.text, bar.outcome) == (200.0, 800.0, ">200 ms", "no answer yet")


def test_that_the_llms_axis_stretches_to_the_next_step_and_follows_the_budget() -> None:
    assert llm_bar(replace(report_of(LlmOutcome.LATE), ms=1397.0)).axis == 2000.0
    assert llm_bar(replace(report_of(LlmOutcome.ANSWERED), budget_ms=500.0)).axis == 2000.0


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_every_outcome_has_a_word_and_off_has_no_bar(outcome: LlmOutcome) -> None:
    shown = waterfall(inspection_in(outcome).trace)
    assert (shown.llm is None) is (outcome is LlmOutcome.OFF)
    assert shown.llm is None or shown.llm.outcome
    assert "LLM" not in [bar.name for bar in shown.bars]


def test_that_the_typing_pause_is_words_and_only_where_the_llm_was_asked() -> None:
    assert waterfall(inspection_in(LlmOutcome.ASKING).trace).pause_text == "Typing pause 120 ms, not counted"
    assert waterfall(inspection_in(LlmOutcome.UNREACHABLE).trace).pause_text == ""
    assert waterfall(inspection_in(LlmOutcome.OFF).trace).pause_text == ""


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


def test_that_the_time_in_which_the_window_paints_has_a_bar_of_its_own() -> None:
    stages = (
        Stage("keywords", 0.2, start_ms=0.0),
        Stage("lexical", 0.4, start_ms=0.2),
        Stage("paint", 11.0, start_ms=0.9),
        Stage("embed query", 7.0, start_ms=12.0),
    )
    shown = waterfall(Trace(stages))
    assert [(bar.name, bar.rests) for bar in shown.bars if bar.rests] == [("Painting", True)]
    assert next(bar.text for bar in shown.bars if bar.rests) == "11 ms"
    assert shown.floor == 2, "the budget of 10 ms is for what is there at once"
