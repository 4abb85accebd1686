"""Tests of the verdict: a headline per outcome, the delivery, its reason, and useful help."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.resolve import resolve
from app.detect.surfacing import (
    SURFACING,
    Cut,
    Limits,
    Parts,
    Surfaced,
    Weighed,
    entries,
    head_text,
    is_dead,
    memory_text,
    number_text,
    surfacing_row,
    weigh,
)
from app.display.scope.match_rows import can_start, match_rows, together
from app.display.scope.surfacing import (
    context_list,
    memory_ranks,
    rules_of_surfacing,
    surfaced_document,
    surfacing,
    surfacing_document,
)
from app.display.scope.text import outcome_lines, resolution_lines
from app.display.scope.verdict import HELP_WORDS, Help, decisions, verdict, verdict_document, with_outcomes
from app.display.words import GLOSSARY
from app.domain.inspection import REFUSED, BestScores, Decision, Inspection, PowerMatch, Resolution
from app.domain.library import Kind, Memory, Power, Transport
from app.domain.llm import LlmOutcome, LlmReport
from app.domain.match import Match, Query, Tier
from app.gui.scope.panels.matches_delegate import outcome_token
from app.gui.scope.verdict_strip import ACTS, PLACES, SETTING
from app.settings.model import Settings, layer, value_of
from tests import golden
from tests.build import some
from tests.golden import written
from tests.gui.inspections import band, design, led, match, tier

SETTINGS = layer(here={}).values


def of(*matches: Match, intent: float | None = 0.55) -> Inspection:
    """Make an inspection with these matches, and an intent of this confidence.

    The resolution is the engine's.
    """
    before = design()
    found = None if intent is None else replace(some(before.intent), confidence=intent)
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


GOLDEN = Path(__file__).with_name("verdict.txt")
"""Reviewed text of verdicts; `GOLDEN.write_text(read())` writes it again."""

DOCUMENTED = layer(here={"preset": "as_documented"}).values
Scene = tuple[str, Inspection, Settings]


def memories() -> Iterator[Scene]:
    """Yield what keeps a memory from being injected, and what does not."""
    silent, unnamed = replace(MEMORY, response=""), replace(MEMORY, id=None)
    yield "a memory beside a power", of(scored(MEMORY, 0.8), scored(POWER, 0.99), intent=0.7), SETTINGS
    yield "an unsure type", of(scored(MEMORY, 0.6)), SETTINGS
    yield "an unsure type, as documented", of(scored(MEMORY, 0.6)), DOCUMENTED
    yield "a sure type, as documented", of(scored(MEMORY, 0.6), intent=0.9), DOCUMENTED
    yield "no type", of(scored(MEMORY, 0.6), intent=None), SETTINGS
    yield "no type, as documented", of(scored(MEMORY, 0.99), intent=None), DOCUMENTED
    for intent in (None, 0.2, 0.9):
        yield f"a certain memory, type {intent}", of(scored(MEMORY, 0.8), intent=intent), SETTINGS
    yield "a weak memory", of(scored(MEMORY, 0.6), intent=0.9), SETTINGS
    yield "without a response, weak", of(scored(silent, 0.72), intent=0.9), SETTINGS
    yield "without a response", of(scored(silent, 0.78), intent=0.9), SETTINGS
    yield "nothing near", of(scored(MEMORY, 0.004)), SETTINGS
    yield "just below the answer threshold", of(scored(MEMORY, 0.29996)), SETTINGS
    yield "just below what is needed", of(scored(MEMORY, 0.7998)), SETTINGS
    yield "nothing has a chance", of(scored(POWER, 0.0), scored(MEMORY, 0.0)), SETTINGS
    yield "success left out", of(), layer(here={"min_score": 0.9}).values
    yield "no answers", of(), SETTINGS
    yield "no query", replace(of(), query=Query.of(" ")), SETTINGS
    provisional = {Decision.MEMORY: "The encoder is loading."}
    yield "provisional", replace(of(scored(MEMORY, 0.95)), provisional=provisional), SETTINGS
    yield "named by intent and trigger", of(scored(replace(unnamed, intent="speed-up"), 0.99)), SETTINGS
    yield "named by trigger", of(scored(unnamed, 0.99)), SETTINGS


def shared() -> Iterator[Scene]:
    """Yield memories that share a label, whose chance is compared."""
    first, second = replace(MEMORY, intent="builds"), replace(MEMORY, id="flaky", response="R.", intent="builds", key=9)
    both = [replace(scored(one, chance), label_chance=0.97) for one, chance in ((first, 0.5), (second, 0.4))]
    other = replace(scored(replace(MEMORY, id="broken", intent="others", key=10), 0.01), label_chance=0.02)
    yield "together", of(*both, intent=0.7), SETTINGS
    yield "together, beside another intent", of(*both, other, scored(POWER, 0.01), intent=0.7), SETTINGS
    yield "an unsure intent", of(*(replace(one, label_chance=0.7) for one in both), intent=0.7), SETTINGS
    rejected = {n: of(replace(scored(first, n), label_chance=0.2)) for n in (0.1, 0.004)}
    yield from ((f"a rejected intent, {n}", found, SETTINGS) for n, found in rejected.items())
    fault, wifi = (scored(replace(MEMORY, intent=one, id=f"{one}-1"), 0.3) for one in ("fault", "wifi"))
    matches = replace(fault, confidence=0.25, label_chance=0.25), replace(wifi, confidence=0.2, label_chance=0.74)
    yield "the likeliest intent has a weaker memory", of(*matches), SETTINGS
    halves = (number_text(1), number_text(2), memory_text(first), memory_text(second))
    for most in (4_000, 30, 29, 20, 19):
        found = of(*both, intent=0.7)
        settings = layer(here={"search_intent.surfacing_tokens": str(most)}).values
        tokens = dict.fromkeys(halves, 5) | {head_text(found.intent): 10}
        yield f"at most {most} tokens", replace(found, tokens=tokens), settings


def powers() -> Iterator[Scene]:
    """Yield what a power may do: with a rival, refused, lacking something, started, by chances."""
    margin = layer(here={"tiers.ambiguity_margin": 0.05}).values
    for confidence, other in ((0.9, 0.5), (0.6, 0.5), (0.9, 0.88), (0.4, 0.35), (0.4, 0.01)):
        found = of(scored(POWER, confidence), scored(Power("sqlite", key=3), other))
        answers = [one.answer for one in found.matches if isinstance(one.answer, Power)]
        resolution = resolve(found.query.text, found.matches, answers, margin)
        yield f"{confidence} against {other}", replace(found, resolution=resolution), margin
    for confidence in (0.0, 0.1):
        yield f"refused, {confidence}", replace(of(scored(POWER, confidence)), notes=(REFUSED,)), SETTINGS
    for power in (replace(POWER, approved=False), Power("postgres", "Run queries", key=2)):
        yield "cannot start", of(scored(power, 0.95)), SETTINGS
        yield "cannot start, beside a memory", of(scored(MEMORY, 0.97), scored(power, 0.95), intent=0.7), SETTINGS
    started = Resolution(Tier.ACTIVATED, "x", matches=(PowerMatch(POWER, 0.95, "keyword"),), started=True)
    yield ("started", replace(of(scored(MEMORY, 0.1), scored(POWER, 0.95), intent=0.9), resolution=started), SETTINGS)
    before = of(scored(POWER, 0.4), scored(replace(POWER, name="mysql", key=3), 0.3))
    listed = [one for one in before.matches if one.kind is Kind.POWER]
    for best in (None, BestScores(0.9, 0.2, 0.1)):
        resolution = resolve("q", listed, [], SETTINGS, shared=0.7, best_scores=best)
        yield "chances of one and several", replace(before, resolution=resolution), SETTINGS


def rows() -> Iterator[Scene]:
    """Yield memories and powers that are injected, not injected, rejected and activated."""
    other, low = replace(MEMORY, id="flaky-tests", key=9), replace(MEMORY, id="ci-red", key=11)
    yield "rejected", of(scored(MEMORY, 0.6), scored(other, 0.4), scored(low, 0.01), scored(POWER, 0.01)), SETTINGS
    yield "activated", of(scored(MEMORY, 0.78), scored(POWER, 0.95), intent=0.2), SETTINGS
    yield "nothing is delivered", of(scored(MEMORY, 0.78), intent=None), SETTINGS


def told(inspection: Inspection, settings: Settings) -> Iterator[str]:
    """Yield headline and help of a verdict, its decisions, and the outcome of each row."""
    shown = verdict(inspection, settings)
    yield f"{shown.headline} ({shown.level})"
    yield f"help: {', '.join(shown.help)}; starts: {can_start(inspection)}; response: {shown.response or 'none'}"
    yield f"marked: {some(inspection.first).answer.name if inspection.first else 'nothing'}"
    for key, made in verdict_document(inspection, settings).items():
        own = {name: value for name, value in made.items() if name not in {"name", "outcome", "confidence", "reason"}}
        if made["name"] or made["provisional"] or key in {"memory", "power"}:
            yield f"{key}: {made['name']}, {made['outcome']}, {golden.line(made['confidence'])}. {made['reason']}"
            yield f"  {golden.line(own)} {', '.join(decisions(inspection, settings)[Decision(key)].help)}".rstrip()
    yield from outcome_lines(inspection, settings)
    yield from resolution_lines(inspection, settings)
    for row in with_outcomes(match_rows(inspection, settings), inspection, settings):
        yield f"- {row.name} {row.share}: {row.outcome}, {row.level}, {outcome_token(row)}, {row.shows_outcome}"


def read() -> str:
    every = enumerate((*memories(), *shared(), *powers(), *rows()), 1)
    scenes = {f"{place}. {name}": told(found, by) for place, (name, found, by) in every}
    document = verdict_document(of(scored(MEMORY, 0.95), intent=0.7), SETTINGS)
    return written({"document": document, **scenes})


def test_that_verdicts_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


def test_that_every_power_said_to_match_is_listed_beside_memories() -> None:
    named = (scored(replace(POWER, name=name, key=ord(name)), 0.4) for name in "abcde")
    inspection = of(scored(MEMORY, 0.2), *named)
    assert "5 powers match weakly" in decisions(inspection, SETTINGS)[Decision.POWER].reason
    assert [one.answer.name for one in together(inspection.matches)[1:]] == [*"abcde"]


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_an_llm_is_offered_only_where_there_is_none(outcome: LlmOutcome) -> None:
    inspection = of(scored(MEMORY, 0.6), intent=0.55)
    inspection = replace(inspection, trace=replace(inspection.trace, llm=LlmReport(outcome)))
    offered = Help.CONNECT_LLM in verdict(inspection, SETTINGS).help
    assert offered is (outcome is LlmOutcome.OFF)


def test_that_what_a_headline_says_is_explained() -> None:
    for one in (verdict(of(scored(POWER, 0.95)), SETTINGS), verdict(of(scored(MEMORY, 0.95)), SETTINGS)):
        assert one.terms
        assert set(one.terms) <= GLOSSARY.keys()


def test_that_every_help_has_words_and_one_way_to_be_done() -> None:
    assert set(HELP_WORDS) == set(Help)
    assert sorted([*ACTS, *PLACES, *SETTING]) == sorted(Help)
    assert all(isinstance(value_of(SETTINGS, key), float | bool) for key in SETTING.values())


UNIT = st.floats(0.0, 1.0)


def with_confidence(confidence: float) -> Inspection:
    inspection = design()
    return replace(inspection, intent=replace(some(inspection.intent), confidence=confidence))


def settings(threshold: float = 0.6, *, enabled: bool = True) -> Settings:
    """Return settings under which only the type's confidence decides."""
    wanted = {"surfacing_threshold": threshold, "enabled": enabled, "certain_confidence": 0.0}
    return layer(here={f"search_intent.{key}": value for key, value in wanted.items()}).values


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
    assert shown.sentence.startswith("Nothing is injected" if row is None else f"At most {row.count} memories")
    assert [shown_row.holds for shown_row in shown.rows] == [row is other for other in SURFACING]


