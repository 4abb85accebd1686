"""Tests of lines from a descriptor: complete, cut if too long, and ended on request."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from contextlib import suppress
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import InitializeRequestParams, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from app.surfaces.mcp import stdio
from app.surfaces.mcp.handshake import VERSIONS
from app.surfaces.mcp.stdio import Answers, Lines
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
        lines = Lines(end)

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
        lines = Lines(end)
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


async def _all(lines: Lines) -> list[str]:
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
        lines, answers = Lines(out), Answers(Writes(), None)
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


def test_that_an_answer_that_cannot_be_taken_is_not_answered() -> None:
    assert conversation(b'{"jsonrpc": "2.0", "id": true, "result": {}}', b'{"jsonrpc": "2.0", "method": "m"}') == []
