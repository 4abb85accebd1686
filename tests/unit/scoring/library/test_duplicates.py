"""Tests of the search for similar triggers: complete and exact, with and without numkong."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rapidfuzz import fuzz

from app.domain.review.duplicates import SimilarityThresholds
from app.scoring.library import duplicates
from app.scoring.library import tiles as alike_tiles
from app.scoring.library.duplicates import AlikeSearch, Pairs
from app.scoring.library.tiles import ProductTiles, signatures
from app.scoring.text import sorted_tokens

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
    tiles.take_up(slice(0, 400))
    exact = vectors @ vectors.T
    for least in (0.2, 0.7, 0.9):
        row, column = tiles.above(slice(0, 400), least)
        told = np.zeros((400, 400), bool)
        told[row, column] = True
        assert told[exact >= least].all()
        assert (exact[told] >= least - 2 * tiles.slack - 0.01).all()
