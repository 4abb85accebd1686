"""Tests of topics: the first few content words of a query (S3.6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.detect.topics import MOST_TOPICS, SHORTEST_TOPIC, STOP_WORDS, Dropped, topic_words, topics
from app.display.scope.intent import stop_words_sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How do I implement authentication?", ("implement", "authentication")),
        ("rust,panic;error:thread", ("rust", "panic", "error", "thread")),
        ("(Tech-Debt) in my_module!", ("tech-debt", "my_module")),
        ("the 42 1.5 2024-01-01 v2", ()),
        ("build build BUILD", ("build",)),
        ("one two three four five six seven eight", ("two", "three", "four", "five", "six")),
        ("", ()),
        ("«Größe» prüfen", ("größe", "prüfen")),
    ],
)
def test_that_topics_are_the_first_content_words(text: str, expected: tuple[str, ...]) -> None:
    assert topics(text) == expected


@given(st.text(max_size=300))
def test_that_topics_are_few_distinct_and_long_enough(text: str) -> None:
    found = topics(text)
    assert len(found) <= MOST_TOPICS
    assert len(set(found)) == len(found)
    assert all(len(word) >= SHORTEST_TOPIC and word == word.lower() and word not in STOP_WORDS for word in found)


@given(st.text(max_size=200))
def test_that_the_topics_are_the_words_that_no_reason_drops(text: str) -> None:
    told = list(topic_words(text))
    assert tuple(one.word for one in told if one.dropped is None) == topics(text)


def test_that_every_dropped_word_has_its_reason() -> None:
    text = "the API has 42 API keys, to rotate pdf pages at noon now"
    dropped = {(one.word, one.dropped) for one in topic_words(text)}
    for word, why in (
        ("the", Dropped.COMMON),
        ("to", Dropped.SHORT),
        ("42", Dropped.SHORT),
        ("api", Dropped.AGAIN),
        ("noon", Dropped.FULL),
        ("pages", None),
    ):
        assert (word, why) in dropped
    assert [one.dropped for one in topic_words("4711")] == [Dropped.NUMBER]
    assert stop_words_sentence("rotate 4711") == "No topics: 4711 (numbers)."
    assert stop_words_sentence("rotate") == ""
