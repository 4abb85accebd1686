"""Tests of child programs: output by line, and no process of a killed program is left."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import aclosing
from pathlib import Path

import anyio
import psutil
import pytest

from app.__main__ import SUPERVISOR
from app.adapters.encoders.model_folders import output_lines
from app.adapters.mcp.child import FRONT_DOOR, ORPHANS, Child, begin, environment
from app.domain.errors import KnownError
from app.domain.running import Launch
from tests.waiting import PATIENCE, wait_for

PYTHON = Launch(sys.executable, os.path.realpath(sys.executable))
PROJECT = Path(__file__).resolve().parents[4]
SERVER = PROJECT / "tests" / "servers" / "powers.py"
KILLS = int(os.environ.get("INTENTSCOPE_TEST_POWER_KILLS", "6"))
"""Number of programs killed; 100 take some minutes."""

PROGRAM = """
import asyncio, json, os, sys
from app.adapters.mcp.runner import McpRunner
from app.domain.library import Transport
from app.ports.power import ServerStart

WRAPPED = ("-c", '"$0" -I -S "$1" "$2"; true', sys.executable, sys.argv[1])

async def main():
    runner, number = McpRunner(), 0
    while True:
        number += 1
        order = ServerStart("wrapped", Transport("sh", (*WRAPPED, "stubborn")), 60_000, 60_000)
        server = await runner.start(order)
        answer = await server.call("stubborn", {})
        print(json.dumps([server.pid, *json.loads(answer.content[0]["text"])]), flush=True)
        await asyncio.sleep(0.2)
        await server.stop()

for _ in sys.stdin:
    if program := os.fork():
        os.waitpid(program, 0)
    else:
        print(os.getpid(), flush=True)
        asyncio.run(main())
"""
"""Program that starts servers ignoring signals, behind a shell; each has a child and a daemon.

A process that has imported everything begins one for each line on stdin; it tells its number first.
"""


LINUX_ONLY = pytest.mark.skipif(
    sys.platform != "linux", reason="Only Linux gives a supervisor the orphans of its children."
)


def test_that_the_front_door_becomes_the_keeper_and_ends_all_once_the_pipe_closes() -> None:
    assert SUPERVISOR == FRONT_DOOR
    watched, holding = os.pipe()
    line = "echo up; sleep 600 & sleep 600"
    with subprocess.Popen(
        [sys.executable, "-m", "app", SUPERVISOR, str(watched), os.path.realpath("/bin/sh"), "/bin/sh", "-c", line],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        pass_fds=(watched,),
    ) as supervisor:
        os.close(watched)
        assert supervisor.stdout is not None
        assert supervisor.stdout.readline() == b"up\n"
        below = psutil.Process(supervisor.pid).children(recursive=True)
        assert below
        os.close(holding)
        assert supervisor.wait(PATIENCE) == 128 + signal.SIGTERM
        assert not any(each.is_running() for each in below)


def marked() -> set[int]:
    """Return this machine's processes that run the server of these tests, or were left by it."""
    found = set()
    for each in psutil.process_iter(["cmdline"]):
        words = each.info["cmdline"] or []
        if str(SERVER) in words or "import time; time.sleep(600)" in words:
            found.add(each.pid)
    return found


@LINUX_ONLY
def test_that_a_killed_program_leaves_no_orphan() -> None:
    chance = random.Random(7)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(SERVER)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as programs:
        assert programs.stdin is not None
        assert programs.stdout is not None
        before = marked()
        for number in range(KILLS):
            print(file=programs.stdin, flush=True)
            while not (line := programs.stdout.readline()).strip().isdigit():
                assert line, "The programs cannot be begun."  # others are of the program before
            if number % 3:  # every third is killed during its start
                assert programs.stdout.readline()
            time.sleep(chance.random() * 0.3)
            os.kill(int(line), signal.SIGKILL)
            wait_for(lambda: not marked() - before)


HOSTILE = PROJECT / "tests" / "servers" / "hostile.py"


def left_by(name: str) -> set[int]:
    found = psutil.process_iter(["cmdline", "status"])
    alive = (one for one in found if one.info["status"] != psutil.STATUS_ZOMBIE)
    return {one.pid for one in alive if name in (one.info["cmdline"] or [])}


def children() -> set[int]:
    """Return the children of this process, including ended ones that were not collected."""
    return {one.pid for one in psutil.Process().children()}


