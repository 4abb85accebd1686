"""Waiting time of an assistant for resolve_intent over MCP.

`python -m tests.benchmarks.assistants`
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

from app.bootstrap import make_workbench
from app.settings.model import Choices

PROJECT = Path(__file__).parents[2]
QUERIES = PROJECT / "resources" / "seed" / "queries.jsonl"
ROUNDS = 3
TARGET_MS = 50.0
"""Target of 003 in ms: 30 to 50 if nothing is started."""


def queries() -> list[str]:
    return [json.loads(line)["text"] for line in QUERIES.read_text("utf-8").splitlines() if line.strip()]


async def fill(profile: Path) -> None:
    workbench = make_workbench(Choices(profile))
    await workbench.open(watch=False)
    await workbench.add_seed_library()
    await workbench.ready()
    await workbench.close()


async def measure(profile: Path) -> list[float]:
    """Measure the times in ms; each query has a new text, so that no vector is known."""
    arguments = ["-m", "app", "--profile", str(profile), "mcp"]
    child = StdioServerParameters(command=sys.executable, args=arguments, cwd=PROJECT)
    times: list[float] = []
    async with Client(child, mode="legacy") as client:
        await client.call_tool("resolve_intent", {"query": "warm up"})
        for number in range(ROUNDS):
            for text in queries():
                begun = time.perf_counter()
                await client.call_tool("resolve_intent", {"query": f"{text} {number}"})
                times.append((time.perf_counter() - begun) * 1000.0)
    return times


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        asyncio.run(fill(profile))
        times = asyncio.run(measure(profile))
    cuts = statistics.quantiles(times, n=20)
    print(f"{len(times)} times resolve_intent: P50 {statistics.median(times):.1f} ms, P95 {cuts[18]:.1f} ms")
    print(f"003's target without a start is {TARGET_MS:.0f} ms.")


if __name__ == "__main__":
    main()
