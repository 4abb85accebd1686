"""What curating needs of the store, beside the library itself: a journal, a catalogue, and a place for secrets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from app.domain.case import Case
from app.domain.finding import CaseFilter, CaseOrder, MemoryEdit, MemoryFilter, MemoryOrder
from app.domain.journal import Binned, Deed, Item, ItemKey, Revision, Step, ThingKind, Written
from app.domain.library import Memory
from app.domain.past import Decision, Doubt, PastCounts, PastFilter, PastOrder, PastQuery
from app.domain.route import CachedRoute, LoggedRoute, RouteFilter, RouteOrder
from app.domain.running import RunRecord, ToolSchema

Content_co = TypeVar("Content_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Dated(Generic[Content_co]):
    """A stored thing, and when it was made and last changed (UTC, "2026-11-22 04:26:21")."""

    item: Content_co
    created: str
    updated: str


class Secrets(Protocol):
    """Where the values of powers' environments are kept, apart from the library. May block; raises StoreError."""

    @property
    def place(self) -> str:
        """Where that is, in a sentence."""
        ...

    @property
    def is_fallback(self) -> bool:
        """Whether that is not where it should be."""
        ...

    def get(self, name: str) -> str | None: ...
    def put(self, name: str, value: str) -> None: ...
    def forget(self, name: str) -> None: ...

    def change(self, values: Mapping[str, str | None]) -> None:
        """Put many values and forget others, which are None: on the disk when it returns."""
        ...

    def strays(self, prefix: str) -> Sequence[str]:
        """The names that begin so, as far as they can be listed."""
        ...


class Journal(Protocol):
    """Every deed of a person can be taken back and done again, also after a restart (S7.2, S7.3)."""

    def change(
        self, deed: Deed, items: Iterable[Item] = (), gone: Iterable[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        """Store items exactly as they are and delete others, as one step; None if that changes nothing.

        StaleError if a stored item is not of the version that its edit was made on, and StoreError if a new one has
        the name of a stored one, unless `anyway`; that revives no approval (S5.5).
        """
        ...

    def edit_memories(self, deed: Deed, keys: Iterable[int], edit: MemoryEdit) -> Written | None:
        """Make one change to many memories as one step, whose items are those that it changed; None if it is none."""
        ...

    def count_edited(self, keys: Iterable[int], edit: MemoryEdit) -> int:
        """How many memories that edit would change."""
        ...

    def undo(self, step: int | None = None) -> Written | None:
        """Take back a step, or the last that stands; None if there is none.

        KnownError if its items or settings have changed since.
        """
        ...

    def redo(self) -> Written | None:
        """Do again what was taken back last; None if nothing was, or something else was done since."""
        ...

    def choose_settings(self, deed: Deed, changes: Mapping[str, str | None]) -> bool:
        """Keep several settings, or with None forget them, as one step; False, and no step, if they are so already."""
        ...

    def settings_held(self, step: int | None = None, *, redo: bool = False) -> Mapping[str, str | None]:
        """The settings that `undo` of this step, or `redo`, would choose (None: forget); none for most steps."""
        ...

    def steps(self, most: int = 200) -> list[Step]: ...
    def history(self, kind: ThingKind, key: int) -> list[Revision]: ...
    def binned(self) -> list[Binned]: ...
    def put_back(self, deed: Deed, keys: Iterable[ItemKey]) -> Written | None: ...
    def empty_bin(self) -> None: ...

    def prune(self, days: int) -> None:
        """Forget what was done more than so many days ago."""
        ...


Difference = tuple[bytes, bytes]
"""Two things that a person has told apart: digests of 32 bytes, the lesser first; both may be the same."""


class Differences(Protocol):
    """What a person has told apart is never shown to be alike again; telling it is a step that can be undone."""

    def different(self) -> set[Difference]: ...
    def put_different(self, deed: Deed, pairs: Iterable[Difference]) -> Written | None:
        """Tell pairs apart as one step; None if they are already."""
        ...


class Catalogue(Protocol):
    """Finding things among many: keys in order, then a page of them."""

    def find_memories(
        self, wanted: MemoryFilter, order: MemoryOrder = MemoryOrder.KEY, *, falling: bool = False
    ) -> list[int]: ...
    def find_cases(
        self, wanted: CaseFilter, order: CaseOrder = CaseOrder.KEY, *, falling: bool = False
    ) -> list[int]: ...
    def memories_by_key(self, keys: Sequence[int]) -> list[Dated[Memory]]: ...
    def cases_by_key(self, keys: Sequence[int]) -> list[Dated[Case]]: ...
    def cases_among(self, texts: Iterable[str]) -> frozenset[str]:
        """Those of the texts that are the query of a case, of whatever task."""
        ...

    def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """By namespace, label, tag and source: the values that memories have, and how many have each."""
        ...


class Runs(Protocol):
    """What is kept of powers' runs, by the key of the power. No part of the journal: nothing but a person approves."""

    def run_records(self) -> Mapping[int, RunRecord]: ...

    def note_run(
        self,
        key: int,
        *,
        approved: str | None = None,
        told: Sequence[ToolSchema] | None = None,
        seen: Mapping[str, str] | None = None,
        activations: int = 0,
        calls: int = 0,
    ) -> None:
        """Change what is not None, and count on; a use makes now the time of the last.

        `approved` is emptied by whatever writes the power as not approved.
        """
        ...


class Past(Protocol):
    """Queries that were asked: one row for each source and text, with its latest answer (S7.4)."""

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

    def forget_queries(self, keys: Iterable[int] | None = None) -> int:
        """Forget queries for good, or all of them; how many went."""
        ...

    def prune_queries(self, days: int, most: int) -> int:
        """Forget what was asked longer ago, and the oldest beyond so many, some at a time; how many went: call again
        until none does."""
        ...

    def count_queries(self) -> PastCounts: ...


class RouteStore(Protocol):
    """What the router keeps: the LLM's answers, the log of decisions, and which cases do not teach it (S6).

    May block; StoreError. Times are seconds since 1970.
    """

    def cached(self, asked: str, since: float, until: float) -> tuple[list[CachedRoute], str]:
        """What is kept under this digest from these times, oldest first, and a sentence if something was damaged.
        Everything else that was kept is forgotten."""
        ...

    def keep(self, kept: CachedRoute, most: int) -> None: ...
    def forget_cached(self) -> int: ...

    def note(self, decisions: Iterable[LoggedRoute], *, hashed: bool = False) -> None:
        """Add to the log; `hashed` without texts and reasons."""
        ...

    def find(self, wanted: RouteFilter) -> list[LoggedRoute]:
        """The newest first, each with the labels of the case of its text, if the library has one."""
        ...

    def keys(self, wanted: RouteFilter, order: RouteOrder, *, falling: bool) -> list[int]:
        """The keys of those that fit, as many as are asked for, in this order."""
        ...

    def page(self, keys: Sequence[int]) -> list[LoggedRoute]:
        """The decisions of these keys that there still are, in any order, with their labels."""
        ...

    def count(self) -> int: ...
    def spent(self, since: float) -> float: ...
    def prune(self, before: float) -> int: ...
    def untaught(self, texts: Iterable[str]) -> set[str]: ...
    def let_teach(self, texts: Iterable[str], *, on: bool) -> None: ...
