"""Tests of work during a change of encoder: no vector is lost or mixed (S2.15)."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import aclosing, contextmanager
from typing import Any

import pytest

from app.domain.case import Case, Task
from app.domain.fits import Refit
from app.domain.inspection import Phase
from app.domain.library import Line, Memory, Power
from app.services import core
from app.services.engine.query import ENCODER_CHANGED
from app.services.evaluation import refits
from app.services.evaluation.case_runs import answer_cases, run_cases
from app.services.scope.edit_previews import PowerTrial
from app.services.workbench import Workbench
from app.settings.model import Settings
from tests.unit.services.system.test_encoders import TORCH, TRIGGERS, Spread, desk, semantic, until
from tests.waiting import PATIENCE

LATER = tuple(f"later text number {number}" for number in range(100))


@contextmanager
def no_task_fails() -> Iterator[None]:
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context.get("exception")))
    yield
    assert failed == []


def first_of(bench: Workbench) -> Spread:
    encoder = bench.engine.encoder
    assert isinstance(encoder, Spread)
    assert encoder.provenance.encoder == "first"
    return encoder


async def held_back(bench: Workbench) -> Spread:
    """Return the first encoder, blocked while it encodes later memories."""
    first = first_of(bench)
    first.free = len(first.encoded) + 1
    await bench.import_sources([("memories", [Line(n, Memory((text,))) for n, text in enumerate(LATER)])])
    assert await asyncio.to_thread(first.held.wait, 20.0)
    return first


async def test_that_choosing_an_encoder_is_logged_with_the_answers_that_it_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refits, "SETTLED_SECONDS", 0.0)
    second = Spread("second", 1, free=1)
    async with desk(lambda _: second) as bench:
        cases = [Line(n, Case(f"{text} please", (text,), Task.MEMORY)) for n, text in enumerate(TRIGGERS[:9])]
        await bench.import_sources([("cases", cases)])
        logged = asyncio.Queue[Refit]()
        bench.refits.changed.subscribe(logged.put_nowait)
        answered, delivered = asyncio.Event(), bench.refits.delivered

        async def deliver(under: Settings | None = None) -> object:
            found = await delivered(under)
            answered.set()
            return found

        monkeypatch.setattr(bench.refits, "delivered", deliver)
        await bench.encoders.choose(TORCH)
        assert await asyncio.to_thread(second.held.wait, PATIENCE)
        await asyncio.wait_for(answered.wait(), PATIENCE)  # by the encoder before, while vectors are computed
        second.go.set()
        found = await asyncio.wait_for(logged.get(), PATIENCE)
        assert "encoder.name" in found.settings
        assert 0 < found.changed_cases <= found.cases == len(cases)


async def test_that_undoing_an_import_ends_its_vectors_at_once() -> None:
    with no_task_fails():
        async with desk(lambda _: Spread("second", 7)) as bench:
            first = await held_back(bench)
            before, told = len(first.encoded), list[tuple[int, int]]()
            bench.status_changed.subscribe(lambda status: told.append((status.embedded, status.to_embed)))
            await bench.curator.undo()
            first.go.set()
            await bench.ready()
            assert before < len(LATER)
            assert len(first.encoded) == before, "only what was under way was made"
            assert told[-1] == (0, 0)
            assert bench.engine.index.unembedded() == []


async def test_that_what_is_taught_still_has_its_vectors_where_an_import_is_undone_meanwhile() -> None:
    with no_task_fails():
        async with desk(lambda _: Spread("second", 7)) as bench:
            first = await held_back(bench)
            imported, *_ = await bench.journal.steps()
            await bench.curator.teach(Memory(("taught meanwhile",)))
            await bench.curator.teach(Memory((LATER[-1],), "again", intent="other"))
            await bench.curator.undo(imported.id)
            first.go.set()
            await bench.ready()
            assert bench.engine.index.unembedded() == []
            assert {"taught meanwhile", LATER[-1]} <= set(first.encoded)
            assert len(first.encoded) < len(LATER)


async def test_that_undoing_an_import_ends_its_vectors_of_an_encoder_that_is_coming_too() -> None:
    second = Spread("second", 7, free=1)

    with no_task_fails():
        async with desk(lambda _: second) as bench:
            await bench.import_sources([("memories", [Line(n, Memory((text,))) for n, text in enumerate(LATER)])])
            await bench.ready()
            await bench.encoders.choose(TORCH)
            assert await asyncio.to_thread(second.held.wait, 20.0)
            before = len(second.encoded)
            await bench.curator.undo()
            second.go.set()
            await taken_over(bench, second)
            await bench.ready()
            assert len(second.encoded) - before <= len(TRIGGERS)
            assert bench.engine.index.unembedded() == []


async def taken_over(bench: Workbench, second: Spread) -> None:
    await until(bench, lambda _: bench.engine.encoder is second)


async def test_that_calling_a_change_off_goes_on_with_the_vectors_that_still_lacked() -> None:
    second = Spread("second", 7, free=20)

    with no_task_fails():
        async with desk(lambda _: second) as bench:
            first = first_of(bench)
            await bench.encoders.choose(TORCH)
            assert await asyncio.to_thread(second.held.wait, 20.0)
            bench.engine.index.put([Memory(("came with nobody's vectors",), key=9_999)])
            await bench.encoders.cancel()
            second.go.set()
            await bench.ready()
            assert bench.engine.encoder is first
            assert bench.engine.index.unembedded() == []


async def test_that_an_encoder_left_in_the_midst_of_its_first_vectors_makes_them_all_when_it_is_chosen_again() -> None:
    second = Spread("second", 7, free=20)

    with no_task_fails():
        async with desk(lambda _: second) as bench:
            first = await held_back(bench)
            await bench.encoders.choose(TORCH)
            await bench.encoders.cancel()
            first.go.set()
            second.go.set()
            await bench.ready()
            assert bench.engine.encoder is first
            assert bench.engine.index.embedded() == len(TRIGGERS) + len(LATER)


async def test_that_an_encoder_that_takes_over_in_the_midst_of_vectors_makes_them_all() -> None:
    second = Spread("second", 7)

    with no_task_fails():
        async with desk(lambda _: second) as bench:
            first = await held_back(bench)
            await bench.encoders.choose(TORCH)
            await taken_over(bench, second)
            first.go.set()
            await bench.ready()
            assert bench.engine.index.embedded() == len(TRIGGERS) + len(LATER)
            assert bench.status().faults == {}
            assert await semantic(bench, LATER[3]) == pytest.approx(1.0, abs=1e-5)


async def test_that_a_query_whose_words_are_shown_survives_that_an_encoder_takes_over() -> None:
    second = Spread("second", 7)

    with no_task_fails():
        async with desk(lambda _: second) as bench:
            stream = bench.inspect("never asked before", typing=True)
            assert (await anext(stream)).phase is Phase.FLOOR
            await bench.encoders.choose(TORCH)
            await taken_over(bench, second)
            last = [one async for one in stream][-1]
            assert set(last.absent.values()) == {ENCODER_CHANGED}


async def test_that_another_programs_edits_are_seen_after_an_encoder_took_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "WATCH_SECONDS", 0.01)
    second = Spread("second", 7)

    with no_task_fails():
        async with desk(lambda _: second) as bench:
            first, news = first_of(bench), asyncio.Event()
            seen = asyncio.Event()

            async def has_external_changes() -> bool:
                if first.go.is_set():
                    seen.set()
                is_new = news.is_set()
                news.clear()
                return is_new

            monkeypatch.setattr(bench._index_loader, "has_external_changes", has_external_changes)
            watch = bench._background.start(bench._watch())
            await bench.in_store(lambda library: library.add("memories", [Memory((text,)) for text in LATER]))
            first.free = len(first.encoded) + 1
            news.set()
            assert await asyncio.to_thread(first.held.wait, 20.0)
            await bench.encoders.choose(TORCH)
            await taken_over(bench, second)
            first.go.set()
            await bench.ready()
            await asyncio.wait_for(seen.wait(), PATIENCE)
            assert not watch.done()


async def test_that_a_query_that_waits_for_the_encoder_before_is_answered() -> None:
    second = Spread("second", 7)
    async with desk(lambda _: second) as bench:
        first = await held_back(bench)
        asked = asyncio.create_task(bench.settle("trigger number 3 please"))
        while not bench._encoder.thread._work_queue.qsize():  # noqa: ASYNC110 - it comes to wait without an event
            await asyncio.sleep(0)
        await bench.encoders.choose(TORCH)
        await taken_over(bench, second)
        first.go.set()
        assert (await asked).matches
        await bench.ready()


async def test_that_a_takeover_is_told_at_once() -> None:
    second = Spread("second", 7)
    async with desk(lambda _: second) as bench:
        lock = bench._encoder._embedding
        async with lock:  # its last vectors are not made yet
            await bench.encoders.choose(TORCH)
            status = await until(bench, lambda status: status.encoder.startswith("sentence"))
            assert status.next_encoder == ""
        await bench.ready()


async def near(bench: Workbench) -> None:
    found = await bench.duplicates.near("trigger nunber 3 ?", None)
    assert found[0].meaning is not None


async def of_cases(bench: Workbench) -> None:
    async with aclosing(answer_cases(bench, bench.evaluations)) as steps:
        tops = [step async for step in steps][-1]
    assert tops.by_task[Task.MEMORY][0].is_right


async def runs(bench: Workbench) -> None:
    keys = [case.key for case in await bench.in_store(lambda library: library.cases()) if case.key is not None]
    async with aclosing(run_cases(bench, bench.evaluations, keys)) as steps:
        outcomes = [outcome async for step in steps for outcome in step.outcomes]
    assert outcomes[0].is_right


async def effect(bench: Workbench) -> None:
    trial = PowerTrial(bench)
    shown = await trial.effect("search the pages", Power("pages", "Finds a page.", ("page",)))
    assert shown.knows_meaning
    assert trial._index.semantic.vectors.shape[1] == 7


@pytest.mark.parametrize("verb", [near, of_cases, runs, effect])
async def test_that_vectors_asked_of_the_encoder_before_are_never_held_against_those_of_the_next(verb: Any) -> None:
    second = Spread("second", 7)
    async with desk(lambda _: second) as bench:
        await bench.in_store(lambda library: library.add("cases", [Case("number 3", (TRIGGERS[3],), Task.MEMORY)]))
        first = first_of(bench)
        first.free = len(first.encoded)
        asked: Coroutine[Any, Any, None] = verb(bench)
        under_way = asyncio.create_task(asked)
        assert await asyncio.to_thread(first.held.wait, 20.0)
        await bench.encoders.choose(TORCH)
        await taken_over(bench, second)
        first.go.set()
        await under_way
