"""Tests that every sample query shows its effect, with shipped library, rules and encoder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.bootstrap import make_workbench, seed_files
from app.display.scope.guide import SAMPLES, samples_for
from app.display.scope.matches.rows import match_details
from app.domain.library import Answer, Memory, Problem
from app.domain.match import Band, Tier
from app.domain.scope.inspection import Inspection
from app.scoring.text import without_punctuation
from app.settings.model import Choices, Settings

Ask = Callable[[str], Inspection]


def seed() -> list[Answer]:
    found: list[Answer] = []
    for _, lines in seed_files():
        for line in lines:
            assert not isinstance(line, Problem)
            found.append(replace(line.value, key=len(found) + 1))
    return found


@pytest.fixture(scope="module")
def ask(seeded: Path) -> Ask:
    """Answer the samples after a first start, with fitted weights."""
    asked = [sample.text for sample in SAMPLES]

    async def answers() -> dict[str, Inspection]:
        workbench = make_workbench(Choices(seeded))
        await workbench.open(watch=False)
        await workbench.ready()
        await workbench.examples_trained()
        found = {text: await workbench.settle(text) for text in asked}
        await workbench.close()
        return found

    return asyncio.run(answers()).__getitem__


def tier(inspection: Inspection) -> Tier:
    assert inspection.resolution is not None
    return inspection.resolution.status


def has_a_clear_type(found: Inspection) -> bool:
    return found.intent is not None and found.intent.confidence >= 0.8


def is_a_memory_before_tools(found: Inspection) -> bool:
    return found.matches[0].band is Band.HIGH and tier(found) is not Tier.NOT_FOUND


def is_a_conflict(found: Inspection) -> bool:
    """Return whether the two best memories have the same trigger and different responses."""
    first, second = [match.answer for match in found.matches if isinstance(match.answer, Memory)][:2]
    both = {without_punctuation(text) for text in first.triggers} & {
        without_punctuation(text) for text in second.triggers
    }
    return bool(both) and first.response != second.response


def has_an_absent_scorer(found: Inspection) -> bool:
    shown = match_details(found, found.matches[0], Settings())
    return "keyword" in {one.scorer for one in shown.absent} and all(one.reason for one in shown.absent)


CLAIMS: dict[str, Callable[[Inspection], bool]] = {
    "A clear type": has_a_clear_type,
    "One clear power": lambda found: tier(found) is Tier.ACTIVATED,
    "Multiple matches": lambda found: tier(found) is Tier.MULTIPLE_MATCHES,
    "Weak matches": lambda found: tier(found) is Tier.WEAK_MATCHES,
    "Not found": lambda found: tier(found) is Tier.NOT_FOUND,
    "A memory before powers": is_a_memory_before_tools,
    "A conflict": is_a_conflict,
    "An absent score": has_an_absent_scorer,
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
        "One clear power",
        "Not found",
    ]
