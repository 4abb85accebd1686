"""Tests of filters, times and anchors of a store query, by kind of search."""

from __future__ import annotations

from datetime import date

import pytest

from app.detect.store_query import StoreCriteria, Vocabulary, criteria_of
from app.domain.datastore import ALWAYS, Document, Period
from app.domain.route import RouteIntent

TODAY = date(2026, 3, 1)
KNOWN = Vocabulary.of(
    [
        Document(
            "memory:ci-red", "ci-red", (), {"kind": ("memory",), "tag": ("CI", "tech debt"), "namespace": ("ops",)}
        ),
        Document("memory:ci", "CI", (), {"label": ("fix-ci",), "tag": ("debt",)}),
        Document("power:git", "!?", (), {"kind": ("power",)}),
    ]
)


def asked(text: str, way: RouteIntent) -> StoreCriteria:
    return criteria_of(text, way, KNOWN, TODAY)


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("How are CI red and ops related?", ("memory:ci-red", "namespace:ops")),
        ("ci!", ("memory:ci", "tag:CI")),
        ("tech debt of fix_ci", ("tag:tech debt", "label:fix-ci")),
        ("memory", ()),
        ("", ()),
    ],
)
def test_that_walks_start_from_what_is_named_by_its_longest_name(text: str, anchors: tuple[str, ...]) -> None:
    for way in (RouteIntent.GRAPH, RouteIntent.TEMPORAL):
        assert asked(text, way).anchors == anchors


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        (
            "memories tagged tech debt in namespace OPS",
            {"kind": ("memory",), "tag": ("tech debt",), "namespace": ("ops",)},
        ),
        ("tag:ci or tag debt", {"tag": ("CI", "debt")}),
        ("powers labelled fix-ci", {"kind": ("power",), "label": ("fix-ci",)}),
        ("tag unknown, and ci without its word", {}),
        ("what ends in tag", {}),
    ],
)
def test_that_a_hybrid_search_filters_by_values_behind_fields(text: str, filters: dict[str, tuple[str, ...]]) -> None:
    found = asked(text, RouteIntent.HYBRID)
    assert found.filters == filters
    assert found.anchors == ()


def day(text: str) -> str:
    return f"{text} 00:00:00"


@pytest.mark.parametrize(
    ("text", "made", "held"),
    [
        ("since 2025", Period(day("2025-01-01")), ALWAYS),
        ("from 2025-03 before 2025-12-24", Period(day("2025-03-01"), day("2025-12-24")), ALWAYS),
        ("in December 2025", Period(day("2025-12-01"), day("2026-01-01")), ALWAYS),
        ("on 2025-12-31", Period(day("2025-12-31"), day("2026-01-01")), ALWAYS),
        ("as of Feb 2025", ALWAYS, Period("2025-02-28 23:59:59", day("2025-03-01"))),
        ("in 2025-13, since 2025-02-30 and in 20250", ALWAYS, ALWAYS),
        ("since yesterday", Period(day("2026-02-28")), ALWAYS),
        ("during today", Period(day("2026-03-01"), day("2026-03-02")), ALWAYS),
        ("in last week", Period(day("2026-02-16"), day("2026-02-23")), ALWAYS),
        ("since last month until today", Period(day("2026-02-01"), day("2026-03-01")), ALWAYS),
        ("from last year", Period(day("2025-01-01")), ALWAYS),
        ("in 9999", ALWAYS, ALWAYS),
        ("no time at all", ALWAYS, ALWAYS),
    ],
)
def test_that_a_hybrid_search_is_bounded_by_the_times_it_names(text: str, made: Period, held: Period) -> None:
    found = asked(text, RouteIntent.HYBRID)
    assert (found.made, found.held) == (made, held)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("during 2023", Period(day("2023-01-01"), day("2024-01-01"))),
        ("as of 2023", Period("2023-12-31 23:59:59", day("2024-01-01"))),
        ("before 2023", Period("2022-12-31 23:59:59", day("2023-01-01"))),
        ("since 2023", Period(day("2023-01-01"))),
        ("from 2021 until 2023", Period(day("2021-01-01"), day("2023-01-01"))),
        ("since 2021 as of 2023", Period("2023-12-31 23:59:59", day("2024-01-01"))),
        ("no time at all", ALWAYS),
    ],
)
def test_that_a_walk_in_time_asks_what_held_and_not_what_came(text: str, held: Period) -> None:
    assert asked(text, RouteIntent.TEMPORAL) == StoreCriteria(held=held)


def test_that_vectors_alone_and_walks_alone_ask_for_no_times() -> None:
    text = "memories tagged CI since 2025"
    assert asked(text, RouteIntent.VECTOR) == StoreCriteria()
    assert asked(text, RouteIntent.GRAPH) == StoreCriteria(anchors=("memory:ci", "tag:CI"))
