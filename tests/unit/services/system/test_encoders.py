"""Tests of a change of encoder: without a gap, cancellable, and safe on failure (S2.15)."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from app.domain.case import Case, Task
from app.domain.encoder import EncoderFacts, Provenance
from app.domain.errors import EncoderError, KnownError
from app.domain.library import Line, Memory
from app.ports.encoder import Embedder, Vectors
from app.ports.store import Library
from app.services.engine.adapters import Encoder
from app.services.engine.encoder_loader import configured_encoder
from app.services.evaluation.trial_snapshot import InMemoryVectors
from app.services.status import EncoderState, Status
from app.services.workbench import Workbench
from app.settings.model import SettingsSources, layer
from app.settings.sections import EncoderSettings
from tests.build import library_of, some
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import opened, unopened, workbench_of
from tests.waiting import PATIENCE

TORCH = EncoderSettings(name="sentence-transformers")
TRIGGERS = tuple(f"trigger number {number}" for number in range(40))


class Spread:
    """Encoder to text-dependent unit vectors; it blocks after `free` texts until `go` is set."""

    def __init__(self, name: str, dimension: int, free: int = 1_000_000) -> None:
        self.provenance = Provenance(name, "1", dimension)
        self.free, self.go, self.held = free, threading.Event(), threading.Event()
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.encoded += texts
        if len(self.encoded) > self.free and not self.go.is_set():
            self.held.set()
            assert self.go.wait(PATIENCE)
        vectors = np.zeros((len(texts), self.provenance.dimension), np.float32)
        for row, text in enumerate(texts):
            for letter in text.lower():
                vectors[row, ord(letter) % self.provenance.dimension] += 1.0
        units: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9)
        return units


def not_used(*_: Any) -> Any:
    raise AssertionError("nothing of the kind is set up")


@asynccontextmanager
async def desk(
    second: Callable[[EncoderSettings], Embedder], library: Library | None = None, fault: str = "", **said: object
) -> AsyncGenerator[Workbench, None]:
    stored = library or MemoryLibrary()
    encoders = {
        "intentscope-minilm": Encoder(lambda _: Spread("first", 384)),
        "sentence-transformers": Encoder(second, lambda _: EncoderFacts(fault=fault)),
        "ollama": Encoder(not_used),
    }
    async with opened(workbench_of(said, open_library=lambda: stored, encoders=encoders)) as bench:
        await bench.import_sources([("memories", [Line(n, Memory((text,))) for n, text in enumerate(TRIGGERS, 1)])])
        await bench.ready()
        yield bench


async def until(bench: Workbench, true: Callable[[Status], bool]) -> Status:
    found = asyncio.get_running_loop().create_future()

    def look(status: Status) -> None:
        if not found.done() and true(status):
            found.set_result(status)

    deafen = bench.status_changed.subscribe(look)
    look(bench.status())
    try:
        status: Status = await asyncio.wait_for(found, PATIENCE)
        return status
    finally:
        deafen()


async def semantic(bench: Workbench, query: str) -> float | None:
    return (await bench.settle(query)).matches[0].scores["semantic"]


async def test_that_the_encoder_before_answers_until_the_next_has_all_vectors() -> None:
    second = Spread("second", 7, free=20)
    async with desk(lambda _: second) as bench:
        await bench.encoders.choose(TORCH)
        assert await asyncio.to_thread(second.held.wait, 20.0)
        status = bench.status()
        assert (status.encoder, status.next_encoder) == ("intentscope-minilm", "sentence-transformers all-MiniLM-L6-v2")
        assert status.to_embed == len(TRIGGERS)
        assert some(bench.engine.encoder).provenance.encoder == "first"
        assert await semantic(bench, TRIGGERS[3]) == pytest.approx(1.0, abs=1e-5)
        second.go.set()
        await bench.ready()
        assert bench.engine.encoder is second
        assert bench.status().encoder_state is EncoderState.READY
        assert (bench.status().next_encoder, bench.status().faults) == ("", {})
        assert bench.engine.index.semantic.vectors.shape[1] == 7
        assert bench.engine.index.embedded() == len(TRIGGERS)
        assert await semantic(bench, TRIGGERS[3]) == pytest.approx(1.0, abs=1e-5)


async def test_that_what_is_taught_meanwhile_has_its_vector_too() -> None:
    second = Spread("second", 7, free=20)
    async with desk(lambda _: second) as bench:
        await bench.encoders.choose(TORCH)
        assert await asyncio.to_thread(second.held.wait, 20.0)
        await bench.curator.teach(Memory(("taught in between",)))
        second.go.set()
        await bench.ready()
        assert bench.engine.index.embedded() == len(TRIGGERS) + 1


async def test_that_a_change_can_be_called_off_and_goes_on_later_where_it_was() -> None:
    library, second = MemoryLibrary(), Spread("second", 7, free=20)
    async with desk(lambda _: second, library) as bench:
        await bench.encoders.choose(TORCH)
        assert await asyncio.to_thread(second.held.wait, 20.0)
        await bench.encoders.cancel()
        second.go.set()
        await bench.ready()
        assert bench.settings.encoder.name == "intentscope-minilm"
        assert library.setting_values() == {}
        assert (bench.status().encoder, bench.status().next_encoder) == ("intentscope-minilm", "")
        assert await semantic(bench, TRIGGERS[3]) == pytest.approx(1.0, abs=1e-5)
        await bench.encoders.choose(TORCH)
        await bench.ready()
        assert bench.engine.encoder is second


async def test_that_going_back_needs_no_second_encoding() -> None:
    second = Spread("second", 7)
    async with desk(lambda _: second) as bench:
        await bench.encoders.choose(TORCH)
        await bench.ready()
        await bench.encoders.choose(EncoderSettings())
        await bench.ready()
        first = bench.engine.encoder
        assert isinstance(first, Spread)
        assert first.provenance.encoder == "first"
        assert first.encoded == []
        assert bench.engine.index.embedded() == len(TRIGGERS)


@pytest.mark.parametrize(("of", "said"), [("letters", "earlier version of letters"), ("old", "another encoder (old)")])
async def test_that_replacing_the_vectors_of_an_earlier_encoder_is_said_until_all_are_new(of: str, said: str) -> None:
    library, notes = MemoryLibrary(), set[str]()
    texts = [f"trigger number {number}" for number in range(300)]
    library.add("memories", [Memory((text,)) for text in texts])
    library.put_embeddings(Provenance(of, "1", 7), texts, np.ones((300, 7), np.float32))

    bench = unopened(lambda: library)
    bench.status_changed.subscribe(lambda status: notes.add(status.notes.get("encoder", "")))
    await bench.open(watch=False)
    await bench.ready()
    assert "encoder" not in bench.status().notes
    await bench.close()
    assert any(said in note for note in notes)
    notes.clear()
    bench = unopened(lambda: library)
    bench.status_changed.subscribe(lambda status: notes.add(status.notes.get("encoder", "")))
    await bench.open(watch=False)
    await bench.ready()
    await bench.close()
    assert notes == {""}, "nothing is left to replace"


@pytest.mark.parametrize("former", ["minilm", "accurate"])
async def test_that_an_encoder_of_earlier_versions_in_the_settings_goes_on_with_a_note(former: str) -> None:
    library = MemoryLibrary()
    library.put_settings({"encoder.name": former})

    bench = unopened(lambda: library)
    await bench.open(watch=False)
    await bench.ready()
    status = bench.status()
    assert (status.encoder, status.faults) == ("intentscope-minilm", {})
    assert f"this version has no encoder {former}, so intentscope-minilm is used" in status.notes["settings"]
    assert status.notes["settings"] in status.warnings
    await bench.choose("encoder.name", None)
    assert bench.status().warnings == ()
    await bench.close()


async def test_that_an_encoder_that_fails_leaves_the_one_before() -> None:
    def fails(_: EncoderSettings) -> Embedder:
        raise EncoderError("It is damaged.")

    async with desk(fails) as bench:
        await bench.encoders.choose(TORCH)
        status = await until(bench, lambda status: "encoder" in status.faults)
        assert status.faults["encoder"] == "It is damaged. For now intentscope-minilm goes on answering."
        assert (status.encoder, status.encoder_state) == ("intentscope-minilm", EncoderState.READY)
        assert await semantic(bench, TRIGGERS[3]) == pytest.approx(1.0, abs=1e-5)
        await bench.encoders.choose(EncoderSettings())
        assert bench.status().faults == {}


async def test_that_an_encoder_that_cannot_be_loaded_is_not_chosen() -> None:
    async with desk(not_used, fault="It is not installed.") as bench:
        with pytest.raises(KnownError, match="not installed"):
            await bench.encoders.choose(TORCH)
        assert bench.settings.encoder.name == "intentscope-minilm"


async def test_that_a_query_under_way_when_the_encoder_changes_is_not_compared_with_the_new_vectors() -> None:
    async with desk(lambda _: Spread("second", 7)) as bench:
        answers = bench.inspect("trigger number 3 please", typing=False)
        await anext(answers)
        await bench.encoders.choose(TORCH)
        await bench.ready()
        last = [inspection async for inspection in answers][-1]
        assert "changed" in last.absent["semantic"]
        assert last.matches[0].scores["semantic"] is None


async def test_that_measuring_tells_whose_figures_they_are() -> None:
    async with desk(not_used) as bench:
        measured = await bench.encoders.measure()
        assert measured.provenance.encoder == "first"
        assert measured.query_ms >= 0.0


async def test_that_vectors_of_texts_that_are_gone_are_forgotten_and_others_kept() -> None:
    library = MemoryLibrary()
    second = Provenance("second", "1", 7)
    async with desk(not_used, library) as bench:
        library.put_embeddings(second, ["gone", TRIGGERS[0]], np.ones((2, 7), np.float32))
        assert await bench._index_loader.prune() == 1
        assert set(library.embeddings(second, ["gone", TRIGGERS[0]])) == {TRIGGERS[0]}
        assert len(library.embeddings(some(bench.engine.encoder).provenance, TRIGGERS)) == len(TRIGGERS)


def test_that_only_what_concerns_an_encoder_is_a_change_of_it() -> None:
    def of(**said: object) -> EncoderSettings:
        return configured_encoder(
            layer(SettingsSources(command_line={k.replace("__", "."): v for k, v in said.items()})).values
        )

    assert of(llm__url="http://a:1") == of(llm__url="http://b:1", encoder__model="x") == EncoderSettings()
    assert of(encoder__name="ollama", llm__url="http://a:1").url == "http://a:1"
    assert of(encoder__name="ollama", llm__url="http://a:1", encoder__url="http://c:1").url == "http://c:1"


# ---- effect of another encoder


def labelled() -> MemoryLibrary:
    return library_of(
        *(Memory((text,), intent=text[-1]) for text in TRIGGERS),
        *(Case(f"a trigger that has number {n}", (str(n % 10),), Task.INTENT) for n in range(12)),
    )


async def test_that_a_trial_comes_out_as_if_the_encoder_were_in_use_and_keeps_nothing() -> None:
    stored = labelled()
    async with desk(lambda _: Spread("second", 7), stored) as bench:
        counts, heard = stored.vector_counts(), []
        gain = await bench.encoders.gain(TORCH, lambda done, total: heard.append((done, total)))
        assert stored.vector_counts() == counts
        assert some(bench.engine.encoder).provenance.encoder == "first"
        assert bench.status().encoder == "intentscope-minilm"
        assert heard[-1] == (12, 12)
        cases = [case for case in stored.cases() if case.task is Task.INTENT]
        before = await bench.evaluations.today(cases, Task.INTENT)
        assert gain.comparison.before.metrics == before.metrics
        await bench.encoders.choose(TORCH)
        await until(bench, lambda status: status.encoder.startswith("sentence-transformers"))
        await bench.ready()
        then = await bench.evaluations.today(cases, Task.INTENT)
        assert gain.comparison.after.metrics == then.metrics
        assert gain.task is Task.INTENT


async def test_that_without_cases_a_gain_is_unknown_and_a_missing_encoder_says_why() -> None:
    async with desk(lambda _: Spread("second", 7)) as bench:
        with pytest.raises(KnownError, match="gains here is unknown"):
            await bench.encoders.gain(TORCH)
    async with desk(lambda _: Spread("second", 7), labelled(), fault="It is not installed.") as bench:
        with pytest.raises(KnownError, match="not installed"):
            await bench.encoders.gain(TORCH)

    def broken(_: EncoderSettings) -> Embedder:
        raise EncoderError("Its weights are damaged.")

    async with desk(broken, labelled()) as bench:
        with pytest.raises(KnownError, match="damaged"):
            await bench.encoders.gain(TORCH)
        assert bench.status().encoder_state is EncoderState.READY
        assert "encoder" not in bench.status().faults


def test_that_vectors_of_a_trial_lie_before_those_that_are_stored() -> None:
    stored = MemoryLibrary()
    first, second = Provenance("first", "1", 2), Provenance("second", "1", 2)
    stored.put_embeddings(first, ["a"], np.array([[1, 0]], np.float32))
    apart = InMemoryVectors.of(stored)
    apart.put_embeddings(second, ["a", "b"], np.array([[0, 1], [1, 0]], np.float16))
    assert apart.embeddings(second, ["b", "c"]).keys() == {"b"}
    assert apart.embeddings(first, ["a", "b"]).keys() == {"a"}
    assert apart.vector_counts() == {first: 1, second: 2}
    assert stored.vector_counts() == {first: 1}
    assert apart.memories() == stored.memories()
