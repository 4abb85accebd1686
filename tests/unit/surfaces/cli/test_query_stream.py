"""Tests of query streams: available lines together, slow ones one by one."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Callable, Iterable, Iterator
from threading import Event

import pytest

from app.surfaces.cli.query_stream import AT_ONCE, MOST_WAITING, batched_lines, buffered_stream
from tests.waiting import PATIENCE


async def blocks_of(lines: Iterable[str]) -> list[list[str]]:
    return [block async for block in batched_lines(lines)]


def test_that_all_lines_come_in_their_order_in_blocks() -> None:
    lines = [str(number) for number in range(3 * MOST_WAITING + 5)]
    blocks = asyncio.run(blocks_of(lines))
    assert [line for block in blocks for line in block] == lines
    assert max(map(len, blocks)) <= AT_ONCE
    assert asyncio.run(blocks_of([])) == []
    assert asyncio.run(blocks_of([""])) == [[""]]


async def test_that_what_has_come_while_one_was_answered_is_taken_together() -> None:
    reached = Event()

    def lines() -> Iterator[str]:
        yield from map(str, range(AT_ONCE))
        reached.set()

    sizes = []
    async for block in batched_lines(lines()):
        sizes.append(len(block))
        await asyncio.to_thread(reached.wait)
        await asyncio.sleep(0)
    assert sum(sizes) == AT_ONCE
    assert len(sizes) <= 3


def test_that_a_line_is_answered_before_the_next_is_there() -> None:
    answered = Event()

    def lines() -> Iterator[str]:
        yield "first"
        assert answered.wait(PATIENCE)
        yield "second"

    async def run() -> list[list[str]]:
        found = []
        async for block in batched_lines(lines()):
            found.append(block)
            answered.set()
        return found

    assert asyncio.run(run()) == [["first"], ["second"]]


async def test_that_no_more_is_read_than_may_wait() -> None:
    read: list[int] = []

    def lines() -> Iterator[str]:
        for number in range(MOST_WAITING * 4):
            read.append(number)
            yield str(number)

    blocks = batched_lines(lines())
    first = await anext(blocks)
    assert first[0] == "0"
    assert len(read) <= MOST_WAITING + AT_ONCE + 1
    await blocks.aclose()


@pytest.mark.parametrize("error", [OSError("The pipe broke."), ValueError("It is closed.")])
def test_that_what_reading_raises_comes_behind_what_was_read(error: Exception) -> None:
    def lines() -> Iterator[str]:
        yield "first"
        raise error

    async def run(seen: Callable[[list[str]], None]) -> None:
        async for block in batched_lines(lines()):
            seen(block)

    found: list[list[str]] = []
    with pytest.raises(type(error), match=str(error)):
        asyncio.run(run(found.append))
    assert found == [["first"]]


def test_that_a_stream_of_the_system_gets_a_buffer_of_its_own() -> None:
    out, into = os.pipe()
    with os.fdopen(out, "rb") as held, os.fdopen(into, "wb") as writing:
        with buffered_stream(held) as own:
            assert own is not held
            writing.write(b"one\n")
            writing.flush()
            assert own.readline() == b"one\n"
        assert not held.closed
    memory = io.BytesIO(b"two\n")
    assert buffered_stream(memory) is memory
