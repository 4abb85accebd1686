"""Tests of the shared cache: looked up before the table, within its time limit (S6.1, S6.3)."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from app.adapters.store.library import SqlLibrary
from app.display.system.metrics import usage_document
from app.domain.errors import DataStoreGoneError
from app.domain.history import HistoryFilter, UsageCounter
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer
from app.domain.route import CachedRoute, CacheLookup, RouteMethod, RouteStage
from app.services.routing import guarded_server
from app.services.workbench import Workbench
from tests.build import some
from tests.fakes import Clock, MemoryLibrary, ScriptedLlm
from tests.unit.services.routing.test_routes import VAGUE, desk, step
from tests.waiting import PATIENCE

HIT, MISS, GONE = CacheLookup.REDIS_HIT, CacheLookup.REDIS_MISS, CacheLookup.REDIS_GONE
TABLE_HIT, TABLE_MISS = CacheLookup.TABLE_HIT, CacheLookup.TABLE_MISS


class Front:
    """SharedAnswers in memory that may be gone, hang or return invalid data."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], tuple[CachedRoute, float]] = {}
        self.is_gone = False
        self.asked = 0
        self.release = Event()
        self.release.set()

    def ping(self) -> None:
        self._answer()

    def get(self, digest: str, text: str) -> CachedRoute | None:
        self._answer()
        found = self.kept.get((digest, text))
        return None if found is None else found[0]

    def put(self, kept: CachedRoute, seconds: float) -> None:
        self._answer()
        self.kept[kept.digest, kept.text] = kept, seconds

    def count(self, digest: str) -> int:
        self._answer()
        return sum(each == digest for each, _ in self.kept)

    def forget(self, digest: str, texts: Sequence[str] | None = None) -> int:
        self._answer()
        gone = [key for key in self.kept if (key[0] == digest if texts is None else key[1] in texts)]
        return len([self.kept.pop(key) for key in gone])

    def close(self) -> None:
        """Close nothing."""

    def _answer(self) -> None:
        self.asked += 1
        self.release.wait(PATIENCE)
        if self.is_gone:
            raise DataStoreGoneError("Nobody answers.")


@asynccontextmanager
async def on_front(front: Front, **how: Any) -> AsyncGenerator[tuple[Workbench, ScriptedLlm], None]:
    llm = ScriptedLlm(LlmAnswer(IntentType.GENERAL, 0.9, "json"))
    chosen = {"history__privacy": "full", "route__redis": "redis://localhost", "route__redis_ms": 2_000, **how}
    async with desk(llm=llm, shared=front, **chosen) as bench:
        yield bench, llm


async def written(bench: Workbench) -> None:
    """Wait until background writes are in the shared cache.

    They have begun, and calls run in order.
    """
    await asyncio.sleep(0)
    await bench.routing.shared.state()


async def test_that_an_answer_is_kept_in_front_for_those_who_ask_the_same() -> None:
    front, wall = Front(), Clock()
    async with on_front(front, wall=wall, library=MemoryLibrary()) as (bench, llm):
        found = await bench.routing.route(VAGUE)
        assert (found.method, found.looks) == (RouteMethod.LLM_FALLBACK, (MISS, TABLE_MISS))
        await written(bench)
        assert await bench.routing.shared.state() == ("redis", 1, 0, "")
    ((_, seconds),) = front.kept.values()
    assert seconds == 24 * 3_600.0
    async with on_front(front, wall=wall, library=MemoryLibrary()) as (bench, llm):
        wall.now += 3_600.0
        found = await bench.routing.route("Zzz, QQQ?")
        assert (found.method, found.looks, llm.asked) == (RouteMethod.CACHE, (HIT,), [])
        assert "60 min ago" in found.reasoning
        assert found.reasoning.endswith("Redis had kept it.")
        wall.now += 24 * 3_600.0
        found = await bench.routing.route(VAGUE)
        assert (found.method, found.looks) == (RouteMethod.LLM_FALLBACK, (MISS, TABLE_MISS))
        await bench.routing.clear_cache()
        assert front.kept == {}


async def test_that_the_table_answers_when_it_is_gone_and_fills_it_when_it_is_back() -> None:
    front = Front()

    wall = Clock()
    async with on_front(front, wall=wall) as (bench, llm):
        await bench.routing.route(VAGUE)
        await written(bench)
        front.is_gone = True
        for _ in range(guarded_server.FAILURES):
            found = await bench.routing.route(VAGUE)
            assert (found.method, found.looks) == (RouteMethod.CACHE, (GONE, TABLE_HIT))
        asked = front.asked
        assert (await bench.routing.route(VAGUE)).looks == (GONE, TABLE_HIT)
        assert front.asked == asked
        assert (await bench.routing.shared.state())[-1].startswith("It failed 3 times in a row")
        front.is_gone, front.kept = False, {}
        wall.now += guarded_server.REST_SECONDS
        assert (await bench.routing.route(VAGUE)).looks == (MISS, TABLE_HIT)
        await written(bench)
        assert len(front.kept) == len(llm.asked) == 1


