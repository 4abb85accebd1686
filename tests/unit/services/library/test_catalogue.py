"""Tests of finding, paging and counting items, the same for window and terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import CaseFilter, MemoryFilter, MemoryOrder, View
from app.domain.journal import Edit, ThingKind
from app.domain.library import Memory, Power
from app.domain.route import RouteFilter, RouteOrder
from app.services.workbench import Workbench
from tests.build import some
from tests.unit.services.benches import desk, names

KEYS = Memory(("rotate the keys", "turn the keys"), id="keys", intent="keys")
DOORS = Memory(("open the doors",), id="doors", intent="doors")


async def taught(bench: Workbench) -> None:
    await bench.curator.teach(KEYS)
    await bench.curator.teach(DOORS)


async def test_that_memories_are_found_in_order_with_their_rows_and_places() -> None:
    async with desk() as bench:
        await taught(bench)
        all_of_them = await bench.catalogue.find_memories(MemoryFilter(), MemoryOrder.ID)
        doors, keys = all_of_them.keys
        assert [all_of_them.rows[key].item.name for key in all_of_them.keys] == ["doors", "keys"]
        descending = await bench.catalogue.find_memories(
            MemoryFilter(), MemoryOrder.ID, descending=True, view=View((keys,), doors, keys)
        )
        assert (descending.keys, descending.whole) == ([keys, doors], 2)
        assert (descending.selected, descending.current, descending.top) == ([(0, 0)], 1, 0)
        assert list(await bench.catalogue.memories([doors, 99])) == [doors]
        assert dict((await bench.catalogue.facets())["label"]) == {"keys": 1, "doors": 1}


async def test_that_a_case_is_added_once_and_a_second_of_its_query_is_refused() -> None:
    async with desk() as bench:
        case = Case("turn the keys", ("keys",), Task.INTENT)
        assert await bench.catalogue.add_case(case) is not None
        with pytest.raises(KnownError, match="already exists: edit that one"):
            await bench.catalogue.add_case(replace(case, expected=("doors",)))
        await bench.catalogue.add_case(replace(case, task=Task.MEMORY))
        counts = await bench.catalogue.case_counts()
        assert (counts[Task.INTENT], counts[Task.MEMORY], counts[Task.POWER]) == (1, 1, 0)
        assert [one.expected for one in await bench.catalogue.cases_of(Task.INTENT)] == [("keys",)]
        found, by_task = await bench.catalogue.find_cases(CaseFilter("turn"), arrange=lambda keys: list(reversed(keys)))
        assert ([found.rows[key].task for key in found.keys], by_task) == ([Task.MEMORY, Task.INTENT], counts)
        assert len(await bench.catalogue.named(ThingKind.CASE, "turn the keys")) == 2


async def test_that_things_are_found_by_the_name_that_a_person_knows_them_by() -> None:
    async with desk() as bench:
        await taught(bench)
        await bench.journal.do(Edit("added", "the power “git”"), [Power("git", "Keeps versions")])
        assert [one.key for one in await bench.catalogue.powers()] == [
            one.key for one in await bench.catalogue.named(ThingKind.POWER, "git")
        ]
        (memory,) = await bench.catalogue.named(ThingKind.MEMORY, "doors")
        assert isinstance(memory, Memory)
        assert memory.triggers == DOORS.triggers
        assert await bench.catalogue.named(ThingKind.MEMORY, "windows") == []
        assert await bench.catalogue.named(ThingKind.RULE, "doors") == []


async def test_that_a_taught_route_takes_the_place_of_another_and_can_be_taken_back() -> None:
    async with desk() as bench:
        assert await bench.routing.teach("where are the orders", "orders") is True
        assert await bench.routing.teach("where are the orders", "stock") is False
        (case,) = await bench.catalogue.cases_of(Task.ROUTE)
        assert case.expected == ("stock",)
        await bench.curator.undo()
        (case,) = await bench.catalogue.cases_of(Task.ROUTE)
        assert case.expected == ("orders",)


async def test_that_routed_queries_are_found_in_the_log_with_their_rows() -> None:
    async with desk() as bench:
        for text in ("where are the orders", "count the orders"):
            bench.routing.log.note(text, await bench.routing.route(text), "route")
        found = await bench.routing.log.find(RouteFilter(), RouteOrder.AT, descending=False)
        assert [found.rows[key].text for key in found.keys] == ["where are the orders", "count the orders"]
        assert list(await bench.routing.log.page(found.keys[1:])) == list(found.keys[1:])


async def test_that_pausing_is_one_step_that_leaves_out_what_is_paused_already() -> None:
    async with desk() as bench:
        await taught(bench)
        keys = await bench.catalogue.named(ThingKind.MEMORY, "keys")
        both = [one for name in ("keys", "doors") for one in await bench.catalogue.named(ThingKind.MEMORY, name)]
        answers = [one for one in both if isinstance(one, Memory)]
        one = some(await bench.journal.pause(answers[:1], on=True))
        assert one.step.sentence == "paused “keys”"
        answers = [replace(answers[0], paused=True), answers[1]]
        assert len(keys) == 1
        assert await names(bench, "rotate the keys") == ["doors"]
        more = some(await bench.journal.pause(answers, on=True))
        assert more.step.sentence == "paused “doors”"
        assert await bench.journal.pause([replace(answer, paused=True) for answer in answers], on=True) is None
        assert await names(bench, "rotate the keys") == []


async def test_that_it_is_known_whether_the_last_step_was_one_of_settings() -> None:
    async with desk() as bench:
        await bench.curator.teach(KEYS)
        assert await bench.journal.last_of_settings() is None
        await bench.choose_all({"search_intent.surfacing_threshold": "0.5"}, Edit("set", "a threshold"))
        step = some(await bench.journal.last_of_settings())
        assert await bench.journal.redoes_settings() is False
        await bench.curator.undo(step)
        assert await bench.journal.last_of_settings() is None
        assert await bench.journal.redoes_settings() is True
