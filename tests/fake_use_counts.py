"""Usage counts of assistants in a list; lost with the process."""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.review.usage import UsageCount


class MemoryUseCounts:
    """UsageCounts, simple enough to be evidently correct."""

    def __init__(self) -> None:
        self._counts: list[UsageCount] = []

    def add(self, counts: Iterable[UsageCount]) -> None:
        self._counts += counts

    def since(self, day: int) -> list[UsageCount]:
        return [one for one in self._counts if one.day >= day]

    def forget(self) -> None:
        self._counts.clear()
