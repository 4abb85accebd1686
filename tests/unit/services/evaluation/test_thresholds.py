"""Tests of cases answered for their confidences only, equal to an evaluation's."""

from __future__ import annotations

from app.domain.case import Case, Task
from app.domain.library import Memory, Power
from app.evaluation.answers import Tops
from app.services.evaluation.case_runs import BLOCK, answer_cases
from app.services.workbench import Workbench
from tests.build import library_of
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk

MEMORIES = [Memory(("will it rain",), id="rain"), Memory(("pay my bill",), intent="billing")]
POWERS = [Power("postgres", "Ask PostgreSQL", ("database", "postgres")), Power("mysql", "Ask MySQL", ("database",))]


def library(*labelled: Case) -> MemoryLibrary:
    return library_of(*MEMORIES, *POWERS, *labelled)


async def all_of(bench: Workbench) -> list[Tops]:
    await bench.ready()
    return [tops async for tops in answer_cases(bench, bench.evaluations)]


async def test_that_cases_come_with_their_confidence_lead_and_if_they_are_right() -> None:
    cases = [
        Case("a postgres query", ("postgres",), Task.POWER),
        Case("the database", ("postgres",), Task.POWER),
        Case("zzz", (), Task.POWER),
        Case("will it rain", ("rain",), Task.MEMORY),
        Case("pay my bill", ("billing",), Task.INTENT),
    ]
    async with desk(lambda: library(*cases)) as bench:
        *_, last = await all_of(bench)
        assert (last.done, last.total) == (5, 5)
        alone, tied, none = last.by_task[Task.POWER]
        assert alone.is_right
        assert alone.confidence >= 0.85
        assert tied.lead < alone.lead
        assert none.expects_none
        assert last.by_task[Task.MEMORY][0].confidence == 1.0
        judged = await bench.evaluations.today(cases[:3], Task.POWER)
        assert [top.confidence for top in last.by_task[Task.POWER]] == [one.confidence for one in judged.answered]


async def test_that_progress_is_told_block_by_block_and_no_cases_are_no_fault() -> None:
    many = [Case(f"query {n}", ("general",), Task.TYPE) for n in range(2 * BLOCK + 1)]
    async with desk(lambda: library(*many)) as bench:
        told = await all_of(bench)
        assert [tops.done for tops in told] == [0, BLOCK, 2 * BLOCK, 2 * BLOCK + 1]
        assert [len(tops.by_task) for tops in told] == [0, 0, 0, 1]
    async with desk(library) as bench:
        assert (await all_of(bench))[-1] == Tops(0, 0, {}, {False: (), True: ()})


async def test_that_without_an_encoder_the_lexical_scores_answer() -> None:
    async with desk(lambda: library(Case("will it rain", ("rain",), Task.MEMORY))) as bench:
        await bench.ready()
        bench.engine.encoder = None
        assert [tops async for tops in answer_cases(bench, bench.evaluations)][-1].by_task[Task.MEMORY][0].is_right