# ---- The list of injected memories, with consistent words and numbers.


WEIGHTS = {"patterns": 1.5}


def surfaced(count: int = 4, *, budget: int = 4000, row: int | None = 2, aside: bool = False) -> Surfaced:
    found = [
        (Memory((f"m{n}",), "First.\nSecond.", namespace="patterns" if n % 2 else "help", key=n), 0.8124 - n / 50)
        for n in range(count)
    ]
    weighed = weigh(found, lambda name: WEIGHTS.get(name, 1.0))
    of, limits = None if row is None else SURFACING[row], Limits(0.6, budget, 0.3)
    listed = entries(weighed, of, Parts("", 10, [""] * count, [100] * count), limits)
    apart = ((Weighed(Memory(("off",), paused=True), 0.9, 1.0), Cut.PAUSED),) if aside else ()
    return Surfaced(None, of, limits, listed, apart, "", 10, 64, 14_972, "counter")


SURFACING_GOLDEN = Path(__file__).with_name("surfacing.txt")
"""Reviewed text of injected memories; `GOLDEN.write_text(read(), "utf-8")` writes it again."""


def tables() -> Iterator[tuple[str, object]]:
    """Yield tables around the threshold, without a type, and with detection off."""
    for confidence, threshold in ((0.45, 0.6), (0.65, 0.6), (0.6, 0.6), (0.2, 0.1), (0.59996, 0.6)):
        yield f"type {confidence}, threshold {threshold}", surfacing(with_confidence(confidence), settings(threshold))
    usual, untyped = layer(here={}).values, replace(design(), intent=None)
    yield "certain memories, type 0.45", surfacing(with_confidence(0.45), usual)
    yield "certain memories, no type", surfacing(untyped, usual)
    yield "no type", surfacing(untyped, settings())
    yield "detection is off", surfacing(untyped, settings(enabled=False))


