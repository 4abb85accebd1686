"""Tests of doubts: undelivered, tied or late answers, and conflicts (S7.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.detect.doubts import doubts_of, presets_differ
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.library import Memory, Power
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.domain.match import Band, Match, Query, Tier
from app.domain.review.history import Doubt
from app.domain.scope.inspection import Detection, Inspection, Phase, Trace
from app.settings.model import Settings

SETTINGS = Settings()


def memory(name: str, confidence: float, band: Band = Band.HIGH, label: str | None = None) -> Match:
    return Match(Memory((name,), intent=label, id=name, key=1), confidence, {}, (), name, band=band)


def answering(name: str, confidence: float) -> Match:
    """Make a memory with a response, whose confidence is the chance of its label."""
    answer = Memory((name,), id=name, key=1, response="do this")
    return replace(memory(name, confidence), answer=answer, label_chance=confidence)


def power(confidence: float, tier: Tier) -> Match:
    return Match(Power("pg", key=1), confidence, {}, (), "pg", tier=tier)


def inspection(
    *matches: Match,
    floor: IntentType | None = IntentType.HOWTO,
    llm: tuple[LlmOutcome, IntentType | None] | None = None,
) -> Inspection:
    intent = None if floor is None else SearchIntent(floor, 0.6, DetectionSource.KEYWORD)
    report = None
    if llm is not None:
        outcome, said = llm
        report = LlmReport(outcome, answer=None if said is None else LlmAnswer(said, 0.9, "json"))
    detection = Detection(intent, "evidence")
    return Inspection(Query.of("a query"), Phase.MERGED, detection, intent, matches, None, Trace(llm=report))


GOOD = memory("a", 0.9)
OTHER_POWER = Match(Power("my", key=2), 0.01, {}, (), "my", tier=Tier.WEAK_MATCHES)


@pytest.mark.parametrize(
    ("found", "doubts"),
    [
        (inspection(), [Doubt.WEAK]),
        (inspection(GOOD), []),
        (inspection(memory("a", 0.76, Band.MEDIUM)), []),
        (inspection(memory("a", 0.6, Band.MEDIUM)), [Doubt.WEAK]),
        (inspection(memory("a", 0.9), floor=None), []),
        (inspection(memory("a", 0.79), floor=None), [Doubt.WEAK]),
        (inspection(answering("a", 0.9)), []),
        (inspection(answering("a", 0.7)), [Doubt.WEAK]),
        (inspection(answering("a", 0.79), floor=None), [Doubt.WEAK]),
        (inspection(memory("a", 0.1, Band.FALLBACK)), [Doubt.WEAK]),
        (inspection(power(0.9, Tier.ACTIVATED)), []),
        (inspection(power(0.6, Tier.MULTIPLE_MATCHES)), []),
        (inspection(power(0.02, Tier.WEAK_MATCHES), OTHER_POWER), [Doubt.WEAK]),
        (inspection(power(0.4, Tier.WEAK_MATCHES)), [Doubt.WEAK]),
        (inspection(GOOD, memory("b", 0.86)), [Doubt.TIED]),
        (inspection(GOOD, memory("b", 0.84)), []),
        (inspection(*(memory(name, 0.1, Band.FALLBACK) for name in "ab")), [Doubt.WEAK]),
        (inspection(GOOD, power(0.87, Tier.ACTIVATED)), []),
        (inspection(GOOD, llm=(LlmOutcome.ANSWERED, IntentType.LOCATION)), [Doubt.CEILING]),
        (inspection(GOOD, llm=(LlmOutcome.ANSWERED, IntentType.HOWTO)), []),
        (inspection(GOOD, llm=(LlmOutcome.LOW_CONFIDENCE, IntentType.LOCATION)), []),
        (inspection(GOOD, floor=None, llm=(LlmOutcome.ANSWERED, IntentType.LOCATION)), []),
        (inspection(GOOD, llm=(LlmOutcome.LATE, IntentType.LOCATION)), [Doubt.CEILING, Doubt.TIMED_OUT]),
        (inspection(GOOD, llm=(LlmOutcome.TIMED_OUT, None)), [Doubt.TIMED_OUT]),
        (inspection(GOOD, llm=(LlmOutcome.OFF, None)), []),
    ],
)
def test_that_doubts_say_what_speaks_against_an_answer(found: Inspection, doubts: list[Doubt]) -> None:
    assert list(doubts_of(found, SETTINGS)) == doubts


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("m", False),
        ("  ", False),
        ("12 + 3", False),
        ("x y z", False),
        ("?!", False),
        ("The", False),
        ("why not", True),
        ("ok", True),
        ("雨", True),
        ("é", True),
    ],
)
def test_that_only_a_query_with_a_word_waits(text: str, waits: bool) -> None:
    assert bool(doubts_of(replace(inspection(), query=Query.of(text)), SETTINGS)) is waits


def test_that_presets_differ_in_their_first_answer_or_type() -> None:
    assert not presets_differ(inspection(GOOD), inspection(memory("a", 0.5, Band.LOW)))
    assert not presets_differ(inspection(floor=None), inspection(floor=None))
    assert presets_differ(inspection(GOOD), inspection(memory("b", 0.9)))
    assert presets_differ(inspection(GOOD), inspection(GOOD, floor=None))
    assert presets_differ(inspection(GOOD), inspection())
