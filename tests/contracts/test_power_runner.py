"""Contract of every PowerRunner."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.adapters.mcp.runner import McpRunner
from app.domain.errors import PowerError
from app.domain.library import Transport
from app.ports.power import PowerRunner, RunningPower, ServerStart
from tests.fake_runner import MemoryRunner
from tests.waiting import PATIENCE

SERVER = Path(__file__).parents[1] / "servers" / "powers.py"


@pytest.fixture(params=["mcp", "memory"])
def runner(request: pytest.FixtureRequest) -> PowerRunner:
    return McpRunner() if request.param == "mcp" else MemoryRunner()


def order(mode: str, **chosen: Any) -> ServerStart:
    transport = Transport(sys.executable, ("-I", "-S", str(SERVER), mode), chosen.pop("env", {}))
    return ServerStart(mode, transport, **{"start_timeout_ms": 20_000, "call_timeout_ms": 20_000, **chosen})


@asynccontextmanager
async def served(
    runner: PowerRunner, mode: str, changed: Callable[[], None] | None = None, **chosen: Any
) -> AsyncGenerator[RunningPower, None]:
    server = await runner.start(order(mode, **chosen), changed)
    try:
        yield server
    finally:
        await server.stop()


async def test_that_a_started_server_tells_its_tools_and_answers(runner: PowerRunner) -> None:
    async with served(runner, "good") as server:
        assert server.server == "misbehaving good"
        assert server.protocol
        assert [tool.name for tool in server.tools] == ["echo", "where", "good"]
        answer = await server.call("echo", {"text": "hello"})
        assert [dict(block) for block in answer.content] == [{"type": "text", "text": "hello"}]
        assert not answer.is_error
        assert not answer.cut
        assert answer.ms >= 0


async def test_that_an_error_of_a_tool_is_an_answer(runner: PowerRunner) -> None:
    async with served(runner, "good") as server:
        assert (await server.call("good", {})).is_error


async def test_that_a_call_without_an_answer_ends_in_a_sentence(runner: PowerRunner) -> None:
    async with served(runner, "hang", call_timeout_ms=200) as server:
        with pytest.raises(PowerError, match=r"“hang” of “hang” gave no answer within 0\.2 s"):
            await server.call("hang", {})
        assert (await server.call("echo", {"text": "still here"})).content


async def test_that_progress_is_passed_on(runner: PowerRunner) -> None:
    async with served(runner, "progress") as server:
        told: list[tuple[float, float | None, str]] = []

        async def hear(done: float, total: float | None, message: str) -> None:
            told.append((done, total, message))

        await server.call("progress", {}, hear)
        assert told == [(1, 2, "step 1"), (2, 2, "step 2")]


async def test_that_other_tools_are_told(runner: PowerRunner) -> None:
    heard = asyncio.Event()
    async with served(runner, "change", heard.set) as server:
        await server.call("change", {})
        await asyncio.wait_for(heard.wait(), PATIENCE)
        assert [tool.name for tool in server.tools] == ["echo", "fresh"]


async def test_that_a_server_that_ends_says_why_and_answers_no_more(runner: PowerRunner) -> None:
    async with served(runner, "crash") as server:
        with pytest.raises(PowerError, match="gave no answer"):
            await server.call("crash", {})
        assert "exit code 7" in await asyncio.wait_for(server.wait_ended(), PATIENCE)
        with pytest.raises(PowerError, match="does not run any more"):
            await server.call("echo", {})


async def test_that_one_that_was_stopped_never_says_that_it_ended(runner: PowerRunner) -> None:
    async with served(runner, "good") as server:
        await server.stop()
        await server.stop()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(server.wait_ended(), 0.1)
        with pytest.raises(PowerError):
            await server.call("echo", {})


@pytest.mark.parametrize(("mode", "words"), [("exit-at-once", "exit code 3"), ("hang-at-start", "within 0.5 s")])
def test_that_a_server_that_does_not_start_leaves_a_sentence(runner: PowerRunner, mode: str, words: str) -> None:
    limits = {"start_timeout_ms": 500} if mode == "hang-at-start" else {}
    with pytest.raises(PowerError) as refused:
        asyncio.run(runner.start(order(mode, **limits)))
    assert words in str(refused.value)


def test_that_it_knows_which_variables_a_server_gets_without_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET", "of-the-user")
    monkeypatch.delenv("AWS_TOKEN", raising=False)
    for runner in (McpRunner(), MemoryRunner("AWS_SECRET")):
        assert runner.inherits("AWS_SECRET")
        assert not runner.inherits("AWS_TOKEN")


async def test_that_what_was_said_is_kept_without_secrets(runner: PowerRunner) -> None:
    async with served(runner, "good", env={"API_KEY": "key-of-the-power"}) as server:
        await server.call("echo", {"text": "my key-of-the-power here"})
        said = server.exchanges()
        assert any(each.sent for each in said)
        assert any(not each.sent for each in said)
        assert "key-of-the-power" not in str(said)
        assert "my ••• here" in str(said)
        assert "key-of-the-power" not in server.stderr()
