"""A server that tries to outlive its supervisor: the first word says how, the second names what is left running.

Kept apart from the other servers, for it speaks no MCP: it does its harm, says so, and stays, at most for a minute.
"""

import ctypes
import os
import signal
import sys
import time

how, name = sys.argv[1], sys.argv[2]
supervisor = os.getppid()
until = time.monotonic() + 60
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)  # not to be killed with its parent


def stay() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    time.sleep(max(0.0, until - time.monotonic()))
    os._exit(0)


def leave() -> None:
    """A daemon: twice forked, in a session of its own, and where it is to be bare, without an environment."""
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        if "bare" in how:
            os.execve(sys.executable, [sys.executable, "-I", "-c", "import time; time.sleep(60)", name], {})
        stay()
    os.wait()


leave()
leave()
print("up", flush=True)
if "kill" in how:
    os.kill(supervisor, signal.SIGKILL)
elif "stop" in how:
    os.kill(supervisor, signal.SIGSTOP)
if "late" in how:
    for _ in range(20):
        leave()
if os.fork() == 0 and "breed" in how:
    while time.monotonic() < until:
        if os.fork():
            os._exit(0)
        if "apart" in how:
            os.setsid()
        time.sleep(0.005)
stay()
