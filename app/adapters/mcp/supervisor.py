"""Supervisor between this program and a power's server, so that no descendant outlives them.

Run by this file's path with the standard library only, or by a bundle: arguments are the number of a pipe that only
the program holds open (0 if none), the file to run, and the command. The server gets the supervisor's standard
streams. When the pipe closes, even by a kill, or the server ends, the supervisor ends all its descendants: wrappers
such as npx, their children, and on Linux also detached ones.

A server may kill or stop the supervisor. Linux then reparents its descendants to the program (`Orphans`), which
recognises them by a resource limit and leaves its other children, and their exit codes, to their owners.
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
"""Time to end after a request, in seconds, before a kill."""

SWEEP_SECONDS = 5.0
"""Time of killing in seconds; whatever remains then cannot be killed."""

POLL_SECONDS = 0.01
SET_PDEATHSIG, SET_CHILD_SUBREAPER = 1, 36
"""prctl(2) on Linux: die with the parent; adopt orphaned grandchildren."""

RLIMIT_LOCKS, LARGEST = 10, 2**30
"""Limit without effect since Linux 2.4.25, lowered to mark the server's processes.

All that it starts inherits it, in any session, group or environment; only an administrator may raise it.
"""

CANNOT_START = 127
MARK = "supervisor: "
"""Prefix of the line on standard error with the reason that the command could not start."""


def keep(watched: int, real: str, command: list[str]) -> int:
    """Run a command until it ends or the pipe closes, then end its descendants; return its code.

    128 and more for signals.
    """
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
        os.dup2(nowhere, stream)  # readers of the server's output must see when the server closes it
    code = _wait(child, watched, woken)
    ended = _end(child, signal.SIGTERM, GRACE_SECONDS) if code is None else None
    _end(child, signal.SIGKILL, SWEEP_SECONDS)
    return code if code is not None else ended if ended is not None else 128 + signal.SIGKILL


def _become(real: str, command: list[str], supervisor: int) -> NoReturn:
    """Replace this new process by the server, in its own session.

    `real` is the resolved file that was compared with the approved one. Linux runs that path, which has no links,
    so that a changed link has no effect. A server gets the program's name as argv[0], a script the path of its
    file. Other systems identify programs by the path that is run, so there the link is run after one more
    comparison.
    """
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    with suppress(OSError, ValueError):  # if forbidden, the supervisor alone must suffice
        if sys.platform == "linux":
            import resource

            less = int(max(0, min(_limit(os.getpid()) - 1, LARGEST)))
            resource.setrlimit(RLIMIT_LOCKS, (less, less))
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
    """Wait for the child's end and return its code; None if the pipe closes or on a signal."""
    while True:
        ready, _, _ = select.select([watched, woken], [], [])
        codes = _reap(child)
        if codes is not None:
            return codes
        if watched in ready or set(os.read(woken, 64)) - {signal.SIGCHLD}:
            return None


def _reap(child: int) -> int | None:
    """Collect ended processes, also adopted ones; return the child's code if among them."""
    code: int | None = None
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == child:
                code = os.waitstatus_to_exitcode(found[1])
    return 128 - code if code is not None and code < 0 else code


def _end(child: int, how: int, seconds: float) -> int | None:
    """Signal all descendants until none is left or time is over; return the child's code."""
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
    """Return the descendants; empty without /proc, where the group must suffice."""
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
    """Return a process's limit of file locks from /proc (no permission); raises OSError."""
    words = Path("/proc", str(process), "limits").read_bytes().partition(b"Max file locks")[2].split()
    return float(words[1]) if words[1:] and words[1] != b"unlimited" else math.inf


class Orphans:
    """Adopts and ends, on Linux, processes of killed supervisors. Create before any server runs."""

    def __init__(self) -> None:
        self._limit = 0.0  # no process has less
        with suppress(OSError):
            self._limit = _limit(os.getpid())
        self._expected = 0
        self._lock = threading.Lock()

    def expect(self) -> None:
        """Announce the start of a supervisor: adopt its orphans."""
        with self._lock:
            self._expected += 1
            _ask_linux(SET_CHILD_SUBREAPER, 1)

    def expect_no_more(self) -> None:
        """Call once per `expect`, when that supervisor and its orphans have ended."""
        with self._lock:
            self._expected -= 1
            if not self._expected:
                _ask_linux(SET_CHILD_SUBREAPER, 0)

    def end(self) -> bool:
        """Kill orphans and collect dead ones; return whether there were any.

        Their own descendants are reparented here when they die. A child in this process's session is never an
        orphan. One with the full limit that leads its own session, such as a supervisor, belongs to its starter; in
        a third session it was detached, such as a browser, and is only collected after its end.
        """
        if sys.platform != "linux":
            return False
        found, own = False, os.getsid(0)
        with self._lock:
            for each in _children():
                with suppress(OSError):  # already gone, or another user's
                    session = os.getsid(each)
                    is_ours = session != own and _limit(each) < self._limit
                    if is_ours:
                        found = True
                        os.killpg(os.getpgid(each), signal.SIGKILL)  # also processes forked meanwhile
                    if is_ours or session not in {own, each}:
                        os.waitpid(each, os.WNOHANG)
        return found


def _children() -> list[int]:
    """Return the child processes of this process."""
    found: list[int] = []
    for task in os.listdir("/proc/self/task"):
        with suppress(OSError):
            found += map(int, Path("/proc/self/task", task, "children").read_bytes().split())
    return found


def keep_on_windows(program: int, real: str, command: list[str]) -> int:
    """Run a command and end its descendants on Windows, watching the program by its id."""
    import psutil

    if os.path.realpath(command[0]) != real:
        print(f"{MARK}It leads to another program by now", file=sys.stderr)
        return CANNOT_START
    child = subprocess.Popen(command)  # inherits the supervisor's standard streams
    while child.poll() is None and psutil.pid_exists(program):
        time.sleep(0.1)
    for each in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            each.kill()
    return child.wait()


def main(words: list[str]) -> int:
    """Run with the pipe's number, or on Windows the program's id, the file, and the command."""
    return (keep_on_windows if sys.platform == "win32" else keep)(int(words[0]), words[1], words[2:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
