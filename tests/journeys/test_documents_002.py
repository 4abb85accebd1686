"""002's five tests, with the shipped encoder, under both presets (S2.14)."""

from __future__ import annotations

import pytest

from app.adapters.encoders.minilm import DIMENSION, MiniLm
from app.domain.library import Memory
from app.domain.match import Band
from app.scoring.columns.exact import ScoredText
from app.scoring.index.ranking import confidences, matches, rank
from app.scoring.index.trigger_index import TriggerIndex
from app.settings.model import PRESETS, Settings, layer

FIVE = {
    "exact": ("What is Python?", "What is Python?", 0.95, 1.0),
    "fuzzy": ("What is machine learning?", "What's machine learning?", 0.75, 1.0),
    "semantic": ("How does AI work?", "Explain artificial intelligence", 0.40, 1.0),
    "token overlap": ("neural networks deep learning architecture", "deep learning neural networks", 0.60, 1.0),
    "no match": ("What is Python?", "Tell me about quantum physics", 0.0, 0.5),
}
"""Taught text, query, and the bounds of confidence by 002: at least, and below (or 1)."""


@pytest.fixture(scope="module")
def encoder() -> MiniLm:
    return MiniLm.load()


def _taught(encoder: MiniLm, *triggers: str) -> TriggerIndex:
    index = TriggerIndex(DIMENSION)
    index.put(Memory((trigger,), key=key) for key, trigger in enumerate(triggers, 1))
    index.embed(dict(zip(triggers, encoder.encode(triggers), strict=True)))
    return index


def _preset(name: str) -> Settings:
    return layer(here={"preset": name}).values


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("test", FIVE)
def test_that_a_test_of_002_passes(encoder: MiniLm, test: str, preset: str) -> None:
    trigger, query, least, below = FIVE[test]
    scores = _taught(encoder, trigger).score(ScoredText(query, encoder.encode([query])[0]))
    confidence = float(confidences(scores, _preset(preset))[0])
    assert least <= confidence
    assert confidence < below or below == 1.0


@pytest.mark.parametrize("preset", PRESETS)
def test_that_each_query_of_002_finds_its_own_memory_when_all_are_taught(encoder: MiniLm, preset: str) -> None:
    index = _taught(encoder, *dict.fromkeys(trigger for trigger, *_ in FIVE.values()))
    settings = _preset(preset)
    for trigger, query, *_ in list(FIVE.values())[:4]:
        scores = index.score(ScoredText(query, encoder.encode([query])[0]))
        first = matches(index, scores, rank(scores, settings, 10), settings)[0]
        assert first.answer.name == trigger
        assert first.band is not Band.FALLBACK


def test_that_the_formulas_win_over_002s_printed_results(encoder: MiniLm) -> None:
    scores = _taught(encoder, "What is Python?").score(ScoredText("What's Python?"))
    assert scores.by_slot["exact"][0] == 0.0
    assert scores.by_slot["fuzzy"][0] == pytest.approx(0.828, abs=5e-4)
    assert scores.by_slot["token_overlap"][0] == pytest.approx(0.4)