def unsure() -> Surfaced:
    """Make memories of which some are beyond the count and others not confident."""
    memories = [(Memory((f"m{n}",), "So.", key=n), 0.99 - n / 50) for n in range(12)]
    limits = Limits(0.6, 4000, 0.0, 0.85, 0.9)
    listed = entries(weigh(memories, lambda _: 1.0), SURFACING[2], Parts("", 0, [""] * 12, [1] * 12), limits)
    return Surfaced(None, SURFACING[2], limits, listed)


def weighted_down() -> Surfaced:
    """Make a memory whose confidence is too low, and whose weighted confidence is not."""
    limits = Limits(0.6, 4000, confidence=0.75)
    listed = entries(
        weigh([(Memory(("m",), "So."), 0.599)], lambda _: 1.3), SURFACING[0], Parts("", 0, [""], [1]), limits
    )
    return Surfaced(None, SURFACING[0], limits, listed)


def rules() -> Iterator[str]:
    plain = Settings()
    for least, certain, coverage, success in (
        (0.75, 0.85, 0.75, 0.0),
        (0.75, 0.85, 0.0, 0.0),
        (0.0, 0.0, 0.0, 0.0),
        (0.75, 0.85, 0.75, 0.25),
    ):
        update = {
            "surfacing_confidence": least,
            "certain_confidence": certain,
            "surfacing_coverage": coverage,
            "surfacing_success": success,
        }
        intent = plain.search_intent.model_copy(update=update)
        yield rules_of_surfacing(plain.model_copy(update={"search_intent": intent}))


def surfacing_read() -> str:
    found = surfaced(4)
    orders: dict[str, dict[int | None, int] | None] = {
        "confidence": None,
        "this order": {**memory_ranks(found)},
        "an order of one": {1: 3},
    }
    return written(
        {
            **dict(tables()),
            "list": context_list(surfaced(4, aside=True), ""),
            "cut by the count": context_list(surfaced(7), "said"),
            "cut by the budget": context_list(surfaced(4, budget=310), "said"),
            "cut by the type": context_list(surfaced(2, row=None), "said"),
            "cut by the count and by confidence": context_list(unsure(), "said"),
            "cut by confidence before its weight": context_list(weighted_down(), ""),
            "moves": {
                name: [row.move for row in context_list(found, "", ranks).inside] for name, ranks in orders.items()
            },
            "rules": rules(),
            "document of the list": surfaced_document(surfaced(7)),
            "document": surfacing_document(unsure()),
        }
    )


def test_that_injected_memories_read_as_reviewed() -> None:
    assert surfacing_read() == SURFACING_GOLDEN.read_text("utf-8")
