"""Tests of embedding: chunks, priority of typing, votes, vectors for learning (S2.15)."""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.adapters.machine import now_ms
from app.detect.keywords import KeywordRules
from app.domain.case import Case, Task, TaughtExample
from app.domain.errors import EncoderError
from app.domain.inspection import Detection, LearnedType
from app.domain.library import Line, Memory
from app.ports.encoder import Embedder, Vectors
from app.scoring.example_model import fit
from app.scoring.index.layout import key_of
from app.scoring.text import QueryVector
from app.services.engine import embedding
from app.services.engine.embedding import (
    CHUNK,
    QUIET_CHUNK,
    is_behind,
    make_missing,
    provenance_read,
    taught_vectors,
    vectors_of,
)
from app.services.engine.engine import Engine
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.services.engine.type_voter import ENCODER_COMING, LEARNING, NO_ENCODER, TypeDetector, TypeVoter
from app.services.engine.typing_priority import Background, TypingPriority
from app.services.scope.types import type_examples
from app.services.workbench import Workbench
from app.settings.sections import SearchIntentSettings
from tests.build import library_of, some
from tests.memory_library import MemoryLibrary
from tests.unit.services.benches import LetterEncoder, WordsAndLetters, desk


class Counting(LetterEncoder):
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
    engine = Engine.bare(now_ms, LlmRequests(None, now_ms, EngineMetrics()))
    engine.encoder = encoder = ByLetters()
    vacation = Memory(("request a vacation",), key=1)
    engine.index.put([vacation])
    query = engine.query("reqest a vaction")
    assert np.array_equal(some(query.vector), encoder.encode(["request a vacation"])[0])

    engine.vectors.keep("reqest a vaction", some(query.whole))
    assert engine.vectors.both("request a vacation") is not None
    assert engine.index.negated("never reqest a vaction") == [("request a vacation", False)]
    engine.index.remove(key_of(vacation))
    assert engine.corrected("reqest a vaction") == "reqest a vaction"
    assert engine.vectors.both("reqest a vaction") is None, "made of words that are not taught any more"


def test_that_a_request_within_a_mail_is_read_and_the_whole_mail_where_that_is_taught() -> None:
    engine = Engine.bare(now_ms, LlmRequests(None, now_ms, EngineMetrics()))
    engine.encoder = encoder = LetterEncoder()
    request, mail = "request a vacation", "Good afternoon, Bob! Request a vacation. Zzz zzz zzz zzz zzz."
    for text in (request, mail):
        triggers = Memory((text,), key=1 if text == request else 2)
        engine.index.put([triggers])
        engine.index.embed({text: encoder.encode([text])[0]})
        query = engine.query(mail)
        read = "Request a vacation." if text == request else ""
        assert query.sentence == read
        assert np.array_equal(some(query.vector), encoder.encode([read or mail])[0])
        assert np.array_equal(some(query.whole).scored, encoder.encode([mail])[0]), "what a taught mail is stored with"
    assert not some(engine.query(request).vectors).sentences, "one sentence is the query itself"


async def test_that_what_lets_go_can_begin_nothing_else() -> None:
    begun: list[str] = []

    background = Background()

    async def late() -> None:
        begun.append("late")

    async def first() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            background.start(late())

    background.start(first())
    await asyncio.sleep(0)
    await background.stop()
    background.start(late())
    await asyncio.sleep(0)
    assert begun == []


async def test_that_stopping_waits_for_what_takes_its_time_to_let_go() -> None:
    ended: list[str] = []

    background = Background()

    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            ended.append("slow")

    background.start(slow())
    await asyncio.sleep(0)
    await background.stop()
    assert ended == ["slow"]


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.03, 0.06])
async def test_that_a_desk_closed_while_its_encoder_loads_leaves_no_task_that_fails(
    pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workbench, "ready", _at_once)
    bugs: list[dict[str, Any]] = []

    class SlowToClose(MemoryLibrary):
        def close(self) -> None:
            time.sleep(0.05)
            super().close()

    def loads() -> LetterEncoder:
        time.sleep(0.04)
        return LetterEncoder()

    asyncio.get_running_loop().set_exception_handler(lambda loop, context: bugs.append(context))
    async with desk(SlowToClose, loads):
        await asyncio.sleep(pause)
    await asyncio.sleep(0.1)
    assert bugs == []


async def _at_once(*_: object) -> None: ...


SHIPPED = [TaughtExample("where is it", ("location",), True), TaughtExample("so be it", (), True)]
OURS = SearchIntentSettings()
VECTORS = np.eye(8, dtype=np.float32)


def case(text: str, *expected: str) -> Case:
    return Case(text, expected, Task.TYPE)


