"""Many queries from a stream: answered one after the other, counted on stderr, and kept where that is asked for."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import AsyncGenerator, Iterable, Iterator
from itertools import islice
from typing import BinaryIO, TextIO

from app.display.visible import visible
from app.domain.errors import KnownError
from app.domain.inspection import Inspection
from app.ports.store import Line, Problem
from app.services.workbench import Workbench

ASKED_AT_ONCE = 32
"""So many queries of a file are encoded together; somebody at the other end of a pipe has each answered as it comes."""

KEPT_AT_ONCE = 100
"""So many answers are kept in one transaction."""

TOLD_EVERY_SECONDS = 0.2

NOTHING_KEPT = "Nothing is kept of queries (history.privacy: off): leave --keep out, or set that to full."


def queries_of(found: Iterable[Line[str] | Problem]) -> Iterator[str]:
    """The queries of a log; lines that hold none though they should are told on stderr by their numbers."""
    for one in found:
        if isinstance(one, Problem):
            print(visible(f"line {one.line:,}: {one.sentence}"), file=sys.stderr)
        else:
            yield one.value


def is_file(stream: BinaryIO) -> bool:
    """Whether all of it is there already, and nobody waits for the answer to a line before writing the next."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:
        return False


async def asked(workbench: Workbench, queries: Iterable[str], *, ahead: bool) -> AsyncGenerator[Inspection, None]:
    """The answer to each query; with `ahead` some are read at a time, and their vectors made together."""
    waiting = iter(queries)
    while some := list(islice(waiting, ASKED_AT_ONCE if ahead else 1)):
        if ahead:
            await workbench.foresee(some)
        for query in some:
            yield await workbench.settle(query)


class Keeping:
    """Keeps answers as those of a log, some at a time, and counts on stderr where the answers are not seen there."""

    def __init__(self, workbench: Workbench, out: TextIO, *, keep: bool, ahead: bool) -> None:
        if keep and workbench.settings.history.privacy == "off":
            raise KnownError(NOTHING_KEPT)
        self._workbench = workbench
        self._keep = keep
        self.ahead = ahead
        self._at_once = KEPT_AT_ONCE if ahead else 1
        self._held: list[Inspection] = []
        self._is_told = sys.stderr.isatty() and not out.isatty()
        self._begun = self._told_at = time.monotonic()
        self._answered = 0

    async def take(self, inspection: Inspection) -> None:
        """One more answer; StoreError where it is to be kept and cannot be."""
        self._answered += 1
        if self._keep:
            self._held.append(inspection)
        if len(self._held) >= self._at_once:
            await self._write()
        now = time.monotonic()
        if self._is_told and now - self._told_at >= TOLD_EVERY_SECONDS:
            self._told_at = now
            rate = self._answered / (now - self._begun)
            print(f"\rasking {self._answered:,} ({rate:,.0f} a second) ", end="", file=sys.stderr, flush=True)

    async def done(self) -> None:
        """Keep what is left."""
        if self._told_at > self._begun:
            print(file=sys.stderr)
        await self._write()

    async def _write(self) -> None:
        held, self._held = self._held, []
        if held:
            await self._workbench.history.keep_log(held)
