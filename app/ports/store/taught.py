"""What is taught and stored: memories, powers with their secrets, rules and cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.domain.case import Case, Task
from app.domain.filters import CaseFilter, CaseOrder, MemoryFilter, MemoryOrder
from app.domain.intent import Rule
from app.domain.journal import Deed
from app.domain.library import Dated, Memory, Power


@dataclass(frozen=True, slots=True)
class Change:
    """What a write did: keys of the rows that are new, changed, or were there already as they are."""

    added: tuple[int, ...] = ()
    updated: tuple[int, ...] = ()
    unchanged: int = 0


class Memories(Protocol):
    """The memories: all, found in order and then a page of them, added and taken out."""

    def memories(self) -> list[Memory]: ...
    def find_memories(
        self, wanted: MemoryFilter, order: MemoryOrder = MemoryOrder.KEY, *, falling: bool = False
    ) -> list[int]: ...
    def memories_by_key(self, keys: Sequence[int]) -> list[Dated[Memory]]: ...
    def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """By namespace, label, tag and source: the values that memories have, and how many have each."""
        ...

    def add_memories(self, memories: Iterable[Memory], deed: Deed | None = None) -> Change:
        """Store new memories; one with the id, or without id the text and label, of a stored one replaces it."""
        ...

    def put_memory(self, memory: Memory) -> Memory:
        """Store one memory under its key, or as a new one if it has none; the stored memory with its key."""
        ...

    def remove_memory(self, key: int) -> None: ...


class Powers(Protocol):
    """The powers, and the values of their environments, which are kept apart from them."""

    def powers(self) -> list[Power]: ...
    def add_powers(self, powers: Iterable[Power], deed: Deed | None = None) -> Change:
        """Store powers; one with the name of a stored one replaces it (approval is kept only if the transport is)."""
        ...

    def environment(self, power: Power) -> dict[str, str]:
        """The environment of a stored power with its values, which `powers` leaves empty."""
        ...

    def secrets_place(self) -> str:
        """Where the values of environments are kept from now on, in a sentence."""
        ...

    def secrets_fault(self) -> str | None:
        """Where the values of environments are, in a sentence, if that is not where they should be."""
        ...


class Rules(Protocol):
    """The keyword rules."""

    def rules(self) -> list[Rule]: ...
    def put_rules(self, rules: Iterable[Rule], deed: Deed | None = None) -> Change:
        """Store rules by id; the others stay as they are."""
        ...


class Cases(Protocol):
    """The labelled queries: all, found in order and then a page of them, added and taken out."""

    def cases(self, task: Task | None = None) -> list[Case]: ...
    def find_cases(
        self, wanted: CaseFilter, order: CaseOrder = CaseOrder.KEY, *, falling: bool = False
    ) -> list[int]: ...
    def cases_by_key(self, keys: Sequence[int]) -> list[Dated[Case]]: ...
    def cases_among(self, texts: Iterable[str]) -> frozenset[str]:
        """Those of the texts that are the query of a case, of whatever task."""
        ...

    def add_cases(self, cases: Iterable[Case], deed: Deed | None = None) -> Change:
        """Store cases; one with the task and text of a stored one replaces what that expected."""
        ...

    def remove_cases(self, cases: Iterable[Case]) -> None:
        """Forget the cases of these tasks and texts; others, and those that are not there, are let be."""
        ...


class Taught(Memories, Powers, Rules, Cases, Protocol):
    """All four kinds of what is taught."""


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
