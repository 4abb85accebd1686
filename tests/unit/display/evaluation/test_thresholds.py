"""Tests of tried thresholds: counts as by the engine, and sentences on the answer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.display.evaluation.thresholds import AnsweredCases, neighbours, precision_target_view, refusal, try_threshold
from app.display.system.settings import THRESHOLDS
from app.domain.case import Task
from app.domain.llm import LlmAnswer, LlmOutcome, LlmReport
from app.evaluation.answers import Top, Tops
from app.settings.model import Settings, layer
from tests.build import some
from tests.golden import written
from tests.gui.inspections import design, undetected

SETTINGS = Settings()


def some_tops(n: int = 400) -> list[Top]:
    dice = random.Random(5)
    values = [dice.choice((0.0, 0.3, 0.5, 0.75, 0.85, 1.0, dice.random())) for _ in range(n)]
    return [Top(v, dice.random() < 0.7, dice.random() < 0.1, dice.choice((0.01, 0.04, 0.2, 1.0))) for v in values]


def cases(task: Task, tops: list[Top]) -> AnsweredCases:
    return AnsweredCases(Tops(len(tops), len(tops), {task: tuple(tops)}))


@pytest.mark.parametrize("key", THRESHOLDS)
def test_that_what_the_settings_refuse_is_refused_here_and_nothing_else(key: str) -> None:
    for value in (0.0, 0.29, 0.3, 0.5, 0.62, 0.75, 0.85, 1.0):
        try:
            layer(here={key: str(value)})
        except ValueError:
            assert refusal(key, value, SETTINGS)
        else:
            assert refusal(key, value, SETTINGS) == ""


GOLDEN = Path(__file__).with_name("thresholds.txt")
"""Reviewed text of tried thresholds; `GOLDEN.write_text(read(), "utf-8")` writes it again."""
CONTRADICTIONS = (("tiers.weak", 0.7), ("tiers.high", 0.4), ("tiers.medium", 0.95), ("bands.medium", 0.8))
CHANGES = (
    ("tiers.medium", 0.7),
    ("tiers.medium", 0.6),
    ("bands.high", 0.9),
    ("search_intent.surfacing_threshold", 0.55),
    ("search_intent.min_confidence", 0.2),
)


def trials() -> Iterator[tuple[str, object]]:
    """Yield trials: refused values, changes of the answer on screen, and missing answers or cases."""
    tops, none = cases(Task.POWER, some_tops()), AnsweredCases()
    for key, value in CONTRADICTIONS:
        yield f"{key} = {value} is refused", try_threshold(key, value, SETTINGS, design(), tops)
    for key, value in CHANGES:
        yield f"{key} = {value}", try_threshold(key, value, SETTINGS, design(), none)
    memories = replace(design(), matches=tuple(match for match in design().matches if match.band is not None))
    yield "no query", try_threshold("tiers.high", 0.9, SETTINGS, None, none)
    yield "no power", try_threshold("tiers.high", 0.9, SETTINGS, memories, none)
    injecting = "search_intent.surfacing_threshold"
    yield "no type", try_threshold(injecting, 0.9, SETTINGS, undetected("x"), none)
    type_ = some(design().detection.intent).type
    report = LlmReport(LlmOutcome.ANSWERED, ms=100.0, answer=LlmAnswer(type_, 0.91, "one_token", distribution={}))
    answered = replace(design(), trace=replace(design().trace, llm=report))
    types = cases(Task.TYPE, some_tops())
    yield "the LLM answered", try_threshold("search_intent.min_confidence", 0.95, SETTINGS, answered, types)
    for name, key, state in (
        ("cases are answered", "tiers.high", AnsweredCases(Tops(64, 240, {}))),
        ("no cases of powers", "tiers.high", AnsweredCases(Tops(0, 0, {}))),
        ("no cases of types", injecting, AnsweredCases(Tops(0, 0, {}))),
        ("a fault", "tiers.high", AnsweredCases(None, "The encoder failed.")),
    ):
        yield name, try_threshold(key, 0.9, SETTINGS, None, state)
    both = {Task.INTENT: (Top(0.9, is_right=True),), Task.MEMORY: (Top(0.1, is_right=False),)}
    for key in ("bands.high", "tiers.high"):
        tried = try_threshold(key, 0.8, SETTINGS, None, AnsweredCases(Tops(2, 2, both)))
        yield f"{key} with labels and single memories", (tried.cases, *tried.levels)


def promises() -> Iterator[tuple[str, object]]:
    """Yield values for a precision: by cases, by texts outside the fit, and none."""
    good = [Top(0.6 + place / 1000, is_right=place % 40 != 3) for place in range(300)]
    strange = [Top(place / 100, is_right=False, expects_none=True) for place in range(70)]
    folds = {True: (*good, *strange)}
    labelled = {Task.POWER: (*good[:100], Top(0.9, is_right=True, is_labelled=False))}
    by_folds = Tops(0, 0, {}, folds)
    for name, key, tops, wanted, share in (
        ("by cases", "tiers.high", Tops(1, 1, labelled, folds), 0.9, 0.05),
        ("by folds", "tiers.high", by_folds, 0.95, 0.3),
        ("kept by no value", "tiers.high", by_folds, 0.9999, 0.05),
        ("without folds", "bands.high", by_folds, 0.9, 0.05),
        ("while cases are answered", "tiers.high", Tops(0, 3, {}, folds), 0.9, 0.05),
    ):
        yield f"promise {name}", precision_target_view(key, tops, wanted, share)


def read() -> str:
    near = {key: neighbours(key, SETTINGS) for key in ("tiers.high", "bands.medium", "tiers.ambiguity_margin")}
    return written({**dict(trials()), **dict(promises()), "neighbours": near})


def test_that_tried_thresholds_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
