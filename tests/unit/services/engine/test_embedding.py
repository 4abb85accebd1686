"""Tests of embedding in chunks: a query waits for at most one."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from app.adapters.local.machine import SystemClock
from app.domain.library import Memory
from app.scoring.index.trigger_index import key_of
from app.services.engine.embedding import CHUNK, QUIET_CHUNK, QueryVector, vectors_of
from app.services.engine.engine import Engine
from app.services.engine.llm_lane import LlmLane
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import TypingPriority
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import LetterEncoder


class Counting(LetterEncoder):
    """Encoder that records the number of texts per call."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.sizes.append(len(texts))
        return super().encode(texts)


@pytest.mark.parametrize(("typing", "most"), [(True, CHUNK), (False, QUIET_CHUNK)])
async def test_that_chunks_are_small_while_somebody_types(typing: bool, most: int) -> None:
    encoder, library, typing_priority = Counting(), MemoryLibrary(), TypingPriority()
    texts = [f"text {'x' * (n % 9)} {n}" for n in range(70)]
    taken: dict[str, NDArray[np.float32]] = {}

    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        for _ in range(2):  # the second time all vectors are in the store
            if typing:
                typing_priority.note_key()
            async for _ in vectors_of(
                texts, library, encoder, taken.update, store=one, encode=other, typing_priority=typing_priority
            ):
                pass
    assert max(encoder.sizes) == most
    assert sum(encoder.sizes) == len(texts)
    assert set(taken) == set(texts)


class ByWords(Counting):
    """Encoder that counts words, and records the word counts of each batch."""

    def __init__(self) -> None:
        super().__init__()
        self.together: list[set[int]] = []

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.together.append(set(self.lengths(texts)))
        return super().encode(texts)


async def test_that_texts_of_one_length_in_tokens_come_together_whatever_their_letters() -> None:
    encoder, library = ByWords(), MemoryLibrary()
    texts = [f"{'letters' * (n % 7)}{' a' * (1 + n % 3)} {n}" for n in range(3 * QUIET_CHUNK)]

    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        steps = vectors_of(texts, library, encoder, len, store=one, encode=other, typing_priority=TypingPriority())
        assert [step.done async for step in steps][-1] == len(texts)
    assert sum(map(len, encoder.together)) <= len(encoder.together) + 3
    assert sorted(encoder.encoded) == sorted(texts)


class ByLetters(LetterEncoder):
    """Encoder with a token for each letter, so that no long word is one."""

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


def test_that_a_query_has_the_vector_of_its_corrected_spelling_while_that_is_taught() -> None:
    clock = SystemClock()
    engine = Engine.bare(clock, LlmLane(None, clock, EngineMetrics()))
    engine.encoder = encoder = ByLetters()
    vacation = Memory(("request a vacation",), key=1)
    engine.index.put([vacation])
    scored, _ = engine.encode(["reqest a vaction"])
    assert np.array_equal(scored, encoder.encode(["request a vacation"]))

    engine.vectors.keep("reqest a vaction", QueryVector(scored[0], scored[0]))
    assert engine.vectors.both("request a vacation") is not None
    assert engine.index.negated("never reqest a vaction") == [("request a vacation", False)]
    engine.index.remove(key_of(vacation))
    assert engine.corrected("reqest a vaction") == "reqest a vaction"
    assert engine.vectors.both("reqest a vaction") is None, "made of words that are not taught any more"
