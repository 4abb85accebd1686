"""Tests of the second vectors, for learning: made in the same pass, and stored (S2.15)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from app.domain.errors import EncoderError
from app.domain.library import Line, Memory
from app.ports.encoder import Embedder, Vectors
from app.services.engine import embedding
from app.services.engine.embedding import is_behind, make_missing, provenance_read, taught_vectors
from app.services.engine.typing_priority import TypingPriority
from tests.build import library_of, some
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, WordsAndLetters, desk

TEXTS = [f"open {'the ' * (number % 5)}door {number}" for number in range(30)]


def lines(texts: Sequence[str] = TEXTS) -> list[Line[Memory]]:
    return [Line(number, Memory((text,))) for number, text in enumerate(texts, 1)]


def behind(encoder: Embedder) -> MemoryLibrary:
    """Make a library whose vectors are older than the second vectors."""
    library = library_of(*(Memory((text,)) for text in TEXTS))
    library.put_embeddings(encoder.provenance, TEXTS, LetterEncoder().encode(TEXTS))
    return library


def read(library: MemoryLibrary, encoder: Embedder, texts: Sequence[str]) -> tuple[list[bool], Vectors]:
    async def work() -> tuple[list[bool], Vectors]:
        with ThreadPoolExecutor(1) as store:
            calm = TypingPriority()
            known, vectors = await taught_vectors(texts, library, encoder, store=store, typing_priority=calm)
            return known.tolist(), vectors.astype(np.float32)

    return asyncio.run(work())


def made(library: MemoryLibrary, encoder: Embedder, wanted: Sequence[bool] = (True,) * 99) -> int:
    async def work() -> int:
        left = iter(wanted)
        with ThreadPoolExecutor(1) as store, ThreadPoolExecutor(1) as encode:
            return await make_missing(
                TEXTS,
                library,
                encoder,
                store=store,
                encode=encode,
                typing_priority=TypingPriority(),
                wanted=lambda: next(left),
            )

    return asyncio.run(work())


async def test_that_one_pass_makes_and_keeps_both() -> None:
    encoder, library = WordsAndLetters(), MemoryLibrary()
    async with desk(lambda: library, lambda: encoder) as bench:
        await bench.import_lines("memories", lines())
        await bench.ready()
        assert sorted(encoder.encoded) == sorted(TEXTS)
        assert not is_behind(library, encoder)
        assert library.embeddings(encoder.layers, TEXTS).keys() == set(TEXTS)
        assert bench.engine.index.semantic.vectors.shape[1] == encoder.provenance.dimension


async def test_that_a_query_has_both_however_it_was_asked() -> None:
    encoder = WordsAndLetters()
    async with desk(encoder=lambda: encoder) as bench:
        await bench.import_lines("memories", lines())
        await bench.ready()
        await bench.settle("shut the door", late=False)
        await bench.foresee(["shut the window"])
        for text in ("shut the door", "shut the window"):
            assert encoder.encoded.count(text) == 1
            learned = some(bench.engine.vectors.learned(text))
            assert learned[0] == pytest.approx(len(text) / 100)
        assert bench.engine.vectors.learned("never asked") is None


async def test_that_of_an_encoder_with_one_kind_of_vectors_a_learner_reads_those() -> None:
    library = MemoryLibrary()
    async with desk(lambda: library) as bench:
        await bench.import_lines("memories", lines())
        await bench.ready()
        await bench.settle("shut the door", late=False)
        learned, scored = (ask("shut the door") for ask in (bench.engine.vectors.learned, bench.engine.vectors.get))
        assert learned is not None
        assert np.array_equal(learned, scored if scored is not None else [])
        assert list(library.vector_counts()) == [LetterEncoder.provenance]
    known, vectors = await asyncio.to_thread(read, library, LetterEncoder(), TEXTS)
    assert all(known)
    assert np.allclose(vectors, LetterEncoder().encode(TEXTS), atol=1e-3)


def test_that_taught_texts_are_read_in_order_and_those_without_vectors_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "READ_AT_ONCE", 7)
    encoder = WordsAndLetters()
    library = behind(encoder)
    made(library, encoder)
    known, vectors = read(library, encoder, [*TEXTS[::-1], "never taught", TEXTS[3]])
    assert known == [True] * 30 + [False, True]
    wanted = [len(text) / 100 for text in TEXTS[::-1]]
    assert vectors[:, 0] == pytest.approx([*wanted, 0.0, len(TEXTS[3]) / 100], abs=1e-3)


def test_that_an_older_library_gets_what_it_lacks_once() -> None:
    encoder = WordsAndLetters()
    library = behind(encoder)
    before = library.embeddings(encoder.provenance, TEXTS)
    assert is_behind(library, encoder)
    assert made(library, encoder) == len(TEXTS)
    assert not is_behind(library, encoder)
    assert made(library, encoder) == 0
    after = library.embeddings(encoder.provenance, TEXTS)
    assert all(np.array_equal(after[text], before[text]) for text in TEXTS)
    assert not is_behind(library, LetterEncoder())


def test_that_it_stops_where_another_encoder_has_taken_over() -> None:
    encoder = WordsAndLetters()
    library = behind(encoder)
    assert made(library, encoder, [True, False]) == 0
    assert len(encoder.encoded) == embedding.CHUNK


async def test_that_a_workbench_makes_them_of_what_has_a_vector_and_not_of_what_was_put_off() -> None:
    encoder = WordsAndLetters()
    library = behind(encoder)
    library.add("memories", [Memory(("lie fallow",), paused=True), Memory(("rest",), paused=True)])
    library.put_embeddings(encoder.provenance, ["lie fallow"], LetterEncoder().encode(["lie fallow"]))
    async with desk(lambda: library, lambda: encoder) as bench:
        assert encoder.encoded == []
        assert await bench._encoder.complete() == len(TEXTS) + 1, "a paused one has its vector already"
        assert not is_behind(library, encoder)
        assert "rest" not in encoder.encoded
        assert await bench._encoder.complete() == 0
        assert provenance_read(encoder) in library.vector_counts()
        bench._encoder.makes = False
        library.put_embeddings(encoder.provenance, ["more"], np.ones((1, 384), np.float32))
        assert await bench._encoder.complete() == 0


class Failing(WordsAndLetters):
    def encode_layers(self, texts: Sequence[str]) -> tuple[Vectors, Vectors]:
        raise EncoderError("It is broken.")


def test_that_a_failing_encoder_says_so_and_leaves_what_there_is() -> None:
    library = behind(Failing())
    with pytest.raises(EncoderError, match="broken"):
        made(library, Failing())
    assert library.embeddings(Failing.provenance, TEXTS).keys() == set(TEXTS)
