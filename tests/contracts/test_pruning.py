"""Contract on vectors of unused texts: deleted in batches, and no others (S2.15)."""

from __future__ import annotations

import numpy as np
import pytest

from app.domain.encoder import Provenance
from app.ports.store import Library
from tests.fakes import MemoryLibrary

FIRST, SECOND = Provenance("first", "1", 3), Provenance("second", "1", 2)
TEXTS = [f"text {number}" for number in range(10)]


@pytest.fixture
def library() -> Library:
    opened = MemoryLibrary()
    opened.put_embeddings(FIRST, TEXTS, np.ones((10, 3), np.float32))
    opened.put_embeddings(SECOND, TEXTS[5:], np.ones((5, 2), np.float32))
    return opened


def test_that_vectors_of_what_is_kept_stay_whoever_made_them(library: Library) -> None:
    assert library.prune_embeddings(TEXTS[4:7], 100) == 4 + 3 + 3
    assert set(library.embeddings(FIRST, TEXTS)) == set(TEXTS[4:7])
    assert set(library.embeddings(SECOND, TEXTS)) == set(TEXTS[5:7])
    assert library.prune_embeddings(TEXTS[4:7], 100) == 0


def test_that_no_more_texts_than_asked_for_go_at_once(library: Library) -> None:
    assert library.prune_embeddings((), 4) <= 8
    assert len({*library.embeddings(FIRST, TEXTS), *library.embeddings(SECOND, TEXTS)}) == 6
    while library.prune_embeddings((), 4):
        pass
    assert library.embeddings(FIRST, TEXTS) == {}


def test_that_vectors_are_counted_by_where_they_come_from(library: Library) -> None:
    assert library.vector_counts() == {FIRST: 10, SECOND: 5}
    library.prune_embeddings(TEXTS[:5], 100)
    assert library.vector_counts() == {FIRST: 5}
