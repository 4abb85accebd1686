"""Tests of similar triggers, and of the check of all triggers against single queries."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rapidfuzz import fuzz

from app.domain.health import SimilarityThresholds
from app.domain.library import Memory
from app.scoring import duplicates
from app.scoring import duplicates as alike_tiles
from app.scoring.combiners import COMBINERS
from app.scoring.duplicates import AlikeSearch, Pairs, ProductTiles, signatures
from app.scoring.index.layout import group_of
from app.scoring.index.scales import confidences
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.own_triggers import NOBODY, EqualTriggers, MeaningSearch
from app.scoring.text import ScoredText, sorted_tokens
from tests.unit.detect.test_reach import under

WORDS = "how do I reset my the your account password bank card frozen 42 naïve – \t ümlaut 日本".split(" ")


def texts_of(count: int, seed: int = 3) -> list[str]:
    dice = random.Random(seed)
    made = (" ".join(dice.choices(WORDS, k=dice.randint(1, 9))) for _ in range(count * 3))
    return list(dict.fromkeys(made))[:count]


def vectors_of(count: int, dimension: int = 24) -> NDArray[np.float32]:
    dice = np.random.default_rng(5)
    centres = dice.standard_normal((count // 6 + 1, dimension))
    vectors = centres[dice.integers(0, len(centres), count)] + 0.25 * dice.standard_normal((count, dimension))
    units: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return units


def searched(
    texts: list[str], vectors: NDArray[np.float32], rows: NDArray[np.intp], least: SimilarityThresholds
) -> Pairs:
    search = AlikeSearch(texts, vectors, rows, least)
    told = list(search.steps())
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert search.found is not None
    return search.found


def by_hand(
    texts: list[str], vectors: NDArray[np.float32], rows: NDArray[np.intp], least: SimilarityThresholds
) -> set[tuple[int, int]]:
    ordered = [sorted_tokens(text) for text in texts]
    found = set()
    for first in range(len(texts)):
        for second in range(first + 1, len(texts)):
            spelling = fuzz.ratio(ordered[first], ordered[second]) / 100.0 if ordered[first] else 0.0
            one, other = rows[first], rows[second]
            has = one >= 0 and other >= 0
            meaning = float(vectors[one].astype(np.float64) @ vectors[other].astype(np.float64)) if has else 0.0
            if spelling >= least.spelling or np.float32(meaning) >= least.meaning:
                found.add((first, second))
    return found


@pytest.fixture(params=["fast", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        monkeypatch.setattr(alike_tiles, "int8_products", lambda: None)
    return str(request.param)


@pytest.mark.parametrize(
    "least", [SimilarityThresholds(0.6, 0.8), SimilarityThresholds(0.9, 0.95), SimilarityThresholds(1.0, 1.0)]
)
def test_that_every_pair_above_a_threshold_is_found_and_no_other(
    way: str, least: SimilarityThresholds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, "COLUMNS", 64)
    monkeypatch.setattr(duplicates, "ROWS", 16)
    texts = texts_of(230)
    vectors = vectors_of(300)
    rows = np.random.default_rng(1).permutation(300)[:230].astype(np.intp)
    rows[::7] = -1
    found = searched(texts, vectors, rows, least)
    pairs = set(zip(found.first.tolist(), found.second.tolist(), strict=True))
    wanted = by_hand(texts, vectors, rows, least)
    assert pairs == wanted
    assert wanted or least.spelling == 1.0
    assert not found.is_cut


def test_that_both_scores_of_a_pair_are_those_of_a_query(way: str) -> None:
    texts = ["reset my password", "my password reset", "reset the password", "close it"]
    vectors = np.eye(4, 8, dtype=np.float32)
    vectors[3] = vectors[0]
    found = searched(texts, vectors, np.array([0, 1, -1, 3]), SimilarityThresholds(0.8, 0.9))
    told = {
        (first, second): (spelling, meaning)
        for first, second, spelling, meaning in zip(
            found.first.tolist(), found.second.tolist(), found.spelling, found.meaning, strict=True
        )
    }
    assert told[0, 1] == (1.0, 0.0)
    assert told[0, 2][0] == fuzz.token_sort_ratio(texts[0], texts[2]) / 100.0
    assert np.isnan(told[0, 2][1])
    assert told[0, 3][1] == 1.0
    assert told[0, 3][0] < 0.8


def test_that_the_best_are_kept_of_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "MOST_PAIRS", 40)
    texts, vectors, rows = texts_of(200), vectors_of(200), np.arange(200)
    every = searched(texts, vectors, np.full(200, -1), SimilarityThresholds(0.75, 1.0))
    assert every.is_cut
    assert len(every.first) == 40
    monkeypatch.setattr(duplicates, "MOST_PAIRS", 100_000)
    whole = searched(texts, vectors, np.full(200, -1), SimilarityThresholds(0.75, 1.0))
    assert sorted(every.spelling) == sorted(whole.spelling)[-40:]
    assert len(searched([], vectors, rows[:0], SimilarityThresholds(0.9, 0.95)).first) == 0


@given(st.lists(st.text(max_size=40), min_size=2, max_size=2))
def test_that_signatures_never_differ_in_more_bits_than_the_texts_in_characters(texts: list[str]) -> None:
    signed = signatures(texts)
    differing = int(np.bitwise_count(signed[0] ^ signed[1]).sum())
    ratio = fuzz.ratio(*texts) / 100.0
    assert differing <= (1.0 - ratio) * sum(map(len, texts)) + 1e-6


def test_that_an_estimated_product_is_off_by_no_more_than_it_says() -> None:
    vectors = vectors_of(400, 96)
    tiles = ProductTiles(vectors, np.arange(400))
    for _ in tiles.take_in():
        pass
    tiles.select_columns(slice(0, 400))
    exact = vectors @ vectors.T
    for least in (0.2, 0.7, 0.9):
        row, column = tiles.above(slice(0, 400), least)
        told = np.zeros((400, 400), bool)
        told[row, column] = True
        assert told[exact >= least].all()
        assert (exact[told] >= least - 2 * tiles.slack - 0.01).all()


OWN_TRIGGERS_WORDS = ("dog", "Dog", "dog!", "cat", "bites", "dog bites", "bites dog", "bites bites dog")


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


LIBRARIES = st.lists(st.tuples(st.sampled_from(OWN_TRIGGERS_WORDS), st.integers(0, 3)), min_size=1, max_size=8)


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
