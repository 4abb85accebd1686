"""Tests of imports: one step, cancellable, with the index equal to the library."""

import asyncio
import json
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import aclosing, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.adapters.store.library import SqlLibrary
from app.bootstrap import read_file, write_file
from app.display.library.importing import suspicion_sentence
from app.domain.case import Case, Task
from app.domain.errors import FormatError, KnownError, StoreGoneError
from app.domain.library import Line, Memory, Power, Transport
from app.services import core
from app.services.library import import_export
from app.services.library.import_export import (
    COMPARED_TEXTS,
    EvaluationDataHint,
    Importer,
    ImportFinished,
    ImportProgress,
    ImportStage,
    ImportValidator,
    suspicion,
)
from app.services.workbench import Workbench
from tests.build import some
from tests.unit.services.benches import LetterEncoder, desk, names
from tests.waiting import PATIENCE


def memories(count: int) -> list[Line[Memory]]:
    return [Line(n, Memory((f"phrase {n}",), intent=f"label {n % 7}")) for n in range(1, count + 1)]


def importer(workbench: Workbench) -> Importer:
    outside = replace(workbench._adapters, read_file=read_file, write_file=write_file)
    return Importer(workbench, outside, workbench._index_loader, workbench._encoder)


def a_file(folder: Path, *lines: object) -> Path:
    path = folder / "faq.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return path


@pytest.mark.parametrize("hidden", ["\u200b", "\ufeff", "\u202e", "\u00ad", "\u200d", "\n", "\x1b"])
def test_that_invisible_characters_make_no_second_label_or_power(hidden: str) -> None:
    label = f" gre{hidden}et\u00a0"
    items = [Memory(("a",), intent=label), Power(label), Case("a", (label, "greet"), Task.INTENT)]
    seen = ImportValidator([Line(1, item) for item in items])
    assert [*seen] == [Memory(("a",), intent="greet"), Power("greet"), Case("a", ("greet",), Task.INTENT)]


def test_that_joiners_of_a_script_stay_in_a_label() -> None:
    item = Memory(("a",), intent="می\u200cخواهم")
    assert [*ImportValidator([Line(1, item)])] == [item]


async def steps_of(workbench: Workbench, lines: Sequence[Line[Memory]]) -> list[ImportProgress | ImportFinished]:
    async with aclosing(workbench.importer.import_sources([("memories", lines)], "many.jsonl", len(lines))) as steps:
        return [step async for step in steps]


async def test_that_an_import_tells_how_far_it_is_and_is_one_step_with_one_undo(tmp_path: Path) -> None:
    async with desk(library=lambda: SqlLibrary.open(tmp_path)) as workbench:
        await workbench.curator.teach(Memory(("before",)))
        steps = await steps_of(workbench, memories(2_500))
        takings = [step for step in steps if isinstance(step, ImportProgress)]
        assert {step.stage for step in takings} == {ImportStage.STORING, ImportStage.ANSWERING}
        assert [step.done for step in takings if step.stage is ImportStage.ANSWERING][-1] == 2_500
        assert {step.total for step in takings} == {2_500}
        last = steps[-1]
        assert isinstance(last, ImportFinished)
        assert len(some(last.result).change.added) == 2_500
        assert len(workbench.engine.index) == 2_501
        assert workbench.status().counts["memories"] == 2_501
        assert "phrase 77" in await names(workbench, "phrase 77")
        assert (await workbench.journal.steps())[0].sentence == "imported 2,500 memories"
        await workbench.curator.undo()
        assert set(workbench.engine.index.answers().values()) == set(workbench.library.memories())
        assert len(workbench.engine.index) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let anybody take an open file away")
async def test_that_a_library_that_is_taken_away_during_an_import_is_told_and_can_be_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lines() -> Iterator[Line[Memory]]:
        yield from memories(3)
        (tmp_path / "library.db").unlink()

    monkeypatch.setattr(core, "WATCH_SECONDS", 0.01)
    async with desk(library=lambda: SqlLibrary.open(tmp_path)) as workbench:
        with pytest.raises(StoreGoneError):
            await workbench.import_sources([("memories", lines())])
        told = asyncio.Event()
        workbench.status_changed.subscribe(lambda status: told.set() if "store" in status.faults else None)
        watch = workbench._background.start(workbench._watch())
        await asyncio.wait_for(told.wait(), PATIENCE)
        assert not workbench.status().is_open
        await workbench.retry("store")
        assert workbench.status().is_open
        assert "store" not in workbench.status().faults
        watch.cancel()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let anybody take an open file away")