def test_that_what_ships_teaches_unless_a_case_says_the_same_text_otherwise() -> None:
    assert type_examples((), set(), SHIPPED) == tuple(SHIPPED)
    found = type_examples(
        [case("Where is it?", "general", "find"), case("so it goes", "none"), case("x")], set(), SHIPPED
    )
    assert [(one.text, one.labels) for one in found] == [
        ("Where is it?", ("general", "location")),
        ("so it goes", ()),
        ("x", ()),
        ("so be it", ()),
    ]


def test_that_what_names_no_type_or_is_quiet_teaches_nothing() -> None:
    assert type_examples([case("late parcel", "logistics"), case("late", "howto")], {"late"}, ()) == ()


def taught() -> TypeVoter:
    """Fit votes on eight texts: those with a question mark are general, the others troubleshoot."""
    votes = TypeVoter()
    texts = [f"{word}{mark}" for word in ("red", "blue", "green", "brown") for mark in ("?", "!")]
    labels = ("general", "troubleshoot") * 4
    examples = [TaughtExample(text, (label,)) for text, label in zip(texts, labels, strict=True)]
    vectors = np.concatenate([VECTORS[:4, :4].repeat(2, axis=0), np.tile(VECTORS[:2, :4], (4, 1))], axis=1)
    votes.model, votes.encoder = fit(examples, (vectors / 2**0.5).astype(np.float32), by_subject=False), "encoder"
    assert votes.model is not None
    return votes


@pytest.mark.parametrize("changes", [{"enabled": False}, {"learned": False}])
def test_that_examples_are_not_asked_where_they_are_switched_off(changes: dict[str, bool]) -> None:
    settings = SearchIntentSettings.model_validate(changes)
    detector = TypeDetector(KeywordRules(()), taught(), "encoder")
    assert detector.detect("odd?", QueryVector(VECTORS[0], VECTORS[0]), settings).learned is None


def test_that_it_is_said_why_examples_do_not_speak() -> None:
    both, votes = QueryVector(VECTORS[0], VECTORS[0]), taught()
    asked = (TypeDetector(KeywordRules(()), votes, "other"), both), (TypeDetector(KeywordRules(()), votes, None), both)
    said = [detector.detect("odd?", vectors, OURS).learned for detector, vectors in asked]
    assert [one.missing for one in said if one is not None] == [LEARNING, NO_ENCODER]


def test_that_examples_speak_and_that_a_taught_text_may_be_left_out() -> None:
    detector = TypeDetector(KeywordRules(()), taught(), "encoder")
    vector = np.array([0.5, 0.5, 0.5, 0.5, 0, 1, 0, 0], np.float32) / np.float32(2**0.5)
    found = detector.detect("odd!", QueryVector(vector, vector), OURS)
    assert some(found.floor).type == "troubleshoot"
    known = detector.detect("red!", QueryVector(vector, vector), OURS)
    assert some(known.floor).confidence == 1.0
    left = detector.detect("red!", QueryVector(vector, vector), OURS, left_out=True)
    assert some(some(left.learned).vote).confidence < 1.0


def test_that_no_engine_says_that_there_is_no_encoder_while_it_loads() -> None:
    engine = Engine.bare(now_ms, LlmRequests(None, now_ms, EngineMetrics()))
    assert engine.why_no_vote == ENCODER_COMING
    assert replace(engine, encoder_fault="It is damaged.").why_no_vote == NO_ENCODER
    detection = engine.types.with_learned_type(
        Detection(None, "evidence"), "odd?", None, None, OURS, absent=engine.why_no_vote
    )
    assert detection.learned == LearnedType(missing=ENCODER_COMING)


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
        await bench.import_sources([("memories", lines())])
        await bench.ready()
        assert sorted(encoder.encoded) == sorted(TEXTS)
        assert not is_behind(library, encoder)
        assert library.embeddings(encoder.layers, TEXTS).keys() == set(TEXTS)
        assert bench.engine.index.semantic.vectors.shape[1] == encoder.provenance.dimension


async def test_that_a_query_has_both_however_it_was_asked() -> None:
    encoder = WordsAndLetters()
    async with desk(encoder=lambda: encoder) as bench:
        await bench.import_sources([("memories", lines())])
        await bench.ready()
        await bench.settle("shut the door", late=False)
        await bench.prefetch(["shut the window"])
        for text in ("shut the door", "shut the window"):
            assert encoder.encoded.count(text) == 1
            assert some(bench.engine.vectors.both(text)).learned[0] == pytest.approx(len(text) / 100)
        assert bench.engine.vectors.both("never asked") is None


async def test_that_of_an_encoder_with_one_kind_of_vectors_a_learner_reads_those() -> None:
    library = MemoryLibrary()
    async with desk(lambda: library) as bench:
        await bench.import_sources([("memories", lines())])
        await bench.ready()
        await bench.settle("shut the door", late=False)
        both = some(bench.engine.vectors.both("shut the door"))
        assert np.array_equal(both.learned, both.scored)
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
