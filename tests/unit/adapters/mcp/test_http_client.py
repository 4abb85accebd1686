"""Tests of servers at an address: repaired answers, refusals, and lost sessions."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from http.client import HTTPMessage

import pytest

from app.adapters.mcp.runner import McpRunner, McpServer
from app.domain.errors import PowerError
from app.domain.library import Transport
from app.ports.power import ServerStart
from tests.servers.odd_http import EVENTS, Message, Reply, Script, Scripted, ordinary, result_of, scripted
from tests.waiting import PATIENCE

LIMIT_MS = 10_000
HALF = "\N{REPLACEMENT CHARACTER}"


def order(url: str, headers: Mapping[str, str] | None = None) -> ServerStart:
    return ServerStart("web", Transport(url=url, env=headers or {}), LIMIT_MS, LIMIT_MS)


@asynccontextmanager
async def started(url: str, headers: Mapping[str, str] | None = None) -> AsyncGenerator[McpServer, None]:
    running = await McpRunner().start(order(url, headers))
    try:
        yield running
    finally:
        await running.stop()


async def said(server: McpServer) -> str:
    """Return the result of a call: its text, or the error message."""
    try:
        answer = await server.call("echo", {})
    except PowerError as error:
        return str(error)
    return "".join(str(block.get("text")) for block in answer.content)


def called(reply: Callable[[int], Reply]) -> Script:
    """Make an ordinary server with another answer to the call of this number."""
    return lambda message, _: reply(message["id"]) if message["method"] == "tools/call" else ordinary(message)


async def heard(reply: Callable[[int], Reply]) -> str:
    """Return what a call gets of a server that answers it so."""
    with scripted(called(reply)) as server:
        async with started(server.url()) as running:
            return await said(running)


def answer(text: bytes, number: object = "ID") -> bytes:
    return b'{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}' % (
        str(number).encode(),
        text,
    )


SENT: dict[bytes, str] = {
    answer(rb"cut \ud83d"): f"cut {HALF}",
    answer(b"a\tb"): "a\tb",
    answer(b"caf\xe9"): f"caf{HALF}",
    b"\xef\xbb\xbf" + answer(b"marked"): "marked",
    answer(b"number", "ID.0"): "number",
    answer(b"another's", 999): "another's",
    answer(b"without hush-hush-7391", "null"): "without •••",
    b"[" + answer(b"in a batch") + b"]": "in a batch",
    answer(b"").replace(b'{"content":[{"type":"text","text":""}]}', b'"just a text"'): "just a text",
    answer(b"").replace(b'"jsonrpc":"2.0",', b"").replace(b'"text":""', b'"text":"bare"'): "bare",
    b'{"jsonrpc":"2.0","id":ID,"error":{"code":"E","message":"sign \\ud83d"}}': f"gave no answer: sign {HALF} (E).",
    b'{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no such order"}}': "gave no answer: no such order.",
    b'{"jsonrpc":"2.0","id":ID,"error":null}': "gave no answer: an error without a message.",
    b'{"jsonrpc":"2.0","id":ID,"result":{"content":[': "its answer is no valid JSON: its end is missing",
    b'{"jsonrpc":"2.0","id":ID,"result":{"content":[],}}': "its answer is no valid JSON",
}
"""Answers to a call, with ID for its number, and the expected results."""


@pytest.mark.parametrize("kind", ["application/json", "text/plain", EVENTS])
async def test_that_what_a_strict_parser_refuses_reaches_the_call_at_once(kind: str) -> None:
    sent = iter(SENT)

    def reply(number: int) -> Reply:
        body = next(sent).replace(b"ID", str(number).encode())
        return Reply(body=b"event: message\ndata: %s\n\n" % body if kind == EVENTS else body, kind=kind)

    with scripted(called(reply)) as server:
        async with started(server.url(), {"Authorization": "Basic bWU6aHVzaC1odXNoLTczOTE="}) as running:
            for written, told in SENT.items():
                assert told in await said(running), written


@pytest.mark.parametrize(
    ("stream", "told"),
    [
        (b"\xef\xbb\xbfdata: %s\n\n", "heard"),
        (b": hello\r\n\r\nid: 1\r\ndata:\r\n\r\nid: 2\r\ndata: %s\r\n\r\n", "heard"),
        (b"event: response\ndata: %s\n\n", "heard"),
        (b"data: ping\n\ndata: %s\n\n", "heard"),
        (b"data: %s", "heard"),
        (b"data: %s\r\r", "heard"),
        (b"%s", "heard"),
        (b"\r\n%s\n\n: end\n\n", "heard"),
        (b"event: error\ndata: out of memory\n\n", "it reports an error: out of memory"),
        (b": hello\n\n", "its events ended without an answer"),
        (b"data: out of memory\n\n", "ended without an answer; the last was “out of memory”"),
    ],
)
async def test_that_an_answer_is_found_among_events(stream: bytes, told: str) -> None:
    def reply(number: int) -> Reply:
        return Reply(body=stream.replace(b"%s", answer(b"heard", number)), kind=EVENTS)

    assert told in await heard(reply)


async def test_that_a_message_over_lines_that_lack_their_field_is_read() -> None:
    def reply(number: int) -> Reply:
        pretty = json.dumps(json.loads(answer(b"heard", number)), indent=2)
        return Reply(body=f"data: {pretty}\n\n".encode(), kind=EVENTS)

    assert await heard(reply) == "heard"


async def test_that_an_answer_in_utf_16_is_read() -> None:
    text = answer("Größe".encode(), "%s").decode()
    assert await heard(lambda number: Reply(body=(text % number).encode("utf-16"))) == "Größe"


async def test_that_an_event_that_is_too_long_is_given_up() -> None:
    sizes = iter((5_000_000, 0))

    def reply(number: int) -> Reply:
        return Reply(body=b"data: %s\n\n" % answer(b"x" * next(sizes) or b"heard", number), kind=EVENTS)

    with scripted(called(reply)) as server:
        async with started(server.url()) as running:
            assert "4,000,000 bytes are the most" in await said(running)
            assert await said(running) == "heard"


OAUTH = {"WWW-Authenticate": 'Bearer resource_metadata="https://x.test/.well-known/oauth-protected-resource"'}


@pytest.mark.parametrize(
    ("reply", "parts"),
    [
        (
            Reply(401, b'{"error":"invalid_token"}', headers=OAUTH),
            ["401 (Unauthorized): “invalid_token”", "sign in (OAuth)"],
        ),
        (Reply(401, headers={"WWW-Authenticate": "Basic"}), ["a name and a password", "Basic …"]),
        (Reply(401), ["status 401 (Unauthorized). It wants a key", "on the power's page"]),
        (Reply(403, b"no", "text/plain"), ["403 (Forbidden): “no”", "Check the key"]),
        (Reply(404, b"<html><title>Not here</title>", "text/html"), ["404 (Not Found): “Not here”", "answer at /mcp"]),
        (Reply(405, b"Method Not Allowed", "text/plain"), ["405 (Method Not Allowed)", "answer at /mcp"]),
        (
            Reply(400, b"Bad Request: no such thing", "text/plain"),
            ["status 400 (Bad Request): “Bad Request: no such thing”"],
        ),
        (Reply(400, b'{"error":{"message":"no body"}}'), ["“no body”"]),
        (Reply(422, b'{"detail":[{"msg":"field required"}]}'), ["field required"]),
        (Reply(429, b'{"message":"slow down"}'), ["“slow down”", "try again later"]),
        (Reply(500, b'{"detail":"Database is locked"}'), ["500 (Internal Server Error): “Database is locked”"]),
        (
            Reply(400, b'{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"Not Acceptable"}}'),
            ["Not Acceptable"],
        ),
        (
            Reply(200, b"<!doctype html><title>Welcome</title>", "text/html"),
            ["a web page (“Welcome”)", "answer at /mcp"],
        ),
        (Reply(200, b"hello", "text/plain"), ["something that is no MCP: “hello”"]),
        (Reply(204), ["status 204 (No Content) and nothing else"]),
        (Reply(202), ["status 202 (Accepted) and nothing else"]),
    ],
)
async def test_that_a_refusal_is_told_with_what_to_do(reply: Reply, parts: list[str]) -> None:
    with scripted(lambda message, headers: reply) as server, pytest.raises(PowerError) as refused:
        await McpRunner().start(order(server.url()))
    assert all(part in str(refused.value) for part in parts), str(refused.value)


async def test_that_the_words_of_a_refusal_tell_no_secret() -> None:
    reply = Reply(401, b'{"message":"hush-hush-7391 is unknown"}', headers=OAUTH)
    with scripted(lambda message, headers: reply) as server, pytest.raises(PowerError) as refused:
        await McpRunner().start(order(server.url(), {"Authorization": "Bearer hush-hush-7391"}))
    assert "hush" not in str(refused.value)
    assert "It does not take the value stored for the header Authorization" in str(refused.value)


# ---- sessions


class Forgetful:
    """Server that loses its session on request and reports it with one reply."""

    def __init__(self, reply: Reply, *, has_session: bool = True) -> None:
        self.reply, self.has_session = reply, has_session
        self.known, self.begun = "", 0

    def __call__(self, message: Message, headers: HTTPMessage) -> Reply:
        if message["method"] == "initialize":
            assert "Mcp-Session-Id" not in headers, "a new session begins without the old one"
            self.begun += 1
            self.known = f"s{self.begun}"
            return ordinary(message, **({"Mcp_Session_Id": self.known} if self.has_session else {}))
        is_known = self.known and headers.get("Mcp-Session-Id") == (self.known if self.has_session else None)
        return ordinary(message) if is_known else self.reply


JSON_RPC_404 = b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}'
NO_SESSION = (
    b'{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}'
)
NOT_BEGUN = b'{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}'


@pytest.mark.parametrize(
    ("reply", "has_session"),
    [
        (Reply(404), True),
        (Reply(404, JSON_RPC_404), True),
        (Reply(404, b"<html>404</html>", "text/html"), True),
        (Reply(400, NO_SESSION), True),
        (Reply(400, NOT_BEGUN), False),
    ],
)
async def test_that_a_call_begins_a_new_session_where_the_old_one_is_forgotten(
    reply: Reply, *, has_session: bool
) -> None:
    forgetful = Forgetful(reply, has_session=has_session)
    with scripted(forgetful) as server:
        async with started(server.url()) as running:
            assert await said(running) == "heard"
            forgetful.known = ""
            assert set(await asyncio.gather(said(running), said(running), said(running))) == {"heard"}
            assert await said(running) == "heard"
        assert forgetful.begun == 2
        assert server.methods().count("tools/call") <= 8, "each call is asked once more at most"


async def test_that_a_server_that_always_forgets_is_told_at_once() -> None:
    with scripted(called(lambda number: Reply(404, JSON_RPC_404))) as server:
        async with started(server.url()) as running:
            assert "it knows the session no more: it answered with status 404 (Not Found)" in await said(running)
        assert server.methods().count("initialize") == 2


async def test_that_a_call_that_reaches_nobody_fails_alone_and_the_next_goes_on_after_a_restart() -> None:
    forgetful = Forgetful(Reply(404))
    with scripted(forgetful) as server:
        async with started(server.url()) as running:
            assert await said(running) == "heard"
            server.is_gone, forgetful.known = True, ""
            assert "gave no answer: it could not be reached: " in await said(running)
            server.is_gone = False
            assert await said(running) == "heard"


# ---- versions


def refusing(known: str, refusal: Callable[[int], Reply]) -> Script:
    def reply(message: Message, headers: HTTPMessage) -> Reply:
        is_refused = message["method"] == "initialize" and message["params"]["protocolVersion"] != known
        return refusal(message["id"]) if is_refused else ordinary(message)

    return reply


def error(number: int, **fields: object) -> Reply:
    return Reply(body=json.dumps({"jsonrpc": "2.0", "id": number, "error": fields}).encode())


@pytest.mark.parametrize(
    ("refusal", "offers"),
    [
        (lambda number: error(number, code=-32602, message="Unsupported protocol version"), 4),
        (lambda number: error(number, code=-32602, message="no", data={"supported": ["2024-11-05"]}), 2),
        (lambda number: error(number, code=-32000, message="Protocol 2025-11-25? I speak 2024-11-05"), 2),
        (lambda number: Reply(400, b"Unsupported protocol version (supported versions: 2024-11-05)", "text/plain"), 2),
    ],
    ids=["by parameters", "by data", "by words", "by status"],
)
async def test_that_an_older_version_is_offered_to_whoever_refuses_the_newest(
    refusal: Callable[[int], Reply], offers: int
) -> None:
    with scripted(refusing("2024-11-05", refusal)) as server:
        async with started(server.url()) as running:
            assert running.protocol == "2024-11-05"
            assert "It refused MCP 2025-11-25" in running.warnings
        assert server.methods().count("initialize") == offers


async def test_that_a_server_that_refuses_every_version_is_told_those_that_were_offered() -> None:
    script = refusing("", lambda number: error(number, code=-32602, message="Unsupported protocol version"))
    with scripted(script) as server, pytest.raises(PowerError) as refused:
        await McpRunner().start(order(server.url()))
    told = "Unsupported protocol version. It refused MCP 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05."
    assert told in str(refused.value)


@pytest.mark.parametrize(
    "greeting",
    [
        {"serverInfo": {"name": "odd"}},
        {"serverInfo": None},
        {"serverInfo": "odd", "capabilities": None, "instructions": 7},
        {"serverInfo": {"name": "odd", "version": 1.2}, "capabilities": {"tools": None, "logging": True}},
        {"protocolVersion": None},
    ],
)
async def test_that_a_greeting_that_lacks_something_is_taken(greeting: Message) -> None:
    def reply(message: Message, headers: HTTPMessage) -> Reply:
        if message["method"] != "initialize":
            return ordinary(message)
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result_of(message) | greeting}
        return Reply(body=json.dumps(answer).encode())

    with scripted(reply) as server:
        async with started(server.url()) as running:
            assert [tool.name for tool in running.tools] == ["echo"]
            assert await said(running) == "heard"


# ---- the older transport: an event stream, and an address for messages


def old(server: Scripted, message: Message) -> Reply:
    """Answer on the stream; the answer to a call has half an emoji."""
    if message["method"] == "tools/call":
        server.events.put(b"data: %s\n\n" % answer(rb"cut \ud83d", message["id"]))
    elif "id" in message:
        server.events.put(b"event: message\ndata: %s\n\n" % ordinary(message).body)
    return Reply(202)


async def test_that_a_server_of_the_old_way_is_spoken_to_and_its_end_is_told() -> None:
    with scripted(lambda message, headers: old(server, message), is_old=True) as server:
        async with started(server.url("/sse")) as running:
            assert "the old way of MCP" in running.warnings
            assert await said(running) == f"cut {HALF}"
            assert running.protocol == "2025-11-25"
            server.events.put(None)
            assert "closed the connection" in await asyncio.wait_for(running.wait_ended(), PATIENCE)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(500, b'{"error":"out of memory"}'), "status 500 (Internal Server Error): “out of memory”"),
        (Reply(200, answer(b"here", 3)), "here"),
    ],
)
async def test_that_what_comes_back_to_a_message_of_the_old_way_reaches_the_call(reply: Reply, told: str) -> None:
    def script(message: Message, headers: HTTPMessage) -> Reply:
        return reply if message["method"] == "tools/call" else old(server, message)

    with scripted(script, is_old=True) as server:
        async with started(server.url("/sse")) as running:
            assert told in await said(running)
