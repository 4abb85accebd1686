"""Tests of case runs: verdicts in blocks, equal to those of an evaluation."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from app.domain.case import Case, Task
from app.domain.journal import Edit
from app.domain.library import Memory, Power, Transport
from app.evaluation.answers import Delivery, passes
from app.services.evaluation.case_runs import CaseRun, Outcome, answer_names, run_cases
from app.services.evaluation.runs import LatestRun
from app.services.workbench import Workbench
from tests.build import library_of
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk

CASES = [
    Case("a postgres query", ("postgres",), Task.POWER),
    Case("a postgres query please", ("mysql",), Task.POWER),
    Case("the postgres", (), Task.POWER, unwanted=("postgres",)),
    Case("zzz", (), Task.POWER, unwanted=("postgres",)),
    Case("will it rain", ("rain",), Task.MEMORY),
    Case("pay my bill", ("billing",), Task.INTENT),
    Case("where is the door", ("location",), Task.TYPE),
    Case("where is the graph", ("neo4j",), Task.ROUTE),
]


def library() -> MemoryLibrary:
    return library_of(
        Memory(("will it rain",), id="rain"),
        Memory(("pay my bill",), intent="billing"),
        Power("postgres", "Ask PostgreSQL", ("postgres",), transport=Transport(command="pg"), approved=True),
        Power("mysql", "Ask MySQL", ("mysql",)),
        *CASES,
    )


async def all_of(bench: Workbench, keys: list[int]) -> list[CaseRun]:
    await bench.ready()
    return [step async for step in run_cases(bench, bench.evaluations, keys)]


async def test_that_every_case_comes_out_right_or_wrong() -> None:
    async with desk(library) as bench:
        keys = [case.key for case in bench.library.cases() if case.key is not None]
        steps = await all_of(bench, keys)
        outcomes: list[Outcome] = [one for step in steps for one in step.outcomes]
        by_key = {one.key: one for one in outcomes}
        assert [by_key[key].is_right for key in keys[:6]] == [True, False, False, True, True, True]
        assert (by_key[keys[7]].answered, by_key[keys[7]].is_right) == ("graph_traversal", False)
        assert (steps[-1].done, steps[-1].total, steps[-1].skipped) == (8, 8, 0)
        assert [step.done for step in steps] == sorted(step.done for step in steps)
        wrong = by_key[keys[1]]
        assert (wrong.answered, wrong.confidence >= 0.9) == ("postgres", True)
        assert wrong.rank == 2 or wrong.rank is None
        assert by_key[keys[3]].answered is None


async def test_that_a_case_of_a_power_passes_once_it_has_a_command_and_is_approved() -> None:
    async with desk(library) as bench:
        keys = [case.key for case in bench.library.cases()[:1] if case.key is not None]
        faults = {Delivery.NO_COMMAND: "no command", Delivery.UNAPPROVED: "not approved", Delivery.RIGHT: ""}
        for delivery, fault in faults.items():
            (held,) = [one for one in bench.library.powers() if one.name == "postgres"]
            command = "" if delivery is Delivery.NO_COMMAND else "pg"
            edited = replace(held, transport=Transport(command=command), approved=delivery is Delivery.RIGHT)
            await bench.journal.do(Edit("edited"), [edited])
            (outcome,) = [one for step in await all_of(bench, keys) for one in step.outcomes]
            assert (outcome.answered, outcome.fault, outcome.delivery) == ("postgres", fault, delivery)


async def test_that_a_run_of_routes_alone_with_routing_off_and_of_nothing_ends() -> None:
    off: dict[str, Any] = {"route.enabled": False}
    async with desk(library, **off) as bench:
        route = bench.library.cases()[7].key or 0
        steps = await all_of(bench, [route])
        assert (steps[-1].done, steps[-1].skipped) == (1, 1)
        assert await all_of(bench, []) == [CaseRun(0, 0)]


async def test_that_cases_deleted_meanwhile_are_passed_over() -> None:
    async with desk(library) as bench:
        first = bench.library.cases()[0].key or 0
        steps = await all_of(bench, [first, 9_999])
        assert (steps[-1].done, steps[-1].total) == (2, 2)
        assert [one.key for step in steps for one in step.outcomes] == [first]


async def test_that_names_to_expect_are_those_of_the_task_and_what_begins_so_comes_first() -> None:
    async with desk(library) as bench:
        assert answer_names(bench, bench.routing, Task.POWER, "SQL") == ["mysql"]
        assert answer_names(bench, bench.routing, Task.POWER, "m")[:1] == ["mysql"]
        assert answer_names(bench, bench.routing, Task.MEMORY, "rain") == ["rain"]
        assert answer_names(bench, bench.routing, Task.INTENT, "bill") == ["billing"]
        assert "howto" in answer_names(bench, bench.routing, Task.TYPE, "")
        assert answer_names(bench, bench.routing, Task.ROUTE, "gra") == ["graph_traversal"]
        assert len(answer_names(bench, bench.routing, Task.POWER, "", most=1)) == 1


def test_that_a_run_of_all_cases_of_a_task_is_an_evaluation_and_tells_what_changed_since_the_last() -> None:
    async def noted(bench: Workbench, keys: list[int]) -> list[LatestRun]:
        await bench.ready()
        steps = [step async for step in run_cases(bench, bench.evaluations, keys, bench.runs.note_cases)]
        assert all(not step.noted for step in steps[:-1])
        return list(steps[-1].noted)

    async def run() -> None:
        async with desk(library, combination="fuzzy") as bench:
            keys = [case.key for case in bench.library.cases() if case.key is not None]
            assert await noted(bench, keys[:3]) == []
            assert await bench.runs.kept() == []
            first = {one.evaluation.task: one for one in await noted(bench, keys)}
            assert set(first) == set(Task)
            assert all(one.since is None for one in first.values())
            runs = {run.task: run for run in await bench.runs.kept()}
            powers = first[Task.POWER]
            assert (runs[Task.POWER].right, runs[Task.POWER].cases) == (2, 4)
            today = await bench.evaluations.today(await bench.catalogue.cases_of(Task.POWER), Task.POWER)
            assert powers.evaluation.metrics == today.metrics
            await bench.choose_all({f"tiers.{tier}": "1" for tier in ("high", "medium", "weak")})
            (again,) = await noted(bench, keys[:4])
            assert again is bench.runs.latest[Task.POWER]
            assert again.number > powers.number
            assert again.since is not None
            fixed = sum(map(passes, again.evaluation.answered)) - 2 + again.since.broken
            assert (again.since.run.key, again.since.fixed, again.since.cases) == (runs[Task.POWER].key, fixed, 4)
            assert again.since.fixed + again.since.broken > 0

    asyncio.run(run())
