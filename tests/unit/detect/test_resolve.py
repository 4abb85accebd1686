"""Tests of resolutions: tier thresholds and chances, ties, keywords (S5.1 to S5.4)."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.doubts import doubts_of, presets_differ
from app.detect.resolve import match_type, resolve, tier_chances, with_activation, with_tiers
from app.domain.history import Doubt
from app.domain.inspection import BestScores, Detection, Inspection, Phase, Resolution, Trace
from app.domain.intent import DetectionSource, IntentType, SearchIntent
from app.domain.library import Memory, Power, Tool
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.domain.match import Band, Match, Query, Tier
from app.domain.running import Activation, ToolSchema
from app.scoring.index.ranking import tier_of
from app.settings.model import Settings, SettingsSources, layer
from tests.golden import answered, line

RECOMMENDED = Settings()
DOCUMENTED = layer(SettingsSources(command_line={"preset": "as_documented"})).values

POSTGRES = Power("postgres", key=9)


def match(name: str, confidence: float, **scores: float) -> Match:
    power = Power(name, f"what {name} does", keywords=("database", name), tools=(Tool("query"),), key=1)
    return Match(power, confidence, scores, (), name)


# ---- activation


def activated() -> Resolution:
    return resolve("q", [match("a", 0.9)], [], RECOMMENDED)


def test_that_a_started_power_tells_the_tools_of_its_server() -> None:
    power = activated().matches[0].power
    found = with_activation(activated(), Activation(power, True, (ToolSchema("fresh", "told by the server"),)))
    assert (found.started, found.reason, found.status) == (True, None, Tier.ACTIVATED)
    assert found.tools == (Tool("fresh", "told by the server"),)
    assert with_activation(activated(), Activation(power, True)).tools == ()


def test_that_only_what_was_resolved_can_have_been_started() -> None:
    with pytest.raises(ValueError, match="is not what was resolved"):
        with_activation(activated(), Activation(Power("b"), True))
    with pytest.raises(ValueError, match="is not what was resolved"):
        with_activation(resolve("q", [], [], RECOMMENDED), Activation(Power("a"), True))


UNITS = st.floats(0.0, 1.0)


def matches(confidences: Sequence[float]) -> list[Match]:
    return [Match(Power(f"p{place}"), one, {}, (), f"p{place}") for place, one in enumerate(confidences)]


@given(st.lists(UNITS, max_size=5), UNITS, st.none() | st.builds(BestScores, UNITS, UNITS, UNITS))
def test_that_chances_of_tiers_add_up_to_one(given_: list[float], shared: float, best: BestScores | None) -> None:
    confidences = sorted(given_, reverse=True)
    chances = tier_chances(confidences, max(shared, *confidences, 0.0) if confidences else shared, best)
    assert math.fsum(chances.by_tier.values()) == pytest.approx(1.0)
    assert all(0.0 <= one <= 1.0 for one in chances.by_tier.values())
    assert (list(chances.by_tier), chances.related >= max(confidences, default=0.0) - 1e-9) == (list(Tier), True)


def test_that_without_best_scores_the_chances_are_the_shares() -> None:
    chances = tier_chances([0.4, 0.3], 0.75, None)
    assert (chances.one, chances.hint) == (0.4, 0.0)
    assert (chances.served, chances.related) == (0.75, 0.75)


GOLDEN = Path(__file__).with_name("resolve.txt")
"""Inputs with reviewed results; `GOLDEN.write_text(read(), "utf-8")` writes the results again."""


def resolution_lines(text: str) -> Iterator[str]:
    """Yield the status of powers with these confidences, those that are named, and the tier of each row."""
    asked = json.loads(text)
    settings = DOCUMENTED if "preset" in asked else RECOMMENDED
    if "margin" in asked:
        settings = Settings.model_validate({"tiers": {"ambiguity_margin": asked["margin"]}})
    rows = [
        replace(match(f"p{place}", one), tier=tier_of(one, settings)) for place, one in enumerate(asked["confidences"])
    ]
    best = BestScores(*asked["best"]) if "best" in asked else None
    found = resolve("q", rows, [POSTGRES], settings, shared=asked.get("shared"), best_scores=best)
    assert not found.started
    assert bool(found.reason) is (found.status is Tier.ACTIVATED)
    named, told = [one.power.name for one in found.matches], with_tiers(rows, found)
    if found.status is not Tier.NOT_FOUND and settings is RECOMMENDED:
        assert named == [one.answer.name for one in told if one.tier is found.status]
    yield f"{found.status}{', tied' * found.tied}: {' '.join(named) or 'none'}. {found.message or found.reason}"
    yield f"  rows: {line([one.tier for one in told])}; tools: {line(one.name for one in found.tools)}"
    if found.chances:
        yield f"  served {found.chances.served:.6g}, related {found.chances.related:.6g}"
    if found.together is not None:
        yield f"  together {found.together:.6g}"
    if found.available:
        yield f"  available: {line(one.name for one in found.available)}"


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "resolutions": resolution_lines,
    "types of matches": lambda scores: match_type(json.loads(scores)),
}


def read() -> str:
    return answered(GOLDEN, FUNCTIONS)


def test_that_resolutions_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


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
