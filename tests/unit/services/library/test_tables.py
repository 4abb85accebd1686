"""What a file's name and its texts tell of a test, and in which words."""

from __future__ import annotations

import pytest

from app.display.library.importing import suspected
from app.services.library.transfer import LOOKED_AT, Suspicion, suspicion, word_of_tests


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("queries.jsonl", "queries"),
        ("my_test-set.csv", "test"),
        ("Held-Out 2.tsv", "held"),
        ("latest.jsonl", ""),
        ("contest.jsonl", ""),
        ("Übung.jsonl", ""),
        ("patterns.jsonl", ""),
    ],
)
def test_that_whole_words_of_the_name_tell(name: str, word: str) -> None:
    assert word_of_tests(name) == word


def test_that_a_share_of_the_texts_tells_and_one_alone_does_not() -> None:
    texts = [f"text {place}" for place in range(20)]
    assert not suspicion("patterns.jsonl", texts, frozenset(texts[:1]))
    assert suspicion("patterns.jsonl", texts, frozenset(texts[:2]))
    assert not suspicion("patterns.jsonl", [], frozenset(texts))
    many = [f"text {place}" for place in range(LOOKED_AT + 5)]
    assert suspicion("patterns.jsonl", many, frozenset()).of == LOOKED_AT


def test_that_it_is_said_why() -> None:
    assert not suspected(Suspicion())
    assert suspected(Suspicion("", 2, 20)).startswith("2 of the first 20 texts are cases already.")
    by_name = suspected(Suspicion("test", 1, 2_000))
    assert by_name.startswith("“test” in the name"), "one of two thousand is not why"
