"""Lines taken as they come, those together that are there already: somebody who types has each answered at once."""

from __future__ import annotations

import os
from asyncio import Queue, get_running_loop
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import suppress
from threading import Semaphore, Thread
from typing import BinaryIO

AT_ONCE = 32
"""So many lines are given out together at most."""

MOST_WAITING = 256
"""So many lines are read before they are wanted."""

Read = str | BaseException | None
"""A line, what reading raised, or the end."""


def own_stream(stream: BinaryIO) -> BinaryIO:
    """The same stream with a buffer of its own, if a system's file is behind it: a thread that waits for a line when
    the program ends holds no lock that the interpreter wants."""
    try:
        return os.fdopen(os.dup(stream.fileno()), "rb")
    except OSError:
        return stream


async def taken(lines: Iterable[str]) -> AsyncGenerator[list[str], None]:
    """The lines in their order, in lists of at most AT_ONCE; OSError and ValueError of reading them."""
    loop = get_running_loop()
    found: Queue[Read] = Queue()
    room = Semaphore(MOST_WAITING)

    def give(one: Read) -> None:
        # Where the loop has ended nobody waits any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(found.put_nowait, one)

    # A daemon: one that waits for a line holds nobody up at the end.
    Thread(target=_read, args=(lines, room, give), name="read ahead", daemon=True).start()
    while True:
        one = await found.get()
        some: list[str] = []
        while isinstance(one, str):
            some.append(one)
            room.release()
            if len(some) == AT_ONCE or found.empty():
                break
            one = found.get_nowait()
        if some:
            yield some
        if isinstance(one, BaseException):
            raise one
        if one is None:
            return


def _read(lines: Iterable[str], room: Semaphore, give: Callable[[Read], None]) -> None:
    try:
        for line in lines:
            room.acquire()
            give(line)
    except (OSError, ValueError) as error:
        give(error)
    else:
        give(None)
