"""Tests of routing faults of any duration: always a route, and a report (S6.5, S6.6)."""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.adapters.store.library import SqlLibrary
from app.domain.case import Case, Task
from app.domain.llm import LlmOutcome
from app.domain.route import CircuitName, RouteAnswer, RouteMethod
from app.ports.llm import LlmError
from app.services.routing.routes import audit_steps
from app.services.workbench import Workbench
from tests.fakes import MemoryLibrary, ScriptedLlm
from tests.unit.services.routing.test_routes import VAGUE, Wall, desk

DEAD = LlmError("No answer from 127.0.0.1:9.")


async def ask(bench: Workbench, text: str) -> Any:
    """Route a query and log it, as every surface does."""
    found = await bench.routing.route(text)
    bench.routing.log.note(text, found, "route")
    return found


async def test_that_an_llm_that_is_down_for_an_hour_costs_two_questions_a_minute_and_is_found_again() -> None:
    llm, wall = ScriptedLlm(LlmError("")), Wall()
    async with desk(llm=llm, wall=wall, route__examples=False) as bench:
        llm.route_answer, seen = DEAD, set()
        for number in range(720):
            found = await ask(bench, f"{VAGUE} {number}")
            assert (found.method, found.databases) == (RouteMethod.DEGRADED, ("qdrant",))
            seen.add(bench.routing.state().circuit.name)
            wall.now += 5.0
        assert CircuitName.OPEN in seen
        assert 60 <= len(llm.asked) <= 5 + 120
        metrics = await bench.routing.log.metrics()
        assert {alert.name for alert in metrics.alerts} >= {"llm_errors", "flatline"}
        llm.route_answer = RouteAnswer("graph_traversal", 0.8, "json")
        methods = []
        for number in range(8):
            methods.append((await ask(bench, f"{VAGUE} back {number}")).method)
            wall.now += 5.0
        first = methods.index(RouteMethod.LLM_FALLBACK)
        assert first <= 6
        assert set(methods[first:]) == {RouteMethod.LLM_FALLBACK}
        assert bench.routing.state().circuit.name is CircuitName.CLOSED


async def test_that_an_llm_that_is_slow_for_a_minute_is_waited_for_a_few_times_only() -> None:
    llm, wall = ScriptedLlm(LlmError(""), seconds=60.0), Wall()
    async with desk(llm=llm, wall=wall, route__examples=False, search_intent__llm_timeout_ms=5) as bench:
        outcomes = []
        for number in range(60):
            found = await ask(bench, f"{VAGUE} {number}")
            assert found.method == RouteMethod.DEGRADED
            outcomes.append(found.llm_outcome)
            wall.now += 1.0
        assert outcomes[:5] == [LlmOutcome.TIMED_OUT] * 5
        assert outcomes.count(LlmOutcome.TIMED_OUT) == len(llm.cancelled) == 6
        llm.seconds, wall.now = 0.0, wall.now + 30.0
        assert (await ask(bench, f"{VAGUE} well")).method == RouteMethod.LLM_FALLBACK
        assert bench.routing.state().circuit.name is CircuitName.CLOSED


async def test_that_an_llm_that_is_wrong_for_a_day_is_seen_by_audit_and_alarm() -> None:
    llm, wall, library = ScriptedLlm(LlmError("")), Wall(), MemoryLibrary()
    texts = [f"{VAGUE} {number}" for number in range(24)]
    library.add("cases", [Case(text, ("vector_similarity",), Task.ROUTE) for text in texts])
    async with desk(llm=llm, wall=wall, library=library, route__examples=False) as bench:
        for text in texts:
            found = await ask(bench, text)
            assert (found.method, found.intent) == (RouteMethod.LLM_FALLBACK, "graph_traversal")
            wall.now += 3_600.0
        metrics = await bench.routing.log.metrics()
        alarms = {alert.name.value: alert.sentence for alert in metrics.alerts}
        assert "0 %" in alarms["accuracy"]
        assert metrics.by_method["llm_fallback"].accuracy == 0.0
        assert bench.metrics.routes_judged == {False: 24}
        audit = [step async for step in audit_steps(bench.routing, ask=False)][-1].audit
        assert (audit.llm_against_label, audit.decision_against_label) == ((0, 24), (0, 24))
        assert bench.routing.state().circuit.name is CircuitName.CLOSED


