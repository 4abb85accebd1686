"""Tests of faults of the LLM's server: shown floor, trace of the fault, no leaks."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import pytest

from app.adapters.llm import OllamaClient
from app.domain.errors import EncoderError
from app.domain.inspection import Inspection, Phase
from app.domain.intent import IntentType
from app.domain.llm import LlmOutcome
from app.ports.encoder import Embedder
from app.services.engine import llm_requests
from app.services.engine.adapters import Encoder
from app.services.engine.connection import LinkState
from app.services.engine.metrics import EngineMetrics
from app.services.workbench import Workbench
from tests.build import some
from tests.servers.faults import FaultServer
from tests.servers.script import Script
from tests.unit.services.benches import opened, workbench_of
from tests.waiting import PATIENCE

QUERY = "why does the build keep failing"


def no_encoder() -> Embedder:
    raise EncoderError("This test has no encoder.")


@asynccontextmanager
async def at_work(url: str, **chosen: object) -> AsyncGenerator[Workbench, None]:
    """Open a warm workbench with the LLM at `url`, by default with a budget of 60 ms."""
    dotted = {key.replace("__", "."): value for key, value in chosen.items()}
    settings = {
        "llm.url": url,
        "llm.model": "scripted:1b",
        "search_intent.llm_timeout_ms": 60,
        "search_intent.debounce_ms": 0,
        **dotted,
    }
    encoders = {"intentscope-minilm": Encoder(lambda _: no_encoder())}
    async with opened(workbench_of(settings, encoders=encoders, make_llm=OllamaClient)) as workbench:
        yield workbench


async def all_of(workbench: Workbench, text: str) -> list[Inspection]:
    return [inspection async for inspection in workbench.inspect(text)]


def run(work: Awaitable[Any]) -> Any:
    """Run to the end, and check that no task or thread is left, apart from open libraries."""
    before = set(threading.enumerate())

    async def main() -> Any:
        result = await work
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    result = asyncio.run(main())
    for thread in set(threading.enumerate()) - before:
        if not thread.name.startswith("library-writer"):
            thread.join(PATIENCE)  # an encoder that is being loaded is loaded first
            assert not thread.is_alive(), thread.name
    return result


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as found:
        yield found


@dataclass(frozen=True)
class Fault:
    """Behaviour of the server, the expected outcome, and the budget needed to see it."""

    behaviour: str
    outcome: LlmOutcome
    budget_ms: int = 60_000


FAULTS = (
    Fault("refused", LlmOutcome.UNREACHABLE),
    Fault("silent", LlmOutcome.TIMED_OUT, 60),
    Fault("trickle", LlmOutcome.TIMED_OUT, 60),
    Fault("break_off", LlmOutcome.FAILED),
    Fault("reset", LlmOutcome.FAILED),
    Fault("model_missing", LlmOutcome.MODEL_MISSING),
    Fault("error_500", LlmOutcome.FAILED),
    Fault("busy", LlmOutcome.FAILED),
    Fault("html", LlmOutcome.UNREADABLE),
    Fault("truncated", LlmOutcome.UNREADABLE),
    Fault("huge", LlmOutcome.FAILED),
    Fault("wrong_schema", LlmOutcome.UNREADABLE),
    Fault("number", LlmOutcome.UNREADABLE),
)


@pytest.mark.parametrize("mode", ["one_token", "json"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.behaviour)
def test_that_the_floor_stands_and_the_fault_is_named(server: FaultServer, fault: Fault, mode: str) -> None:
    async def ask() -> tuple[list[Inspection], int]:
        async with at_work(server.url, llm__mode=mode, search_intent__llm_timeout_ms=fault.budget_ms) as workbench:
            server.behave(fault.behaviour)
            answers = await asyncio.wait_for(_until_told(workbench), PATIENCE)
        return answers, server.open_connections

    answers, _ = run(ask())
    assert server.wait_until(lambda: server.open_connections == 0)
    first, last = answers[0], answers[-1]
    assert first.phase is Phase.FLOOR
    assert first.intent is not None
    assert first.intent.type is IntentType.TROUBLESHOOT
    assert last.intent is not None
    assert last.intent.type is IntentType.TROUBLESHOOT
    assert last.trace.llm is not None
    assert last.trace.llm.outcome is fault.outcome, last.trace.llm
    assert last.trace.llm.sentence or fault.outcome is LlmOutcome.TIMED_OUT
    if fault.behaviour in ("wrong_schema", "number"):
        assert QUERY in last.trace.llm.prompt
        assert last.trace.llm.reply or fault.behaviour == "number"


@pytest.mark.parametrize(("mode", "outcome"), [("one_token", LlmOutcome.UNREADABLE), ("json", LlmOutcome.ANSWERED)])
def test_that_orders_in_an_answer_are_text_and_nothing_more(
    server: FaultServer, mode: str, outcome: LlmOutcome
) -> None:
    async def ask() -> Inspection:
        async with at_work(server.url, llm__mode=mode, search_intent__llm_timeout_ms=60_000) as workbench:
            server.behave("orders")
            return (await _until_told(workbench))[-1]

    last = run(ask())
    assert last.trace.llm.outcome is outcome
    assert last.intent.type is IntentType.TROUBLESHOOT


async def _until_told(workbench: Workbench) -> list[Inspection]:
    """Return the answers up to the one with the LLM's outcome, without later ones."""
    answers: list[Inspection] = []
    inspecting = workbench.inspect(QUERY)
    async for inspection in inspecting:
        answers.append(inspection)
        if inspection.phase is Phase.MERGED:
            break
    await inspecting.aclose()
    return answers


