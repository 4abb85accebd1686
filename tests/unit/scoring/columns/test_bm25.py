"""Tests of BM25: rare words have more weight, and edits equal a newly filled column."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.columns.bm25 import CONTENT, K1, B, Bm25Column, is_void, lacking_words, terms
from app.scoring.text import ScoredText, words
from tests.unit.scoring.index.test_while_typing import TRIGGERS


def _plain(query: str, triggers: list[str]) -> list[float]:
    """Compute the scores by the formula, word by word."""
    every = [Counter(terms(trigger)) for trigger in triggers]
    mean = max(sum(one.total() for one in every) / max(len(every), 1), 1.0)

    def rarity(word: str) -> float:
        held = sum(word in one for one in every)
        return math.log(1.0 + (len(every) - held + 0.5) / (held + 0.5))

    def score(row: Counter[str], asked: Counter[str]) -> float:
        norm = K1 * (1.0 - B + B * row.total() / mean)
        return sum(rarity(word) * row[word] * (K1 + 1.0) / (row[word] + norm) for word in asked if word in row)

    asked = Counter(terms(query))
    perfect = score(asked, asked)
    if is_void(asked):
        every = [one if one.keys() <= asked.keys() else Counter() for one in every]
    return [min(1.0, score(one, asked) / perfect) if perfect else 0.0 for one in every]


@given(
    triggers=st.lists(TRIGGERS, min_size=1, max_size=8),
    gone=st.sets(st.integers(0, 7)),
    typed=st.lists(TRIGGERS, max_size=4),
)
def test_that_it_is_the_formula_whatever_came_and_went(triggers: list[str], gone: set[int], typed: list[str]) -> None:
    column = Bm25Column()
    column.append(triggers[:2])
    for text in typed:
        column.ask(ScoredText(text)).above()
    column.append(triggers[2:])
    for row in gone & set(range(len(triggers))):
        column.blank(row, triggers[row])
    left = [trigger for row, trigger in enumerate(triggers) if row not in gone]
    rows = np.array([row for row in range(len(triggers)) if row not in gone], np.intp)
    for text in typed:
        asked = column.ask(ScoredText(text))
        expected = _plain(text, left)
        assert asked.every()[rows].tolist() == pytest.approx(expected, abs=1e-9)
        assert asked.at(rows).tolist() == pytest.approx(expected, abs=1e-9)
        assert not asked.every()[list(gone & set(range(len(triggers))))].any()


def test_that_a_rare_word_counts_above_a_common_one() -> None:
    column = Bm25Column()
    column.append(["open the door", "open the zebra", "open the window", "open the gate"])
    scores = column.score(ScoredText("open the zebra"))
    assert scores[1] == pytest.approx(1.0)
    assert column.score(ScoredText("zebra open"))[1] > 3 * column.score(ScoredText("zebra open"))[0]


def test_that_words_are_as_rare_as_an_edit_would_make_them() -> None:
    column, after = Bm25Column(), Bm25Column()
    column.append(["open the door", "close the door"])
    after.append(["open the door", "close it now"])
    among = column.among(column.frequencies.edited(["close it now"], ["close the door"]))
    query = ScoredText("open the door now")
    assert among.score(query)[0] == pytest.approx(after.score(query)[0], abs=1e-12)
    assert column.score(query)[0] != among.score(query)[0]


@pytest.mark.parametrize("word", ["you", "The", "that?", "of", "just", "of the", "Do you", "I'm"])
def test_that_function_words_alone_find_only_themselves(word: str) -> None:
    column = Bm25Column()
    column.append([f"did {word} sleep well", "order two pizzas", word])
    assert column.score(ScoredText(word)).tolist() == [0.0, 0.0, 1.0]
    assert column.score(ScoredText(f"{word} sleep"))[0] > 0.5


@given(st.lists(st.text(max_size=6), max_size=6), st.text(max_size=6))
def test_that_a_further_word_never_raises_the_number_of_lacking_ones(asked: list[str], word: str) -> None:
    assert 0 <= lacking_words([*asked, word]) <= lacking_words(asked) < CONTENT


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("", 3),
        ("the", 3),
        ("the biggest", 3),
        ("Team, team!", 3),
        ("check my database", 1.5),
        ("show the biggest table", 1),
        ("show me the biggest tables in postgres", 0),
        ("帮我查一下明天的天气", 0),
        ("天気", 3),
        ("who are you", 2.5),
        ("is it raining", 2),
        ("how's the weather", 2.5),
    ],
)
def test_that_words_of_their_own_meaning_are_counted_once(text: str, lacking: float) -> None:
    assert lacking_words(words(text)) == lacking
