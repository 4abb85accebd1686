"""Duplicates of a workbench that has no engine: nothing is alike."""

from __future__ import annotations

from app.domain.review.duplicates import NearDuplicate, SimilarityThresholds
from app.services.library.duplicates import Duplicates


class FakeDuplicates(Duplicates):
    """Finds nothing near to anything."""

    def __init__(self) -> None:
        pass

    async def near(
        self, trigger: str, label: str | None, least: SimilarityThresholds | None = None
    ) -> list[NearDuplicate]:
        return []
