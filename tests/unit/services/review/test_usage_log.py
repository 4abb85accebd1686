"""Tests of usage counts: counted immediately, stored later, none without a history."""

from __future__ import annotations

from app.domain.review.history import UsageCounter
from tests.fakes import MemoryLibrary
from tests.unit.services.benches import desk


async def test_that_counts_are_told_before_they_are_kept_and_kept_at_the_end() -> None:
    library = MemoryLibrary()
    async with desk(lambda: library) as bench:
        bench.usage.count(UsageCounter.HOOKS, "late")
        bench.usage.count(UsageCounter.MEMORIES, "injected", 0)
        assert (await bench.usage.totals(1)).counts == {(UsageCounter.HOOKS, "late"): 1}
        assert library.usage_counts.since(0) == []
    (kept,) = library.usage_counts.since(0)
    assert (kept.use, kept.outcome, kept.count) == (UsageCounter.HOOKS, "late", 1)


async def test_that_nothing_is_kept_where_no_history_is() -> None:
    library = MemoryLibrary()
    async with desk(lambda: library) as bench:
        await bench.choose("history.privacy", "off")
        bench.usage.count(UsageCounter.HOOKS, "late")
        assert bench.metrics.use[UsageCounter.HOOKS, "late"] == 1
        assert (await bench.usage.totals()).counts == {}
    assert library.usage_counts.since(0) == []
