"""Tests of the early handshake: equal to the server's own, and answered once."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from app.surfaces.mcp.assistant_workbench import AssistantWorkbench
from app.surfaces.mcp.handshake import VERSIONS, Handshake, answer_handshake, handshake_response
from app.surfaces.mcp.server import AssistantServer
from app.surfaces.mcp.stdio import Answers, Lines
from tests.unit.services.benches import unopened
from tests.unit.surfaces.assistants import Noted, PretendedPowers


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


async def conversation(messages: list[dict[str, Any]], answers: int, answered_id: int | str | None = None) -> list[Any]:
    """Return the server's answers to these messages, except those already given."""
    to_server, read = anyio.create_memory_object_stream[Any](10)
    write, from_server = anyio.create_memory_object_stream[Any](10)
    server = AssistantServer(AssistantWorkbench(unopened(), PretendedPowers(), Noted()))
    out: Any = Answers(write, answered_id)
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
    assert asyncio.run(conversation([message], 1)) == [handshake_response(message)]


def test_that_what_was_answered_is_not_answered_again() -> None:
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    ping = {"jsonrpc": "2.0", "id": 8, "method": "ping"}
    again = {**ping, "id": 7}
    said = asyncio.run(conversation([handshake(), ready, ping, again], 2, answered_id=7))
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
        return [line async for line in Lines(source, b"first\nsecond ")]

    assert asyncio.run(collect()) == ["first", "second rest", "last"]
    os.close(source)
