"""Tests of injected memories in words, and of table rows that no confidence reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.surfacing import (
    SURFACING,
    Cut,
    Limits,
    Parts,
    Surfaced,
    Weighed,
    entries,
    is_dead,
    surfacing_row,
    weigh,
)
from app.display.scope.surfacing import (
    context_list,
    memory_ranks,
    rules_of_surfacing,
    surfaced_document,
    surfacing,
    surfacing_document,
)
from app.domain.library import Memory
from app.domain.scope.inspection import Inspection
from app.settings.model import Settings, layer
from tests.golden import written
from tests.gui.inspections import design

UNIT = st.floats(0.0, 1.0)


def with_confidence(confidence: float) -> Inspection:
    inspection = design()
    assert inspection.intent is not None
    return replace(inspection, intent=replace(inspection.intent, confidence=confidence))


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


GOLDEN = Path(__file__).with_name("surfacing.txt")
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


def read() -> str:
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
    assert read() == GOLDEN.read_text("utf-8")
