"""Tests of injected memories in words, and of table rows that no confidence reaches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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


@pytest.mark.parametrize(
    ("confidence", "threshold", "said"),
    [
        (0.45, 0.6, "Nothing is injected: the type has 45 %, below 60 %."),
        (0.65, 0.6, "At most 10 memories are injected: the type has 65 %, above 60 %."),
        (0.6, 0.6, "At most 10 memories are injected: the type has 60 %, the threshold itself."),
        (0.2, 0.1, "Nothing is injected: no type is detected."),
        (0.59996, 0.6, "Nothing is injected: the type has <60 %, below 60 %."),
    ],
)
def test_that_a_sentence_says_what_the_types_confidence_allows(confidence: float, threshold: float, said: str) -> None:
    assert surfacing(with_confidence(confidence), settings(threshold)).sentence == said


def test_that_what_a_memory_needs_by_itself_is_said_where_the_type_does_not_allow_it() -> None:
    usual, untyped = layer(here={}).values, replace(design(), intent=None)
    needs = "80 % is needed to be injected."
    assert surfacing(with_confidence(0.45), usual).sentence == f"The type has 45 %, below 60 %: {needs}"
    assert surfacing(untyped, usual).sentence == f"No type is detected: {needs}"
    assert surfacing(untyped, settings()).sentence == "Nothing is injected: no type is detected."


def test_that_the_row_under_the_threshold_is_dead_and_says_why() -> None:
    high, middle, low = surfacing(with_confidence(0.65), settings()).rows
    assert (high.note, middle.note, low.note) == ("", "only from 60 %", "below threshold")
    assert middle.holds


def test_that_with_detection_off_every_row_is_dead() -> None:
    shown = surfacing(replace(design(), intent=None), settings(enabled=False))
    assert {row.note for row in shown.rows} == {"detection is off"}


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


def test_that_every_product_comes_out_of_the_operands_shown() -> None:
    shown = context_list(surfaced(30), "")
    for row in (*shown.inside, *(row for _, rows in shown.cuts for row in rows)):
        assert round(float(row.confidence) * float(row.weight), 3) == pytest.approx(float(row.product), abs=1e-9)


def test_that_the_confidence_is_tested_before_its_weight() -> None:
    found = [(Memory(("m",), "So."), 0.599)]
    limits = Limits(0.6, 4000, confidence=0.75)
    listed = entries(weigh(found, lambda _: 1.3), SURFACING[0], Parts("", 0, [""], [1]), limits)
    ((sentence, rows),) = context_list(Surfaced(None, SURFACING[0], limits, listed), "").cuts
    assert [(row.confidence, row.product) for row in rows] == [("0.599", "0.779")]
    assert "confidence below 75 %" in sentence


def test_that_rows_tell_how_far_weights_moved_them() -> None:
    shown = context_list(surfaced(4), "")
    assert [(row.name, row.move) for row in shown.inside] == [("m1", 1), ("m3", 2), ("m0", -2), ("m2", -1)]
    assert shown.inside[0].about == "patterns: First."


@pytest.mark.parametrize(
    ("found", "inside", "cut", "why"),
    [
        (surfaced(4), 4, "", ""),
        (surfaced(7), 5, "Cut by the count: at most 5 memories are injected.", "beyond the first 5"),
        (
            surfaced(4, budget=310),
            3,
            "Cut by the budget: the next memory would make it 410 of 310 tokens.",
            "over the budget",
        ),
        (surfaced(2, row=None), 0, "said", "type below the threshold"),
    ],
)
def test_that_the_cut_says_what_cuts(found: Surfaced, inside: int, cut: str, why: str) -> None:
    shown = context_list(found, "said")
    assert (len(shown.inside), [sentence for sentence, _ in shown.cuts]) == (inside, [cut] if cut else [])
    assert {row.why for _, rows in shown.cuts for row in rows} <= {why}


def test_that_what_is_not_sure_enough_has_a_cut_line_of_its_own() -> None:
    memories = [(Memory((f"m{n}",), "So.", key=n), 0.99 - n / 50) for n in range(12)]
    limits = Limits(0.6, 4000, 0.0, 0.85, 0.9)
    listed = entries(weigh(memories, lambda _: 1.0), SURFACING[2], Parts("", 0, [""] * 12, [1] * 12), limits)
    found = Surfaced(None, SURFACING[2], limits, listed)
    shown = context_list(found, "said")
    assert [(sentence.partition(":")[0], len(rows)) for sentence, rows in shown.cuts] == [
        ("Cut by the count", 3),
        ("Not injected", 4),
    ]
    told: Any = surfacing_document(found)
    assert [row["why"] for row in told["cut"]] == ["count"] * 3 + ["confidence"] * 4
    assert (told["limits"]["confidence"], told["limits"]["certain"], told["limits"]["memories"]) == (0.85, 0.9, 5)


@pytest.mark.parametrize(
    ("least", "certain", "coverage", "said"),
    [
        (0.75, 0.85, 0.75, ("intents from 75 % on", "From 85 % on", "Two intents", "reach 75 % together")),
        (0.75, 0.85, 0.0, ("memories from 75 % on", "From 85 % on")),
        (0.0, 0.0, 0.0, ("memories of any confidence", "Without a type nothing")),
    ],
)
def test_that_both_rules_are_told(least: float, certain: float, coverage: float, said: tuple[str, ...]) -> None:
    plain = Settings()
    update = {"surfacing_confidence": least, "certain_confidence": certain, "surfacing_coverage": coverage}
    wanted = plain.search_intent.model_copy(update=update)
    told = rules_of_surfacing(plain.model_copy(update={"search_intent": wanted}))
    assert all(part in told for part in (*said, "If the type has at least 60 %"))
    assert ("together" in told) is bool(coverage)
    assert "Success" not in told
    counted = wanted.model_copy(update={"surfacing_success": 0.25})
    told = rules_of_surfacing(plain.model_copy(update={"search_intent": counted}))
    assert told.endswith("Success counts: the weight times 0.75 at 0, times 1.25 at 1.")


def test_that_what_is_set_aside_says_why_and_takes_no_rank() -> None:
    (row,) = context_list(surfaced(aside=True), "").aside
    assert (row.name, row.why, row.rank) == ("off", "paused", "")


def test_that_the_remark_names_tokenizer_and_pool() -> None:
    shown = context_list(surfaced(), "")
    assert shown.tokens == "410 of 4,000 tokens"
    assert shown.remark.startswith("Tokens: counter.")
    assert "exact: 64 of 14,972" in shown.remark


def test_that_moves_are_told_against_confidence_or_an_earlier_order() -> None:
    found = surfaced(4)
    assert [row.move for row in context_list(found, "").inside] == [1, 2, -2, -1]
    assert [row.move for row in context_list(found, "", memory_ranks(found)).inside] == [0, 0, 0, 0]
    assert [row.move for row in context_list(found, "", {1: 3}).inside][:2] == [2, 0]


def test_that_the_document_holds_what_is_surfaced_and_no_more() -> None:
    found = surfaced_document(surfaced(7))
    assert [(one["name"], one["rank"], one["total"]) for one in found] == [
        ("m1", 1, 110), ("m3", 2, 210), ("m5", 3, 310), ("m0", 4, 410), ("m2", 5, 510),
    ]  # fmt: skip
    assert found[0]["product"] == found[0]["confidence"] * 1.5  # type: ignore[operator]
