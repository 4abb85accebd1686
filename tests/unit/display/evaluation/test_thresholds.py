"""Tests of tried thresholds: counts as by the engine, and sentences on the answer."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from app.detect.resolve import resolve
from app.display.evaluation.thresholds import AnsweredCases, neighbours, precision_target_view, refusal, try_threshold
from app.display.library.cases import SortedConfidences
from app.display.system.settings import THRESHOLDS
from app.domain.case import Task
from app.domain.library import Power
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.domain.match import Band, Match, Tier
from app.evaluation.answers import Top, Tops
from app.scoring.index.ranking import band_of
from app.settings.model import Settings, layer
from tests.gui.inspections import design, undetected

SETTINGS = Settings()


def some_tops(n: int = 400) -> list[Top]:
    dice = random.Random(5)
    values = [dice.choice((0.0, 0.3, 0.5, 0.75, 0.85, 1.0, dice.random())) for _ in range(n)]
    return [Top(v, dice.random() < 0.7, dice.random() < 0.1, dice.choice((0.01, 0.04, 0.2, 1.0))) for v in values]


def cases(task: Task, tops: list[Top]) -> AnsweredCases:
    return AnsweredCases(Tops(len(tops), len(tops), {task: tuple(tops)}))


def tier_of(top: Top, settings: Settings) -> Tier:
    powers = [(top.confidence, "a"), (max(0.0, top.confidence - top.lead), "b")]
    matches = [Match(Power(name), value, {}, (), name) for value, name in powers if name == "a" or value > 0]
    return resolve("", matches, (), settings).status


@pytest.mark.parametrize("margin", ["0", "0.05", "0.3"])
@pytest.mark.parametrize("high", ["0.85", "0.6", "1"])
def test_that_tiers_are_counted_as_the_resolution_would(margin: str, high: str) -> None:
    tried = layer(here={"tiers.ambiguity_margin": margin, "tiers.high": high}).values
    tops = [top for top in some_tops() if top.lead < 1.0 and top.lead < top.confidence]
    rungs = SortedConfidences(tops).count_levels(
        (tried.tiers.weak, tried.tiers.medium, tried.tiers.high), tried.tiers.ambiguity_margin
    )
    by_tier = [[top for top in tops if tier_of(top, tried) is tier] for tier in Tier]
    assert [n for n, _ in rungs] == [len(found) for found in by_tier]
    assert [right for _, right in rungs[:3]] == [sum(top.is_right for top in found) for found in by_tier[:3]]
    assert rungs[3][1] == sum(top.expects_none for top in by_tier[3])


@pytest.mark.parametrize(("key", "value"), [("fallback_threshold", 0.6), ("bands.high", 0.5), ("bands.medium", 0.31)])
def test_that_bands_are_counted_as_the_ranking_would(key: str, value: float) -> None:
    tops = some_tops()
    tried = layer(here={key: str(value)}).values
    found = try_threshold(key, value, SETTINGS, None, cases(Task.MEMORY, tops))
    for row in found.levels:
        assert isinstance(row.level, Band)
        assert row.now == sum(band_of(top.confidence, SETTINGS) is row.level for top in tops)
        assert row.then == sum(band_of(top.confidence, tried) is row.level for top in tops)
    assert sum(row.then for row in found.levels) == len(tops)
    assert found.cases == "400 labelled cases"


def test_that_labels_and_single_memories_count_together() -> None:
    both = AnsweredCases(
        Tops(2, 2, {Task.INTENT: (Top(0.9, is_right=True),), Task.MEMORY: (Top(0.1, is_right=False),)})
    )
    found = try_threshold("bands.high", 0.8, SETTINGS, None, both)
    assert [(row.now, row.now_right) for row in found.levels] == [(1, 1), (0, 0), (0, 0), (1, 0)]
    assert try_threshold("tiers.high", 0.8, SETTINGS, None, both).levels == ()


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("tiers.weak", 0.7, "“weak” 0.700 must not be above “medium” 0.500. Raise that one first."),
        ("tiers.high", 0.4, "“high” 0.400 must not be below “medium” 0.500. Lower that one first."),
        ("tiers.medium", 0.95, "“medium” 0.950 must not be above “high” 0.900. Raise that one first."),
        ("bands.medium", 0.8, "“medium” 0.800 must not be above “high” 0.750. Raise that one first."),
    ],
)
def test_that_contradictions_are_refused_in_words(key: str, value: float, sentence: str) -> None:
    found = try_threshold(key, value, SETTINGS, design(), cases(Task.POWER, some_tops()))
    assert (found.refusal, found.current, found.levels) == (sentence, "", ())


@pytest.mark.parametrize("key", THRESHOLDS)
def test_that_what_the_settings_refuse_is_refused_here_and_nothing_else(key: str) -> None:
    for value in (0.0, 0.29, 0.3, 0.5, 0.62, 0.75, 0.85, 1.0):
        try:
            layer(here={key: str(value)})
        except ValueError:
            assert refusal(key, value, SETTINGS)
        else:
            assert refusal(key, value, SETTINGS) == ""


def test_that_the_current_answer_is_told_with_its_level() -> None:
    def told(key: str, value: float) -> str:
        return try_threshold(key, value, SETTINGS, design(), AnsweredCases()).current

    weak = "The current best, xcode-build 62 %, would be: weak matches. Now: multiple matches."
    assert told("tiers.medium", 0.7) == weak
    assert told("tiers.medium", 0.6) == "The current best, xcode-build 62 %, stays: multiple matches."
    assert told("bands.high", 0.9) == "The current best, build-fails-locally 86 %, would be: medium. Now: high."
    assert told("search_intent.surfacing_threshold", 0.55) == (
        "The type on screen, Troubleshoot 55 %, would be: high enough. Now: too low."
    )
    assert told("search_intent.min_confidence", 0.2) == "The LLM has not answered the query on screen."


def test_that_what_is_not_on_screen_is_said() -> None:
    assert try_threshold("tiers.high", 0.9, SETTINGS, None, AnsweredCases()).current == ""
    tried = try_threshold("search_intent.surfacing_threshold", 0.9, SETTINGS, undetected("x"), AnsweredCases())
    assert "no type" in tried.current
    memories = replace(design(), matches=tuple(m for m in design().matches if m.band is not None))
    assert "no power" in try_threshold("tiers.high", 0.9, SETTINGS, memories, AnsweredCases()).current


def test_that_the_llm_counts_from_its_least_confidence_on() -> None:
    answer = LlmAnswer(design().detection.intent.type, 0.91, "one_token", distribution={})  # type: ignore[union-attr]
    report = LlmReport(LlmOutcome.ANSWERED, model="m", ms=100.0, budget_ms=200.0, answer=answer)
    inspection = replace(design(), trace=replace(design().trace, llm=report))
    found = try_threshold("search_intent.min_confidence", 0.95, SETTINGS, inspection, cases(Task.TYPE, some_tops()))
    assert found.current == "The type on screen, the LLM's troubleshoot 91 %, would be: not counted. Now: counted."
    assert "without the LLM" in found.cases
    assert found.levels == ()


def test_that_progress_absence_and_faults_are_said() -> None:
    def told(state: AnsweredCases, key: str = "tiers.high") -> str:
        return try_threshold(key, 0.9, SETTINGS, None, state).cases

    assert told(AnsweredCases(Tops(64, 240, {}))) == "Answering the labelled cases, 64 of 240."
    assert "labelled power yet" in told(AnsweredCases(Tops(0, 0, {})))
    assert "labelled type yet" in told(AnsweredCases(Tops(0, 0, {})), "search_intent.surfacing_threshold")
    assert told(AnsweredCases(None, "The encoder failed.")) == "The encoder failed."


def test_that_neighbours_are_those_of_the_same_scale() -> None:
    assert neighbours("tiers.high", SETTINGS) == (("medium", 0.5), ("weak", 0.3))
    assert neighbours("bands.medium", SETTINGS) == (("fallback", 0.3), ("high", 0.75))
    assert neighbours("tiers.ambiguity_margin", SETTINGS) == ()


def test_that_a_promise_is_told_by_cases_and_where_there_are_few_by_folds() -> None:
    good = [Top(0.6 + place / 1000, is_right=place % 40 != 3) for place in range(300)]
    strange = [Top(place / 100, is_right=False, expects_none=True) for place in range(70)]
    folds = {True: (*good, *strange)}
    some = Tops(1, 1, {Task.POWER: (*good[:100], Top(0.9, is_right=True, is_labelled=False))}, folds)
    by_cases = precision_target_view("tiers.high", some, 0.9, 0.05)
    assert by_cases.value == pytest.approx(0.6)
    assert "By 100 labelled cases. No case is out of scope" in by_cases.sentence
    assert "From 0.6 on" in precision_target_view("tiers.high", some, 0.9, 0.05).sentence
    by_folds = precision_target_view("tiers.high", Tops(0, 0, {}, folds), 0.95, 0.3)
    assert by_folds.value is not None
    assert by_folds.value > 0.6
    assert "texts that were left out of the fit and asked" in by_folds.sentence
    assert "Of out-of-scope queries" in by_folds.sentence
    assert precision_target_view("tiers.high", Tops(0, 0, {}, folds), 0.9999, 0.05).value is None
    assert (
        "it takes 20 labelled cases" in precision_target_view("bands.high", Tops(0, 0, {}, folds), 0.9, 0.05).sentence
    )
    assert precision_target_view("tiers.high", Tops(0, 3, {}, folds), 0.9, 0.05).sentence == ""
