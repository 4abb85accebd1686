"""Tests of words: numbers (DESIGN, "Numbers"), the glossary, and the LLM's bar of a waterfall."""

import json
import logging
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.merge import MERGERS
from app.detect.resolve import resolve
from app.display import numbers, words
from app.display.documents import (
    AVAILABLE_CHARACTERS,
    full_inspection_document,
    inspection_document,
    resolution_document,
)
from app.display.scope.llm import LlmTimes
from app.display.scope.text import as_text, match_lines
from app.display.scope.timing import bins, llm_bar, scorers_text, waterfall
from app.display.words import GLOSSARY, about, visible_lines
from app.domain.inspection import Resolution, Stage, Trace
from app.domain.language import percents
from app.domain.library import Memory, Power, Tool
from app.domain.llm import LlmOutcome
from app.domain.match import Match, Query, Tier
from app.scoring.scorers import SCORERS
from app.services.engine.engine import BREAKDOWNS
from app.settings.model import PRESETS, Combination, Settings
from tests.golden import written
from tests.gui.inspections import design
from tests.gui.llm_states import inspection_in, report_of
from tests.unit.services.benches import desk

HELP = Path(__file__).resolve().parents[3] / "resources" / "help"


def named(term: str) -> str:
    name = words.MERGES.get(term, term).replace("_", " ")
    return name[:1].upper() + name[1:]


@pytest.mark.parametrize("term", GLOSSARY)
def test_that_a_sentence_begins_with_its_term(term: str) -> None:
    assert GLOSSARY[term].startswith(f"{named(term)}: ")
    assert GLOSSARY[term].endswith(".")


def test_that_whatever_can_be_chosen_by_a_name_is_explained() -> None:
    assert (set(get_args(Combination)) - set(SCORERS)) | set(PRESETS) | set(MERGERS) <= set(GLOSSARY)
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
    times.durations.clear()
    assert not times.take(query, report_of(LlmOutcome.TIMED_OUT))
    assert len(times.durations) == 0


def test_that_a_logarithmic_axis_has_round_marks_in_ms() -> None:
    made = bins(sorted([70.0, 130.0, 128.0, 411.0, 743.0]), 200.0, log=True)
    assert [text for _, text in made.marks()] == ["100", "200", "500"]
    assert made.place(200.0) == pytest.approx(math.log10(200.0))
    narrow = bins([35.0, 40.0, 45.0], None, log=True)
    assert len(narrow.marks()) >= 3


async def test_that_the_whole_document_has_what_is_answered_word_by_word_and_below_the_cut() -> None:
    async with desk(matches=1) as bench:
        taught = ("create a branch", "create a tag", "create a release")
        for text in taught:
            await bench.curator.teach(Memory((text,), response=f"Run {text}."))
        await bench.ready()
        found = await bench.settle("how do I create a branch")
    whole, short = full_inspection_document(found), inspection_document(found)
    assert {**short, "matches": None}.items() <= {**whole, "matches": None}.items()
    (first,) = whole["matches"]
    assert first["response"] == "Run create a branch."
    asked = first["words"]["token_overlap"]["rows"][0]["words"]
    assert [word["text"] for word in asked if word["is"] == "same"] == ["create", "a", "branch"]
    assert {match["name"] for match in whole["below"]} == set(taught[1:])
    assert set(whole["policies"]["merge"]) == {"by_type", "adr", "shipped"}
    assert set(whole["policies"]["selection"]["types"]) == {"priority", "evidence"}
    json.dumps(whole, allow_nan=False)


async def test_that_breakdowns_go_to_the_log_once_all_scores_are_there(caplog: pytest.LogCaptureFixture) -> None:
    async with desk(matches=1, log_breakdowns=True) as bench:
        await bench.curator.teach(Memory(("create a branch",)))
        await bench.ready()
        with caplog.at_level(logging.INFO, BREAKDOWNS.name):
            await bench.settle("create a branch")
    (line,) = [record.getMessage() for record in caplog.records if record.name == BREAKDOWNS.name]
    assert line.startswith("create a branch 1.000: exact 1.000")
    assert "semantic 1.000" in line


async def test_that_every_scorer_that_scored_says_how_long_it_took() -> None:
    async with desk() as bench:
        await bench.curator.teach(Memory(("create a branch",)))
        await bench.ready()
        found = await bench.settle("create a branch")
    scored = {name for match in found.matches for name, value in match.scores.items() if value is not None}
    assert scored <= set(found.trace.scorers) <= set(SCORERS)
    assert all(ms >= 0.0 for ms in found.trace.scorers.values())
    assert inspection_document(found)["trace"]["scorers"] == dict(found.trace.scorers)
    ordered = scorers_text(Trace(scorers={"exact": 0.1, "semantic": 2.0}))
    assert ordered == "Scorers, ms: Semantic 2.0, Exact 0.1"
    assert scorers_text(Trace()) == ""


