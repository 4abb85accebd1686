"""Tests that reasons add up on the sample library, for shipped queries."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from app.bootstrap import make_workbench
from app.detect.surfacing import Surfaced
from app.display.scope.matches.reasons import reason_of
from app.display.scope.surfacing import surfacing_document
from app.display.scope.verdict import decisions, verdict_document
from app.domain.scope.inspection import Decision, Inspection
from app.settings.model import Choices
from app.surfaces.cli.terminal import opened
from tests.reason_law import assert_reason_holds

RESOURCES = Path(__file__).parents[2] / "resources"
FILES = ("seed/cases.jsonl", "datasets/tiers.jsonl")
OF_TYPES = 20
"""Interval of the type examples that are used as queries."""


def queries() -> list[str]:
    """Return shipped queries."""
    lines = [line for name in FILES for line in (RESOURCES / name).read_text("utf-8").splitlines()]
    lines += (RESOURCES / "datasets/types.jsonl").read_text("utf-8").splitlines()[::OF_TYPES]
    return list(dict.fromkeys(json.loads(line)["text"] for line in lines if line.strip()))


async def test_that_the_reason_of_each_first_answer_credits_what_contributes_most(seeded: Path) -> None:
    async with opened(make_workbench(Choices(seeded)), wait=True) as bench:
        settings = bench.settings
        found = [await bench.settle_as(text, {}) for text in queries()]
        answered = [(one, decisions(one, settings)[Decision.MEMORY].reason) for one in found]
    assert len(answered) > 120
    for inspection, told in answered:
        for match in (*inspection.memories[:1], *inspection.powers[:1]):
            if match.confidence:
                assert_reason_holds(inspection, match)
        for match in inspection.memories[:1]:
            if match.is_found:
                assert reason_of(inspection, match).sentence in told


def test_that_the_verdict_names_what_the_hook_injects(seeded: Path) -> None:
    async def run() -> list[tuple[Inspection, Surfaced, dict[str, object]]]:
        async with opened(make_workbench(Choices(seeded)), wait=True) as bench:
            found = [await bench.settle_as(text, {}) for text in queries()]
            told = [verdict_document(one, bench.settings)["memory"] for one in found]
            return [(one, await bench.surface(one), own) for one, own in zip(found, told, strict=True)]

    together = 0
    for inspection, surfaced, told in asyncio.run(run()):
        names = [entry.memory.name for entry in surfaced.inside]
        assert told["injected"] == names, inspection.query.text
        assert (told["outcome"] == "injected") == (told["name"] in names)
        assert told["covered"] == pytest.approx(surfaced.covered, abs=1e-9)
        assert surfacing_document(surfaced)["covered"] == surfaced.covered
        if len(names) > 1:
            together += 1
            assert f"{len(names)} memories cover" in str(told["reason"])
    assert together