async def test_that_the_budget_ends_with_the_last_second_of_the_month() -> None:
    llm, wall, library = ScriptedLlm(LlmError("")), Wall(), MemoryLibrary()
    end = datetime(2028, 2, 29, 23, 59, 57, tzinfo=UTC).timestamp()
    wall.now = end

    how: dict[str, Any] = {"wall": wall, "library": library, "route__monthly_budget": 0.5}
    async with desk(llm=llm, route__cost_per_query=0.5, **how) as bench:
        methods = []
        for number in range(5):
            methods.append((await ask(bench, f"{VAGUE} {number}")).method)
            wall.now += 1.0
        llm_, none = RouteMethod.LLM_FALLBACK, RouteMethod.DEGRADED
        assert methods == [llm_, none, none, llm_, none]
        assert bench.routing.asker.spent == 0.5
        assert "$0.50" in bench.routing.state().circuit.sentence
    async with desk(llm=llm, route__cost_per_query=0.5, **how) as bench:
        assert bench.routing.asker.spent == 0.5
        assert (await ask(bench, f"{VAGUE} again")).method == RouteMethod.DEGRADED


async def test_that_a_cache_that_is_damaged_on_disk_is_told_and_begins_anew(tmp_path: Path) -> None:
    llm, wall = ScriptedLlm(LlmError("")), Wall()

    async def fill(bench: Workbench) -> None:
        assert (await ask(bench, VAGUE)).method == RouteMethod.LLM_FALLBACK
        await bench.routing.log.flushed()
        connection = sqlite3.connect(file)
        connection.execute("UPDATE route_cache SET confidence = 'much'")
        connection.commit()
        connection.close()
        assert (await ask(bench, VAGUE)).method == RouteMethod.CACHE

    async def look(bench: Workbench) -> None:
        assert "damaged" in bench.status().faults["route cache"]
        assert (await ask(bench, VAGUE)).method == RouteMethod.LLM_FALLBACK
        assert (await ask(bench, VAGUE)).method == RouteMethod.CACHE
        await bench.routing.log.flushed()

    async def after(bench: Workbench) -> None:
        assert "route cache" not in bench.status().faults
        assert (await ask(bench, VAGUE)).method == RouteMethod.CACHE
        assert len(await bench.routing.log.decisions()) == 5

    for work in (fill, look, after):
        library = SqlLibrary.open(tmp_path / "profile")
        file = library.file
        async with desk(llm=llm, wall=wall, library=library) as bench:
            await work(bench)


async def test_that_a_try_that_was_superseded_closes_nothing_and_lets_the_next_question_try() -> None:
    llm, wall = ScriptedLlm(LlmError("")), Wall()
    async with desk(llm=llm, wall=wall, route__examples=False, search_intent__llm_timeout_ms=60_000) as bench:
        llm.route_answer = DEAD
        for number in range(5):
            await ask(bench, f"{VAGUE} {number}")
        assert bench.routing.state().circuit.name is CircuitName.OPEN
        wall.now += 31.0
        llm.seconds = 60.0
        trying = asyncio.create_task(bench.routing.route(f"{VAGUE} try"))
        for _ in range(20):
            await asyncio.sleep(0)
        assert llm.asked[-1] == f"{VAGUE} try"
        assert bench.routing.state().circuit.name is CircuitName.HALF_OPEN
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        assert bench.routing.state().circuit.name is CircuitName.HALF_OPEN
        llm.seconds, llm.route_answer = 0.0, RouteAnswer("graph_traversal", 0.8, "json")
        assert (await ask(bench, f"{VAGUE} next")).method == RouteMethod.LLM_FALLBACK
        assert bench.routing.state().circuit.name is CircuitName.CLOSED
