"""How soon is a large library scored: `python -m tests.benchmarks.loading --profile DIR`.

A copy of the profile is opened in fresh processes, by turns with the file of vectors that the last start left and
without it, when every vector is read from its row. Told are the medians of the seconds until the library is open and
its words are scored, from there until every trigger has its vector, and from the first until a query is scored with
all of them; and the ratios of the two ways. A profile needs to have been open once for a minute to have such a file.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

QUERY = "where do I restart the public printer near our queue"
PARTS = ("words are scored", "vectors are there", "first query with all")

OPEN = """
import asyncio, sys
from pathlib import Path
from time import perf_counter
from app.bootstrap import make_workbench
from app.settings.model import Choices

async def main():
    begun = perf_counter()
    bench = make_workbench(Choices(Path(sys.argv[1])))
    await bench.open(watch=False)
    opened = perf_counter()
    index = bench.engine.index
    while bench.engine.encoder is None or index.embedded() < len(index):
        await asyncio.sleep(0.002)
    there = perf_counter()
    answer = await bench.settle(sys.argv[2])
    assert answer.matches and not answer.absent
    print(opened - begun, there - opened, perf_counter() - begun, len(index))
    await bench.close()

asyncio.run(main())
"""


def measured(profile: Path) -> list[float]:
    """Return the seconds of the parts, and the number of triggers."""
    run = subprocess.run([sys.executable, "-c", OPEN, str(profile), QUERY], capture_output=True, text=True, check=True)
    return [float(value) for value in run.stdout.split()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both ways and their ratios."""
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks.loading", description=__doc__)
    asked.add_argument("--profile", type=Path, required=True, help="copied; the original stays as it is")
    asked.add_argument("--rounds", type=int, default=3)
    options = asked.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="intentscope-bench-") as folder:
        cached, plain = Path(folder) / "cached", Path(folder) / "plain"
        shutil.copytree(options.profile, cached)
        if not list((cached / "cache").glob("vectors-*")):
            raise SystemExit("The profile has no file of vectors: open its window for a minute first.")
        shutil.copytree(cached, plain, ignore=shutil.ignore_patterns("cache"))
        rounds = []
        for _ in range(options.rounds):
            shutil.rmtree(plain / "cache", ignore_errors=True)
            rounds.append((measured(cached), measured(plain)))
    print(f"{rounds[0][0][-1]:,.0f} triggers, medians of {len(rounds)}, seconds")
    print(f"{'':<22}  {'vector file':>11}  {'rows':>6}  {'ratio':>5}")
    for place, name in enumerate(PARTS):
        fast, slow = (median(one[way][place] for one in rounds) for way in (0, 1))
        print(f"{name:<22}  {fast:>11.2f}  {slow:>6.2f}  {fast / slow:>5.2f}")


if __name__ == "__main__":
    main()
