"""Tests of HTTP clients: every answer is limited in size and time."""

import asyncio
import gzip
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from typing import Any

import pytest

from app.adapters import bounded_http as update
from app.adapters import llm
from app.adapters.bounded_http import MOST_BYTES, newest_version
from app.adapters.encoders import ollama
from app.adapters.encoders.ollama import EmbeddingServer
from app.adapters.encoders.table import ENCODERS
from app.adapters.llm import OllamaClient
from app.adapters.mcp.runner import McpRunner
from app.domain.errors import EncoderError, PowerError
from app.domain.library import Transport
from app.ports.llm import LlmError
from app.ports.power import ServerStart
from app.settings.sections import EncoderSettings, LlmSettings
from tests.servers.powers import Server
from tests.torture.llm import answering
from tests.waiting import PATIENCE

SHORT = 0.3
DRIP = 0.02
ANSWERS = {
    "/api/version": {"version": "0.12.0"},
    "/api/tags": {"models": [{"model": "all-minilm:latest", "digest": "1b2e", "size": 1}]},
    "/version.json": {"version": "1.2.3"},
}


FLOODS = {
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "fields": (b"HTTP/1.1 200 X\r\n", b"X-A: b\r\n"),
    "chunks": (
        b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"1\r\n \r\n",
    ),
}
HEADS = list(FLOODS)[:2]
"""Answers that take long to parse: beginning and repeated part; those without a body."""


