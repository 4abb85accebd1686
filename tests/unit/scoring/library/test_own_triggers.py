"""Tests of the check of all triggers against single queries, on random libraries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.domain.library import Memory
from app.scoring.combiners import COMBINERS
from app.scoring.index.layout import group_of
from app.scoring.index.scales import confidences
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.library.own_triggers import NOBODY, EqualTriggers, MeaningSearch
from app.scoring.text import ScoredText
from tests.unit.detect.test_reach import under

WORDS = ("dog", "Dog", "dog!", "cat", "bites", "dog bites", "bites dog", "bites bites dog")


def of_words(text: str) -> NDArray[np.float32]:
    """Return equal vectors for equal letters, ignoring case and punctuation.

    An uncased model does the same.
    """
    vector = np.zeros(26, np.float32)
    for letter in text.lower():
        if letter.isalpha():
            vector[ord(letter) - 97] += 1.0
    unit: NDArray[np.float32] = vector / np.linalg.norm(vector)
    return unit


def indexed(texts: list[tuple[str, int]], *, known: bool = True) -> tuple[TriggerIndex, list[Memory]]:
    memories = [Memory((text,), intent=f"label {label}", key=key) for key, (text, label) in enumerate(texts, 1)]
    index = TriggerIndex(26)
    index.put(memories)
    if known:
        index.embed({text: of_words(text) for text, _ in texts})
    return index, memories


def groups(memories: list[Memory]) -> NDArray[np.intp]:
    names: dict[object, int] = {}
    return np.array([names.setdefault(group_of(memory), len(names)) for memory in memories], np.intp)


LIBRARIES = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(0, 3)), min_size=1, max_size=8)


@given(
    LIBRARIES, st.sampled_from(["balanced", "max", "weighted_average", "cascade", "semantic", "fuzzy"]), st.booleans()
)
def test_that_who_is_not_first_for_its_own_words_is_found(texts: list[tuple[str, int]], name: str, known: bool) -> None:
    index, memories = indexed(texts, known=known)
    settings = under(combination=name)
    rows = np.arange(len(texts)) if known else np.full(len(texts), NOBODY, np.intp)
    own = groups(memories)
    same = EqualTriggers([text for text, _ in texts], np.arange(len(texts)), rows, own, index.semantic.vectors)
    for _ in same.steps(COMBINERS[name], settings):
        pass
    for place, (text, _) in enumerate(texts):
        told = confidences(index.score(ScoredText(text, of_words(text) if known else None)), settings)
        apart = np.abs(told - told[place])
        if ((apart > 0.0) & (apart < 1e-6)).any():
            continue  # products of equal vectors may differ in the last digit: either may come first
        is_first = bool(told[place] == told.max() and np.argmax(told) == place)
        assert (same.taken_by[place] == NOBODY) == (is_first or told[place] == 0.0)
        if same.taken_by[place] != NOBODY:
            assert told[same.taken_by[place]] >= told[place]


def meant(index: TriggerIndex, memories: list[Memory], place: int) -> NDArray[np.float64]:
    scores = index.score(ScoredText(memories[place].triggers[0], index.semantic.vectors[place]))
    both: NDArray[np.float64] = (scores.by_slot["semantic"] + scores.by_slot["centroid"]) / 2
    return both


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(0, 10_000))
def test_that_whoever_lies_nearer_to_another_answer_is_found(labels: list[int], seed: int) -> None:
    dice = np.random.default_rng(seed)
    vectors = dice.normal(size=(len(labels), 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    memories = [Memory((f"text {key}",), intent=f"label {label}", key=key) for key, label in enumerate(labels)]
    index = TriggerIndex(6)
    index.put(memories)
    index.embed({memory.triggers[0]: vector for memory, vector in zip(memories, vectors, strict=True)})
    search = MeaningSearch(index.semantic.vectors, own := groups(memories))
    for done in search.steps():
        assert 0.0 <= done <= 1.0
    for place in range(len(labels)):
        told = meant(index, memories, place)
        others = np.where(own == own[place], -1.0, told)
        assert search.own[place] == pytest.approx(told[place], abs=1e-5)
        if others.max() > told[place] + 1e-5:
            assert search.nearer[place] != NOBODY
            assert search.other[place] == pytest.approx(others.max(), abs=1e-5)
            assert others[search.nearer[place]] == pytest.approx(others.max(), abs=1e-5)
        elif others.max() < told[place] - 1e-5:
            assert search.nearer[place] == NOBODY


def test_that_rows_that_take_no_part_are_let_be() -> None:
    vectors = np.eye(3, dtype=np.float32)
    search = MeaningSearch(vectors, np.full(3, NOBODY, np.intp))
    assert list(search.steps()) == []
    assert (search.nearer == NOBODY).all()


def test_that_a_text_that_a_memory_holds_twice_is_taken_twice() -> None:
    texts = ["dog bites", "bites dog", "bites dog", "cat", "cat"]
    owners, rows = np.array([0, 1, 1, 2, 2]), np.full(5, NOBODY, np.intp)
    same = EqualTriggers(texts, owners, rows, owners, np.zeros((5, 26), np.float32))
    assert list(same.steps(COMBINERS["max"], under(combination="max")))[-1] == 1.0
    assert same.taken_by.tolist() == [NOBODY, 0, 0, NOBODY, NOBODY]
