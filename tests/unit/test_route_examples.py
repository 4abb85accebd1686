"""Tests of the shipped route examples: all routes and none, no phrases of 001 (S6.4)."""

from __future__ import annotations

import json
from collections import Counter

from app.bootstrap import RESOURCES, shipped_examples
from app.domain.case import Task
from app.domain.route import ROUTE_NAMES
from app.scoring.text import without_punctuation
from tests.apex_phrases import PHRASES

EXAMPLES = shipped_examples(Task.ROUTE)
HELD_OUT = [
    json.loads(line)
    for line in (RESOURCES / "datasets" / "routes-held-out.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_that_every_line_is_an_example() -> None:
    lines = (RESOURCES / "datasets" / "routes.jsonl").read_text("utf-8").splitlines()
    assert len(EXAMPLES) == len(lines)
    assert all(example.is_shipped for example in EXAMPLES)


def test_that_each_intent_has_as_many_examples_as_any_other_and_strangers_stand_beside_them() -> None:
    counts = Counter(label for example in EXAMPLES for label in example.labels)
    assert set(counts) == ROUTE_NAMES
    assert min(counts.values()) >= 80
    assert max(counts.values()) - min(counts.values()) <= 1
    assert sum(not example.labels for example in EXAMPLES) >= 60


def test_that_what_judges_the_router_is_balanced_and_teaches_nothing() -> None:
    counts = Counter(row["route"] for row in HELD_OUT)
    assert set(counts) == ROUTE_NAMES | {"none"}
    assert len({count for route, count in counts.items() if route != "none"}) == 1
    texts = {without_punctuation(row["text"]) for row in HELD_OUT}
    assert len(texts) == len(HELD_OUT)
    assert not texts & {without_punctuation(example.text) for example in EXAMPLES}


def test_that_no_text_comes_twice() -> None:
    texts = [without_punctuation(example.text) for example in EXAMPLES]
    assert len(set(texts)) == len(texts)


def test_that_none_of_001s_phrases_is_taught_not_even_within_another() -> None:
    phrases = [without_punctuation(text) for text, _ in PHRASES]
    taught = [without_punctuation(text) for text in (*(e.text for e in EXAMPLES), *(r["text"] for r in HELD_OUT))]
    assert not [(phrase, text) for phrase in phrases for text in taught if phrase in text or text in phrase]