async def test_that_who_tries_again_before_the_loss_was_noticed_has_what_lies_there_by_then(tmp_path: Path) -> None:
    async with desk(library=lambda: SqlLibrary.open(tmp_path / "here")) as workbench:
        with closing(SqlLibrary.open(tmp_path / "other")) as other:
            other.add("memories", [Memory(("order tea",), "Tea it is.")])
        (tmp_path / "other" / "library.db").replace(tmp_path / "here" / "library.db")
        await workbench.retry("store")
        assert "store" not in workbench.status().faults
        assert [memory.triggers for memory in workbench.library.memories()] == [("order tea",)]


async def test_that_stopping_before_all_is_stored_leaves_nothing_behind(tmp_path: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def lines() -> Iterator[Line[Memory]]:
        for line in memories(3_000):
            if line.number == 2_200:
                reached.set()
                go_on.wait(PATIENCE)
            yield line

    async with desk(library=lambda: SqlLibrary.open(tmp_path)) as workbench:
        last: ImportProgress | ImportFinished | None = None
        async with aclosing(workbench.importer.import_sources([("memories", lines())], "many.jsonl")) as steps:
            async for step in steps:
                last = step
                if reached.is_set():
                    workbench.importer.stop()
                    go_on.set()
        assert last == ImportFinished(None)
        assert workbench.library.memories() == []
        assert len(workbench.engine.index) == 0
        assert await workbench.journal.steps() == []
        await workbench.curator.teach(Memory(("still writable",)))


async def test_that_closing_the_steps_waits_until_the_store_has_let_go(tmp_path: Path) -> None:
    async with desk(library=lambda: SqlLibrary.open(tmp_path)) as workbench:
        endless = (Line(n, Memory((f"phrase {n}",))) for n in range(1, 10_000_000))
        async with aclosing(workbench.importer.import_sources([("memories", endless)], "many.jsonl")) as steps:
            await anext(steps)
        assert workbench.library.memories() == []


async def test_that_a_file_that_breaks_off_is_a_sentence_and_nothing_is_stored() -> None:
    def broken() -> Iterator[Line[Memory]]:
        yield from memories(3)
        raise FormatError("The file cannot be read: it is gone.")

    async with desk() as workbench:
        with pytest.raises(KnownError, match="it is gone"):
            async for _ in workbench.importer.import_sources([("memories", broken())], "many.jsonl"):
                pass
        assert not workbench.writing.locked()


async def test_that_vectors_can_be_put_off_and_made_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for bound in ("KEPT_AT_ONCE", "CHUNK", "QUIET_CHUNK"):
        monkeypatch.setattr(f"app.services.engine.embedding.{bound}", 32)
    may_encode = threading.Semaphore(2)

    class Slow(LetterEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(texts) > 1:
                may_encode.acquire(timeout=PATIENCE)
            return super().encode(texts)

    async with desk(library=lambda: SqlLibrary.open(tmp_path), encoder=Slow) as workbench:
        await steps_of(workbench, memories(200))
        while workbench.engine.index.embedded() < 64:  # noqa: ASYNC110 - vectors come without an event
            await asyncio.sleep(0.005)
        workbench.importer.stop()
        for _ in range(50):
            may_encode.release()
        await workbench.ready()
        made = workbench.engine.index.embedded()
        assert 64 <= made < 200
        assert len(workbench.library.memories()) == 200
        assert workbench.status().put_off >= 200 - made - 64
        await workbench.curator.teach(Memory(("one more",)))
        await workbench.ready()
        assert workbench.engine.index.embedded() == made + 1, "only what is new has its vector made"
        await workbench.retry("encoder")
        await asyncio.sleep(0)
        await workbench.ready()
        assert workbench.engine.index.embedded() == 201
        assert workbench.status().put_off == 0


async def test_that_a_look_tells_kind_first_lines_and_problems_and_stores_nothing(tmp_path: Path) -> None:
    good = [{"triggers": [f"phrase {n}"], "intent": "x"} for n in range(9)]
    path = a_file(tmp_path, *good[:3], "no json", *good[3:])
    async with desk() as workbench:
        looked = await importer(workbench).preview(path)
        assert (looked.kind, looked.count, len(looked.first)) == ("memories", 9, import_export.SHOWN)
        assert looked.first[0].triggers == ("phrase 0",)
        assert [problem.line for problem in looked.problems] == [4]
        assert workbench.library.memories() == []
        async with aclosing(importer(workbench).import_file(looked)) as steps:
            taken = [step async for step in steps][-1]
        assert isinstance(taken, ImportFinished)
        assert some(taken.result).taken == 9
        assert {memory.source for memory in workbench.library.memories()} == {"faq.jsonl"}


async def test_that_a_file_is_opened_beside_the_engines_thread(tmp_path: Path) -> None:
    path, opened_on = a_file(tmp_path, {"triggers": ["a phrase"]}), list[int]()
    async with desk() as workbench:
        kept = importer(workbench)
        looked = await kept.preview(path)

        def noted(*wanted: Any) -> Any:
            opened_on.append(threading.get_ident())
            return read_file(*wanted)

        kept._adapters = replace(kept._adapters, read_file=noted)
        async with aclosing(kept.import_file(looked)) as steps:
            assert [step async for step in steps]
        assert len(opened_on) == 1
        assert opened_on[0] != threading.get_ident()


async def test_that_what_goes_out_comes_in_again_unchanged(tmp_path: Path) -> None:
    async with desk() as workbench:
        await workbench.import_sources([("memories", memories(5))])
        kept = importer(workbench)
        path = tmp_path / "kept.jsonl"
        assert await kept.export("memories", path) == 5
        looked = await kept.preview(path)
        async with aclosing(kept.import_file(looked)) as steps:
            taken = [step async for step in steps][-1]
        assert isinstance(taken, ImportFinished)
        assert some(taken.result).change.unchanged == 5
        with pytest.raises(KnownError, match="was not written"):
            await kept.export("memories", tmp_path / "nowhere" / "kept.jsonl")


# ---- Evidence for test data in a file's name and texts, and its messages.


def test_that_a_share_of_the_texts_tells_and_one_alone_does_not() -> None:
    texts = [f"text {place}" for place in range(20)]
    assert not suspicion("patterns.jsonl", texts, frozenset(texts[:1]))
    assert suspicion("patterns.jsonl", texts, frozenset(texts[:2]))
    assert not suspicion("patterns.jsonl", [], frozenset(texts))
    many = [f"text {place}" for place in range(COMPARED_TEXTS + 5)]
    assert suspicion("patterns.jsonl", many, frozenset()).of == COMPARED_TEXTS


def test_that_it_is_said_why() -> None:
    assert not suspicion_sentence(EvaluationDataHint())
    assert suspicion_sentence(EvaluationDataHint("", 2, 20)).startswith("2 of the first 20 texts are cases already.")
    by_name = suspicion_sentence(EvaluationDataHint("test", 1, 2_000))
    assert by_name.startswith("“test” in the name"), "one of two thousand is not why"


def test_that_a_threshold_that_is_none_is_taken_in_with_a_note() -> None:
    tags = ("score_threshold=1.5",), ("score_threshold=0.5", "score_threshold"), ("a=1.5",), ("score_threshold=1",)
    sieve = import_export.ImportValidator(Line(n, Memory(("x",), tags=own)) for n, own in enumerate(tags, 1))
    assert len(list(sieve)) == len(tags)
    assert [note.line for note in sieve.notes] == [1, 2]
    assert sieve.notes[0].sentence == "“score_threshold=1.5” is no threshold from 0 to 1, so it counts for nothing."


@pytest.mark.parametrize(
    ("transport", "shows"),
    [
        (Transport(url="https://example.com/mcp?api_key=abc"), True),
        (Transport(url="https://user:pw@example.com/mcp"), True),
        (Transport(command="run", args=("--api-key", "abc")), True),
        (Transport(command="run", args=("-v", "--token=abc")), True),
        (Transport(command="run", args=("postgresql://anna:pw@db/shop",)), True),
        (Transport(url="https://example.com/mcp?page=2", env={"Authorization": "Bearer abc"}), False),
        (Transport(command="run", args=("--token", "--verbose", "key", "--keys=2", "--token=")), False),
    ],
)
def test_that_a_key_that_everybody_would_read_is_noted(transport: Transport, shows: bool) -> None:
    sieve = import_export.ImportValidator([Line(1, Power("web", "the web", transport=transport))])
    assert [one.name for one in sieve] == ["web"]
    assert [
        note.sentence.startswith("web: its address or arguments contain a password or key") for note in sieve.notes
    ] == [True] * shows


async def test_that_cases_without_a_task_expect_the_intent_that_is_named_like_a_type(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("text,expected\nwhere are you,location\nhow do I pay,howto\n", "utf-8")
    async with desk() as bench:
        await bench.curator.teach(Memory(("what is your address",), intent="location"))
        preview = await importer(bench).preview(path)
        assert [case.task for case in preview.first] == [Task.INTENT, Task.TYPE]
        async with aclosing(importer(bench).import_file(preview)) as steps:
            (result,) = [step.result async for step in steps if isinstance(step, ImportFinished)]
        assert [(note.line, note.sentence.partition(";")[0]) for note in some(result).notes] == [
            (2, "“location” is an intent and a type")
        ]
        stored = await bench.catalogue.cases_of(Task.INTENT), await bench.catalogue.cases_of(Task.TYPE)
        assert [[case.expected for case in cases] for cases in stored] == [[("location",)], [("howto",)]]
