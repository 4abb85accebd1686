"""Tests of the waterfall's LLM bar on its own scale, and of a session's LLM times."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from app.display.scope.llm import LlmTimes
from app.display.scope.timing import bins, llm_bar, waterfall
from app.domain.llm import LlmOutcome
from app.domain.match import Query
from app.domain.scope.inspection import Stage, Trace
from tests.gui.llm_states import inspection_in, report_of


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
