"""Stands between this program and a power's server, so that nothing that the server started outlives either of them.

Run by the path of this file, with Python's own library and nothing else, or by the front door of a bundle: with the
number of a pipe that only the program holds open (0 where there is none), the file to run, and the command. The server
gets the supervisor's standard streams. Once the pipe closes, which a killed program cannot prevent, or the server ends,
the supervisor ends everything below it: wrappers such as npx, their children, and on Linux also those that have left
their parents.

A server may kill the supervisor itself, or stop it. Then Linux gives what was below it to the program (`Orphans`),
which tells it by a resource limit and leaves its other children, and their exit codes, to those who started them.
"""

from __future__ import annotations

import ctypes
import errno
import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

GRACE_SECONDS = 0.4
"""So long what is asked to end may take, before it is killed."""

SWEEP_SECONDS = 5.0
"""So long the supervisor tries to kill; what is still there then cannot be killed by anybody."""

POLL_SECONDS = 0.01
SET_PDEATHSIG, SET_CHILD_SUBREAPER = 1, 36
"""prctl(2) of Linux: be killed when the parent is; be the new parent of grandchildren that have lost theirs."""

RLIMIT_LOCKS, LARGEST = 10, 2**30
"""A limit that has limited nothing since Linux 2.4.25. A server has less of it than the program, and so has all that it
starts, in whatever session, group or environment; only an administrator may raise it again."""

CANNOT_START = 127
MARK = "supervisor: "
"""Opens the line on the standard error that says why the command could not be started."""


def keep(watched: int, real: str, command: list[str]) -> int:
    """Run a command until it ends or the pipe closes, then end all below it; its code, 128 and more for signals."""
    os.set_inheritable(watched, False)
    _ask_linux(SET_CHILD_SUBREAPER, 1)
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        _become(real, command, supervisor)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)  # who reads the server's output must see when the server closes it
    code = _wait(child, watched, woken)
    ended = _end(child, signal.SIGTERM, GRACE_SECONDS) if code is None else None
    _end(child, signal.SIGKILL, SWEEP_SECONDS)
    return code if code is not None else ended if ended is not None else 128 + signal.SIGKILL


def _become(real: str, command: list[str], supervisor: int) -> NoReturn:
    """Turn this new process into the server, in a session of its own.

    `real` is the file that the program's name led to when it was compared with what was approved. Linux runs that very
    path, in which no name is a link, so that a link that changes meanwhile changes nothing. A server sees the program's
    name as its own (argv[0]); a script is told the path of its file. Other systems tell programs by the path that is
    run, so there the link is run, and where it leads is only compared once more.
    """
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    with suppress(OSError, ValueError):  # where this is forbidden, the supervisor alone has to do
        _lower_limit()
    try:
        os.setsid()
        _ask_linux(SET_PDEATHSIG, signal.SIGKILL)
        is_linux = sys.platform == "linux"
        if os.path.realpath(real if is_linux else command[0]) != real:
            raise OSError(errno.ESTALE, "It leads to another program by now")
        if os.getppid() == supervisor:
            os.execv(real if is_linux else command[0], command)
    except (OSError, ValueError) as error:
        os.write(2, f"{MARK}{getattr(error, 'strerror', None) or error}\n".encode(errors="replace"))
    os._exit(CANNOT_START)


def _wait(child: int, watched: int, woken: int) -> int | None:
    """Until the child has ended: its code; or until the pipe closes or the supervisor is told to end: None."""
    while True:
        ready, _, _ = select.select([watched, woken], [], [])
        codes = _reap(child)
        if codes is not None:
            return codes
        if watched in ready or set(os.read(woken, 64)) - {signal.SIGCHLD}:
            return None


def _reap(child: int) -> int | None:
    """Collect what has ended, adopted processes too; the code of the child, if it is among them."""
    code: int | None = None
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == child:
                code = os.waitstatus_to_exitcode(found[1])
    return 128 - code if code is not None and code < 0 else code


