"""The history at its full size. Run: `python -m tests.benchmarks.past --n 100000`.

Prints plain figures: milliseconds of the processor (median of five), bytes a query on disk, queries a second of a log.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from app.adapters.store.library import SqlLibrary
from app.bootstrap import make_workbench
from app.domain.history import Doubt, HistoryEntry, HistoryFilter, HistoryOrder, Judgement, Source
from app.domain.inspection import Inspection
from app.domain.journal import Edit
from app.services.review.traces import history_entry
from app.services.workbench import Workbench
from app.settings.model import Choices

WORDS = (
    "why does how is the build deploy keys slow staging login broken rotate config database mobile again red".split()
)
TIMES = 5


def texts(n: int, seed: int = 7) -> Iterator[str]:
    dice = Random(seed)
    for number in range(n):
        yield f"{' '.join(dice.choices(WORDS, k=dice.randint(3, 12)))} {number}"


def milliseconds(work: Callable[[], object], times: int = TIMES) -> float:
    took = []
    for _ in range(times):
        begun = time.process_time()
        work()
        took.append((time.process_time() - begun) * 1000)
    return statistics.median(took)


def told(what: str, value: float, unit: str = "ms") -> None:
    print(f"{what:48}{value:12,.1f} {unit}", flush=True)


def measure_store(folder: Path, n: int, patterns: list[HistoryEntry]) -> None:
    library = SqlLibrary.open(folder)
    empty = (folder / "library.db").stat().st_size
    begun = time.process_time()
    fill(library, n, patterns)
    told(f"keep {n:,} with traces", (time.process_time() - begun) * 1000)
    library.close()
    library = SqlLibrary.open(folder)
    told("on disk, a query", ((folder / "library.db").stat().st_size - empty) / n, "bytes")
    everything = HistoryFilter()
    for order in HistoryOrder:
        told(f"keys by {order.value}", milliseconds(partial(library.find_queries, everything, order)))
    for what, wanted in (
        ("two words", HistoryFilter("build slow")),
        ("a rare word", HistoryFilter("99999")),
        ("waiting", HistoryFilter(waiting=True)),
        ("one source", HistoryFilter(sources=(Source.LOG,))),
        ("a type and a doubt", HistoryFilter(types=("howto",), doubts=(Doubt.WEAK,))),
        ("since", HistoryFilter(since="2126-10")),
    ):
        told(f"keys of {what}", milliseconds(partial(library.find_queries, wanted, descending=True)))
    keys = library.find_queries(everything)
    told("a page of 60", milliseconds(lambda: library.queries_by_key(keys[n // 2 : n // 2 + 60])))
    told("one with its trace", milliseconds(lambda: library.query(keys[n // 2])))
    told("200 with traces", milliseconds(lambda: library.traced_queries(keys[:200])))
    told("counts", milliseconds(library.count_queries))
    told("keep one more", milliseconds(lambda: library.add_queries([replace(patterns[0], text="one more")])))
    told("skip 10,000", milliseconds(lambda: library.decide(Edit("skipped"), keys[:10_000], Judgement.SKIPPED), 1))
    told("take that back", milliseconds(library.undo, 1))
    told("forget 2,000 of too many", milliseconds(lambda: library.prune_queries(30, n - 2_000, n), 1))
    told("nothing to forget", milliseconds(lambda: library.prune_queries(30, n, n)))
    told("forget all", milliseconds(library.forget_queries, 1))
    library.close()


def fill(library: SqlLibrary, n: int, patterns: list[HistoryEntry]) -> None:
    """Store this many past queries, each with its trace."""
    for start in range(0, n, 1_000):
        library.add_queries(_part(n, start, patterns))


def _part(n: int, start: int, patterns: list[HistoryEntry]) -> list[HistoryEntry]:
    dice = Random(start)
    made = []
    for number in range(start, min(n, start + 1_000)):
        text = f"{' '.join(dice.choices(WORDS, k=dice.randint(3, 12)))} {number}"
        at = f"2126-{1 + number * 11 // n:02}-{1 + number % 28:02} {number % 24:02}:00:00"
        doubts = (Doubt.WEAK,) if dice.random() < 0.3 else ()
        source = dice.choice(list(Source))
        made.append(replace(patterns[number % len(patterns)], at=at, text=text, source=source, doubts=doubts))
    return made


async def patterns_of(bench: Workbench) -> list[HistoryEntry]:
    """Return real answers in their stored form."""
    from app.display.documents import inspection_document

    answers: list[Inspection] = [await bench.settle(text) for text in texts(50)]
    return [
        history_entry(one, Source.WINDOW, bench.settings, inspection_document, at="2126-01-01 00:00:00")
        for one in answers
    ]


async def measure_desk(folder: Path, asked: int) -> list[HistoryEntry]:
    bench = make_workbench(Choices(profile=folder))
    await bench.open(llm=False, watch=False)
    await bench.add_seed_library()
    await bench.ready()
    patterns = await patterns_of(bench)
    log = folder / "log.txt"
    log.write_text("\n".join(texts(asked, seed=3)), "utf-8")
    told(f"a log of {asked:,}, both presets", await _rate(bench.history.take_log(log), asked), "queries/s")
    keys = await bench.history.find(HistoryFilter())
    told(f"a replay of {asked:,}", await _rate(bench.history.replay(keys), asked), "queries/s")
    await bench.close()
    return patterns


async def _rate(steps: Any, n: int) -> float:
    begun = time.perf_counter()
    async for _ in steps:
        pass
    return n / (time.perf_counter() - begun)


async def fill_profile(folder: Path, count: int) -> None:
    """Store this many past queries in a profile, with its own answers to some texts."""
    bench = make_workbench(Choices(profile=folder))
    await bench.open(llm=False, watch=False)
    await bench.ready()
    patterns = await patterns_of(bench)
    await bench.close()
    library = SqlLibrary.open(folder)
    fill(library, count, patterns)
    library.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--log", type=int, default=1_000)
    parser.add_argument("--fill", type=Path, metavar="PROFILE", help="keep as many in a profile, and measure nothing")
    options = parser.parse_args()
    if options.fill is not None:
        asyncio.run(fill_profile(options.fill, options.n))
        return
    with tempfile.TemporaryDirectory() as folder:
        patterns = asyncio.run(measure_desk(Path(folder) / "desk", options.log))
        measure_store(Path(folder) / "store", options.n, patterns)


if __name__ == "__main__":
    main()
