"""Usage log: counts usage by assistants in the session's metrics, and by day in the profile."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from app.domain.errors import StoreError
from app.domain.review.usage import DAY_SECONDS, UsageCount, UsageCounter, UsageTotals
from app.services.core import Core
from app.services.engine.metrics import EngineMetrics

GATHER_SECONDS = 2.0
"""Interval of writing counts, in seconds.

Writing together delays no answer, and does not wake other programs on each prompt.
"""

SHOWN_DAYS = 30
"""Default number of days of the totals."""


class UsageLog:
    """Usage counts of one profile: `workbench.usage`. All methods run on the asyncio thread."""

    def __init__(self, core: Core, metrics: EngineMetrics, wall_seconds: Callable[[], float]) -> None:
        self._core = core
        self._metrics = metrics
        self._wall_seconds = wall_seconds
        self._unwritten: Counter[tuple[int, UsageCounter, str]] = Counter()
        self._writing: asyncio.Task[None] | None = None
        self._is_wanted = asyncio.Event()

    def count(self, use: UsageCounter, outcome: str, many: int = 1) -> None:
        """Count an outcome. Returns at once; nothing is stored with the history off."""
        if not many:
            return
        self._metrics.use[use, outcome] += many
        if self._core.settings.history.privacy == "off":
            return
        self._unwritten[self._today, use, outcome] += many
        if self._writing is None or self._writing.done():
            self._writing = self._core.in_background(self._write_soon())

    @property
    def _today(self) -> int:
        return int(self._wall_seconds() // DAY_SECONDS)

    async def _write_soon(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHER_SECONDS):
                await self._is_wanted.wait()
        await self._write()

    async def _write(self) -> None:
        """Write the pending counts; failures are retried with the next write."""
        counted, self._unwritten = self._unwritten, Counter()
        if self._core.settings.history.privacy == "off":
            return  # privacy was switched off meanwhile
        rows = [UsageCount(day, use, outcome, many) for (day, use, outcome), many in counted.items()]
        try:
            if rows:
                await self._core.in_store(lambda library: library.usage_counts.add(rows))
        except StoreError:
            self._unwritten += counted

    async def totals(self, days: int = SHOWN_DAYS) -> UsageTotals:
        """Return the totals of the last `days`, including today; raises StoreError."""
        first = self._today - days + 1
        kept = await self._core.in_store(lambda library: library.usage_counts.since(first))
        fresh = [UsageCount(*what, many) for what, many in self._unwritten.items()]
        return UsageTotals.of(days, [*kept, *fresh])

    async def flush(self) -> None:
        """Write the pending counts now."""
        self._is_wanted.set()
        if self._writing is not None:  # a running write must not be cancelled: its result would be unknown
            await asyncio.wait({self._writing})
        self._is_wanted.clear()
        await self._write()
