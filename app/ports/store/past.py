"""Queries that were asked: one row for each source and text, with its latest answer (S7.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from app.domain.history import Decision, Doubt, PastCounts, PastFilter, PastOrder, PastQuery
from app.domain.journal import Deed, Written


class PastQueries(Protocol):
    """The queries: kept, found in order, and read with or without their traces."""

    def note_queries(self, queries: Iterable[PastQuery]) -> list[int]:
        """Keep queries, whose keys are given here; their keys, in order.

        One with the source and text of a kept one takes its place: `times` are added up, and a decision stands unless
        the type or the first answer is another now. What comes without a text is known by its digest.
        """
        ...

    def find_queries(
        self, wanted: PastFilter, order: PastOrder = PastOrder.AT, *, falling: bool = False
    ) -> list[int]: ...
    def queries_by_key(self, keys: Sequence[int]) -> list[PastQuery]:
        """The queries of these keys in their order, those that are there, without their traces."""
        ...

    def query(self, key: int) -> PastQuery | None:
        """One query with its trace."""
        ...

    def traced_queries(self, keys: Sequence[int]) -> list[PastQuery]:
        """Several with their traces, in their order, those that are there."""
        ...

    def queries_of(self, texts: Iterable[str]) -> list[int]:
        """The keys of all queries with one of these texts, of any source."""
        ...

    def count_queries(self) -> PastCounts: ...


class Decisions(Protocol):
    """What a person, or the program, holds of a query."""

    def decide(self, deed: Deed | int, keys: Iterable[int], decision: Decision) -> Written | None:
        """Decide queries as a step of its own, or as part of a step (its number); None if none of them is there.

        A decision is in force while its step is not undone, and for good once that step is forgotten; None, too, if
        the step of this number does not stand.
        """
        ...

    def undecide(self, keys: Iterable[int]) -> None:
        """Let queries wait again, if they are in doubt."""
        ...

    def doubt_also(self, key: int, doubts: Iterable[Doubt]) -> None:
        """Add doubts to a query's."""
        ...


class PastUpkeep(Protocol):
    """Queries forgotten, and their traces made smaller."""

    def forget_queries(self, keys: Iterable[int] | None = None) -> int:
        """Forget queries for good, or all of them; how many went."""
        ...

    def prune_queries(self, days: int, most: int) -> int:
        """Forget what was asked longer ago, and the oldest beyond so many, some at a time; how many went: call again
        until none does."""
        ...

    def press_traces(self, after: int = 0) -> int | None:
        """Make kept traces smaller that an older program wrote, some at a time; the query to go on after, None at the
        end. They tell the same afterwards."""
        ...
