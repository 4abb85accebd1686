"""A team's library beside one's own: writing, catching up and hearing of changes; `python -m tests.benchmarks.team`.

A real server in a temporary folder on this machine, without a network between. Both libraries are written by turns;
prints milliseconds, the median and the 95th of a hundred.

With `--type PROFILE` keys are typed into a window (tests.benchmarks.window) by turns: on that library alone, on the
copy of a team's that holds the same, and on that copy while a colleague changes a memory each second.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from app.adapters.local.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team import joining
from app.adapters.store.team.open_library import open_library
from app.domain.filters import MemoryFilter
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
    asked.add_argument("--type", type=Path, metavar="PROFILE", help="a library with its vectors; it is copied")
    asked.add_argument("--keys", type=int, default=200)
    asked.add_argument("--turns", type=int, default=3)
    options = asked.parse_args()
    if options.type is not None:
        by_turns(options.type, options.turns, options.keys)
    else:
        measured(options.n)


def measured(n: int) -> None:
    """Move a library of this size to the team and back; compare writes with a local one."""
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
            closing(open_library(first, secrets[first])) as hers,
            closing(open_library(second, secrets[second])) as his,
        ):
            compare(own, hers, his)
        with closing(open_library(first, secrets[first])) as hers:
            many = [Memory((f"late {i}", f"later {i}")) for i in range(1000)]
            print(f"1000 memories in one step: {timed(lambda: hers.add_memories(many, TAUGHT)):.0f} ms")
        print(f"opened and caught up with them: {timed(lambda: open_library(second, secrets[second]).close()):.0f} ms")
        print(f"opened where nothing is new: {timed(lambda: open_library(second, secrets[second]).close()):.0f} ms")
        print(f"opened alone: {timed(lambda: SqlLibrary.open(alone, secrets[alone]).close()):.0f} ms")


def by_turns(profile: Path, turns: int, keys: int) -> None:
    """Type into the windows alternately, each in its own process."""
    with postgres_server() as address, TemporaryDirectory() as made:
        shared, colleague = Path(made) / "shared", Path(made) / "colleague"
        shutil.copytree(profile, shared)
        for folder in (shared, colleague):
            joined = joining.join(folder, FileSecrets(folder / "secrets.json"), address, None)
            print(f"{joined.rows:,} rows, founded: {joined.founded}")
        for turn in range(turns):
            for name, folder, is_changed in (
                ("alone", profile, False),
                ("a team's", shared, False),
                ("a team's while a colleague changes it", shared, True),
            ):
                with changed(colleague) if is_changed else nullcontext():
                    told = subprocess.run(
                        [sys.executable, "-m", "tests.benchmarks.window", "--profile", folder, "--keys", str(keys)],
                        check=True,
                        capture_output=True,
                        text=True,
                    ).stdout
                print(f"\n#### turn {turn + 1}: {name}\n{told[: told.find('with the beats')]}", flush=True)


@contextmanager
def changed(folder: Path) -> Iterator[None]:
    """Change a memory each second in this block."""
    ended, counted = Event(), 0

    def work() -> None:
        nonlocal counted
        with closing(open_library(folder, FileSecrets(folder / "secrets.json"))) as library:
            keys = library.find_memories(MemoryFilter())[:100]
            while not ended.wait(1.0):
                (kept,) = library.memories_by_key([keys[counted % len(keys)]])
                library.change(TAUGHT, [replace(kept.item, response=f"changed {counted}")])
                counted += 1

    thread = Thread(target=work)
    thread.start()
    yield
    ended.set()
    thread.join()
    print(f"{counted} steps of a colleague")


def compare(own: SqlLibrary, hers: SqlLibrary, his: SqlLibrary) -> None:
    """Run step by step, alternately, and measure the time until the other member has it."""
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
