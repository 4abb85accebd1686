"""Attempts of the torture bench, their rounds, and the table of results."""

import resource
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic
from types import TracebackType
from typing import Self

NO_ENCODER = ("encoder.name=sentence-transformers", "encoder.model=there-is-no-such-model")
"""Settings under which nothing slow is loaded."""

MOST_FALLS = 5


class FellError(Exception):
    """A promise was broken; the message says which, and how to repeat it."""


def expect(holds: object, sentence: str) -> None:
    if not holds:
        raise FellError(sentence)


@dataclass(frozen=True, slots=True)
class Round:
    """One round: its folder and random generator, and the folder shared by its kind."""

    folder: Path
    chance: Random
    shared: Path


@dataclass(frozen=True, slots=True)
class Attempt:
    """Kind of attack.

    `run` makes one round and returns the outcome in a word or two; it raises FellError if a promise was broken. One
    in `cost` of the requested rounds is made, at least one.
    """

    kind: str
    name: str
    run: Callable[[Round], str]
    cost: int = 1


@dataclass(slots=True)
class Row:
    """Results of one attempt."""

    attempt: Attempt
    outcomes: Counter[str] = field(default_factory=Counter)
    falls: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def count(self) -> int:
        return sum(self.outcomes.values())


class Caught:
    """Context that catches every exception of a round except Ctrl+C.

    Crashes are the subject of the bench.
    """

    error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception):
            self.error = error
        return self.error is not None


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a folder, in memory if possible.

    Otherwise a thousand rounds would wait for the disk.
    """
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="intentscope-torture-", dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


def carry_out(
    attempts: Iterable[Attempt], seed: int, rounds: int, first: int = 0, seconds: float = float("inf")
) -> list[Row]:
    """Run the rounds of each attempt, within this total time in seconds."""
    rows: list[Row] = []
    ends = monotonic() + seconds
    with scratch() as place:
        for attempt in attempts:
            shared = place / f"shared-{attempt.kind}"
            shared.mkdir(exist_ok=True)
            row, begun = Row(attempt), monotonic()
            rows.append(row)
            for number in range(first, first + max(1, rounds // attempt.cost)):
                if monotonic() > ends and row.count:
                    break
                folder = place / "round"
                folder.mkdir()
                _one(row, Round(folder, Random(f"{seed} {attempt.kind} {attempt.name} {number}"), shared), number, seed)
                shutil.rmtree(folder, ignore_errors=True)
                if len(row.falls) >= MOST_FALLS:
                    break
            row.seconds = monotonic() - begun
            print(_line(row), flush=True)
    return rows


def _one(row: Row, round_: Round, number: int, seed: int) -> None:
    with Caught() as caught:
        row.outcomes[row.attempt.run(round_)] += 1
    if caught.error is None:
        return
    row.outcomes["FELL"] += 1
    told = caught.error
    sentence = str(told) if isinstance(told, FellError) else "".join(traceback.format_exception(told))[-2_000:]
    again = f'python -m tests.torture {row.attempt.kind} --only "{row.attempt.name}" --seed {seed} --first {number}'
    row.falls.append(f"{sentence}\n    again: {again} --rounds {row.attempt.cost}")


def _line(row: Row) -> str:
    told = ", ".join(f"{name} {count:,}" for name, count in row.outcomes.most_common())
    return f"{row.attempt.kind:<7} {row.attempt.name:<52} {row.count:>8,}  {told}  ({row.seconds:.1f} s)"


def table(rows: Sequence[Row]) -> str:
    lines = ["", "| kind | attempt | count | outcome |", "|---|---|---:|---|"]
    for row in rows:
        told = ", ".join(f"{name} {count:,}" for name, count in row.outcomes.most_common())
        lines.append(f"| {row.attempt.kind} | {row.attempt.name} | {row.count:,} | {told} |")
    lines += [f"\nFELL: {row.attempt.kind}, {row.attempt.name}: {fall}" for row in rows for fall in row.falls]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    fallen = sum(row.outcomes["FELL"] for row in rows)
    count = sum(row.count for row in rows)
    lines.append(f"\n{count:,} rounds of {len(rows)} attempts, {fallen} fell; at most {peak:,} MB in this process")
    return "\n".join(lines)


def fell(rows: Sequence[Row]) -> bool:
    """Return whether a promise was broken; True if nothing was attempted."""
    return not rows or any(row.falls or not row.count for row in rows)


def words_of(*words: str) -> list[str]:
    """Return the command that starts the program, as a user would."""
    return [sys.executable, "-m", "app", *words]