@pytest.mark.parametrize(("mode", "decides"), [("one_token", False), ("json", False), ("decision", True)])
def test_that_auto_and_each_mode_get_the_scripted_answer(server: FaultServer, mode: str, decides: bool) -> None:
    server.script = Script(decides=decides)

    async def ask(wanted: str) -> Inspection:
        async with at_work(server.url, llm__mode=wanted, search_intent__llm_timeout_ms=60_000) as workbench:
            return (await all_of(workbench, QUERY))[-1]

    last = run(ask(mode))
    assert last.trace.llm.outcome is LlmOutcome.ANSWERED, last.trace.llm
    assert last.trace.llm.mode == mode
    assert last.intent.type is IntentType.TROUBLESHOOT
    assert last.intent.source.value == "hybrid"
    if mode != "json":
        assert sum(last.trace.llm.answer.distribution.values()) == pytest.approx(1.0)
        assert run(ask("auto")).trace.llm.mode == mode


def test_that_a_late_answer_changes_nothing_and_is_kept(server: FaultServer) -> None:
    async def ask() -> list[Inspection]:
        async with at_work(server.url, llm__mode="json") as workbench:
            server.behave("slow", ms=200)
            return await all_of(workbench, QUERY)

    merged, late = run(ask())[-2:]
    assert (merged.phase, late.phase) == (Phase.MERGED, Phase.LATE)
    assert merged.intent == late.intent
    assert late.trace.llm.outcome is LlmOutcome.LATE
    assert late.trace.llm.answer.type is IntentType.TROUBLESHOOT
    assert late.trace.llm.ms > 200
    assert late.trace.llm.would_be == pytest.approx(0.7 * late.trace.llm.answer.confidence + 0.3 * 0.55)


def test_that_a_server_restarted_while_typing_is_found_again(server: FaultServer) -> None:
    async def ask() -> list[LlmOutcome]:
        async with at_work(server.url, llm__mode="json", search_intent__llm_timeout_ms=60_000) as workbench:
            seen = [some((await all_of(workbench, "one"))[-1].trace.llm).outcome]
            server.restart()
            for attempt in range(50):
                last = (await all_of(workbench, f"two {attempt}"))[-1]
                assert last.trace.llm is not None
                seen.append(last.trace.llm.outcome)
                if seen[-1] is LlmOutcome.ANSWERED:
                    break
                await asyncio.sleep(0.2)
            return seen

    seen = run(ask())
    assert seen[0] is LlmOutcome.ANSWERED
    assert seen[-1] is LlmOutcome.ANSWERED


def test_that_hundreds_of_queries_through_all_faults_leave_nothing_behind(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm_requests, "RETRY_SECONDS", 0.01)
    behaviours = ("ok", "silent", "break_off", "error_500", "html", "truncated", "wrong_schema", "refused", "slow")

    async def type_on() -> EngineMetrics:
        async with at_work(server.url, llm__mode="json", search_intent__llm_timeout_ms=20) as workbench:
            tasks = asyncio.all_tasks()
            for number, behaviour in enumerate(islice(cycle(behaviours), 450)):
                if number % 25 == 0:
                    server.behave("ok")
                    await until_ready(workbench)
                    server.behave(behaviours[number // 25 % len(behaviours)])
                answers = workbench.inspect(f"{QUERY} {number} {behaviour}")
                first = await anext(answers)
                assert first.intent is not None
                if number % 3:  # otherwise superseded immediately
                    await anext(answers, None)
                await answers.aclose()
            server.behave("ok")
            while "answered" not in workbench.metrics.outcomes:  # a busy machine misses the budget
                await until_ready(workbench)
                await all_of(workbench, QUERY)
            assert asyncio.all_tasks() <= tasks | workbench_tasks(workbench)
            assert workbench.metrics.llm_orphaned == 0
            return workbench.metrics

    measures = run(type_on())
    assert measures.llm_started > 225
    assert {"answered", "timed_out", "superseded"} <= set(measures.outcomes)
    assert server.wait_until(lambda: server.open_connections == 0)


async def until_ready(workbench: Workbench) -> None:
    """Wait until the LLM client has reconnected to its server."""
    found = asyncio.Event()
    workbench.status_changed.subscribe(lambda status: found.set() if status.llm.is_ready else None)
    if not workbench.status().llm.is_ready:
        await asyncio.wait_for(found.wait(), PATIENCE)


def workbench_tasks(workbench: Workbench) -> set[asyncio.Task[Any]]:
    """Return the tasks that a workbench may have besides a query: reconnection to its LLM."""
    warming = workbench.engine.llm._warming
    return {warming} if warming is not None else set()


def test_that_the_connection_check_names_the_link_that_fails(server: FaultServer) -> None:
    async def check(**chosen: object) -> dict[str, LinkState]:
        async with at_work(server.url, **chosen) as workbench:
            seen = [links async for links in workbench.llm_server.check()]
        return {link.name: link.state for link in seen[-1]}

    found = run(check(search_intent__llm_timeout_ms=60_000))
    assert found.pop("Answer") is LinkState.DOUBTFUL  # it answers troubleshoot to everything
    assert set(found.values()) == {LinkState.FINE}
    assert run(check(llm__model="other:1b"))["Model"] is LinkState.FAILED
    assert run(check(llm__url=""))["Address"] is LinkState.FAILED
    server.behave("html", everywhere=True)
    assert run(check())["Server"] is LinkState.FAILED