@LINUX_ONLY
@pytest.mark.parametrize(
    "how", ["leave", "kill", "stop", "kill-bare", "stop-bare", "kill-late", "stop-late", "kill-breed", "stop-breed"]
)
def test_that_a_server_that_kills_or_stops_its_keeper_does_not_outlive_its_end(how: str) -> None:
    name = f"hostile-{how}-{os.getpid()}"
    before = children()

    async def work() -> None:
        child = await begin(PYTHON, [str(HOSTILE), how, name], environment({}))
        assert await child.stdout.receive(3) == b"up\n"
        assert left_by(name)
        await child.end()

    asyncio.run(work())
    assert not left_by(name)
    assert children() <= before, "who adopts collects"


DETACHED = """
import os, sys
os.setsid()
if os.fork():
    os._exit(1)
os.write(1, f"{os.getpid()}\\n".encode())
sys.stdin.read()
os._exit(5)
"""
"""Program that starts a detached process, as Qt does for a browser."""


@LINUX_ONLY
def test_that_what_this_program_started_itself_is_neither_ended_nor_collected_with_orphans() -> None:
    """Children of several kinds run beside a server that kills its supervisor."""
    waiting = [sys.executable, "-c", "raise SystemExit(len(input()))"]
    name = f"hostile-own-{os.getpid()}"
    before = children()

    async def hostile() -> None:
        child = await begin(PYTHON, [str(HOSTILE), "kill-late", name], environment({}))
        assert await child.stdout.receive(3) == b"up\n"
        await child.end()
        assert not left_by(name)

    async def work() -> None:
        theirs = await asyncio.create_subprocess_exec(*waiting, stdin=subprocess.PIPE, start_new_session=True)
        await hostile()
        await theirs.communicate(b"1234\n")
        assert theirs.returncode == 4

    with (
        subprocess.Popen(waiting, stdin=subprocess.PIPE) as child,
        subprocess.Popen(waiting, stdin=subprocess.PIPE, start_new_session=True) as apart,
        subprocess.Popen([sys.executable, "-c", "raise SystemExit(6)"], start_new_session=True) as dead,
    ):
        os.waitid(os.P_PID, dead.pid, os.WEXITED | os.WNOWAIT)
        asyncio.run(work())
        child.communicate(b"123\n")
        apart.communicate(b"12\n")
        assert (child.wait(), apart.wait(), dead.wait()) == (3, 2, 6)
    assert children() <= before


@LINUX_ONLY
def test_that_what_was_let_go_while_servers_run_is_left_alone_and_collected_once_it_has_ended() -> None:
    name = f"hostile-let-go-{os.getpid()}"
    before = children()

    async def up(how: str) -> Child:
        child = await begin(PYTHON, [str(HOSTILE), how, name], environment({}))
        assert await child.stdout.receive(3) == b"up\n"
        return child

    with asyncio.Runner() as runner:
        server = runner.run(up("leave"))
        with subprocess.Popen(
            [sys.executable, "-c", DETACHED], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as starting:
            assert starting.stdout is not None
            let_go = psutil.Process(int(starting.stdout.readline()))
            assert starting.wait() == 1
            runner.run(runner.run(up("kill")).end())
            assert let_go.ppid() == os.getpid()
            assert let_go.status() != psutil.STATUS_ZOMBIE
        os.waitid(os.P_PID, let_go.pid, os.WEXITED | os.WNOWAIT)
        runner.run(server.end())
    assert children() <= before


def test_that_a_server_that_kills_its_supervisor_at_once_is_one_that_has_ended() -> None:
    async def work() -> None:
        pipe = subprocess.PIPE
        process = await anyio.open_process([sys.executable, "-c", ""], stdin=pipe, stdout=pipe, stderr=pipe)
        await process.wait()
        ORPHANS.expect()
        child = Child(process, None)
        assert child.load() is None
        assert await child.wait(0.0)
        await child.end()
        assert child.code == 0

    anyio.run(work)


def test_that_what_a_program_says_comes_line_by_line_and_its_failure_is_an_error() -> None:
    async def work() -> None:
        script = "print('Collecting torch'); print('ERROR: No space left on device.'); raise SystemExit(1)"
        lines = output_lines([sys.executable, "-u", "-c", script])
        assert [await anext(lines), await anext(lines)] == ["Collecting torch", "ERROR: No space left on device."]
        with pytest.raises(KnownError, match=r"It could not be fetched: No space left on device\."):
            await anext(lines)

    asyncio.run(work())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interrupt signal")
def test_that_a_program_ends_when_nobody_listens_any_more(tmp_path: Path) -> None:
    script = f"""
import os, time
try:
    print(os.getpid(), flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    open({str(tmp_path / "rolled-back")!r}, "w").close()
"""

    async def work() -> None:
        async with aclosing(output_lines([sys.executable, "-c", script])) as lines:
            process = int(await anext(lines))
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
        assert (tmp_path / "rolled-back").exists()

    asyncio.run(work())
