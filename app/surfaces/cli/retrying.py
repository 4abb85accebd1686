"""Retry while locked: a writing command waits, with a notice, for another program's write."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Generic, TypeVar

from app.domain.errors import StoreBusyError

LONGEST_SECONDS = 600.0
"""Longest wait of a command in seconds; importing a large file takes some minutes."""

WAITING = "Another program is writing to the library, as a long import does; this waits for it (Ctrl+C gives up)."

T = TypeVar("T")


class Unread(Generic[T]):
    """One-shot iterable that knows if it was started and cannot be read again."""

    def __init__(self, things: Iterable[T]) -> None:
        self._things = things
        self.is_begun = False

    def __iter__(self) -> Iterator[T]:
        for thing in self._things:
            self.is_begun = True
            yield thing


async def retry_while_locked(
    work: Callable[[], Awaitable[T]],
    *,
    again: Callable[[], bool] = lambda: True,
    longest: float = LONGEST_SECONDS,
    tell: Callable[[str], object] = lambda sentence: print(sentence, file=sys.stderr, flush=True),
) -> T:
    """Run work; repeat it while the store is busy, for at most `longest` seconds.

    The store itself delays each attempt by some seconds. Raises StoreBusyError after that, or once `again` returns
    False.
    """
    deadline, is_told = time.monotonic() + longest, False
    while True:
        try:
            return await work()
        except StoreBusyError:
            if time.monotonic() >= deadline or not again():
                raise
        if not is_told:
            is_told = True
            tell(WAITING)