SETTINGS = Settings()
HYBRID, SEMANTIC, KEYWORD = {"keyword": 0.6, "semantic": 0.6}, {"semantic": 0.6}, {"keyword": 0.6}

POSTGRES = Power(
    "postgres",
    "PostgreSQL database operations",
    ("database", "sql", "postgres", "query", "tables"),
    tools=(Tool("query_database", "..."), Tool("execute_sql", "...")),
    steering="Ask first.",
)
MYSQL = Power("mysql", "MySQL database management", ("database", "mysql", "sql", "query"))
MONGODB = Power("mongodb", "MongoDB NoSQL database", ("database", "mongo", "nosql"))


def found(*powers: tuple[Power, float, dict[str, float]]) -> list[Match]:
    return [Match(power, confidence, scores, (), power.name) for power, confidence, scores in powers]


@pytest.mark.parametrize(("count", "length"), [(40, 200), (199, 300), (1_000, 300)])
def test_that_a_long_list_of_available_powers_names_them_all_in_few_words(count: int, length: int) -> None:
    powers = [Power(f"p{place}", "wording " * (length // 8)) for place in range(count)]
    resolution = Resolution(Tier.NOT_FOUND, "q", available=tuple(powers))
    listed = resolution_document(resolution)["available_powers"]
    assert [row["name"] for row in listed] == [power.name for power in powers]
    descriptions = [row["description"] for row in listed]
    assert sum(map(len, descriptions)) <= AVAILABLE_CHARACTERS
    assert all(text == "" or text.endswith("wording…") for text in descriptions)


def test_that_a_short_description_stands_whole_in_a_long_list_and_a_long_word_is_cut() -> None:
    powers = (Power("short", "A few words"), *(Power(f"p{place}", "x" * 500) for place in range(20)))
    listed = resolution_document(Resolution(Tier.NOT_FOUND, "q", available=powers))["available_powers"]
    assert listed[0]["description"] == "A few words"
    assert listed[1]["description"] == "x" * (AVAILABLE_CHARACTERS // 21 - 1) + "…"


def test_that_a_text_keeps_its_own_line_ends() -> None:
    assert visible_lines("a\x1b\nb") == "a\u241b\nb"


def test_that_names_and_queries_with_control_characters_stay_on_their_line() -> None:
    inspection = design()
    evil = Memory(("trigger",), id="evil\x1b[2J\nname", key=1)
    first, *others = inspection.matches
    odd = replace(inspection, query=Query.of("x\x1b\ny"), matches=(replace(first, answer=evil), *others))
    told = as_text(odd)
    assert not set(told) & {"\x1b", "\x00"}
    assert "Query: x\u241b\u240ay\n" in told
    assert "evil\u241b[2J\u240aname" in told
    assert len(match_lines(odd, None)) == len(match_lines(inspection, None))
    assert all("\n" not in line for line in match_lines(odd, None))


DOCUMENTS_GOLDEN = Path(__file__).with_name("documents.txt")
"""Reviewed documents, as in 003; `GOLDEN.write_text(read(), "utf-8")` writes them again."""


def resolutions() -> Iterator[tuple[str, Resolution]]:
    activated = resolve("run a postgres query", found((POSTGRES, 0.94, HYBRID)), [], SETTINGS)
    yield "activated", activated
    yield "activated, runs", replace(activated, started=True, reason=None)
    yield "activated, needs an approval", replace(activated, reason="Not approved.", needs_approval="npx a")
    several = found((POSTGRES, 0.67, HYBRID), (MYSQL, 0.64, SEMANTIC), (MONGODB, 0.59, KEYWORD))
    yield "several", resolve("check my database", several, [], SETTINGS)
    names = (("analytics", 0.42), ("postgres", 0.38), ("crm", 0.36))
    weak = found(*((Power(name, "..."), confidence, SEMANTIC) for name, confidence in names))
    yield "weak", resolve("analyze business performance", weak, [], SETTINGS)
    available = [Power("postgres", "PostgreSQL database"), Power("stripe", "Payment processing")]
    yield "not found", resolve("launch rocket to Mars", found((MYSQL, 0.1, SEMANTIC)), available, SETTINGS)


def documents_read() -> str:
    return written({name: json.dumps(resolution_document(one), indent=1) for name, one in resolutions()})


def test_that_resolutions_read_as_in_003() -> None:
    assert documents_read() == DOCUMENTS_GOLDEN.read_text("utf-8")
