"""Tests of lines from a descriptor, cut if too long, and of the early handshake."""

import asyncio
import json
import os
import threading
from contextlib import suppress
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import InitializeRequestParams, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from app.surfaces.mcp import stdio
from app.surfaces.mcp.assistant_workbench import AssistantWorkbench
from app.surfaces.mcp.handshake import VERSIONS, Handshake, answer_handshake, handshake_response
from app.surfaces.mcp.repair import MOST_IN_BATCH, repaired_body
from app.surfaces.mcp.server import AssistantServer
from app.surfaces.mcp.stdio import OriginalIds, StdinLines
from tests.unit.services.benches import unopened
from tests.unit.surfaces.assistants import Noted, PretendedPowers
from tests.waiting import PATIENCE


def read(*written: bytes, told: list[Any] | None = None) -> list[str]:
    """Return the lines of a pipe that gets these pieces before it is closed; `told` takes the refusals."""
    end, start = os.pipe()

    def write() -> None:
        for piece in written:
            os.write(start, piece)
        os.close(start)

    async def collect() -> list[str]:
        writing = threading.Thread(target=write)
        writing.start()
        lines = StdinLines(end)

        async def tell(reply: SessionMessage) -> None:
            assert told is not None
            told.append(reply.message)

        lines.reply = tell
        found = [line async for line in lines]
        await asyncio.to_thread(writing.join)
        return found

    try:
        return asyncio.run(collect())
    finally:
        os.close(end)


def test_that_lines_come_whole_however_they_are_written() -> None:
    assert read(b"on", b"e\ntwo\n", b"\xc3", b"\xa9\nlast") == ["one", "two", "é", "last"]
    assert read(b"a\n\n\xff\n") == ["a", "", "\N{REPLACEMENT CHARACTER}"]
    assert read() == []


@pytest.mark.parametrize(
    ("begins", "ends", "number"),
    [
        (b'{"jsonrpc": "2.0", "id": 7, "method": "x", "params": {"id": 8, "a": "', b'"}}', 7),
        (b'{"method": "x", "params": {"id": 8, "a": "', b'"}, "jsonrpc": "2.0", "id": "n"}', "n"),
        (b'{"method": "x", "params": {"a": {"id": 8}, "b": "', b'", "id": 9}, "jsonrpc": "2.0"}', None),
        (b'{"id": 007, "method": "', b'"}', None),
        (b"x", b"x", None),
    ],
)
def test_that_a_message_that_is_too_long_is_refused_by_its_id(
    monkeypatch: pytest.MonkeyPatch, begins: bytes, ends: bytes, number: object
) -> None:
    monkeypatch.setattr(stdio, "MOST_LINE_BYTES", 2**20)
    told: list[Any] = []
    for more in (b"\nabc\nde\n", b""):
        long = [b"y" * 2**16] * 20
        assert read(begins, *long, ends + more, told=told) == (["abc", "de"] if more else [])
    assert [(one.id, one.error.message) for one in told] == [
        (number, "The message is longer than 1 MB, the most that is read.")
    ] * 2


def test_that_whoever_waits_for_a_line_can_be_let_go() -> None:
    end, start = os.pipe()

    async def wait() -> list[str]:
        lines = StdinLines(end)
        waiting = asyncio.ensure_future(_all(lines))
        await asyncio.sleep(0)
        lines.end()
        return await asyncio.wait_for(waiting, PATIENCE)

    assert asyncio.run(wait()) == []
    os.close(start)
    for reading in threading.enumerate():
        if reading.name == "standard input":
            reading.join(PATIENCE)  # otherwise it might read from a later file with the same number
    os.close(end)


async def _all(lines: StdinLines) -> list[str]:
    return [line async for line in lines]


def request(query: bytes, number: bytes = b"1") -> bytes:
    return b'{"jsonrpc": "2.0", "id": %s, "method": "m", "params": {"query": "%s"}}' % (number, query)


