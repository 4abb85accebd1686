"""Time until an added item among many shows in the results, in CPU time with a wide margin."""

import time

import numpy as np

from app.domain.library import Memory
from app.scoring.index.ranking import matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from app.services.evaluation.bench import MadeLibrary, unit_vectors
from app.settings.model import Settings

MANY = 50_000
WITHIN_MS = 50.0
"""Target in ms, at 100,000 triggers."""

TAUGHT = "water the plants on the balcony"


def _best(index: TriggerIndex, text: str, vector: np.ndarray[tuple[int], np.dtype[np.float32]]) -> str:
    scores = index.score(ScoredText(text, vector))
    return matches(index, scores, rank(scores, Settings(), 10), Settings())[0].answer.name


def test_that_one_memory_among_many_shows_in_time() -> None:
    index = MadeLibrary.of(MANY, seed=0).index
    vector = unit_vectors(1, np.random.default_rng(1))[0]
    _best(index, "water the", vector)
    begun = time.process_time()
    index.put([Memory((TAUGHT,), intent="answer 3", key=MANY + 1)])
    index.embed(dict.fromkeys(index.unembedded(), vector))
    assert _best(index, TAUGHT, vector) == TAUGHT
    assert (time.process_time() - begun) * 1000.0 < WITHIN_MS
