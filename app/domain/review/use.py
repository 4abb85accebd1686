"""What assistants do with what is here, counted by day: no word of what was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.match import Tier
from app.domain.route import CacheLookup

DAY_SECONDS = 86_400.0


class UsageCounter(StrEnum):
    """What is counted, each by its outcomes in USES."""

    RESOLUTIONS = "resolutions"
    """Powers asked for, by what was told."""
    POWERS = "powers"
    """What became of powers that were wanted: of starts and of calls."""
    TURNS = "turns"
    """Asks between a first question and the first call of a power's tool, by how many; the first is none (003)."""
    HOOKS = "hooks"
    """What a prompt hook brought: memories, none, or none in time."""
    MEMORIES = "memories"
    """Memories that a prompt brought up: in its context, or cut off."""
    MARKS = "marks"
    """Answers that were marked."""
    ROUTE_CACHES = "route_caches"
    """Looks for a kept answer of the LLM on a route: in Redis, then in the table."""


MOST_TURNS = 3
"""So many turns or more are counted as one outcome."""

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
    """How often something came to an outcome on a day, counted from 1970 on in UTC."""

    day: int
    use: UsageCounter
    outcome: str
    count: int


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """The counts of some days together."""

    days: int
    counts: Mapping[tuple[UsageCounter, str], int] = field(default_factory=dict)

    @classmethod
    def of(cls, days: int, rows: Iterable[UsageCount]) -> UsageTotals:
        """Add up rows, whatever their days; an outcome that a later program counts is passed over."""
        counts: dict[tuple[UsageCounter, str], int] = {}
        for row in rows:
            if row.outcome in USAGE_COUNTERS[row.use]:
                counts[row.use, row.outcome] = counts.get((row.use, row.outcome), 0) + row.count
        return cls(days, counts)

    def __getitem__(self, what: tuple[UsageCounter, str]) -> int:
        return self.counts.get(what, 0)

    def total(self, use: UsageCounter) -> int:
        """How many, whatever their outcome."""
        return sum(self[use, outcome] for outcome in USAGE_COUNTERS[use])

    @property
    def mean_turns(self) -> float | None:
        """Turns to a power that was called then, on average and at least; None where none was called."""
        outcomes = USAGE_COUNTERS[UsageCounter.TURNS]
        called = self.total(UsageCounter.TURNS)
        return sum(n * self[UsageCounter.TURNS, name] for n, name in enumerate(outcomes)) / called if called else None


def turns_outcome(turns: int) -> str:
    """The outcome under which so many turns are counted."""
    return USAGE_COUNTERS[UsageCounter.TURNS][min(turns, MOST_TURNS)]
