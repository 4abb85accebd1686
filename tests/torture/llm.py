"""Hostile language model servers: an answer or a message, within limits of time and memory."""

import asyncio
import gzip
import json
import resource
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from time import monotonic

from app.adapters.llm import OllamaClient
from app.ports.llm import LlmError
from app.settings.sections import LlmSettings
from tests.servers.behaviours import BEHAVIOURS, ORDERS
from tests.servers.faults import FaultServer
from tests.servers.script import Choice
from tests.torture.attempts import Attempt, Round, expect
from tests.torture.kill import Say, said

MOST_SECONDS, CALL_SECONDS = 45.0, 4.0
BOMB_BYTES, MOST_GROWTH_KB = 100_000_000, 60_000
QUERIES = ("how do I build it", ORDERS, "\0\ud800", "x" * 100_000, "")


async def asked(client: OllamaClient, query: str) -> list[str]:
    """Return the outcome of every kind of request; none may take too long."""
    calls: tuple[Callable[[], Awaitable[object]], ...] = (
        client.version, client.models, client.is_loaded, client.warm,
        partial(client.classify, query), partial(client.describe, query), partial(client.route, query),
    )  # fmt: skip
    ended = []
    for call in calls:
        try:
            async with asyncio.timeout(CALL_SECONDS):
                await call()
            ended.append("answered")
        except LlmError as error:
            expect(str(error).strip(), "refused without a word")
            expect("\x1b" not in str(error), "what was said steers the terminal")
            ended.append("refused")
        except TimeoutError:
            ended.append("given up")
    return ended


async def conversation(url: str, query: str) -> list[str]:
    client = OllamaClient(LlmSettings(url=url, model="scripted:1b"))
    try:
        return await asked(client, query)
    finally:
        await client.close()


def faults(round_: Round) -> str:
    """All failures, one after the other, also in the middle of an answer."""
    chance = round_.chance
    name = chance.choice([*sorted(BEHAVIOURS), "refused"])
    begun = monotonic()
    with FaultServer() as server:
        server.behave(name, everywhere=chance.random() < 0.5, **({"size": 5_000_000} if name == "huge" else {}))
        asyncio.run(conversation(server.url, chance.choice(QUERIES)))
        expect(server.wait_until(lambda: server.open_connections == 0), "a connection was left open")
    expect(monotonic() - begun < MOST_SECONDS, f"“{name}” held the caller for {monotonic() - begun:.0f} s")
    return "withstood"


def lies(round_: Round) -> str:
    """Answers of the right shape with wrong content."""
    chance = round_.chance
    words = ("General", "<img src=x onerror=alert(1)>", "\u202egpj", "\x1b]0;x\x07", "x" * 20_000, ORDERS, "")
    choice = Choice(topics=tuple(chance.choices(words, k=3)), reasoning=chance.choice(words))
    with FaultServer() as server:
        server.script = replace(server.script, queries={}, otherwise=choice)
        asyncio.run(conversation(server.url, chance.choice(QUERIES)))
    return "withstood"


# ---------------------------------------------------------------------------------------------- servers of few words


@contextmanager
def answering(answer: bytes) -> Iterator[tuple[str, list[str]]]:
    """Run a server with one answer for everybody.

    Yields its address and the first line of each request.
    """
    heard: list[str] = []
    endpoint = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                line, _ = endpoint.accept()
            except OSError:
                return  # the server was closed
            with line:
                line.settimeout(5)
                try:
                    heard.append(line.recv(65_536).decode("latin-1").split("\r\n")[0])
                    line.sendall(answer)
                except OSError:
                    continue

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{endpoint.getsockname()[1]}", heard
    finally:
        endpoint.shutdown(socket.SHUT_RDWR)
        endpoint.close()
        thread.join()


def redirected(round_: Round) -> str:
    """A redirect to another server, which must never be contacted."""
    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}") as (other, heard):
        status = round_.chance.choice((301, 302, 303, 307, 308))
        place = other.replace("127.0.0.1", round_.chance.choice(("127.0.0.1", "localhost")))
        answer = (
            f"HTTP/1.1 {status} Go\r\nLocation: {place}/api/generate\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        with answering(answer.encode()) as (first, _):
            asyncio.run(conversation(first, "a secret question"))
        expect(not heard, f"it was followed: {heard}")
    return "not followed"


@cache
def bomb(layers: int) -> bytes:
    content = b'{"version": "' + b"0" * BOMB_BYTES + b'"}'
    for _ in range(layers):
        content = gzip.compress(content, 9 if len(content) < 10_000_000 else 1)
    return content


def packed(round_: Round) -> str:
    """A few kilobytes that decompress to hundreds of megabytes."""
    layers = round_.chance.choice((1, 2))
    coding = ", ".join(["gzip"] * layers)
    content = bomb(layers)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: {coding}\r\nConnection: close\r\n"
    with answering(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content) as (url, _):

        def work(say: Say) -> None:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            ended = asyncio.run(conversation(url, "how"))
            say(json.dumps([ended, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before]))

        lines = said(work)
    expect(lines, "it did not end")
    ended, growth = json.loads(lines[0])
    expect(growth < MOST_GROWTH_KB, f"{len(content):,} bytes took {growth >> 10} MB")
    return ", ".join(sorted(set(ended)))


ATTEMPTS = [
    Attempt("llm", "servers that fail in every way", faults, 2),
    Attempt("llm", "answers with lies and mark-up", lies),
    Attempt("llm", "sent on to another server", redirected),
    Attempt("llm", "compressed bombs", packed, 10),
]
