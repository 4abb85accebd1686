"""The verdict: one headline an outcome, what the asker would get, why, and only help that is of use."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.detect.resolve import resolve
from app.display.scope.matches.resolution import can_start
from app.display.scope.verdict import HELP_WORDS, Help, verdict
from app.display.words import GLOSSARY
from app.domain.library import Kind, Memory, Power, Transport
from app.domain.llm import LlmOutcome, LlmReport
from app.domain.match import Match, Tier
from app.domain.scope.inspection import Inspection
from app.gui.scope.verdict_strip import ACTS, PLACES, SETTING
from app.settings.model import layer
from tests.gui.inspections import band, design, led, match, tier

SETTINGS = layer(here={}).values


def of(*matches: Match, intent: float | None = 0.55) -> Inspection:
    """An inspection with these matches, its type as sure as `intent`, its powers resolved as the engine does."""
    before = design()
    assert before.intent is not None
    found = None if intent is None else replace(before.intent, confidence=intent)
    ordered = led(matches)
    powers = [one.answer for one in ordered if isinstance(one.answer, Power)]
    resolution = resolve(before.query.text, ordered, powers, SETTINGS)
    return replace(before, matches=ordered, intent=found, resolution=resolution)


def scored(answer: Memory | Power, confidence: float) -> Match:
    found = match(answer, "a trigger", (0.0, 0.2, 0.2, confidence, confidence, None))
    if answer.kind is Kind.MEMORY:
        return replace(found, confidence=confidence, band=band(confidence))
    return replace(found, confidence=confidence, tier=tier(confidence))


MEMORY = Memory(("my build is slow",), response="Use the cache.\n\nThen try again.", id="slow-build", key=1)
POWER = Power("postgres", "Run queries", transport=Transport("pg-server"), approved=True, key=2)


def test_that_a_memory_that_would_be_surfaced_says_so_and_gives_its_response() -> None:
    shown = verdict(of(scored(MEMORY, 0.8), scored(POWER, 0.6), intent=0.7), SETTINGS)
    assert shown.headline == "Answer: slow-build, high; would be surfaced"
    assert shown.response == "Use the cache. Then try again."
    assert shown.why.endswith("0.200 ahead of postgres.")
    assert shown.why.startswith("Won by ")


def test_that_what_keeps_a_memory_from_being_surfaced_is_named_with_what_helps() -> None:
    shown = verdict(of(scored(MEMORY, 0.6), intent=0.55), SETTINGS)
    assert shown.headline == "Answer: slow-build, medium; not surfaced: Troubleshoot is at 0.550, 0.600 is needed"
    assert shown.help[0] is Help.LEAST_SURFACED
    none = verdict(of(scored(MEMORY, 0.6), intent=None), SETTINGS)
    assert none.headline.endswith("not surfaced: no type is detected")


def test_that_a_memory_that_is_certain_needs_no_type_and_one_that_is_weak_has_none_that_helps() -> None:
    for intent in (None, 0.2, 0.9):
        sure = verdict(of(scored(MEMORY, 0.85), intent=intent), SETTINGS)
        assert sure.headline == "Answer: slow-build, high; would be surfaced"
    weak = verdict(of(scored(MEMORY, 0.6), intent=0.9), SETTINGS)
    assert weak.headline == "Answer: slow-build, medium; not surfaced: 0.600, 0.750 is needed"
    assert weak.help[0] is Help.LEAST_CONFIDENCE
    documented = layer(here={"preset": "as_documented"}).values
    assert verdict(of(scored(MEMORY, 0.6), intent=0.9), documented).headline.endswith("would be surfaced")
    assert "no type" in verdict(of(scored(MEMORY, 0.99), intent=None), documented).headline


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_an_llm_is_offered_only_where_there_is_none(outcome: LlmOutcome) -> None:
    inspection = of(scored(MEMORY, 0.6), intent=0.55)
    inspection = replace(inspection, trace=replace(inspection.trace, llm=LlmReport(outcome)))
    offered = Help.CONNECT_LLM in verdict(inspection, SETTINGS).help
    assert offered is (outcome is LlmOutcome.OFF)


def test_that_nothing_near_enough_is_no_answer_with_the_best_and_the_least() -> None:
    shown = verdict(of(scored(POWER, 0.155), scored(MEMORY, 0.1)), SETTINGS)
    assert shown.headline == "No answer: best is 0.155, 0.300 is needed"
    assert shown.level is Tier.NOT_FOUND
    assert shown.help[-1] is Help.LEAST_FOUND
    assert "postgres" in shown.why


def test_that_the_number_never_seems_to_reach_what_is_needed() -> None:
    assert verdict(of(scored(MEMORY, 0.29996)), SETTINGS).headline == "No answer: best is 0.29996, 0.300 is needed"


def test_that_one_that_is_found_answers_before_a_better_one_that_is_not() -> None:
    least = layer(here={"tiers.weak": 0.45, "fallback_threshold": 0.2}).values
    power = replace(scored(POWER, 0.4), tier=Tier.NOT_FOUND)
    assert verdict(of(power, scored(MEMORY, 0.35)), least).headline.startswith("Answer: slow-build")


@pytest.mark.parametrize(
    ("confidence", "other", "outcome"),
    [
        (0.9, 0.5, "would be activated"),
        (0.6, 0.5, "not activated: 0.600, 0.900 is needed"),
        (0.9, 0.88, "not activated: a second power is as near"),
    ],
)
def test_that_a_power_says_whether_it_would_be_activated(confidence: float, other: float, outcome: str) -> None:
    settings = layer(here={"tiers.ambiguity_margin": 0.05}).values
    inspection = of(scored(POWER, confidence), scored(Power("sqlite", key=3), other))
    found = [one.answer for one in inspection.matches if isinstance(one.answer, Power)]
    resolution = resolve(inspection.query.text, inspection.matches, found, settings)
    inspection = replace(inspection, resolution=resolution)
    shown = verdict(inspection, settings)
    assert shown.headline == f"Power: postgres, {outcome}"
    assert shown.response == "Run queries."
    assert can_start(inspection) is (outcome == "would be activated")


def test_that_a_power_that_would_start_beside_an_answer_is_named() -> None:
    shown = verdict(of(scored(MEMORY, 0.95), scored(POWER, 0.9), intent=0.7), SETTINGS)
    assert shown.headline.startswith("Answer: ")
    assert shown.why.endswith("would be activated too.")


@pytest.mark.parametrize(
    ("power", "outcome", "help_"),
    [
        (replace(POWER, approved=False), "sure enough, but needs approval", Help.APPROVE),
        (Power("postgres", "Run queries", key=2), "sure enough, but without a command to start", Help.COMMAND),
    ],
)
def test_that_a_power_that_cannot_start_yet_says_what_it_lacks_with_the_remedy(
    power: Power, outcome: str, help_: Help
) -> None:
    inspection = of(scored(power, 0.95))
    shown = verdict(inspection, SETTINGS)
    assert shown.headline == f"Power: postgres, {outcome}"
    assert shown.help[0] is help_
    assert can_start(inspection) is (help_ is Help.APPROVE)
    assert shown.match is not None
    assert shown.match.answer == power
    beside = verdict(of(scored(MEMORY, 0.97), scored(power, 0.95), intent=0.7), SETTINGS)
    assert beside.why.endswith(f"The power postgres is {outcome}.")
    assert "would be activated" not in beside.why + shown.headline


def test_that_what_a_headline_says_is_explained() -> None:
    for one in (verdict(of(scored(POWER, 0.95)), SETTINGS), verdict(of(scored(MEMORY, 0.95)), SETTINGS)):
        assert one.terms
        assert set(one.terms) <= GLOSSARY.keys()


def test_that_an_empty_library_is_told_and_can_be_taught() -> None:
    shown = verdict(replace(design(), matches=()), SETTINGS)
    assert (shown.headline, shown.help) == ("No answer", (Help.TEACH,))


def test_that_every_help_has_words_and_one_way_to_be_done() -> None:
    assert set(HELP_WORDS) == set(Help)
    assert sorted([*ACTS, *PLACES, *SETTING]) == sorted(Help)


def test_that_what_helps_against_a_threshold_names_a_setting() -> None:
    for key in SETTING.values():
        part: object = SETTINGS
        for name in key.split("."):
            part = getattr(part, name)
        assert isinstance(part, float | bool)
