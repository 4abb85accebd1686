"""Tests of the Ollama client: addresses, model names, slow servers and long answers."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.adapters import llm
from app.adapters.llm import OllamaClient
from app.domain.llm import LlmOutcome
from app.ports.llm import LlmError, LlmUnreachableError, LlmUnreadableError
from app.settings.sections import LlmSettings
from tests.build import of_type
from tests.qdrant_server import ELSEWHERE, served
from tests.servers.behaviours import BEHAVIOURS, Talk, ok
from tests.servers.faults import FaultServer
from tests.servers.script import Json, Script
from tests.waiting import PATIENCE


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


def test_that_a_loaded_model_is_found_by_its_name_without_tag() -> None:
    with FaultServer(Script(model="tiny:latest")) as server:
        assert with_client(LlmSettings(url=server.url, model="tiny"), lambda client: client.is_loaded())


@pytest.mark.parametrize("url", ["http://[bad", "http://localhost:99999999"])
def test_that_a_bad_address_is_unreachable_and_no_crash(url: str) -> None:
    async def ask(client: OllamaClient) -> None:
        with pytest.raises(LlmUnreachableError, match="not a server address"):
            await client.version()
        with pytest.raises(LlmUnreachableError):
            _ = [step async for step in client.pull("tiny")]
        assert (await client.warm()).outcome is LlmOutcome.UNREACHABLE

    with_client(LlmSettings.model_construct(**{**LlmSettings().model_dump(), "url": url, "model": "tiny"}), ask)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_that_a_redirect_is_told_with_its_address_and_not_followed(status: int) -> None:
    async def ask(client: OllamaClient) -> None:
        for request in (client.version, client.models):
            with pytest.raises(LlmError, match=f"redirects to {ELSEWHERE}: set that address"):
                await request()

    with served(lambda *_: (status, {})) as url:
        with_client(LlmSettings(url=url, model="tiny"), ask)


def test_that_a_certificate_that_is_not_trusted_is_told() -> None:
    told = pytest.raises(LlmUnreachableError, match=r"The certificate of .* is not trusted: self.signed cert")
    with served(lambda *_: (200, {}), Path(__file__).parents[2] / "servers" / "self_signed.pem") as url, told:
        with_client(LlmSettings(url=url, model="tiny"), OllamaClient.models)


@pytest.mark.parametrize("told", [None, [1], "x", 5])
def test_that_an_answer_that_is_no_object_is_unreadable(told: object) -> None:
    async def ask(client: OllamaClient) -> None:
        with pytest.raises(LlmUnreadableError, match=r"correct llm\.url"):
            await client.models()

    with served(lambda *_: (200, told)) as url:
        with_client(LlmSettings(url=url, model="tiny"), ask)


@dataclass(frozen=True, slots=True)
class Chatty(Script):
    """Server that reports a pull's progress at great length."""

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
    assert llm.READ_SECONDS[path] <= 5.0
    monkeypatch.setattr(llm, "READ_SECONDS", {path: 0.1})
    server.behave("silent", everywhere=True)

    async def ask(client: OllamaClient) -> None:
        calls = {"/api/version": client.version, "/api/ps": client.is_loaded, "/api/tags": client.models}
        with pytest.raises(LlmError, match="did not finish within 0"):
            await asyncio.wait_for(calls[path](), PATIENCE)

    with_client(LlmSettings(url=server.url, model="scripted:1b"), ask)


@dataclass(frozen=True, slots=True)
class Thinker(Script):
    """Model that thinks unless told not to, on a server that may report or reject this option."""

    says_so: bool = True
    obeys: bool = True
    in_tags: bool = False

    def about(self, method: str, path: str, body: Json) -> tuple[int, Json | bytes]:
        status, answer = Script.about(self, method, path, body)
        if path == "/api/show" and isinstance(answer, dict):
            answer["capabilities"] = ["completion", *(["thinking"] if self.says_so else [])]
        return status, answer

    def generated(self, body: Json) -> Json:
        answer = Script.generated(self, body)
        if not body.get("prompt") or (self.obeys and body.get("think") is False):
            return answer
        thoughts = "Okay, the user asks about builds. " * 5
        said = {"response": f"<think>{thoughts}"} if self.in_tags else {"response": "", "thinking": thoughts}
        return {**answer, **said, "done_reason": "length"}


def described(script: Script, **chosen: Any) -> tuple[str, list[Any]]:
    """Return the type that a model gives in JSON or the error, and each request's `think` value."""

    async def ask(client: OllamaClient) -> str:
        state = await client.warm()
        if not state.is_ready:
            return state.sentence
        answer = await client.describe("why does the build fail")
        return str(answer.type.value)

    with FaultServer(script) as server:
        said = with_client(LlmSettings(url=server.url, model=script.model, mode="json", **chosen), ask)
        return said, [asked.body.get("think") for asked in server.requests if asked.path == "/api/generate"]


def test_that_only_a_model_that_thinks_is_told_not_to() -> None:
    assert described(Thinker()) == ("troubleshoot", [False, False])
    assert described(Script()) == ("troubleshoot", [None, None])


@pytest.mark.parametrize("in_tags", [False, True])
def test_that_thoughts_are_known_where_the_server_says_nothing_of_them(in_tags: bool) -> None:
    assert described(Thinker(says_so=False, in_tags=in_tags)) == ("troubleshoot", [None, False, False])


@pytest.mark.parametrize("says_so", [False, True])
def test_that_a_model_that_cannot_be_told_is_named(says_so: bool) -> None:
    said, _ = described(Thinker(model="gpt-oss:20b", says_so=says_so, obeys=False))
    assert said.startswith("gpt-oss:20b thinks before it answers and cannot be told not to")


