"""The history of a workbench that has no engine: nothing was asked."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.review.history import HistoryCounts, HistoryEntry, HistoryFilter, HistoryOrder
from app.services.events import Event
from app.services.review.history import History


class FakeHistory(History):
    """Keeps nothing."""

    def __init__(self) -> None:
        self.changed = Event()

    def note_acted(self) -> None:
        pass

    async def find(
        self, wanted: HistoryFilter, order: HistoryOrder = HistoryOrder.AT, *, falling: bool = True
    ) -> list[int]:
        return []

    async def page(self, keys: Sequence[int]) -> list[HistoryEntry]:
        return []

    async def counts(self) -> HistoryCounts:
        return HistoryCounts()
