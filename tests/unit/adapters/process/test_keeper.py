"""A program that is killed leaves none of the processes that its powers started."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from app.__main__ import KEEPER
from app.adapters.process.child import FRONT_DOOR

PROJECT = Path(__file__).resolve().parents[4]
SERVER = PROJECT / "tests" / "servers" / "powers.py"
KILLS = int(os.environ.get("INTENTSCOPE_TEST_POWER_KILLS", "6"))
"""So many programs are killed; 100 take some minutes."""

PROGRAM = """
import asyncio, json, sys
from app.adapters.mcp.runner import McpRunner
from app.domain.library import Transport
from app.ports.power import StartOrder

WRAPPED = ("-c", '"$0" -I -S "$1" "$2"; true', sys.executable, sys.argv[1])

async def main():
    runner, number = McpRunner(), 0
    while True:
        number += 1
        order = StartOrder("wrapped", Transport("sh", (*WRAPPED, "stubborn")), 60_000, 60_000)
        server = await runner.start(order)
        answer = await server.call("stubborn", {})
        print(json.dumps([server.pid, *json.loads(answer.content[0]["text"])]), flush=True)
        await asyncio.sleep(0.2)
        await server.stop()

asyncio.run(main())
"""
"""Starts servers that ignore signals, behind a shell as npx and uvx are, each with a child and a daemon of its own."""


LINUX_ONLY = pytest.mark.skipif(
    sys.platform != "linux", reason="Only Linux gives a keeper the orphans of its children."
)


def test_that_the_front_door_becomes_the_keeper_and_ends_all_once_the_pipe_closes() -> None:
    assert KEEPER == FRONT_DOOR
    watched, holding = os.pipe()
    line = "echo up; sleep 600 & sleep 600"
    with subprocess.Popen(
        [sys.executable, "-m", "app", KEEPER, str(watched), "sh", "-c", line],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        pass_fds=(watched,),
    ) as keeper:
        os.close(watched)
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == b"up\n"
        below = psutil.Process(keeper.pid).children(recursive=True)
        assert below
        os.close(holding)
        assert keeper.wait(20) == 128 + signal.SIGTERM
        assert not any(each.is_running() for each in below)


def marked() -> set[int]:
    """The processes on this machine that run the server of these tests, or were left by it."""
    found = set()
    for each in psutil.process_iter(["cmdline"]):
        words = each.info["cmdline"] or []
        if str(SERVER) in words or "import time; time.sleep(600)" in words:
            found.add(each.pid)
    return found


@LINUX_ONLY
def test_that_a_killed_program_leaves_no_orphan() -> None:
    before = marked()
    chance = random.Random(7)
    for number in range(KILLS):
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(SERVER)], cwd=PROJECT, stdout=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        if number % 3:  # every third is killed while it starts
            assert program.stdout.readline()
            time.sleep(chance.random() * 0.3)
        else:
            time.sleep(0.5 + chance.random())
        os.kill(program.pid, signal.SIGKILL)
        program.wait()
        program.stdout.close()
        end = time.monotonic() + 20
        while left := marked() - before:
            assert time.monotonic() < end, f"After kill {number} there are still {left}."
            time.sleep(0.02)
