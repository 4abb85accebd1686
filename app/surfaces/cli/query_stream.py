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
from itertools import islice
from threading import Semaphore, Thread
from typing import BinaryIO, TextIO

from app.display.visible import visible
from app.domain.errors import KnownError
from app.domain.library import Line, Problem
from app.domain.scope.inspection import Inspection
from app.services.workbench import Workbench
from app.surfaces.cli.retrying import retry_while_locked

ASKED_AT_ONCE = 32
"""So many queries of a file are encoded together; somebody at the other end of a pipe has each answered as it comes."""

KEPT_AT_ONCE = 100
"""The batch size of storing answers."""

PROGRESS_SECONDS = 0.2

NOTHING_KEPT = "Nothing is kept of queries (history.privacy: off): leave --keep out, or set that to full."


def queries_of(found: Iterable[Line[str] | Problem]) -> Iterator[str]:
    """The queries of a log; lines that hold none though they should are reported on stderr by their numbers."""
    for one in found:
        if isinstance(one, Problem):
            print(visible(f"line {one.line:,}: {one.sentence}"), file=sys.stderr)
        else:
            yield one.value


def is_file(stream: BinaryIO) -> bool:
    """Whether the stream is a file, so that nobody waits for an answer before writing the next line."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:
        return False


async def answer_each(
    workbench: Workbench, queries: Iterable[str], *, ahead: bool, late: bool = False, route: bool = True
) -> AsyncGenerator[Inspection, None]:
    """The answer to each query; with `ahead` some are read at a time, and their vectors made together. `late` and
    `route` as for `Workbench.settle`."""
    waiting = iter(queries)
    while some := list(islice(waiting, ASKED_AT_ONCE if ahead else 1)):
        if ahead:
            await workbench.foresee(some)
        for query in some:
            yield await workbench.settle(query, late=late, route=route)


class AnswerLog:
    """Stores answers as those of a log in batches, and counts on stderr where answers are not printed there."""

    def __init__(self, workbench: Workbench, out: TextIO, *, keep: bool, ahead: bool) -> None:
        if keep and workbench.settings.history.privacy == "off":
            raise KnownError(NOTHING_KEPT)
        self._workbench = workbench
        self._keep = keep
        self.ahead = ahead
        self._at_once = KEPT_AT_ONCE if ahead else 1
        self._held: list[Inspection] = []
        self._is_reported = sys.stderr.isatty() and not out.isatty()
        self._begun = self._reported_at = time.monotonic()
        self._answered = 0

    async def take(self, inspection: Inspection) -> None:
        """Add an answer; StoreError where it cannot be stored."""
        self._answered += 1
        if self._keep:
            self._held.append(inspection)
        if len(self._held) >= self._at_once:
            await self._write()
        now = time.monotonic()
        if self._is_reported and now - self._reported_at >= PROGRESS_SECONDS:
            self._reported_at = now
            rate = self._answered / (now - self._begun)
            print(
                "\r" + f"asking {self._answered:,} ({rate:,.0f} a second) ",
                end="",
                file=sys.stderr,
                flush=True,
            )

    async def done(self) -> None:
        """Store the last batch."""
        if self._reported_at > self._begun:
            print(file=sys.stderr)
        await self._write()

    async def _write(self) -> None:
        held, self._held = self._held, []
        if held:
            await retry_while_locked(partial(self._workbench.history.keep_log, held))


# --------------------------------------------------------------------------------------------------------------------
# Lines taken as they come, those together that are there already: somebody who types has each answered at once

AT_ONCE = 32
"""The limit of lines per batch."""

MOST_WAITING = 256
"""The limit of lines that are read ahead."""

Read = str | BaseException | None
"""A line, the error of reading, or the end."""


def buffered_stream(stream: BinaryIO) -> BinaryIO:
    """The same stream with a buffer of its own, if a system's file is behind it: a thread that waits for a line when
    the program ends holds no lock that the interpreter wants."""
    try:
        return os.fdopen(os.dup(stream.fileno()), "rb")
    except OSError:
        return stream


async def batched_lines(lines: Iterable[str]) -> AsyncGenerator[list[str], None]:
    """The lines in batches of at most AT_ONCE; OSError and ValueError of reading."""
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
