"""Background work that yields to typing."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from math import inf
from threading import Lock
from typing import Any, TypeVar

Item = TypeVar("Item")

REST_SECONDS = 1.0
"""Time without a key, in seconds, after which a query rests (if its answer is final)."""

ANSWERED_SECONDS = 0.06
"""Time after a key, in seconds, that is reserved for its answer and painting."""

LONGEST_SECONDS = 0.25
"""Longest time to yield, in seconds; then background work runs for as long.

Otherwise a key held down would block a write, and with it every program that waits for the library.
"""

TYPING_SECONDS = 2.0
"""Time after the last key, in seconds, during which the user counts as typing."""

MANY = 2_000
"""Number of new objects from which garbage collection is paused: most of them will stay."""


BREATH_SECONDS = 0.0002
"""Shortest pause of a background thread that yields, in seconds.

A thread that reads a file or rows releases the GIL for microseconds only, and a waiting thread starts its wait again
each time: the window was measured waiting for all 190 ms of a file.
"""


class TypingPriority:
    """Time of the last key press. `turn` and `come` run on the engine's thread, the rest on any."""

    def __init__(self) -> None:
        self._last = self._busy_until = -1e9

    def note_key(self) -> None:
        self._last = time.monotonic()

    @property
    def is_typing(self) -> bool:
        """True if the next key is likely to come soon."""
        return time.monotonic() - self._last < TYPING_SECONDS

    @property
    def quiet_seconds(self) -> float:
        """Time since the last key, in seconds."""
        return time.monotonic() - self._last

    def yield_to_typing(self) -> None:
        """Let other threads run, and wait while the answer to a key is due (worker threads)."""
        time.sleep(BREATH_SECONDS)
        for seconds in self._waits():
            time.sleep(seconds)

    async def turn(self) -> None:
        """Yield between two steps on the engine's thread, so that a waiting key goes first."""
        await asyncio.sleep(0)
        for seconds in self._waits():
            await asyncio.sleep(seconds)

    async def wait_until_quiet(self, longest: float = inf) -> None:
        """Wait until the user stops typing, at most `longest` seconds."""
        until = time.monotonic() + longest
        while self.is_typing and time.monotonic() < until:  # noqa: ASYNC110 - typing ends without an event
            await asyncio.sleep(TYPING_SECONDS)

    def _waits(self) -> Iterator[float]:
        """Yield the waits until the last key is answered, one more after each further key."""
        begun = time.monotonic()
        if begun < self._busy_until:
            return
        until = begun + LONGEST_SECONDS
        while (left := min(self._last + ANSWERED_SECONDS, until) - time.monotonic()) > 0:
            yield left
        if time.monotonic() >= until:
            self._busy_until = time.monotonic() + LONGEST_SECONDS


class _Collector:
    """Number of blocks that currently pause garbage collection."""

    makers = 0
    lock = Lock()


@contextmanager
def without_gc(count: int) -> Iterator[None]:
    """Pause garbage collection while `count` objects are made, and exclude them from it later.

    Reference counting still frees objects; only cycles that exist at the end stay forever. An import of 100,000
    memories leaves a few thousand (0.5 MB), while a collection would halt every thread for 0.17 s. May be nested, on
    any thread.
    """
    if count < MANY:
        yield
        return
    with _Collector.lock:
        _Collector.makers += 1
        gc.disable()
    try:
        yield
    finally:
        with _Collector.lock:
            _Collector.makers -= 1
            if not _Collector.makers:
                gc.freeze()
                gc.enable()


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of at most this size, for long work in short pieces."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


# ---- Background tasks of one asyncio thread


class Background:
    """Tasks that nobody awaits; their errors go to the loop's exception handler."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopped = False

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task, which may be cancelled. After `stop` it is cancelled before it begins."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        if self._is_stopped:
            task.cancel()
        return task

    async def stop(self) -> None:
        """Cancel all tasks, wait until they have ended, and refuse new ones."""
        self._is_stopped = True
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "a task failed", "exception": error})
