"""Tests of the best scores of powers: exact although few are scored, and None where unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.domain.library import Memory, Power
from app.scoring.index.ranking import rank
from app.scoring.index.scores import LEAST_POWERS
from app.scoring.index.trigger_index import Scores, TriggerIndex
from app.scoring.text import ScoredText
from app.settings.model import Settings
from tests.unit.scoring.vectors import DIMENSION, vector_of, vectors_of

MANY = [Power(f"power {place}", f"does thing {place}", (f"thing{place}",), key=place + 1) for place in range(60)]
BARE = [replace(power, keywords=()) for power in MANY]


def scored(powers: Sequence[Power], text: str, *, with_vector: bool = True) -> Scores:
    index = TriggerIndex(DIMENSION)
    index.put([Memory((text,), key=1), *powers])
    texts = index.unembedded()
    index.embed(dict(zip(texts, vectors_of(texts), strict=True)))
    return index.score(ScoredText(text, vector_of(text)) if with_vector else ScoredText(text))


@pytest.mark.parametrize("text", ["thing7 and thing9", "does thing 12", "nothing of it", "thing3"])
@pytest.mark.parametrize("count", [LEAST_POWERS, 60])
def test_that_the_best_scores_are_those_of_all_powers(text: str, count: int) -> None:
    scores = scored(MANY[:count], text)
    best, powers = scores.best_of_powers, scores.layout.power_places
    assert best is not None
    cosines = np.sort(scores.by_slot["semantic"][powers])[::-1]
    assert (best.nearest, best.next_nearest) == pytest.approx((cosines[0], cosines[1]))
    assert best.keyword == pytest.approx(scores.by_slot["keyword"][powers].max())
    assert rank(scores, Settings(combination="learned"), 5).best_scores == best
    assert rank(scores, Settings(combination="balanced"), 5).best_scores is None


@pytest.mark.parametrize(
    ("powers", "with_vector"), [(BARE, True), (MANY[: LEAST_POWERS - 1], True), (MANY, False), ([], True)]
)
def test_that_without_keywords_vector_or_company_nothing_is_told(powers: Sequence[Power], *, with_vector: bool) -> None:
    assert scored(powers, "thing7", with_vector=with_vector).best_of_powers is None