def _end(child: int, how: int, seconds: float) -> int | None:
    """Send a signal to all below until nobody is left or the time is over; the child's code, if it was collected."""
    code: int | None = None
    signalled: set[int] = set()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        below = _below()
        for each in below if how == signal.SIGKILL else below - signalled:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each, how)
        with suppress(ProcessLookupError, PermissionError):
            if not signalled:
                os.killpg(child, how)
        signalled |= below | {child}
        found = _reap(child)
        code = code if found is None else found
        if not _has_children():
            return code
        time.sleep(POLL_SECONDS)
    return code


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _below() -> set[int]:
    """The processes below this one; none where the system has no /proc: there the group has to do."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc") if sys.platform == "linux" else ():
        if entry.isdigit():
            with suppress(OSError):
                fields = Path("/proc", entry, "stat").read_bytes().rpartition(b")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry))
    found: set[int] = set()
    coming = [os.getpid()]
    while coming:
        below = [each for each in children.get(coming.pop(), ()) if each not in found]
        found.update(below)
        coming += below
    return found


def _ask_linux(what: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def _limit(process: int) -> float:
    """What a process may have at most of what nobody needs; OSError. Told of everybody's, unlike by prlimit(2)."""
    words = Path("/proc", str(process), "limits").read_bytes().partition(b"Max file locks")[2].split()
    return float(words[1]) if words[1:] and words[1] != b"unlimited" else math.inf


def _lower_limit() -> None:
    if sys.platform == "linux":
        import resource

        less = int(max(0, min(_limit(os.getpid()) - 1, LARGEST)))
        resource.setrlimit(RLIMIT_LOCKS, (less, less))


class Orphans:
    """Adopts and ends, on Linux, the processes whose supervisor was killed. Made once, before any server runs."""

    def __init__(self) -> None:
        self._limit = 0.0  # nobody has less
        with suppress(OSError):
            self._limit = _limit(os.getpid())
        self._expected = 0
        self._lock = threading.Lock()

    def expect(self) -> None:
        """A supervisor is about to be started: become the parent of what loses it."""
        with self._lock:
            self._expected += 1
            _ask_linux(SET_CHILD_SUBREAPER, 1)

    def expect_no_more(self) -> None:
        """Once for each `expect`, when that supervisor and its orphans have ended."""
        with self._lock:
            self._expected -= 1
            if not self._expected:
                _ask_linux(SET_CHILD_SUBREAPER, 0)

    def end(self) -> bool:
        """Kill those that are here and collect those that are dead; whether there were any.

        What was below them comes here when they die. A child in this process's session is never one, for nobody comes
        into a session from outside. One with the whole limit that leads its own session, such as a supervisor, is for
        who started it; in a third session it was let go here, such as a browser, and is only collected when it has
        ended.
        """
        if sys.platform != "linux":
            return False
        found, own = False, os.getsid(0)
        with self._lock:
            for each in _children():
                with suppress(OSError):  # gone by now, or another user's
                    session = os.getsid(each)
                    is_ours = session != own and _limit(each) < self._limit
                    if is_ours:
                        found = True
                        os.killpg(os.getpgid(each), signal.SIGKILL)  # also what it has forked since this looked
                    if is_ours or session not in {own, each}:
                        os.waitpid(each, os.WNOHANG)
        return found


def _children() -> list[int]:
    """The processes whose parent is this one."""
    found: list[int] = []
    for task in os.listdir("/proc/self/task"):
        with suppress(OSError):
            found += map(int, Path("/proc/self/task", task, "children").read_bytes().split())
    return found


def keep_on_windows(program: int, real: str, command: list[str]) -> int:
    """Run a command and end all below it, where no pipe can be passed on: the program is looked for by its number."""
    import psutil

    if os.path.realpath(command[0]) != real:
        print(f"{MARK}It leads to another program by now", file=sys.stderr)
        return CANNOT_START
    child = subprocess.Popen(command)  # gets the supervisor's standard streams
    while child.poll() is None and psutil.pid_exists(program):
        time.sleep(0.1)
    for each in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            each.kill()
    return child.wait()


def main(words: list[str]) -> int:
    """The number of the pipe, or on Windows of the program, then the file to run, and the command."""
    return (keep_on_windows if sys.platform == "win32" else keep)(int(words[0]), words[1], words[2:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
