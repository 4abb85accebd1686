"""Every sample query shows what it says, with the library, the rules and the encoder that ship."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.encoders.minilm import DIMENSION, MiniLm
from app.adapters.formats.rule_packs import read_packs
from app.adapters.local.machine import SystemClock
from app.bootstrap import RESOURCES, seed_files
from app.detect.keywords import KeywordRules
from app.display.scope.guide import SAMPLES, samples_for
from app.display.scope.rows import selected
from app.domain.inspection import Inspection
from app.domain.intent import DetectionSource
from app.domain.library import Answer, Memory, Problem
from app.domain.match import Band, Tier
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import without_punctuation
from app.services.engine.engine import Engine
from app.services.engine.llm_lane import LlmLane
from app.services.engine.measures import Measures
from app.services.engine.query import inspect
from app.settings.model import Settings

Ask = Callable[[str], Inspection]


def seed() -> list[Answer]:
    found: list[Answer] = []
    for _, lines in seed_files():
        for line in lines:
            assert not isinstance(line, Problem)
            found.append(replace(line.value, key=len(found) + 1))
    return found


@pytest.fixture(scope="module")
def ask() -> Ask:
    encoder, clock, answers = MiniLm.load(), SystemClock(), seed()
    index = TriggerIndex(DIMENSION)
    index.put(answers)
    texts = list(dict.fromkeys(trigger for answer in answers for trigger in answer.triggers))
    index.embed(dict(zip(texts, encoder.encode(texts), strict=True)))
    rules = KeywordRules(read_packs(Path(RESOURCES) / "rules"))
    engine = Engine(index, rules, Settings(), clock, LlmLane(None, clock, Measures()), encoder=encoder)

    async def last(text: str) -> Inspection:
        with ThreadPoolExecutor(1) as encode:
            async with aclosing(inspect(engine, text, encode=lambda: encode)) as answers:
                return [found async for found in answers][-1]

    return lambda text: asyncio.run(last(text))


def tier(inspection: Inspection) -> Tier:
    assert inspection.resolution is not None
    return inspection.resolution.status


def is_from_keywords(found: Inspection) -> bool:
    return found.intent is not None and found.intent.source is DetectionSource.KEYWORD


def is_a_memory_before_tools(found: Inspection) -> bool:
    assert found.resolution is not None
    return found.matches[0].band is Band.HIGH and found.resolution.status is Tier.MULTIPLE_MATCHES


def is_a_conflict(found: Inspection) -> bool:
    """The two best memories hold one and the same trigger, and answer it differently."""
    first, second = [match.answer for match in found.matches if isinstance(match.answer, Memory)][:2]
    both = {without_punctuation(text) for text in first.triggers} & {
        without_punctuation(text) for text in second.triggers
    }
    return bool(both) and first.response != second.response


def has_an_absent_scorer(found: Inspection) -> bool:
    shown = selected(found, found.matches[0], Settings())
    return "keyword" in {one.scorer for one in shown.absent} and all(one.reason for one in shown.absent)


CLAIMS: dict[str, Callable[[Inspection], bool]] = {
    "A type from keywords": is_from_keywords,
    "One clear tool": lambda found: tier(found) is Tier.ACTIVATED,
    "Multiple matches": lambda found: tier(found) is Tier.MULTIPLE_MATCHES,
    "Weak matches": lambda found: tier(found) is Tier.WEAK_MATCHES,
    "Not found": lambda found: tier(found) is Tier.NOT_FOUND,
    "A memory before tools": is_a_memory_before_tools,
    "A conflict": is_a_conflict,
    "An absent scorer": has_an_absent_scorer,
    "No type": lambda found: found.intent is None and found.detection.intent is None,
}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.shows)
def test_that_a_sample_shows_what_it_says(sample: object, ask: Ask) -> None:
    chosen = next(one for one in SAMPLES if one is sample)
    assert CLAIMS[chosen.shows](ask(chosen.text))


def test_that_there_is_a_sample_for_every_tier_and_claim() -> None:
    assert {sample.shows for sample in SAMPLES} == set(CLAIMS)


def test_that_the_seed_library_holds_what_every_sample_needs() -> None:
    answers = {answer.name: answer for answer in seed()}

    def holds(name: str, trigger: str) -> bool:
        held = {without_punctuation(text) for text in answers[name].triggers} if name in answers else set()
        return without_punctuation(trigger) in held

    assert samples_for(holds) == SAMPLES


def test_that_nothing_is_offered_to_a_library_without_these_answers() -> None:
    assert samples_for(lambda name, trigger: False) == ()
    assert [sample.shows for sample in samples_for(lambda name, _: name == "postgres")] == [
        "One clear tool",
        "Not found",
    ]
