"""A team's library beside one's own: writing, catching up and hearing of changes; `python -m tests.benchmarks.team`.

A real server in a temporary folder on this machine, without a network between. Both libraries are written by turns;
prints milliseconds, the median and the 95th of a hundred.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from app.adapters.local.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team import joining
from app.adapters.store.team.opened import opened_library
from app.domain.journal import Edit
from app.domain.library import Memory
from tests.store_servers import postgres_server

TAUGHT = Edit("taught")
TIMES = 100


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def told(what: str, took: list[float]) -> None:
    took.sort()
    print(f"{what}: {statistics.median(took):.1f} ms, 95th {took[int(len(took) * 0.95) - 1]:.1f} ms")


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks.team", description=__doc__)
    asked.add_argument("--n", type=int, default=10_000, help="memories of three triggers")
    n = asked.parse_args().n
    with postgres_server() as address, TemporaryDirectory() as made:
        alone, first, second = (Path(made) / name for name in ("alone", "first", "second"))
        secrets = {folder: FileSecrets(folder / "secrets.json") for folder in (alone, first, second)}
        for folder in (alone, first):
            with closing(SqlLibrary.open(folder, secrets[folder])) as library:
                library.add_memories((Memory((f"a {i}", f"b {i}", f"c {i}"), id=f"m{i}") for i in range(n)), TAUGHT)
        print(f"{n} memories to the server: {timed(lambda: joining.join(first, secrets[first], address, None)):.0f} ms")
        print(f"and from it: {timed(lambda: joining.join(second, secrets[second], address, None)):.0f} ms")
        with (
            closing(SqlLibrary.open(alone, secrets[alone])) as own,
            closing(opened_library(first, secrets[first])) as hers,
            closing(opened_library(second, secrets[second])) as his,
        ):
            compare(own, hers, his)
        with closing(opened_library(first, secrets[first])) as hers:
            many = [Memory((f"late {i}", f"later {i}")) for i in range(1000)]
            print(f"1000 memories in one step: {timed(lambda: hers.add_memories(many, TAUGHT)):.0f} ms")
        print(
            f"opened and caught up with them: {timed(lambda: opened_library(second, secrets[second]).close()):.0f} ms"
        )
        print(f"opened where nothing is new: {timed(lambda: opened_library(second, secrets[second]).close()):.0f} ms")
        print(f"opened alone: {timed(lambda: SqlLibrary.open(alone, secrets[alone]).close()):.0f} ms")


def compare(own: SqlLibrary, hers: SqlLibrary, his: SqlLibrary) -> None:
    """One step after the other, by turns, and how long until the other has it."""
    alone: list[float] = []
    shared: list[float] = []
    heard: list[float] = []
    for number in range(TIMES):
        memory = Memory((f"new {number}", "more"))
        alone.append(timed(lambda memory=memory: own.change(TAUGHT, [memory])))  # type: ignore[misc]
        count = his.counts()["memories"]
        shared.append(timed(lambda memory=memory: hers.change(TAUGHT, [memory])))  # type: ignore[misc]
        begun = time.perf_counter()
        while his.counts()["memories"] == count:
            time.sleep(0.0005)
        heard.append((time.perf_counter() - begun) * 1000)
    told("a step alone", alone)
    told("a step of a team", shared)
    told("until the other has it", heard)


if __name__ == "__main__":
    main()
