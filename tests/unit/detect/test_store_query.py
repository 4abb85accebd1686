"""Tests of filters, times and anchors of a store query, by kind of search."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path

from app.detect.store_query import StoreCriteria, Vocabulary, criteria_of
from app.domain.datastore import Document
from app.domain.route import RouteIntent
from tests.golden import answered

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


GOLDEN = Path(__file__).with_name("store_query.txt")
"""Inputs with reviewed results; `GOLDEN.write_text(read(), "utf-8")` writes the results again."""
WAYS = {
    "graph": RouteIntent.GRAPH,
    "hybrid": RouteIntent.HYBRID,
    "temporal": RouteIntent.TEMPORAL,
    "vector": RouteIntent.VECTOR,
}


def read() -> str:
    return answered(GOLDEN, {name: partial(asked, way=way) for name, way in WAYS.items()})


def test_that_what_a_store_is_asked_for_reads_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")
