"""Tests of two router configurations side by side, with one LLM request per query."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from app.display.routing.simulation import simulation_document, simulation_lines
from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.llm import LlmAnswer
from app.domain.route import LoggedRoute, RouteMethod
from app.ports.llm import LlmConnection
from app.services.evaluation.simulator import NO_TEXTS, NOTHING, Change, Simulation
from app.services.workbench import Workbench
from app.settings.model import SettingsError
from tests.fakes import MemoryLibrary, ScriptedLlm
from tests.unit.services.benches import asking_desk

LLM = {"llm.url": "http://127.0.0.1:9", "llm.model": "scripted", "route.cost_per_query": 0.5}
VAGUE = [f"zzz qqq {'x' * n}" for n in range(40)]
"""Queries that neither rules nor examples decide."""


class Model(ScriptedLlm):
    def __init__(self, **how: Any) -> None:
        super().__init__(RuntimeError("no type is asked for"), **how)
        self.has_begun = asyncio.Event()

    def __call__(self, settings: object) -> LlmConnection:
        return cast("LlmConnection", self)

    async def route(self, query: str) -> LlmAnswer:
        if len(self.asked) == 3:
            self.has_begun.set()
        return await super().route(query)


@asynccontextmanager
async def on_desk(**chosen: object) -> AsyncGenerator[tuple[Workbench, Model], None]:
    model = Model()
    settings = {**LLM, "route.examples": False, **{key.replace("__", "."): value for key, value in chosen.items()}}
    async with asking_desk(model, settings, MemoryLibrary) as bench:
        model.asked.clear()
        yield bench, model


def queries(*texts: str, expected: Sequence[str] = (), seconds: float = 1.0) -> list[LoggedRoute]:
    made = [of(text, expected) for text in texts]
    return [one.__class__(**{**fields(one), "at": place * seconds}) for place, one in enumerate(made, 1)]


def of(text: str, expected: Sequence[str]) -> LoggedRoute:
    return LoggedRoute(0.0, text, "", "", (), 0.0, RouteMethod.RULE, 0.0, "", 0.0, labels=tuple(expected))


def fields(one: LoggedRoute) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}


def methods(found: Simulation, *, after: bool = True) -> list[str]:
    return [one.method for one in (found.after if after else found.before).decisions]


async def test_that_both_sides_are_decided_and_a_second_run_asks_nothing() -> None:
    async with on_desk() as (bench, model):
        asked = queries("similar texts", VAGUE[1], VAGUE[2], f"{VAGUE[1]}?", expected=("graph",))
        change = Change({"route.threshold": "0.96"})
        told: list[tuple[int, int]] = []
        found = await bench.simulator.run(asked, change, lambda done, total: told.append((done, total)))
        rule, llm, cache = RouteMethod.RULE, RouteMethod.LLM_FALLBACK, RouteMethod.CACHE
        # Each side starts without cached answers, and has its own: a query equal up to punctuation is not asked
        # again.
        assert methods(found, after=False) == [rule, llm, llm, cache]
        assert methods(found) == [llm, llm, llm, cache]
        assert (found.asked, sorted(model.asked)) == (3, sorted([VAGUE[1], VAGUE[2], "similar texts"]))
        assert model.warmed_routes
        assert told[0] == (0, 4)
        assert (found.before.metrics.cost, found.after.metrics.cost) == (1.0, 1.5)
        assert found.comparison is not None
        assert (found.comparison.fixed, found.comparison.broken) == (1, 0)
        (flip,) = found.flips
        assert (flip.case.text, flip.was_right, flip.is_right) == ("similar texts", False, True)
        document, lines = simulation_document(found, change), simulation_lines(found, change)
        assert document["flips"][0]["cause"] == "Rules: “similar” → vector_similarity: 95 % is below 96 %."
        assert document["after"]["accuracy"] == 1.0
        assert document["after"]["accuracy_interval"][0] == pytest.approx(0.51, abs=0.01)
        assert "The LLM was asked 3 questions; what it said before was not asked again." in "\n".join(lines)

        again = await bench.simulator.run(asked, change)
        assert (again.asked, len(model.asked)) == (0, 3)
        assert methods(again) == methods(found)
        # The running router has learned nothing from it, and its log is empty.
        assert not bench.routing.router.kept
        assert not await bench.routing.log.decisions()


async def test_that_the_same_seed_fails_the_same_answers_and_the_circuit_opens_as_it_would() -> None:
    async with on_desk() as (bench, model):
        asked = queries(*VAGUE, seconds=0.5)
        some = Change(fails=0.3, seed=7)
        one, again, other = [await bench.simulator.run(asked, how) for how in (some, some, Change(fails=0.3, seed=8))]
        assert methods(one) == methods(again) != methods(other)
        assert set(methods(one)) == {RouteMethod.LLM_FALLBACK, RouteMethod.DEGRADED}
        assert set(methods(one, after=False)) == {RouteMethod.LLM_FALLBACK}
        assert one.after.metrics.times["all"].p95 >= bench.settings.search_intent.llm_timeout_ms
        assert len(model.asked) == len(VAGUE)
        whole = await bench.simulator.run(asked, Change(fails=1.0))
        # After five failures no request is made for half a minute, within which all these queries came.
        failed = [one.llm_outcome for one in whole.after.decisions]
        assert (len(failed) - failed.count(None), set(methods(whole))) == (5, {RouteMethod.DEGRADED})
        without = await bench.simulator.run(asked, Change(asks_llm=False))
        assert set(methods(without, after=False)) == {RouteMethod.DEGRADED}


async def test_that_rules_can_be_left_out_and_only_what_routes_depend_on_is_tried() -> None:
    async with on_desk() as (bench, _):
        asked = queries("similar texts", "who is connected to whom")
        found = await bench.simulator.run(asked, Change({"route.rules": "false", "route.use_llm": "false"}))
        assert set(methods(found)) == {RouteMethod.DEGRADED}
        assert found.comparison is None
        assert "so the right way is unknown" in "\n".join(simulation_lines(found, Change()))
        for key in ("encoder.name", "theme"):
            with pytest.raises(KnownError, match="changes no route"):
                await bench.simulator.run(asked, Change({key: "dark"}))
        with pytest.raises(SettingsError):
            await bench.simulator.run(asked, Change({"route.threshold": "7"}))


async def test_that_queries_come_from_files_from_cases_and_from_the_log(tmp_path: Path) -> None:
    files = {
        "q.txt": "how are x and y related\n\nplain line\n",
        "q.jsonl": '{"text": "a", "expected": ["graph"]}\n{"text": "b"}\n',
        "q.csv": "query,route\na,graph\nb,vector\n",
    }
    async with on_desk() as (bench, _):
        read = {}
        for name, content in files.items():
            (tmp_path / name).write_text(content)
            read[name] = [(one.text, one.labels) for one in await bench.simulator.read(tmp_path / name)]
        assert read == {
            "q.txt": [("how are x and y related", ()), ("plain line", ())],
            "q.jsonl": [("a", ("graph",)), ("b", ())],
            "q.csv": [("a", ("graph",)), ("b", ("vector",))],
        }
        for nothing in (bench.simulator.logged, bench.simulator.labelled):
            with pytest.raises(KnownError, match=NOTHING):
                await nothing()
        await bench.in_store(lambda library: library.add("cases", [Case("similar texts", ("vector",), Task.ROUTE)]))
        assert [one.labels for one in await bench.simulator.labelled()] == [("vector",)]
        (tmp_path / "q.csv").write_text("query,route\nwho is connected to whom,graph\nsimilar texts,vectr\n")
        found = await bench.simulator.run(await bench.simulator.read(tmp_path / "q.csv"), Change())
        assert found.unknown == ("vectr",)
        assert "No route has the name “vectr”" in "\n".join(simulation_lines(found, Change()))
        for text in ("similar texts", "who is connected to whom"):
            bench.routing.log.note(text, await bench.routing.route(text))
        assert [one.text for one in await bench.simulator.logged()] == ["similar texts", "who is connected to whom"]
        assert [one.text for one in await bench.simulator.logged(1)] == ["who is connected to whom"]

    async with on_desk(history__privacy="hashed") as (bench, _):
        bench.routing.log.note("similar texts", await bench.routing.route("similar texts"))
        with pytest.raises(KnownError, match=NO_TEXTS[:40]):
            await bench.simulator.logged()


async def test_that_cancelling_keeps_what_the_llm_has_said() -> None:
    async with on_desk() as (bench, model):
        asked = queries(*VAGUE)
        running = asyncio.create_task(bench.simulator.run(asked, Change()))
        await model.has_begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        so_far = len(model.asked)
        assert so_far < len(VAGUE)
        found = await bench.simulator.run(asked, Change())
        # At most the request in progress is repeated.
        assert len(model.asked) - len(VAGUE) in (0, 1)
        assert found.asked <= len(VAGUE) - so_far + 1
