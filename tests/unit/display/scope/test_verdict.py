"""Tests of the verdict: a headline per outcome, the delivery, its reason, and useful help."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.detect.resolve import resolve
from app.detect.surfacing import head_text, memory_text, number_text
from app.display.scope.matches.rows import can_start, match_rows
from app.display.scope.text import as_text, outcome_lines, resolution_lines
from app.display.scope.verdict import (
    HELP_WORDS,
    OUTCOME_WORDS,
    Help,
    Outcome,
    decisions,
    verdict,
    verdict_document,
    with_outcomes,
)
from app.display.words import GLOSSARY
from app.domain.library import Kind, Memory, Power, Transport
from app.domain.llm import LlmOutcome, LlmReport
from app.domain.match import Band, Match, Query, Tier
from app.domain.scope.inspection import REFUSED, BestScores, Decision, Inspection, PowerMatch, Resolution
from app.gui.scope.panels.matches_delegate import outcome_token
from app.gui.scope.verdict_strip import ACTS, PLACES, SETTING
from app.settings.model import layer, value_of
from tests.build import some
from tests.gui.inspections import band, design, led, match, tier

SETTINGS = layer(here={}).values


def of(*matches: Match, intent: float | None = 0.55) -> Inspection:
    """Make an inspection with these matches, and an intent of this confidence.

    The resolution is the engine's.
    """
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


def test_that_a_power_never_takes_the_place_of_a_memory() -> None:
    inspection = of(scored(MEMORY, 0.8), scored(POWER, 0.99), intent=0.7)
    made = decisions(inspection, SETTINGS)
    assert (made[Decision.MEMORY].name, made[Decision.POWER].name) == ("slow-build", "postgres")
    assert verdict(inspection, SETTINGS).response == "Use the cache. Then try again."


def test_that_what_keeps_a_memory_from_being_injected_is_named_with_what_helps() -> None:
    made = decisions(of(scored(MEMORY, 0.6), intent=0.55), SETTINGS)[Decision.MEMORY]
    assert made.outcome is Outcome.WITHHELD
    assert made.reason.startswith(
        "Not injected: the type Troubleshoot has 55 %, below 60 %, so it needs 80 %; the memory has 60 %."
    )
    assert made.help[0] is Help.LEAST_SURFACED
    none = decisions(of(scored(MEMORY, 0.6), intent=None), SETTINGS)[Decision.MEMORY]
    assert none.help[0] is Help.LEAST_CERTAIN
    assert none.reason.startswith("Not injected: no type is detected, so it needs 80 %; the memory has 60 %.")
    for confidence, said in (
        (0.72, "Not injected: 72 %, and 75 % is needed."),
        (0.78, "It has no response to inject."),
    ):
        silent = of(scored(replace(MEMORY, response=""), confidence), intent=0.9)
        assert decisions(silent, SETTINGS)[Decision.MEMORY].reason.startswith(said)
    documented = layer(here={"preset": "as_documented"}).values
    made = decisions(of(scored(MEMORY, 0.6), intent=0.55), documented)[Decision.MEMORY]
    assert "needed; it has" not in made.reason


def test_that_a_memory_that_is_certain_needs_no_type_and_one_that_is_weak_has_none_that_helps() -> None:
    for intent in (None, 0.2, 0.9):
        sure = decisions(of(scored(MEMORY, 0.8), intent=intent), SETTINGS)[Decision.MEMORY]
        assert sure.outcome is Outcome.INJECTED
    weak = decisions(of(scored(MEMORY, 0.6), intent=0.9), SETTINGS)[Decision.MEMORY]
    assert weak.reason.startswith("Not injected: 60 %, and 75 % is needed.")
    assert weak.help[0] is Help.LEAST_CONFIDENCE
    documented = layer(here={"preset": "as_documented"}).values
    assert decisions(of(scored(MEMORY, 0.6), intent=0.9), documented)[Decision.MEMORY].outcome is Outcome.INJECTED
    assert "no type" in decisions(of(scored(MEMORY, 0.99), intent=None), documented)[Decision.MEMORY].reason


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_an_llm_is_offered_only_where_there_is_none(outcome: LlmOutcome) -> None:
    inspection = of(scored(MEMORY, 0.6), intent=0.55)
    inspection = replace(inspection, trace=replace(inspection.trace, llm=LlmReport(outcome)))
    offered = Help.CONNECT_LLM in verdict(inspection, SETTINGS).help
    assert offered is (outcome is LlmOutcome.OFF)


def test_that_the_number_never_seems_to_reach_what_is_needed() -> None:
    assert "with <30 %; 30 % is needed" in verdict(of(scored(MEMORY, 0.29996)), SETTINGS).why
    below = of(scored(MEMORY, 0.7998), intent=0.55)
    assert "slow-build 79.98 %, not injected" in verdict(below, SETTINGS).headline
    assert "it needs 80 %; the memory has 79.98 %" in verdict(below, SETTINGS).why
    assert match_rows(below, SETTINGS)[0].share == "79.98 %"


def test_that_no_nearest_is_named_where_nothing_has_a_chance() -> None:
    made = decisions(of(scored(POWER, 0.0), scored(MEMORY, 0.0)), SETTINGS)
    assert made[Decision.MEMORY].reason == "No memory fits the query."
    assert made[Decision.POWER].reason == "No power fits the query."


def test_that_a_refused_power_is_told_to_be_refused() -> None:
    refused = replace(of(scored(POWER, 0.0)), notes=(REFUSED,))
    assert decisions(refused, SETTINGS)[Decision.POWER].reason == REFUSED
    assert as_text(refused, SETTINGS).count(REFUSED) == as_text(refused).count(REFUSED) == 1
    assert decisions(replace(of(scored(POWER, 0.1)), notes=(REFUSED,)), SETTINGS)[Decision.POWER].reason != REFUSED


def test_that_memories_left_out_for_their_success_are_not_told_to_be_absent() -> None:
    told = decisions(of(), layer(here={"min_score": 0.9}).values)[Decision.MEMORY].reason
    assert told == "No memory is in use: the library has none, or all are paused or have less success than 0.900."
    told_of_nothing = decisions(replace(of(), query=Query.of(" ")), SETTINGS)
    assert {told_of_nothing[one].reason for one in (Decision.MEMORY, Decision.POWER)} == {"No query yet."}
    shown = verdict(of(), SETTINGS)
    assert (shown.headline, shown.help) == ("Troubleshoot 55 % · No answer", (Help.TEACH,))


def test_that_a_started_power_leaves_the_reason_of_the_memory_and_follows_its_own_line() -> None:
    started = Resolution(Tier.ACTIVATED, "x", matches=(PowerMatch(POWER, 0.95, "keyword"),), started=True)
    found = replace(of(scored(MEMORY, 0.1), scored(POWER, 0.95), intent=0.9), resolution=started)
    memory, power, start, *_ = resolution_lines(found, SETTINGS)
    assert memory == "Memory: none. The nearest is slow-build with 10 %; 30 % is needed."
    assert power.startswith("Powers: Activated. postgres")
    assert start == "  Started; it is stopped when this command ends."


@pytest.mark.parametrize(
    ("confidence", "other", "outcome", "said"),
    [
        (0.9, 0.5, Outcome.ACTIVATED, ""),
        (0.6, 0.5, Outcome.MULTIPLE_MATCHES, "postgres needs 90 % to be activated."),
        (0.9, 0.88, Outcome.MULTIPLE_MATCHES, "they are too close to choose one."),
    ],
)
def test_that_a_power_says_if_it_is_activated(confidence: float, other: float, outcome: Outcome, said: str) -> None:
    settings = layer(here={"tiers.ambiguity_margin": 0.05}).values
    inspection = of(scored(POWER, confidence), scored(Power("sqlite", key=3), other))
    found = [one.answer for one in inspection.matches if isinstance(one.answer, Power)]
    resolution = resolve(inspection.query.text, inspection.matches, found, settings)
    inspection = replace(inspection, resolution=resolution)
    made = decisions(inspection, settings)[Decision.POWER]
    assert (made.name, made.outcome) == ("postgres", outcome)
    assert said in made.reason.partition(" Ahead of ")[0]
    assert can_start(inspection) is (outcome is Outcome.ACTIVATED)


@pytest.mark.parametrize(
    ("power", "outcome", "help_"),
    [
        (replace(POWER, approved=False), Outcome.NEEDS_APPROVAL, Help.APPROVE),
        (Power("postgres", "Run queries", key=2), Outcome.NEEDS_COMMAND, Help.COMMAND),
    ],
)
def test_that_a_power_that_cannot_start_yet_says_what_it_lacks(power: Power, outcome: Outcome, help_: Help) -> None:
    inspection = of(scored(power, 0.95))
    shown = verdict(inspection, SETTINGS)
    assert shown.headline.endswith(f"postgres 95 %, {OUTCOME_WORDS[outcome]}")
    assert shown.help[0] is help_
    assert can_start(inspection) is (help_ is Help.APPROVE)
    assert some(shown.match).answer == power
    beside = verdict(of(scored(MEMORY, 0.97), scored(power, 0.95), intent=0.7), SETTINGS)
    assert beside.help[0] is help_
    assert "would be activated" not in beside.why + shown.headline


def test_that_a_provisional_answer_says_so_everywhere() -> None:
    inspection = replace(of(scored(MEMORY, 0.95)), provisional={Decision.MEMORY: "The encoder is loading."})
    assert verdict(inspection, SETTINGS).headline.startswith("Provisional: ")
    document = verdict_document(inspection, SETTINGS)
    assert {name: entry["provisional"] for name, entry in document.items()} == {
        "type": False,
        "memory": True,
        "power": False,
        "route": False,
    }


def test_that_the_document_has_one_entry_a_decision() -> None:
    document = verdict_document(of(scored(MEMORY, 0.95), intent=0.7), SETTINGS)
    assert list(document) == ["type", "memory", "power", "route"]
    assert document["memory"]["name"] == "slow-build"
    assert document["memory"]["outcome"] == "injected"
    assert document["power"]["name"] is None
    every = {"name", "confidence", "outcome", "reason", "provisional"}
    own = {"power": {"tier_chances"}, "memory": {"injected", "covered"}}
    assert document["memory"]["injected"] == ["slow-build"]
    assert all(set(entry) == every | own.get(decision, set()) for decision, entry in document.items())


def test_that_the_tier_of_powers_that_share_the_whole_is_told_by_the_chances_of_each() -> None:
    before, other = of(scored(POWER, 0.4), scored(replace(POWER, name="mysql", key=3), 0.3)), BestScores(0.9, 0.2, 0.1)
    powers = [one for one in before.matches if one.kind is Kind.POWER]
    for best, outcome, said in (
        (None, Outcome.MULTIPLE_MATCHES, "2 powers match, as the chance that one or several fit is 70 %; postgres"),
        (other, Outcome.NONE, "The nearest is postgres with 40 %. The chance that any power fits is "),
    ):
        resolution = resolve("q", powers, [], SETTINGS, shared=0.7, best_scores=best)
        found = replace(before, resolution=resolution)
        made = decisions(found, SETTINGS)[Decision.POWER]
        assert made.outcome is outcome
        assert said in made.reason
        told = verdict_document(found, SETTINGS)["power"]["tier_chances"]
        assert told == {tier.value: chance for tier, chance in some(resolution.chances).by_tier.items()}
    assert verdict_document(before, SETTINGS)["power"]["tier_chances"] is None


def test_that_what_a_headline_says_is_explained() -> None:
    for one in (verdict(of(scored(POWER, 0.95)), SETTINGS), verdict(of(scored(MEMORY, 0.95)), SETTINGS)):
        assert one.terms
        assert set(one.terms) <= GLOSSARY.keys()


def test_that_every_help_has_words_and_one_way_to_be_done() -> None:
    assert set(HELP_WORDS) == set(Help)
    assert sorted([*ACTS, *PLACES, *SETTING]) == sorted(Help)
    assert all(isinstance(value_of(SETTINGS, key), float | bool) for key in SETTING.values())


def test_that_memories_that_are_injected_together_are_named_with_what_they_cover() -> None:
    first = replace(MEMORY, intent="builds")
    second = replace(MEMORY, id="flaky-tests", response="Retry.", intent="builds", key=9)
    both = [replace(scored(one, chance), label_chance=0.97) for one, chance in ((first, 0.5), (second, 0.4))]
    inspection = of(*both, intent=0.7)
    said = "Would be injected: slow-build, flaky-tests. 2 memories are 90 % likely to answer; 75 % is enough."
    assert said in outcome_lines(inspection, SETTINGS)
    assert ["Powers" in as_text(of(*both, *more), SETTINGS) for more in ((), [scored(POWER, 0.01)])] == [False, True]
    memory = decisions(inspection, SETTINGS)[Decision.MEMORY]
    assert memory.outcome is Outcome.INJECTED
    assert memory.reason.startswith("Its intent has 97 %. 2 memories are 90 % likely to answer; 75 % is enough.")
    third = replace(scored(replace(MEMORY, id="broken-build", intent="others", key=10), 0.01), label_chance=0.02)
    reason = decisions(of(*both, third, intent=0.7), SETTINGS)[Decision.MEMORY].reason
    assert "Ahead of broken-build (next intent) by 95 points" in reason
    low = of(*(replace(one, label_chance=0.7) for one in both), intent=0.7)
    assert "Not injected: its intent has 70 %, and 75 % is needed." in decisions(low, SETTINGS)[Decision.MEMORY].reason
    assert verdict_document(low, SETTINGS)["memory"]["injected"] == []


@pytest.mark.parametrize(("most", "names"), [(4_000, 2), (30, 2), (29, 1), (20, 1), (19, 0)])
def test_that_what_exceeds_the_tokens_is_not_told_to_be_injected(most: int, names: int) -> None:
    first = replace(MEMORY, intent="builds", response="Turn it off. " * 9)
    second = replace(first, id="flaky-tests", response="Retry. " * 9, key=9)
    both = [replace(scored(one, chance), label_chance=0.97) for one, chance in ((first, 0.5), (second, 0.4))]
    inspection = of(*both, intent=0.7)
    halves = (number_text(1), number_text(2), memory_text(first), memory_text(second))
    inspection = replace(inspection, tokens=dict.fromkeys(halves, 5) | {head_text(inspection.intent): 10})
    settings = layer(here={"search_intent.surfacing_tokens": str(most)}).values
    memory = verdict_document(inspection, settings)["memory"]
    assert memory["injected"] == ["slow-build", "flaky-tests"][:names]
    assert ("more than 19 tokens" in str(memory["reason"])) is (names == 0)


def test_that_the_nearest_memory_is_named_with_the_chance_that_is_compared() -> None:
    near = of(replace(scored(replace(MEMORY, intent="builds"), 0.1), label_chance=0.2))
    said = "The nearest is slow-build with 10 %, its intent with 20 %; 30 % is needed."
    assert decisions(near, SETTINGS)[Decision.MEMORY].reason.startswith(said)


def test_that_the_answer_is_of_the_likeliest_intent_though_another_memory_has_more_by_itself() -> None:
    fault, wifi = (scored(replace(MEMORY, intent=one, id=f"{one}-1"), 0.3) for one in ("fault", "wifi"))
    matches = replace(fault, confidence=0.25, label_chance=0.25), replace(wifi, confidence=0.2, label_chance=0.74)
    made = decisions(of(*matches), SETTINGS)[Decision.MEMORY]
    assert (made.name, made.outcome) == ("wifi-1", Outcome.WITHHELD)
    assert some(of(*matches).first).answer.name == "wifi-1", "what is marked, and named in the history"
    assert made.reason.endswith("its intent has 74 %. fault-1 has 25 %, less than that intent.")


def test_that_a_row_says_if_its_memory_is_injected_or_rejected() -> None:
    other, low = replace(MEMORY, id="flaky-tests", key=9), replace(MEMORY, id="ci-red", key=11)
    inspection = of(scored(MEMORY, 0.6), scored(other, 0.4), scored(low, 0.01), scored(POWER, 0.01), intent=0.55)
    rows = with_outcomes(match_rows(inspection, SETTINGS), inspection, SETTINGS)
    assert [row.outcome for row in rows if row.shows_outcome] == ["Not injected", "Not injected"]
    unreached = [(row.name, row.outcome) for row in rows if not row.shows_outcome]
    assert unreached == [("ci-red", "Rejected"), ("postgres", "Rejected")]
    high = of(scored(MEMORY, 0.78), scored(POWER, 0.95), intent=0.2)
    rows = with_outcomes(match_rows(high, SETTINGS), high, SETTINGS)
    shown = [(row.outcome, outcome_token(row)) for row in rows]
    assert shown == [("Not injected", "text_2"), ("Activates", "level_best")]
    assert [row.level for row in rows] == [Band.FALLBACK, Tier.ACTIVATED]
    assert verdict(high, SETTINGS).level is Tier.ACTIVATED, "what is delivered"
    alone = of(scored(MEMORY, 0.78), intent=None)
    assert alone.memories[0].band is Band.HIGH
    assert verdict(alone, SETTINGS).level is Band.FALLBACK, "nothing is delivered"


def test_that_a_memory_without_a_name_is_named_by_its_intent_and_its_trigger() -> None:
    bare = replace(MEMORY, id=None, intent="speed-up")
    assert " · speed-up “my build is slow” 99 %" in verdict(of(scored(bare, 0.99)), SETTINGS).headline
    assert "speed-up" not in verdict(of(scored(replace(bare, intent=None), 0.99)), SETTINGS).headline
