"""Laws of BM25 relative to a perfect hit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.learned.bm25 import Bm25, best_of_each

TEXTS = ["reset my password", "change the password of my account", "my my my", "water the plants", ""]
words = st.lists(st.sampled_from("reset my password plants water unknown the".split()), max_size=6).map(" ".join)


@given(words)
def test_that_every_score_is_a_share_of_a_perfect_hit(text: str) -> None:
    scores = Bm25(TEXTS).scores(text, len(TEXTS))
    assert ((scores >= 0.0) & (scores <= 1.0)).all()
    assert scores[-1] == 0.0


@pytest.mark.parametrize("row", range(4))
def test_that_a_trigger_of_exactly_these_words_is_a_perfect_hit(row: int) -> None:
    assert Bm25(TEXTS).scores(TEXTS[row].upper(), 5)[row] == pytest.approx(1.0)


def test_that_unknown_words_count_as_the_rarest() -> None:
    known, half = (Bm25(TEXTS).scores(text, 5)[3] for text in ("water the plants", "water the plants quickly"))
    assert half < known


@given(st.lists(st.tuples(st.integers(0, 4), words), max_size=8), words)
def test_that_edits_leave_what_a_new_index_would_hold(edits: list[tuple[int, str]], asked: str) -> None:
    index, texts = Bm25(TEXTS), list(TEXTS)
    for row, text in edits:
        index.scores(asked, 5)
        index.drop(row, texts[row])
        index.put(row, text)
        texts[row] = text
    assert np.allclose(index.scores(asked, 5), Bm25(texts).scores(asked, 5))
    assert len(index) == 5


def test_that_an_index_of_nothing_finds_nothing() -> None:
    assert Bm25().scores("reset", 3).tolist() == [0.0, 0.0, 0.0]
    assert best_of_each(np.zeros(0), np.zeros(0, np.intp)).tolist() == []
    assert best_of_each(np.array([0.1, 0.4, 0.2]), np.array([0, 2])).tolist() == [0.4, 0.2]
