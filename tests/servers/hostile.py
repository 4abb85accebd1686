"""Server that tries to outlive its supervisor.

The first word selects how, the second names the process left running. It is separate from the other servers, as it
has no MCP: it starts processes, reports that, and stays for at most a minute.
"""

import ctypes
import os
import signal
import sys
import time

how, name = sys.argv[1], sys.argv[2]
supervisor = os.getppid()
until = time.monotonic() + 60
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)  # prevents being killed with its parent


def stay() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    time.sleep(max(0.0, until - time.monotonic()))
    os._exit(0)


def leave() -> None:
    """Start a daemon: forked twice, in its own session, for `bare` without an environment."""
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
