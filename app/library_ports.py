"""What curating needs of the store, beside the library itself: a journal, a catalogue, and a place for secrets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from app.domain.case import Case
from app.domain.finding import CaseFilter, CaseOrder, MemoryEdit, MemoryFilter, MemoryOrder
from app.domain.journal import Binned, Deed, Item, ItemKey, Revision, Step, ThingKind, Written
from app.domain.library import Memory

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
        """Take back a step, or the last that stands; None if there is none. KnownError if its items changed since."""
        ...

    def redo(self) -> Written | None:
        """Do again what was taken back last; None if nothing was, or something else was done since."""
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

    def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """By namespace, label, tag and source: the values that memories have, and how many have each."""
        ...