@pytest.mark.parametrize(
    ("query", "read_as"),
    [
        (rb"tea \ud83c", "tea \N{REPLACEMENT CHARACTER}"),
        (rb"\ud83d\ude00", "\N{GRINNING FACE}"),
        (rb"\\ud83d", r"\ud83d"),
        (b"a\tb", "a\tb"),
        (b"caf\xe9", "caf\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_that_a_query_that_a_strict_parser_refuses_is_read(query: bytes, read_as: str) -> None:
    (line,) = read(b"\xef\xbb\xbf" + request(query) + b"\r\n")
    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"query": read_as}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_that_a_message_that_is_not_utf_8_is_answered(encoding: str) -> None:
    told: list[Any] = []
    assert not any(read(((request(b"tea") + b"\n") * 2).decode().encode(encoding), told=told))
    assert [(one.id, one.error.code, "send UTF-8" in one.error.message) for one in told] == [(None, -32700, True)] * 2


def test_that_each_message_of_a_batch_stands_alone() -> None:
    batch = b"[" + request(b"one") + b"," + request(b"two", b"2.0") + b"]\n"
    assert [json.loads(line)["id"] for line in read(batch)] == [1, 2]


def test_that_an_empty_list_stands_for_no_arguments() -> None:
    called = rb'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"arguments": [ ], "text": "\"arguments\": []"}}'
    (line,) = read(called)
    assert json.loads(line)["params"] == {"arguments": {}, "text": '"arguments": []'}


@pytest.mark.parametrize(
    ("arguments", "read_as"),
    [
        ('{"query": "tea"}', {"query": "tea"}),
        ("", {}),
        ({"arguments": '{"query": "tea"}'}, {"arguments": '{"query": "tea"}'}),
    ],
)
def test_that_arguments_in_a_text_are_its_object(arguments: object, read_as: object) -> None:
    called = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "arguments": arguments}}
    (line,) = read(json.dumps(called).encode())
    assert json.loads(line)["params"] == {"name": "a", "arguments": read_as}


@pytest.mark.parametrize(("token", "read_as"), [(None, {}), (2.0, {"progressToken": 2}), (2.5, {}), ([2], {})])
def test_that_a_progress_token_of_another_type_counts_as_missing(token: object, read_as: object) -> None:
    meta = {"progressToken": token}
    (line,) = read(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}).encode())
    assert json.loads(line)["params"] == {"_meta": read_as}


WHOLE = {"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}, "clientInfo": {"name": "t", "version": "1"}}


@pytest.mark.parametrize(
    ("given", "completed"),
    [
        (WHOLE, {}),
        ({**WHOLE, "capabilities": None}, {"capabilities": {}}),
        ({**WHOLE, "capabilities": {"roots": None, "sampling": True}}, {"capabilities": {"sampling": {}}}),
        ({**WHOLE, "clientInfo": {"name": "t"}}, {"clientInfo": {"name": "t", "version": "unnamed"}}),
        ({**WHOLE, "clientInfo": {"name": "t", "version": 2}}, {"clientInfo": {"name": "t", "version": "2"}}),
        ({**WHOLE, "clientInfo": "t"}, {"clientInfo": {"name": "unnamed", "version": "unnamed"}}),
        ({**WHOLE, "protocolVersion": 1}, {"protocolVersion": VERSIONS[-1]}),
    ],
)
def test_that_a_handshake_is_completed_as_the_library_wants_it(
    given: dict[str, Any], completed: dict[str, Any]
) -> None:
    (line,) = read(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": given}).encode())
    params = json.loads(line)["params"]
    assert params == {**WHOLE, **completed}
    InitializeRequestParams.model_validate(params)


def conversation(*written: bytes) -> list[dict[str, Any]]:
    """Return the answers of a server that echoes these lines."""
    out, start = os.pipe()
    os.write(start, b"".join(line + b"\n" for line in written))
    os.close(start)
    sent: list[dict[str, Any]] = []

    class Writes:
        async def send(self, item: SessionMessage) -> None:
            sent.append(json.loads(item.message.model_dump_json(by_alias=True, exclude_unset=True)))

    async def talk() -> None:
        lines, answers = StdinLines(out), OriginalIds(Writes(), None)
        lines.reply = answers.send
        async for line in lines:
            with suppress(ValidationError):
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                if isinstance(message, JSONRPCRequest):
                    said = JSONRPCResponse(jsonrpc="2.0", id=message.id, result={"asked": message.method})
                    await answers.send(SessionMessage(said))

    try:
        asyncio.run(talk())
    finally:
        os.close(out)
    return sent


@pytest.mark.parametrize(
    ("written", "number", "code"),
    [
        (request(b"", b"1.5"), 1.5, None),
        (request(b"", b"1.0"), 1, None),
        (request(b"", b"1e400"), None, -32600),
        (request(b"", b'"1.5"'), "1.5", None),
        (request(b"", b'"fraction:1.5"'), "fraction:1.5", None),
        (request(b"", b'"fraction:x"'), "fraction:x", None),
        (request(b"").replace(b'"jsonrpc": "2.0", ', b""), 1, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": []}', 1, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": ["q"]}', 1, -32602),
        (b'{"jsonrpc": "2.0", "id": 2.5, "method": "m", "params": "q"}', 2.5, -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"arguments": "tea"}}', 1, -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"arguments": "[1]"}}', 1, -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": ' + b"[" * 300 + b"]" * 300 + b"}}", 1, -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', 1, -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "m"}', None, -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', 1, -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "m",}', None, -32700),
        (b"[]", None, -32600),
        (b"[" * 5_000, None, -32700),
    ],
)
def test_that_every_request_has_an_answer(written: bytes, number: object, code: int | None) -> None:
    (answer,) = conversation(b"no JSON at all", b"", written)
    assert answer["id"] == number
    assert answer.get("error", {}).get("code") == code
    over_http = repaired_body(written)
    assert code is None or not isinstance(number, int) or getattr(over_http, "id", None) == number


