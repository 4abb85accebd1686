"""Work in the background that gives way to a person at the keyboard."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from math import inf
from threading import Lock
from typing import Any

REST_SECONDS = 1.0
"""A query rests when no key has come for so long, and its answer is settled."""

ANSWERED_SECONDS = 0.06
"""After a key its answer and painting have the machine to themselves for so long."""

LONGEST_SECONDS = 0.25
"""Nobody gives way for longer at a time, however fast the keys come, and then for as long only to let others run: a
key that is held down would else stop a write, and with it every program that waits for the library."""

TYPING_SECONDS = 2.0
"""So long after the last key somebody is taken to be typing still."""

MANY = 2_000
"""Of so many things it is known that most will stay; Python's collector would halt all threads to look at each."""


BREATH_SECONDS = 0.0002
"""So long a thread that gives way lets the others run, whether a key came or not.

One that reads a file, or steps through rows, lets go of the interpreter often but for microseconds. Who waits for it
is woken each time, finds it taken, and begins to wait anew, so that Python never asks for it on their behalf: the
window was seen waiting through all 190 ms of a file.
"""


class TypingPriority:
    """Knows when the last key was pressed. `turn` and `come` are for the engine's thread, the rest for any."""

    def __init__(self) -> None:
        self._last = self._busy_until = -1e9

    def note_key(self) -> None:
        """Note that a key was pressed."""
        self._last = time.monotonic()

    @property
    def is_typing(self) -> bool:
        """Whether the next key is likely to come soon."""
        return time.monotonic() - self._last < TYPING_SECONDS

    @property
    def quiet_seconds(self) -> float:
        """The time since the last key."""
        return time.monotonic() - self._last

    def yield_to_typing(self) -> None:
        """Let others run on a thread of one's own, and wait while the answer to a key is due."""
        time.sleep(BREATH_SECONDS)
        for seconds in self._waits():
            time.sleep(seconds)

    async def turn(self) -> None:
        """Cooperative yield between two steps on the engine's thread: lets a waiting key have its turn first."""
        await asyncio.sleep(0)
        for seconds in self._waits():
            await asyncio.sleep(seconds)

    async def come(self, longest: float = inf) -> None:
        """Wait until nobody types any more, but no longer than so many seconds."""
        until = time.monotonic() + longest
        while self.is_typing and time.monotonic() < until:  # noqa: ASYNC110 - typing ends without an event
            await asyncio.sleep(TYPING_SECONDS)

    def _waits(self) -> Iterator[float]:
        """The waits until the last key is answered, one more after each further key."""
        begun = time.monotonic()
        if begun < self._busy_until:
            return
        until = begun + LONGEST_SECONDS
        while (left := min(self._last + ANSWERED_SECONDS, until) - time.monotonic()) > 0:
            yield left
        if time.monotonic() >= until:
            self._busy_until = time.monotonic() + LONGEST_SECONDS


class _Collector:
    """How many are making many things now."""

    makers = 0
    lock = Lock()


@contextmanager
def without_gc(count: int) -> Iterator[None]:
    """Let Python's collector rest while so many things are made, and have it never look at what is there after it.

    What is no longer referred to is freed all the same; only circles of objects that are there at the end stay for
    good. An import of 100,000 memories leaves a few thousand such objects, half a megabyte, while looking for them
    would halt every thread for a sixth of a second. May be nested, and called on any thread.
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


# --------------------------------------------------------------------------------------------------------------------
# Work under way in the background of one asyncio thread


class Background:
    """Tasks that nobody waits for; what fails in one reaches the loop's exception handler, so that it is not silent."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopped = False

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin; the task may be cancelled. Once stopped, it is cancelled before it begins."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        if self._is_stopped:
            task.cancel()
        return task

    async def stop(self) -> None:
        """Cancel what is under way, wait until it has let go, and let nothing begin from now on.

        What lets go may want to begin something else, for which store and threads would be gone by then.
        """
        self._is_stopped = True
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "a task failed", "exception": error})
