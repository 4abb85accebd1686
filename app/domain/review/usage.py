"""Usage by assistants, counted per day, without any content of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.match import Tier
from app.domain.route import CacheLookup

DAY_SECONDS = 86_400.0


class UsageCounter(StrEnum):
    """Usage counters; USAGE_COUNTERS holds the outcomes of each."""

    RESOLUTIONS = "resolutions"
    """Searches for powers, by status."""
    POWERS = "powers"
    """Starts and calls of powers, by outcome."""
    TURNS = "turns"
    """Turns between a first search and the first call of a power's tool (003)."""
    HOOKS = "hooks"
    """Results of the prompt hook: memories injected, none, or too late."""
    MEMORIES = "memories"
    """Memories for prompts: injected or cut off."""
    MARKS = "marks"
    """Answers marked right or wrong."""
    ROUTE_CACHES = "route_caches"
    """Lookups of stored LLM answers for routes: in Redis, then in the table."""


MOST_TURNS = 3
"""Number of turns from which on all are counted as one outcome."""

USAGE_COUNTERS: Mapping[UsageCounter, tuple[str, ...]] = {
    UsageCounter.RESOLUTIONS: tuple(tier.value for tier in Tier),
    UsageCounter.POWERS: ("started", "refused", "called", "failed"),
    UsageCounter.TURNS: (*map(str, range(MOST_TURNS)), f"{MOST_TURNS} or more"),
    UsageCounter.HOOKS: ("injected", "nothing", "late"),
    UsageCounter.MEMORIES: ("injected", "cut"),
    UsageCounter.MARKS: ("right", "wrong"),
    UsageCounter.ROUTE_CACHES: tuple(look.value for look in CacheLookup),
}


@dataclass(frozen=True, slots=True)
class UsageCount:
    """Count of an outcome on a day, in days since 1970 (UTC)."""

    day: int
    use: UsageCounter
    outcome: str
    count: int


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Sums of the counters over a number of days."""

    days: int
    counts: Mapping[tuple[UsageCounter, str], int] = field(default_factory=dict)

    @classmethod
    def of(cls, days: int, rows: Iterable[UsageCount]) -> UsageTotals:
        """Sum the rows of all days; outcomes unknown to this version are skipped."""
        counts: dict[tuple[UsageCounter, str], int] = {}
        for row in rows:
            if row.outcome in USAGE_COUNTERS[row.use]:
                counts[row.use, row.outcome] = counts.get((row.use, row.outcome), 0) + row.count
        return cls(days, counts)

    def __getitem__(self, what: tuple[UsageCounter, str]) -> int:
        return self.counts.get(what, 0)

    def total(self, use: UsageCounter) -> int:
        """Return the sum over all outcomes."""
        return sum(self[use, outcome] for outcome in USAGE_COUNTERS[use])

    @property
    def mean_turns(self) -> float | None:
        """Mean number of turns before a power is called, a lower bound; None without calls."""
        outcomes = USAGE_COUNTERS[UsageCounter.TURNS]
        called = self.total(UsageCounter.TURNS)
        return sum(n * self[UsageCounter.TURNS, name] for n, name in enumerate(outcomes)) / called if called else None


def turns_outcome(turns: int) -> str:
    return USAGE_COUNTERS[UsageCounter.TURNS][min(turns, MOST_TURNS)]