async def test_that_one_that_hangs_is_left_within_its_time() -> None:
    front = Front()
    async with on_front(front, route__redis_ms=1) as (bench, _):
        front.release.clear()
        found = await bench.routing.route(VAGUE)
        assert (found.method, found.looks) == (RouteMethod.LLM_FALLBACK, (GONE, TABLE_MISS))
        front.release.set()


async def test_that_answers_of_another_time_or_none_are_not_believed() -> None:
    front = Front()

    wall = Clock()
    async with on_front(front, wall=wall) as (bench, _):
        digest = bench.routing.router.digest
        later = CachedRoute(VAGUE, digest, LlmAnswer("hybrid_search", 0.9, "json"), wall.now + 3_600.0)
        for at in (later.at, wall.now - 25 * 3_600.0):
            front.kept[digest, VAGUE] = replace(later, at=at), 1.0
            assert HIT not in (await bench.routing.route(f"{VAGUE}")).looks


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (LlmAnswer("payroll", 0.9, "json"), "for a route that is none here: payroll."),
        (
            LlmAnswer("graph_traversal", 0.9, "json", distribution={"graph_traversal": float("nan")}),
            "with numbers that are",
        ),
        (LlmAnswer("graph_traversal", 0.9, "json", distribution={"graph_traversal": 1e300}), "with numbers that are"),
    ],
)
async def test_that_an_answer_that_is_none_here_is_a_traced_miss_and_replaced(answer: LlmAnswer, told: str) -> None:
    front, wall = Front(), Clock()
    async with on_front(front, wall=wall) as (bench, _):
        digest = bench.routing.router.digest
        front.kept[digest, VAGUE] = CachedRoute(VAGUE, digest, answer, wall.now), 1.0
        found = await bench.routing.route(VAGUE)
        assert (found.method, found.looks) == (RouteMethod.LLM_FALLBACK, (MISS, TABLE_MISS))
        assert told in step(found, RouteStage.CACHE).sentence
        await written(bench)
        assert front.kept[digest, VAGUE][0].answer.mode == "json"
        found = await bench.routing.route(VAGUE)
        assert (found.method, found.looks, told in found.reasoning) == (RouteMethod.CACHE, (HIT,), False)


@pytest.mark.parametrize("privacy", ["hashed", "off"])
async def test_that_nothing_is_kept_or_asked_in_front_where_no_text_may_be(privacy: str) -> None:
    front = Front()
    async with on_front(front, history__privacy=privacy) as (bench, _):
        asked = front.asked
        assert (await bench.routing.route(VAGUE)).looks == (TABLE_MISS,)
        assert (await bench.routing.route(VAGUE)).looks == (TABLE_HIT,)
        assert front.asked == asked, "not even a digest of the query goes there"
        await written(bench)
        assert front.kept == {}


async def test_that_an_inspected_query_needs_no_llm_where_another_program_asked_it() -> None:
    front = Front()

    wall = Clock()
    async with on_front(front, wall=wall) as (bench, _):
        digest = bench.routing.router.digest
        front.kept[digest, VAGUE] = CachedRoute(VAGUE, digest, LlmAnswer("hybrid_search", 0.9, "json"), wall.now), 1.0
        found = some((await bench.settle(VAGUE, late=False)).route)
        assert (found.method, found.looks) == (RouteMethod.CACHE, (HIT,))
        assert step(found, RouteStage.LLM).sentence == "Not needed: it was decided before."


async def test_that_both_caches_hits_are_counted_once_a_decision() -> None:
    front = Front()
    async with on_front(front) as (bench, _):
        for _ in range(3):
            bench.routing.log.note(VAGUE, await bench.routing.route(VAGUE))
            await written(bench)
        counts = usage_document(await bench.usage.totals())["route_caches"]
        assert counts == {"redis hit": 2, "redis miss": 1, "redis gone": 0, "table hit": 0, "table miss": 1}


async def test_that_what_the_history_forgets_goes_from_in_front_and_from_memory(tmp_path: Path) -> None:
    front = Front()
    async with on_front(front, library=SqlLibrary.open(tmp_path)) as (bench, _):

        async def asked(text: str) -> None:
            bench.history.recorder.note(await bench.settle(text))
            await bench.routing.route(text)
            await bench.history.recorder.flush()
            await written(bench)

        def held() -> tuple[set[str], set[str]]:
            return {text for _, text in front.kept}, set(bench.routing.router.kept)

        for text in (VAGUE, "yyy"):
            await asked(text)
        bench.usage.count(UsageCounter.HOOKS, "late")
        assert held() == ({"zzz qqq", "yyy"}, {"zzz qqq", "yyy"})
        await bench.history.forget(await bench.history.find(HistoryFilter(words="zzz")))
        assert held() == ({"yyy"}, {"yyy"})
        await bench.history.forget()
        assert held() == (set(), set())
        assert (await bench.usage.totals()).counts == {}, "what was counted and not written yet came back"
