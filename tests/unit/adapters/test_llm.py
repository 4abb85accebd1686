"""What the client of Ollama makes of addresses, names, slow servers and long answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from app.adapters import llm
from app.adapters.llm import OllamaClient
from app.domain.llm import LlmOutcome, same_model
from app.ports.llm import LlmError, LlmUnreachableError
from app.settings.sections import LlmSettings
from tests.servers.faults import FaultServer
from tests.servers.script import Json, Script


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as found:
        yield found


def with_client(settings: LlmSettings, work: Callable[[OllamaClient], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        client = OllamaClient(settings)
        try:
            return await work(client)
        finally:
            await client.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("tiny", "tiny:latest", True),
        ("tiny:latest", "tiny", True),
        ("tiny:1b", "tiny", False),
        ("host:5000/me/tiny", "host:5000/me/tiny:latest", True),
        ("tiny", "tin", False),
    ],
)
def test_that_a_name_without_a_tag_means_the_latest(one: str, other: str, same: bool) -> None:
    assert same_model(one, other) is same


def test_that_a_loaded_model_is_found_by_its_name_without_tag() -> None:
    with FaultServer(Script(model="tiny:latest")) as server:
        settings = LlmSettings(url=server.url, model="tiny")
        assert with_client(settings, lambda client: client.is_loaded())


@pytest.mark.parametrize("url", ["http://[bad", "http://localhost:99999999"])
def test_that_a_bad_address_is_unreachable_and_no_crash(url: str) -> None:
    async def ask(client: OllamaClient) -> None:
        with pytest.raises(LlmUnreachableError, match="no address"):
            await client.version()
        with pytest.raises(LlmUnreachableError):
            _ = [step async for step in client.pull("tiny")]
        assert (await client.warm()).outcome is LlmOutcome.UNREACHABLE

    with_client(LlmSettings.model_construct(**{**LlmSettings().model_dump(), "url": url, "model": "tiny"}), ask)


@dataclass(frozen=True, slots=True)
class Chatty(Script):
    """A server that tells a pull's progress at great length."""

    steps: int = 20_000
    status: str = "pulling"

    def pulled(self, body: Json) -> list[Json]:
        step = {"status": self.status, "digest": "sha256:" + "a" * 64, "total": self.steps}
        return [{**step, "completed": done} for done in range(1, self.steps + 1)]


def test_that_a_pull_may_tell_more_than_any_answer() -> None:
    async def pull(client: OllamaClient) -> int:
        return len([step async for step in client.pull("scripted:1b")])

    with FaultServer(Chatty()) as server:
        assert with_client(LlmSettings(url=server.url), pull) == 20_000


def test_that_a_line_of_a_pull_has_its_bound() -> None:
    async def pull(client: OllamaClient) -> None:
        with pytest.raises(LlmError, match="longer than"):
            _ = [step async for step in client.pull("scripted:1b")]

    with FaultServer(Chatty(steps=1, status="x" * (llm.LONGEST_ANSWER + 1))) as server:
        with_client(LlmSettings(url=server.url), pull)


@pytest.mark.parametrize("path", ["/api/version", "/api/ps", "/api/tags"])
def test_that_what_is_answered_at_once_is_not_waited_for_long(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    assert llm.READ_SECONDS[path] == 5.0
    monkeypatch.setattr(llm, "READ_SECONDS", {path: 0.1})
    server.behave("silent", everywhere=True)

    async def ask(client: OllamaClient) -> None:
        calls = {"/api/version": client.version, "/api/ps": client.is_loaded, "/api/tags": client.models}
        with pytest.raises(LlmError, match="did not finish within 0"):
            await asyncio.wait_for(calls[path](), 5.0)

    with_client(LlmSettings(url=server.url, model="scripted:1b"), ask)


def test_that_a_pull_may_be_silent_for_long() -> None:
    assert llm.READ_SECONDS["/api/pull"] == 600.0
