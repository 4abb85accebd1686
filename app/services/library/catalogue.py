"""Catalogue: finds and reads memories, powers, rules and cases for pages and commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from app.domain.case import Case, Task
from app.domain.errors import KnownError
from app.domain.filters import (
    WHOLE,
    CaseFilter,
    CaseOrder,
    MemoryFilter,
    MemoryOrder,
    SearchResult,
    View,
    search_result,
)
from app.domain.intent import Rule
from app.domain.journal import Edit, Item, ThingKind, Written, about, kind_of, name_of
from app.domain.library import Dated, Memory, Power
from app.ports.store import Cases, Library, Memories, TaughtItems
from app.services.core import Core
from app.services.library.curate import case_of
from app.services.library.journal import WINDOW, Journal

Arrange = Callable[[Sequence[int]], Sequence[int]]

MOST_LIKE = 5
"""The limit of similar names."""


class Catalogue:
    """`workbench.catalogue`: what one profile has been taught. All methods run on the workbench's asyncio thread.

    Each verb raises StoreError where the library cannot be read or written.
    """

    def __init__(self, core: Core, journal: Journal) -> None:
        self._core = core
        self._journal = journal

    # ---- memories

    async def find_memories(
        self,
        wanted: MemoryFilter,
        order: MemoryOrder = MemoryOrder.KEY,
        *,
        descending: bool = False,
        view: View = WHOLE,
    ) -> SearchResult:
        """The keys of the memories that fit, in order, with the rows that are seen first."""

        def look(library: Library) -> SearchResult:
            keys = library.find_memories(wanted, order, descending=descending)
            return search_result(keys, library.counts()["memories"], view, lambda some: _dated(library, some))

        return await self._core.in_store(look)

    async def memories(self, keys: Sequence[int]) -> dict[int, Dated[Memory]]:
        """The existing memories of these keys, by key."""
        return await self._core.in_store(lambda library: _dated(library, keys))

    async def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """By namespace, label, tag and source: the values that memories have, and how many have each."""
        return await self._core.in_store(lambda library: library.facets())

    # ---- powers and rules

    async def powers(self) -> list[Power]:
        """Every power, without the values of its environment."""
        return await self._core.in_store(lambda library: library.powers())

    async def environment(self, power: Power) -> dict[str, str]:
        """The values of a stored power's environment, by name."""
        return await self._core.in_store(lambda library: library.environment(power))

    async def secrets_place(self) -> tuple[str, bool]:
        """Where the values of environments are kept, in a sentence, and whether that is not where they should be."""
        return await self._core.in_store(lambda library: (library.secrets_place(), library.secrets_fault() is not None))

    async def rules(self) -> list[Rule]:
        """Every rule, of search intents and of routes."""
        return await self._core.in_store(lambda library: library.rules())

    # ---- cases

    async def find_cases(
        self,
        wanted: CaseFilter,
        order: CaseOrder = CaseOrder.KEY,
        *,
        descending: bool = False,
        view: View = WHOLE,
        arrange: Arrange | None = None,
    ) -> tuple[SearchResult, dict[Task, int]]:
        """The keys of the cases that fit, in order, with the rows that are seen first, and how many each task has.

        `arrange` picks and orders keys by what the store does not know, such as the outcome of a run.
        """

        def look(library: Library) -> tuple[SearchResult, dict[Task, int]]:
            keys: Sequence[int] = library.find_cases(wanted, order, descending=descending)
            keys = keys if arrange is None else arrange(keys)
            counts = case_counts(library)
            return search_result(
                keys, sum(counts.values()), view, lambda some: _cases(library, some), around=False
            ), counts

        return await self._core.in_store(look)

    async def cases(self, keys: Sequence[int]) -> dict[int, Case]:
        """The existing cases of these keys, by key."""
        return await self._core.in_store(lambda library: _cases(library, keys))

    async def cases_of(self, task: Task) -> list[Case]:
        """Every case of one task."""
        return await self._core.in_store(lambda library: library.cases(task))

    async def case_counts(self) -> dict[Task, int]:
        """How many cases each task has."""
        return await self._core.in_store(case_counts)

    async def add_case(self, case: Case, *, source: str = WINDOW) -> Written | None:
        """Store a new case as a step; KnownError where the library has one of this task and text."""
        if await self._core.in_store(lambda library: case_of(library, case.text, case.task)) is not None:
            raise KnownError("A case with this query and task already exists: edit that one.")
        return await self._journal.do(Edit("added", about("the case “{case}”", case=case.text), source), [case])

    # ---- by name

    async def named(self, kind: ThingKind, name: str) -> list[Item]:
        """What is stored under this name: a memory's id or first trigger, a case's query; several cases of several
        tasks, or several memories with one first trigger, may share one. #12 names what is stored as number 12."""
        return await self._core.in_store(
            lambda library: [one for one in _all(library, kind) if name in (name_of(one), f"#{one.key}")]
        )

    async def like(self, kind: ThingKind, name: str) -> tuple[str, ...]:
        """The names of this kind that are most similar to an unknown one."""
        return nearest(name, await self._core.in_store(lambda library: [name_of(one) for one in _all(library, kind)]))


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names most similar to an unknown one; those that contain it or share its beginning come first."""
    folded = {one.casefold(): one for one in names}
    sought = name.casefold()
    holding = [one for fold, one in folded.items() if sought in fold]
    alike = [folded[fold] for fold in get_close_matches(sought, folded, MOST_LIKE, 0.6)]
    return tuple(dict.fromkeys([*holding[:MOST_LIKE], *alike]))[:MOST_LIKE]


def _all(library: TaughtItems, kind: ThingKind) -> Iterable[Item]:
    every: Mapping[ThingKind, Callable[[], Iterable[Item]]] = {
        ThingKind.MEMORY: library.memories,
        ThingKind.POWER: library.powers,
        ThingKind.RULE: library.rules,
        ThingKind.CASE: library.cases,
    }
    return (one for one in every[kind]() if kind_of(one) is kind)


def _dated(library: Memories, keys: Sequence[int]) -> dict[int, Dated[Memory]]:
    rows: Iterable[Dated[Any]] = library.memories_by_key(keys)
    return {row.item.key: row for row in rows if row.item.key is not None}


def _cases(library: Cases, keys: Sequence[int]) -> dict[int, Case]:
    rows = library.cases_by_key(keys)
    return {row.item.key: row.item for row in rows if row.item.key is not None}


def case_counts(library: Cases) -> dict[Task, int]:
    """Return the number of cases of each task."""
    return {task: len(library.find_cases(CaseFilter(task=task))) for task in Task}
