"""Retry while locked: a command that has to write waits, and says so, while another program writes to the library."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Generic, TypeVar

from app.domain.errors import StoreBusyError

LONGEST_SECONDS = 600.0
"""The longest wait of a command; importing a large file takes some minutes."""

WAITING = "Another program is writing to the library, as a long import does; this waits for it (Ctrl+C gives up)."

T = TypeVar("T")


class Unread(Generic[T]):
    """One-shot iterable that knows whether it was started: what was read cannot be read again."""

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
    """What the work comes to. While the store is busy it is begun anew, which the store itself delays by some seconds,
    for at most `longest` seconds and as long as `again` allows it; then StoreBusyError."""
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
