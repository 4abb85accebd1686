"""Contract of every UsageCounts."""

from __future__ import annotations

from pathlib import Path

from app.adapters.store.library import SqlLibrary
from app.domain.review.usage import UsageCount, UsageCounter, UsageTotals
from app.ports.store import Library

COUNTS = [
    UsageCount(20_000, UsageCounter.RESOLUTIONS, "activated", 2),
    UsageCount(20_001, UsageCounter.RESOLUTIONS, "activated", 1),
    UsageCount(20_001, UsageCounter.TURNS, "0", 3),
]


def test_that_counts_of_a_day_add_up_and_older_days_are_left_out(library: Library) -> None:
    counts = library.usage_counts
    counts.add(COUNTS)
    counts.add(COUNTS[:2])
    assert UsageTotals.of(9, counts.since(20_000)).counts == {
        (UsageCounter.RESOLUTIONS, "activated"): 6,
        (UsageCounter.TURNS, "0"): 3,
    }
    assert UsageTotals.of(9, counts.since(20_001))[UsageCounter.RESOLUTIONS, "activated"] == 2
    assert counts.since(20_002) == []
    counts.forget()
    assert counts.since(0) == []


def test_that_counts_go_with_the_whole_history_and_those_of_a_later_program_are_passed_over(tmp_path: Path) -> None:
    library = SqlLibrary.open(tmp_path / "profile")
    library.usage_counts.add(COUNTS)
    library._access.write(
        lambda connection: connection.exec_driver_sql("INSERT INTO use_counts VALUES (20000, 'dreams', 'odd', 1)")
    )
    assert len(library.usage_counts.since(0)) == 3
    library.forget_queries()
    assert library.usage_counts.since(0) == []
    library.close()
