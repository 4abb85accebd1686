"""Lines from a descriptor come whole, cut where they are too long, and end when they are told to."""

from __future__ import annotations

import asyncio
import json
import os
import threading

import pytest

from app.surfaces.mcp import stdio
from app.surfaces.mcp.stdio import Lines


def read(*written: bytes) -> list[str]:
    """The lines of a pipe into which this is written, piece by piece, before it is closed."""
    end, start = os.pipe()

    def write() -> None:
        for piece in written:
            os.write(start, piece)
        os.close(start)

    async def collect() -> list[str]:
        writing = threading.Thread(target=write)
        writing.start()
        found = [line async for line in Lines(end)]
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


def test_that_of_a_line_that_is_too_long_only_the_start_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MOST_LINE_BYTES", 10)
    monkeypatch.setattr(stdio, "CHUNK_BYTES", 4)
    assert read(b"x" * 50 + b"\nabc\nde\n") == ["x" * 12, "abc", "de"]
    assert read(b"x" * 15 + b"\n" + b"y" * 3) == ["x" * 12, "yyy"]


def test_that_whoever_waits_for_a_line_can_be_let_go() -> None:
    end, start = os.pipe()

    async def wait() -> list[str]:
        lines = Lines(end)
        waiting = asyncio.ensure_future(_all(lines))
        await asyncio.sleep(0)
        lines.end()
        return await asyncio.wait_for(waiting, 30)

    assert asyncio.run(wait()) == []
    os.close(start)
    for reading in threading.enumerate():
        if reading.name == "standard input":
            reading.join(30)  # else it might read from whatever is opened next under the same number
    os.close(end)


async def _all(lines: Lines) -> list[str]:
    return [line async for line in lines]


def test_that_half_an_emoji_does_not_make_a_message_unreadable() -> None:
    cut = rb'{"id": 1, "query": "tea \ud83c"}'
    pair, quoted = rb'{"query": "\ud83d\ude00"}', rb'{"query": "\\ud83d"}'
    found = read(cut + b"\n" + pair + b"\n" + quoted + b"\n" + rb"no message \ud83c")
    assert [json.loads(line) for line in found[:3]] == [
        {"id": 1, "query": "tea \N{REPLACEMENT CHARACTER}"},
        {"query": "\N{GRINNING FACE}"},
        {"query": r"\ud83d"},
    ]
    assert found[3] == r"no message \ud83c"
    "".join(found).encode()  # nothing is left that cannot be written