@pytest.mark.parametrize("mode", ["auto", "one_token", "json"])
def test_that_every_mode_of_a_model_that_thinks_is_ready(mode: Any) -> None:
    with FaultServer(Thinker()) as server:
        settings = LlmSettings(url=server.url, model="scripted:1b", mode=mode)
        assert with_client(settings, OllamaClient.warm).is_ready


@dataclass(frozen=True, slots=True)
class Odd(Script):
    """Server with another answer on one path, for requests with this text in their body."""

    path: str = "/api/generate"
    status: int = 200
    answer: Any = None
    having: str = ""
    capabilities: tuple[str, ...] = ("completion",)

    def about(self, method: str, path: str, body: Json) -> tuple[int, Json | bytes]:
        status, answer = Script.about(self, method, path, body)
        if path == "/api/show" and isinstance(answer, dict):
            answer["capabilities"] = list(self.capabilities)
        return status, answer


async def odd(talk: Talk) -> None:
    script = of_type(talk.script, Odd)
    if talk.path == script.path and (not script.having or script.having in talk.body):
        await talk.send(script.status, script.answer)
    else:
        await ok(talk)


@pytest.fixture
def oddly(monkeypatch: pytest.MonkeyPatch) -> Callable[[Odd], FaultServer]:
    monkeypatch.setitem(BEHAVIOURS, "odd", odd)
    return FaultServer


def sentence(server: FaultServer, script: Odd, url: str = "{}", **chosen: Any) -> str:
    """Return the message after a warm-up."""
    with server:
        server.behave("odd", everywhere=True)
        settings = LlmSettings(url=url.format(server.url), model=script.model, **chosen)
        return str(with_client(settings, OllamaClient.warm).sentence)


def test_that_a_server_that_refuses_to_be_told_about_thinking_is_asked_without(
    oddly: Callable[[Odd], FaultServer],
) -> None:
    refusal = {"error": "think value false is not supported for this model"}
    script = Odd(status=400, answer=refusal, having="think", capabilities=("completion", "thinking"))
    assert sentence(oddly(script), script).startswith("Ready")


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("path", ["/api/version", "/api/show", "/api/generate"])
def test_that_a_server_that_wants_a_key_says_which_variable(
    oddly: Callable[[Odd], FaultServer], monkeypatch: pytest.MonkeyPatch, path: str, status: int
) -> None:
    monkeypatch.delenv("OLLAMA_API_KEY", raising=False)
    script = Odd(path=path, status=status, answer={"error": "unauthorized"})
    expected = f"The server wants a key ({status}): put it into the variable OLLAMA_API_KEY."
    assert sentence(oddly(script), script) == expected
    monkeypatch.setenv("OLLAMA_API_KEY", "k-1")
    assert "refuses the key" in sentence(oddly(script), script)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"error": "CUDA error: out of memory"}, "CUDA error: out of memory"),
        ({"error": {"message": "no such thing", "code": 5}}, "no such thing"),
        ({"model": "scripted:1b", "error": "runner ended", "done": True}, "runner ended"),
        ({"error": "no place for hush-hush"}, "no place for (hidden)"),
    ],
)
@pytest.mark.parametrize("path", ["/api/show", "/api/generate", "/api/version"])
def test_that_an_error_with_a_status_of_success_is_told_in_its_words(
    oddly: Callable[[Odd], FaultServer], monkeypatch: pytest.MonkeyPatch, path: str, answer: Json, words: str
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "hush-hush")
    script = Odd(path=path, answer=answer)
    assert sentence(oddly(script), script) == f"The server answered: {words}."


@pytest.mark.parametrize("path", ["/api/version", "/api/show", "/api/generate"])
def test_that_deep_json_is_no_crash(oddly: Callable[[Odd], FaultServer], path: str) -> None:
    script = Odd(path=path, answer=b"[" * 400_000)
    assert "Ollama" in sentence(oddly(script), script)


@pytest.mark.parametrize("end", ["/v1", "/v1/", "/api", "/API/", "/v1/chat/completions", "/api/generate"])
def test_that_the_end_of_another_clients_address_is_taken_off_and_told(end: str) -> None:
    with FaultServer() as server:
        settings = LlmSettings(url=f"{server.url}{end}", model="scripted:1b")
        told = with_client(settings, OllamaClient.warm)
    assert told.is_ready
    assert f"“{end.rstrip('/')}” of its address is left out" in told.sentence


@pytest.mark.parametrize("url", ["http://0.0.0.0:{}", "0.0.0.0:{}", "127.0.0.1:{}/", "http://localhost:{}//"])
def test_that_addresses_of_one_server_reach_it(server: FaultServer, url: str) -> None:
    settings = LlmSettings(url=url.format(server.port), model="scripted:1b")
    assert with_client(settings, OllamaClient.version) == "0.33.0"


@pytest.mark.parametrize(("variable", "sent"), [('"k-1"', "Bearer k-1"), ("", None), ("two words", None)])
def test_that_a_key_is_sent_without_its_quotes_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch, variable: str, sent: str | None
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", variable)
    found: list[str | None] = []

    def answer(_method: str, _path: tuple[str, ...], _body: Any, headers: Mapping[str, str]) -> tuple[int, Any]:
        found.append({name.lower(): value for name, value in headers.items()}.get("authorization"))
        return 200, {"version": "1"}

    with served(answer) as url:
        assert with_client(LlmSettings(url=url), OllamaClient.version) == "1"
    assert found == [sent]
