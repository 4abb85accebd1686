"""Streams of queries: answered one by one, counted on stderr, and stored on demand."""

from __future__ import annotations

import os
import stat
import sys
import time
from asyncio import Queue, get_running_loop
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from threading import Semaphore, Thread
from typing import BinaryIO

from app.display.words import visible
from app.domain.errors import KnownError
from app.domain.library import Line, Problem
from app.domain.scope.inspection import Inspection
from app.services.workbench import Workbench
from app.surfaces.cli.output import Printer, retry_while_locked

KEPT_AT_ONCE = 100
"""Batch size of storing answers."""

PROGRESS_SECONDS = 0.2

NOTHING_KEPT = "Nothing is kept of queries (history.privacy: off): leave --keep out, or set that to full."


def queries_of(found: Iterable[Line[str] | Problem]) -> Iterator[str]:
    """Yield the queries of a log; report lines without one on stderr, by number."""
    for one in found:
        if isinstance(one, Problem):
            print(visible(f"line {one.line:,}: {one.sentence}"), file=sys.stderr)
        else:
            yield one.value


def is_file(stream: BinaryIO) -> bool:
    """Check if the stream is a file, so that nobody waits for an answer before the next line."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:
        return False


class AnswerLog:
    """Stores answers as Source.LOG in batches, with a count on stderr unless answers go there."""

    def __init__(self, workbench: Workbench, out: Printer, *, keep: bool, ahead: bool) -> None:
        if keep and workbench.settings.history.privacy == "off":
            raise KnownError(NOTHING_KEPT)
        self._workbench = workbench
        self._keep = keep
        self._at_once = KEPT_AT_ONCE if ahead else 1
        self._held: list[Inspection] = []
        self._is_reported = sys.stderr.isatty() and not out.file.isatty()
        self._begun = self._reported_at = time.monotonic()
        self._answered = 0

    async def take(self, inspection: Inspection) -> None:
        """Add an answer; raises StoreError if it cannot be stored."""
        self._answered += 1
        if self._keep:
            self._held.append(inspection)
        if len(self._held) >= self._at_once:
            await self._write()
        now = time.monotonic()
        if self._is_reported and now - self._reported_at >= PROGRESS_SECONDS:
            self._reported_at = now
            rate = self._answered / (now - self._begun)
            print("\r" + f"asking {self._answered:,} ({rate:,.0f} a second) ", end="", file=sys.stderr, flush=True)

    async def done(self) -> None:
        if self._reported_at > self._begun:
            print(file=sys.stderr)
        await self._write()

    async def _write(self) -> None:
        held, self._held = self._held, []
        if held:
            await retry_while_locked(partial(self._workbench.history.keep_log, held))


# --------------------------------------------------------------------------------------------------------------------
# Batched lines: those already available are taken together

AT_ONCE = 32
"""Limit of lines per batch."""

MOST_WAITING = 256
"""Limit of lines that are read ahead."""

Read = str | BaseException | None
"""A line, the error of reading, or the end."""


def buffered_stream(stream: BinaryIO) -> BinaryIO:
    """Return the stream with a separate buffer, if it is a system file.

    A thread blocked on a line at exit then holds no lock that the interpreter needs.
    """
    try:
        return os.fdopen(os.dup(stream.fileno()), "rb")
    except OSError:
        return stream


async def batched_lines(lines: Iterable[str]) -> AsyncGenerator[list[str], None]:
    """Yield the lines in batches of at most AT_ONCE; raises OSError, ValueError and KnownError of reading."""
    loop = get_running_loop()
    found: Queue[Read] = Queue()
    room = Semaphore(MOST_WAITING)

    def give(one: Read) -> None:
        # After the end of the loop there is no reader.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(found.put_nowait, one)

    # A daemon thread, since a blocked read must not delay the exit.
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
    except (OSError, ValueError, KnownError) as error:
        give(error)
    else:
        give(None)
