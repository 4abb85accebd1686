"""Tests of an unresponsive server: it blocks neither the caller nor the program's end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from threading import Event

import pytest

from app.domain.errors import DataStoreError, DataStoreGoneError
from app.services.routing.guarded_server import GuardedServer
from tests.program import PROJECT
from tests.waiting import PATIENCE


class Slow:
    """Client whose calls end on request."""

    def __init__(self) -> None:
        self.may_end, self.is_closed = Event(), Event()

    def ask(self) -> str:
        self.may_end.wait(PATIENCE)
        return "answer"

    def close(self) -> None:
        self.is_closed.set()


def guarded(server: Slow) -> GuardedServer[Slow]:
    return GuardedServer("one", "somewhere", lambda: server, lambda: 0.0)


async def test_that_a_call_ends_in_time_and_the_server_is_closed_after_it() -> None:
    server = Slow()
    held = guarded(server)
    with pytest.raises(DataStoreGoneError, match=r"within 0\.01 s"):
        await held.call(Slow.ask, 0.01)
    done = held.close()
    assert not server.is_closed.is_set()
    server.may_end.set()
    await asyncio.wrap_future(done)
    assert server.is_closed.is_set()
    with pytest.raises(RuntimeError, match="shut down"):
        await held.call(Slow.ask, 0.01)


async def test_that_errors_of_a_call_are_told_to_who_asks() -> None:
    server = Slow()
    held = guarded(server)

    def refuse(_: Slow) -> None:
        raise DataStoreError("no")

    with pytest.raises(DataStoreError, match="no"):
        await held.call(refuse, PATIENCE)
    server.may_end.set()
    assert await held.call(Slow.ask, PATIENCE) == "answer"
    await asyncio.wrap_future(held.close())


ABANDONED = """
import asyncio, time
from app.domain.errors import DataStoreGoneError
from app.services.routing.guarded_server import GuardedServer

class Stuck:
    def ask(self): time.sleep(600)
    def close(self): pass

async def ask():
    held = GuardedServer("one", "", Stuck, lambda: 0.0)
    try:
        await held.call(Stuck.ask, 0.01)
    except DataStoreGoneError as error:
        print(error)
    held.close()

asyncio.run(ask())
"""


def test_that_an_abandoned_call_does_not_keep_the_program_alive() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ABANDONED], cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "The store did not answer within 0.01 s.\n"), done.stderr