class Sly(ThreadingHTTPServer):
    """Server whose answers are compressed twice, or sent byte by byte without end."""

    daemon_threads = True

    def __init__(self) -> None:
        self.how, self.said, self.dripping, self.over = "", list[dict[str, str]](), threading.Event(), threading.Event()
        super().__init__(("127.0.0.1", 0), _Answers)
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Sly

    def do_GET(self) -> None:
        self.server.said.append({name.lower(): value for name, value in self.headers.items()})
        self.answer(ANSWERS.get(self.path))

    def do_POST(self) -> None:
        self.server.said.append({name.lower(): value for name, value in self.headers.items()})
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/mcp":
            result = Server("good").answer(message) if "id" in message else None
            self.answer(result and {"jsonrpc": "2.0", "id": message["id"], "result": result})
        else:
            self.answer({"embeddings": [[1.0, 0.0]] * len(message["input"])})

    def answer(self, content: Any) -> None:
        body, kind = json.dumps(content).encode(), "Content-Type: application/json\r\n"
        if content is None:
            self.wfile.write(b"HTTP/1.1 405 X\r\nContent-Length: 0\r\n\r\n")
        elif self.server.how == "packed":
            body = gzip.compress(gzip.compress(body))
            head = f"HTTP/1.1 200 X\r\nContent-Encoding: gzip, gzip\r\n{kind}Content-Length: {len(body)}\r\n\r\n"
            self.wfile.write(head.encode() + body)
        elif self.server.how:
            end = "X: " if self.server.how == "slow head" else "Content-Length: 60000\r\n\r\n"
            self.wfile.write(f"HTTP/1.1 200 X\r\n{kind}{end}".encode())
            self.drip()
        else:
            self.wfile.write(f"HTTP/1.1 200 X\r\n{kind}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def drip(self) -> None:
        self.server.dripping.set()
        self.close_connection = True
        try:
            while not self.server.over.wait(DRIP):
                self.wfile.write(b" " if self.server.how == "slow body" else b"x")
        except OSError:
            return  # the client has disconnected

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (its name there)
        """Log nothing."""


@pytest.fixture
def sly(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sly]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Sly() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


def asked_of_llm(url: str) -> str:
    async def ask() -> str:
        client = OllamaClient(LlmSettings(url=url))
        try:
            return await client.version()
        finally:
            await client.close()

    return asyncio.run(ask())


def asked_of_encoder(url: str) -> str:
    server = EmbeddingServer(url, "")
    try:
        return server.model()[0]
    finally:
        server.close()


def embedded(url: str) -> str:
    server = EmbeddingServer(url, "")
    try:
        return str(server.embed(["a"]).tolist())
    finally:
        server.close()


def asked_of_update(url: str) -> str:
    return asyncio.run(newest_version(f"{url}/version.json"))


def asked_of_power(url: str) -> str:
    async def ask() -> str:
        server = await McpRunner().start(ServerStart("web", Transport(url=f"{url}/mcp"), start_timeout_ms=2_000))
        try:
            return server.tools[0].name
        finally:
            await server.stop()

    return asyncio.run(ask())


ASKED: dict[str, tuple[Callable[[str], str], str, str]] = {
    "LLM": (asked_of_llm, "0.12.0", "came packed"),
    "encoder": (asked_of_encoder, "1b2e", "came packed"),
    "vectors": (embedded, "[[1.0, 0.0]]", "came packed"),
    "update": (asked_of_update, "1.2.3", ""),
    "power": (asked_of_power, "echo", "came packed"),
}
"""HTTP clients, their result for an honest answer, and their message for a compressed one."""


def outcome(ask: Callable[[str], str], url: str) -> str:
    try:
        return ask(url)
    except (LlmError, EncoderError, PowerError) as error:
        return str(error)


@pytest.mark.parametrize("who", ASKED)
def test_that_an_answer_is_asked_for_as_it_is_and_never_unpacked(sly: Sly, who: str) -> None:
    ask, honest, refusal = ASKED[who]
    assert outcome(ask, sly.url) == honest
    assert {said["accept-encoding"] for said in sly.said} == {"identity"}
    sly.how = "packed"
    told = outcome(ask, sly.url)
    assert honest not in told
    assert refusal in told


@pytest.mark.parametrize("how", ["slow head", "slow body"])
@pytest.mark.parametrize("who", [who for who in ASKED if who != "power"])
def test_that_a_drip_is_not_waited_for_longer_than_an_answer_may_take(
    sly: Sly, monkeypatch: pytest.MonkeyPatch, who: str, how: str
) -> None:
    paths = ("/api/version", "/api/tags", "/api/embed")
    monkeypatch.setattr(llm, "READ_SECONDS", dict.fromkeys(paths, SHORT))
    monkeypatch.setattr(update, "SECONDS", SHORT)
    ask, honest, _ = ASKED[who]
    sly.how = how
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(outcome, ask, sly.url)
        try:
            assert honest not in done.result(30 * SHORT)
        finally:
            sly.over.set()


@pytest.mark.parametrize(("who", "what"), [*product(("LLM", "vectors", "power"), HEADS), ("LLM", "chunks")])
def test_that_an_answer_that_takes_long_to_parse_is_ended(monkeypatch: pytest.MonkeyPatch, who: str, what: str) -> None:
    monkeypatch.setattr(llm, "READ_SECONDS", dict.fromkeys(("/api/version", "/api/embed"), 4 * SHORT))
    head, part = FLOODS[what]
    with answering(head + part * 1_000_000) as (url, _):
        assert re.search("broke|disconnected|longer than|too long", outcome(ASKED[who][0], url))


def test_that_vectors_have_a_bound(sly: Sly, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "LONGEST_VECTORS", 10)
    with pytest.raises(EncoderError, match="longer than 10 bytes"):
        embedded(sly.url)


@pytest.mark.parametrize("how", ["slow head", "slow body"])
def test_that_an_encoder_which_is_being_loaded_can_be_given_up(sly: Sly, how: str) -> None:
    wanted, kind = EncoderSettings(name="ollama", url=sly.url), ENCODERS["ollama"]
    sly.how = how
    with ThreadPoolExecutor(1) as thread:
        loading = thread.submit(kind.load, wanted)
        try:
            assert sly.dripping.wait(PATIENCE)
            kind.give_up(wanted)
            with pytest.raises(EncoderError, match="broke"):
                loading.result(PATIENCE)
            assert not ollama.LOADING
        finally:
            sly.over.set()


def test_that_closing_an_encoder_ends_what_it_is_asked(sly: Sly) -> None:
    server = EmbeddingServer(sly.url, "")
    sly.how = "slow body"
    with ThreadPoolExecutor(1) as thread:
        asking = thread.submit(server.embed, ["a"])
        try:
            assert sly.dripping.wait(PATIENCE)
            server.close()
            with pytest.raises(EncoderError, match="broke"):
                asking.result(PATIENCE)
        finally:
            sly.over.set()


# ---- The address with the newest version is requested once, and its answer is not trusted.


def ask(body: bytes, status: int = 200) -> tuple[str, list[str]]:
    """Return the version in an answer, and the requests for it."""
    head = f"HTTP/1.1 {status} X\r\nLocation: /elsewhere\r\nConnection: close\r\n\r\n"
    with answering(head.encode() + body) as (url, heard):
        return asked_of_update(url), heard


def test_that_the_version_is_read_with_one_get() -> None:
    assert ask(b'{"version": "1.2.0", "more": [1]}') == ("1.2.0", ["GET /version.json HTTP/1.1"])


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b""),
        (200, b"[]"),
        (200, b'{"version": 1}'),
        (200, b'{"version": "' + b"1" * 50 + b'"}'),
        (200, b'{"version": "1.0"}' + b" " * MOST_BYTES),
        (200, b"\xff\xfe"),
        (200, b"[" * 50_000),
        (404, b'{"version": "1.0"}'),
        (302, b'{"version": "1.0"}'),
    ],
    ids=range(9),
)
def test_that_anything_else_is_no_version(status: int, body: bytes) -> None:
    version, heard = ask(body, status)
    assert not version
    assert len(heard) == 1


def test_that_nobody_there_is_no_version() -> None:
    with answering(b"") as (url, _):
        pass
    assert not asked_of_update(url)