def test_that_an_answer_that_cannot_be_taken_is_not_answered() -> None:
    assert conversation(b'{"jsonrpc": "2.0", "id": true, "result": {}}', b'{"jsonrpc": "2.0", "method": "m"}') == []


def handshake(version: str = VERSIONS[-1], number: int | str = 7, **more: Any) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": {"roots": {"listChanged": True}}, **more}
    params.setdefault("clientInfo", {"name": "a client", "version": "1", "title": "A client"})
    return {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}


def greeted(content: bytes) -> tuple[Handshake, bytes]:
    """Return the result of a first line, and the answer to it."""
    source, begin = os.pipe()
    end, target = os.pipe()
    os.write(begin, content)
    os.close(begin)
    found = answer_handshake(source, target)
    os.close(source)
    os.close(target)
    with os.fdopen(end, "rb") as stream:
        return found, stream.read()


async def spoken(messages: list[dict[str, Any]], answers: int, answered_id: int | str | None = None) -> list[Any]:
    """Return the server's answers to these messages, except those already given."""
    to_server, read = anyio.create_memory_object_stream[Any](10)
    write, from_server = anyio.create_memory_object_stream[Any](10)
    server = AssistantServer(AssistantWorkbench(unopened(), PretendedPowers(), Noted()))
    out: Any = OriginalIds(write, answered_id)
    running = asyncio.create_task(server.run(read, out, server.create_initialization_options()))
    for message in messages:
        await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(message, by_name=False)))
    said = [await from_server.receive() for _ in range(answers)]
    await to_server.aclose()
    await running
    for stream in (to_server, read, write, from_server):
        stream.close()
    return [json.loads(one.message.model_dump_json(by_alias=True, exclude_unset=True)) for one in said]


@pytest.mark.parametrize("version", [*VERSIONS, "1999-01-01"])
def test_that_the_early_answer_is_that_of_the_server(version: str) -> None:
    message = handshake(version)
    assert asyncio.run(spoken([message], 1)) == [handshake_response(message)]


def test_that_what_was_answered_is_not_answered_again() -> None:
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    ping = {"jsonrpc": "2.0", "id": 8, "method": "ping"}
    again = {**ping, "id": 7}
    said = asyncio.run(spoken([handshake(), ready, ping, again], 2, answered_id=7))
    assert [one["id"] for one in said] == [8, 7]


def test_that_a_handshake_is_answered_and_what_came_with_it_is_kept() -> None:
    content = json.dumps(handshake(number="a")).encode() + b"\n" + b'{"more": 1}\n'
    found, said = greeted(content)
    assert (found.buffered, found.answered_id) == (content, "a")
    assert json.loads(said) == handshake_response(handshake(number="a"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no JSON\n",
        b"[" * 60_000 + b"\n",
        b"x" * 200_000,
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode() + b"\n",
        json.dumps(handshake(capabilities=[])).encode() + b"\n",
        json.dumps(handshake(capabilities={"roots": 1})).encode() + b"\n",
        json.dumps(handshake(clientInfo={"name": "a"})).encode() + b"\n",
        json.dumps(handshake(_meta={})).encode() + b"\n",
        json.dumps({**handshake(), "id": None}).encode() + b"\n",
        json.dumps({**handshake(), "id": True}).encode() + b"\n",
    ],
)
def test_that_anything_else_is_left_to_the_server_and_nothing_of_it_is_lost(content: bytes) -> None:
    buffered = content[:40_000]
    assert greeted(buffered) == (Handshake(buffered), b"")


def test_that_lines_begin_with_what_was_read_before() -> None:
    source, begin = os.pipe()
    os.write(begin, b"rest\nlast\n")
    os.close(begin)

    async def collect() -> list[str]:
        return [line async for line in StdinLines(source, b"first\nsecond ")]

    assert asyncio.run(collect()) == ["first", "second rest", "last"]
    os.close(source)


def test_that_a_batch_beyond_its_limit_is_refused_as_a_whole() -> None:
    told: list[Any] = []
    batch = b"[" + b",".join([request(b"x")] * (MOST_IN_BATCH + 1)) + b"]\n"
    assert read(batch, told=told) == []
    assert [(one.id, one.error.message) for one in told] == [(None, "A batch has at most 1,000 messages: send fewer.")]
