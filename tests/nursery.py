"""Test programs that use the store, as forks of one process.

That process has imported the store, which takes a second.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Self

PROJECT = Path(__file__).resolve().parent.parent
SECONDS = 120.0
"""Longest wait for the end of a program."""
MOST_BYTES = 1 << 20
IMPORTED = (
    "alembic.operations",
    "app.adapters.secrets",
    "app.adapters.store.team.open_library",
    "app.adapters.store.library",
    "app.adapters.store.restoring",
    "db.migrations",
    "sqlalchemy.dialects.sqlite",
)


class Program:
    """A started script with pipes as its standard streams; not on Windows."""

    def __init__(self, script: str, *words: str | Path, **environment: str) -> None:
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        self.stdin = os.fdopen(pipes[0][1], "w", encoding="utf-8")
        self.stdout, self.stderr = (os.fdopen(pipe[0], encoding="utf-8") for pipe in pipes[1:])
        ours, end = socket.socketpair()
        request = json.dumps([script, list(map(str, words)), {**os.environ, **environment}]).encode()
        socket.send_fds(_nursery(), [request], [end.fileno(), *theirs])
        for each in theirs:
            os.close(each)
        end.close()
        ours.settimeout(SECONDS)
        with ours:
            self._reports = ours.makefile()
        self.pid = int(self._reports.readline())
        self._code: int | None = None

    def tell(self, text: str) -> None:
        self.stdin.write(text)
        self.stdin.flush()

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Close the program's input and return its exit code, minus the signal's number for a killed one."""
        if self._code is None:
            self.stdin.close()
            self._code = int(self._reports.readline())
        return self._code

    def output(self) -> str:
        """Return what a program that succeeded has written; fails with its complaint otherwise."""
        with self:
            code, complaint = self.wait(), self.stderr.read()
            assert (code, complaint) == (0, "")
            return self.stdout.read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()
        for stream in (self.stdout, self.stderr, self._reports):
            stream.close()


@cache
def _nursery() -> socket.socket:
    """Start the process that programs are copied from; it ends with this one."""
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.nursery", str(theirs.fileno())]
    running = subprocess.Popen(command, cwd=PROJECT, pass_fds=[theirs.fileno()])
    theirs.close()

    def end() -> None:
        ours.close()
        running.wait()

    atexit.register(end)
    return ours


def _serve(requests: socket.socket) -> None:
    for name in IMPORTED:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the keepers of the programs
    while True:
        request, descriptors, *_ = socket.recv_fds(requests, MOST_BYTES, 4)
        if not request:
            return
        if not os.fork():
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _keep(descriptors, *json.loads(request))
        for each in descriptors:
            os.close(each)


def _keep(descriptors: list[int], script: str, words: list[str], environment: dict[str, str]) -> None:
    """Begin a program, report its number and its exit code, and end."""
    line, *streams = descriptors
    program = os.fork()
    if not program:
        os.close(line)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        _be(script, words, environment)
    for each in streams:
        os.close(each)
    os.write(line, b"%d\n" % program)
    os.write(line, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(program, 0)[1]))
    os._exit(0)


def _be(script: str, words: list[str], environment: dict[str, str]) -> None:
    """Become a program: run its script and end."""
    sys.argv[1:] = words
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    code = 1
    try:
        exec(compile(script, "<program>", "exec"), {"__name__": "__main__"})  # noqa: S102  our own
        code = 0
    except BaseException:  # noqa: BLE001  as the interpreter does
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
