"""How long a hook, a short command and a handshake take, whole processes, beside a running engine and without one:
`python -m tests.benchmarks.asked [--times 200] [--program WORDS]`, beside a Python that does nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.surfaces.hook.engine_client import NAME
from tests.benchmarks.assistants import fill

QUERY = "how do i add a new api endpoint"
PROMPT = json.dumps({"prompt": QUERY}).encode()
HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
}
KEEP = "INTENTSCOPE_SERVE_KEEP_ENGINE"
ENOUGH_COLD = 20
"""Number of runs without an engine, each of which takes seconds."""


def whole(words: Sequence[str], given: bytes = b"") -> tuple[float, bytes]:
    """Return the duration of a process in ms, and its output."""
    begun = time.perf_counter()
    done = subprocess.run(words, input=given, capture_output=True, check=True)
    return (time.perf_counter() - begun) * 1000.0, done.stdout


def greeted(words: Sequence[str]) -> tuple[float, bytes]:
    """Return the time in ms until a server has answered the handshake."""
    begun = time.perf_counter()
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(HANDSHAKE).encode() + b"\n")
        child.stdin.flush()
        said = child.stdout.readline()
        took = (time.perf_counter() - begun) * 1000.0
        child.kill()
    return took, said


def measured(
    name: str, times: int, once: Callable[[], tuple[float, bytes]], empty: Sequence[float] = ()
) -> list[float]:
    """Print P50 and P95, their ratio to an empty Python's, and the number of outputs.

    Returns the times.
    """
    found = [once() for _ in range(times)]
    took = [one for one, _ in found]
    middle, late = quantiles(took)
    ratio = f", {middle / quantiles(empty)[0]:.1f} and {late / quantiles(empty)[1]:.1f} times empty" if empty else ""
    answered = sum(QUERY.rsplit(maxsplit=1)[-1].encode() in said or b"result" in said for _, said in found)
    print(f"{name}: n {times}, P50 {middle:.0f} ms, P95 {late:.0f} ms{ratio}; {answered} answered", flush=True)
    return took


def quantiles(took: Sequence[float]) -> tuple[float, float]:
    return statistics.median(took), statistics.quantiles(took, n=20)[18]


@contextmanager
def engine(program: Sequence[str], profile: Path) -> Iterator[None]:
    """Run an engine of the profile that answers."""
    child = subprocess.Popen([*program, "engine"], env={**os.environ, KEEP: "true"})
    try:
        while not (profile / f"{NAME}.address").exists():
            assert child.poll() is None, "the engine has ended"
            time.sleep(0.1)
        yield
    finally:
        child.terminate()
        child.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--program", default=f"{shlex.quote(sys.executable)} -m app")
    options = parser.parse_args()
    os.environ[KEEP] = "false"  # otherwise the first cold hook starts one for the next
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        asyncio.run(fill(profile))
        program = [*shlex.split(options.program), "--profile", str(profile)]
        asked: dict[str, Callable[[], tuple[float, bytes]]] = {
            "hook": lambda: whole([*program, "hook"], PROMPT),
            "detect": lambda: whole([*program, "detect", QUERY]),
            "inspect --json": lambda: whole([*program, "--json", "inspect", QUERY]),
            "mcp, its handshake": lambda: greeted([*program, "mcp"]),
        }
        empty = measured("python -c pass", options.times, lambda: whole([sys.executable, "-c", "pass"]))
        with engine(program, profile):
            for name, once in asked.items():
                measured(f"beside an engine, {name}", options.times, once, empty)
        for name, once in asked.items():
            measured(f"without one, {name}", min(ENOUGH_COLD, options.times), once, empty)
    print("load, of 1, 5 and 15 minutes:", *(f"{one:.1f}" for one in os.getloadavg()))


if __name__ == "__main__":
    main()
