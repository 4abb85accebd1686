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
from app.domain.journal import Edit, Item, ThingKind, Written, about, name_of
from app.domain.library import Dated, Memory, Power
from app.ports.store import Cases, Library, Memories
from app.services.core import Core
from app.services.library.curate import case_of
from app.services.library.import_export import EXPORTERS
from app.services.library.journal import WINDOW, Journal

Arrange = Callable[[Sequence[int]], Sequence[int]]

MOST_LIKE = 5
"""Maximum number of similar names."""


class Catalogue:
    """`workbench.catalogue`: content of one profile. Methods run on the asyncio thread.

    Methods raise StoreError if the library cannot be read or written.
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
        """Return the keys of matching memories in order, with the visible rows."""

        def look(library: Library) -> SearchResult:
            keys = library.find_memories(wanted, order, descending=descending)
            return search_result(keys, library.counts()["memories"], view, lambda some: _dated(library, some))

        return await self._core.in_store(look)

    async def memories(self, keys: Sequence[int]) -> dict[int, Dated[Memory]]:
        return await self._core.in_store(lambda library: _dated(library, keys))

    async def facets(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """Return the values in use by namespace, label, tag and source, with their counts."""
        return await self._core.in_store(lambda library: library.facets())

    # ---- powers and rules

    async def powers(self) -> list[Power]:
        """Return every power, without the values of its environment."""
        return await self._core.in_store(lambda library: library.powers())

    async def environment(self, power: Power) -> dict[str, str]:
        """Return the values of a stored power's environment, by name."""
        return await self._core.in_store(lambda library: library.environment(power))

    async def secrets_place(self) -> tuple[str, bool]:
        """Return where environment values are stored, in a sentence, and True for a fallback."""
        return await self._core.in_store(lambda library: (library.secrets_place(), library.secrets_fault() is not None))

    async def rules(self) -> list[Rule]:
        """Return every rule, of search intents and of routes."""
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
        """Return the keys of matching cases in order, with the visible rows, and counts by task.

        `arrange` filters and orders keys by what the store does not know, such as the result of a run.
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
        return await self._core.in_store(lambda library: _cases(library, keys))

    async def cases_of(self, task: Task) -> list[Case]:
        return await self._core.in_store(lambda library: library.cases(task))

    async def case_counts(self) -> dict[Task, int]:
        return await self._core.in_store(case_counts)

    async def add_case(self, case: Case) -> Written | None:
        """Store a new case as a step; raises KnownError if there is one of this task and text."""
        if await self._core.in_store(lambda library: case_of(library, case.text, case.task)) is not None:
            raise KnownError("A case with this query and task already exists: edit that one.")
        return await self._journal.do(Edit("added", about("the case “{case}”", case=case.text), WINDOW), [case])

    # ---- names

    async def named(self, kind: ThingKind, name: str) -> list[Item]:
        """Return the items of a name: a memory's ID or first trigger, a case's query.

        Several cases of different tasks, or memories with one first trigger, may share a name. #12 is item number 12.
        """
        return await self._core.in_store(
            lambda library: [one for one in EXPORTERS[kind.plural](library) if name in (name_of(one), f"#{one.key}")]
        )

    async def like(self, kind: ThingKind, name: str) -> tuple[str, ...]:
        """Return the names of this kind that are most similar to an unknown one."""
        return nearest(name, map(name_of, await self._core.in_store(EXPORTERS[kind.plural])))


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names most similar to an unknown one, containing or same-prefix ones first."""
    folded = {one.casefold(): one for one in names}
    sought = name.casefold()
    holding = [one for fold, one in folded.items() if sought in fold]
    alike = [folded[fold] for fold in get_close_matches(sought, folded, MOST_LIKE, 0.6)]
    return tuple(dict.fromkeys([*holding[:MOST_LIKE], *alike]))[:MOST_LIKE]


def _dated(library: Memories, keys: Sequence[int]) -> dict[int, Dated[Memory]]:
    rows: Iterable[Dated[Any]] = library.memories_by_key(keys)
    return {row.item.key: row for row in rows if row.item.key is not None}


def _cases(library: Cases, keys: Sequence[int]) -> dict[int, Case]:
    rows = library.cases_by_key(keys)
    return {row.item.key: row.item for row in rows if row.item.key is not None}


def case_counts(library: Cases) -> dict[Task, int]:
    return {task: len(library.find_cases(CaseFilter(task=task))) for task in Task}
