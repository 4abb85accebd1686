"""How long the LLM took in this session: one time per query, which grows when a late answer comes after all."""

from __future__ import annotations

import math

from app.display.bins import Durations
from app.domain.llm import LlmOutcome, LlmReport
from app.domain.query import Query

_ANSWERS = frozenset({LlmOutcome.ANSWERED, LlmOutcome.LOW_CONFIDENCE, LlmOutcome.LATE, LlmOutcome.UNREADABLE})


class LlmTimes:
    """Takes each report of each query as it comes; what was given up counts with the time until then, as over budget.

    Requests that nobody answered (unreachable, failed, loading) took no time that would tell anything.
    """

    def __init__(self) -> None:
        self.durations = Durations()
        self._last: tuple[Query, float] | None = None

    def take(self, query: Query, report: LlmReport) -> bool:
        """Count a report; whether that changed anything."""
        ms = _time(report)
        if ms is None:
            return False
        if self._last is not None and self._last[0] is query:
            before = self._last[1]
            if before == ms:
                return False
            self.durations.take_back(before)
        self._last = (query, ms)
        self.durations.add(ms)
        return True

    def forget(self) -> None:
        """Start anew; the query on screen is not counted again."""
        self.durations.clear()


def _time(report: LlmReport) -> float | None:
    if report.ms is None:
        return None
    if report.outcome is LlmOutcome.TIMED_OUT:
        return max(report.ms, math.nextafter(report.budget_ms, math.inf))
    return report.ms if report.outcome in _ANSWERS else None
