"""Tests that reasons add up on the sample library, for shipped queries."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import make_workbench
from app.detect.surfacing import Surfaced
from app.display.scope.matches.arithmetic import reason_of
from app.display.scope.surfacing import surfacing_document
from app.display.scope.verdict import verdict_document
from app.domain.scope.inspection import Inspection
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


@dataclass(frozen=True)
class Answered:
    """Answer to a query with the memory's verdict, and the memories that the hook injects."""

    inspection: Inspection
    verdict: Mapping[str, Any]
    surfaced: Surfaced


@pytest.fixture(scope="module")
def answered(seeded: Path) -> list[Answered]:
    async def answers() -> list[Answered]:
        async with opened(make_workbench(Choices(seeded)), wait=True) as bench:
            found = [await bench.settle_as(text, {}) for text in queries()]
            return [
                Answered(one, verdict_document(one, bench.settings)["memory"], await bench.surface(one))
                for one in found
            ]

    return asyncio.run(answers())


def test_that_the_reason_of_each_first_answer_credits_what_contributes_most(answered: list[Answered]) -> None:
    assert len(answered) > 120
    for one in answered:
        inspection = one.inspection
        for match in (*inspection.memories[:1], *inspection.powers[:1]):
            if match.confidence:
                assert_reason_holds(inspection, match)
        for match in inspection.memories[:1]:
            if match.is_found:
                assert reason_of(inspection, match).sentence in one.verdict["reason"]


def test_that_the_verdict_names_what_the_hook_injects(answered: list[Answered]) -> None:
    together = 0
    for one in answered:
        surfaced, told = one.surfaced, one.verdict
        names = [entry.memory.name for entry in surfaced.inside]
        assert told["injected"] == names, one.inspection.query.text
        assert (told["outcome"] == "injected") == (told["name"] in names)
        assert told["covered"] == pytest.approx(surfaced.covered, abs=1e-9)
        assert surfacing_document(surfaced)["covered"] == surfaced.covered
        if len(names) > 1:
            together += 1
            assert f"{len(names)} memories cover" in told["reason"]
    assert together
