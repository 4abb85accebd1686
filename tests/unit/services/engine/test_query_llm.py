"""What one query asks of the LLM: the type first, the route only where one is wanted, and all of it told."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from typing import cast

from app.display.documents import detection_document, inspection_document, kept_document
from app.domain.intent import IntentType
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.route import RouteAnswer
from app.ports.llm import LlmConnection
from app.services.workbench import Workbench
from app.surfaces.cli.terminal import answer
from app.surfaces.mcp.schemas import OfExplanation
from tests.fakes import ScriptedLlm
from tests.unit.services.benches import asking_desk

VAGUE = "zzz qqq"
"""Neither rules nor letters decide its route."""

SAID = LlmAnswer(IntentType.GENERAL, 0.9, "json", prompt="Type of zzz?", reply="General")
ROUTED = RouteAnswer("graph_traversal", 0.8, "json", prompt="Store of zzz?", reply="Graph")


class Ledger(ScriptedLlm):
    """Writes down when each question begins and ends."""

    def __init__(self, *, seconds: float = 0.0) -> None:
        super().__init__(SAID, seconds=seconds)
        self.route_answer = ROUTED
        self.log: list[str] = []

    def __call__(self, settings: object) -> LlmConnection:
        return cast("LlmConnection", self)

    async def classify(self, query: str) -> LlmAnswer:
        self.log.append("type asked")
        answer = await super().classify(query)
        self.log.append("type answered")
        return answer

    async def route(self, query: str) -> RouteAnswer:
        self.log.append("route asked")
        return await super().route(query)


def on_desk(llm: Ledger, act: Callable[[Workbench], Awaitable[None]], budget_ms: int = 60_000) -> None:
    settings = {"llm.url": "http://127.0.0.1:9", "llm.model": "scripted", "search_intent.llm_timeout_ms": budget_ms}

    async def run() -> None:
        async with asking_desk(llm, settings) as bench:
            await act(bench)

    asyncio.run(run())


def test_that_the_type_is_answered_before_the_route_is_asked() -> None:
    async def act(bench: Workbench) -> None:
        found = await bench.settle(VAGUE)
        assert found.trace.llm is not None
        assert found.trace.llm.outcome is LlmOutcome.ANSWERED
        assert found.route is not None
        assert found.route.method == "llm_fallback"
        assert llm.log == ["type asked", "type answered", "route asked"]

    llm = Ledger()
    on_desk(llm, act)


def test_that_detect_sends_one_request() -> None:
    async def act(bench: Workbench) -> None:
        found = await bench.settle(VAGUE, route=False)
        assert found.route is None
        assert llm.log == ["type asked", "type answered"]
        llm.log.clear()
        out = io.StringIO()
        await answer(bench, "detect", [VAGUE], out, as_json=True)
        assert llm.log == ["type asked", "type answered"]
        assert json.loads(out.getvalue())["trace"]["llm"]["prompt"] == SAID.prompt

    llm = Ledger()
    on_desk(llm, act)


def test_that_prompt_and_reply_are_told_of_type_and_route_and_kept_out_of_the_history() -> None:
    async def act(bench: Workbench) -> None:
        found = await bench.settle(VAGUE)
        document = inspection_document(found)
        for told in (document["trace"]["llm"], detection_document(found)["trace"]["llm"]):
            assert (told["prompt"], told["reply"]) == (SAID.prompt, SAID.reply)
        assert (document["route"]["llm"]["prompt"], document["route"]["llm"]["reply"]) == (ROUTED.prompt, ROUTED.reply)
        assert SAID.prompt not in json.dumps(kept_document(found))
        assert ROUTED.prompt not in json.dumps(kept_document(found))

    on_desk(Ledger(), act)


def test_that_what_comes_late_is_waited_for_on_demand() -> None:
    async def act(bench: Workbench) -> None:
        in_time = await bench.settle(VAGUE, route=False)
        assert in_time.trace.llm is not None
        assert in_time.trace.llm.outcome is LlmOutcome.TIMED_OUT
        out = io.StringIO()
        await answer(bench, "detect", [VAGUE], out, as_json=True, late=True)
        told = json.loads(out.getvalue())["trace"]["llm"]
        assert (told["outcome"], told["late"]["type"], told["reply"]) == ("late", "general", SAID.reply)

    on_desk(Ledger(seconds=0.05), act, budget_ms=1)
    assert OfExplanation.model_validate({"query": "q"}).late is False
