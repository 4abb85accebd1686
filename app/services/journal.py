"""Editing, deleting and restoring what is taught; every step can be undone and redone, also after a restart (S7.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from app.detect.keywords import KeywordRules
from app.detect.pattern_faults import rule_fault
from app.domain.finding import MemoryEdit
from app.domain.journal import (
    Binned,
    Deed,
    Item,
    ItemKey,
    Revision,
    Step,
    ThingKind,
    Written,
    kind_of,
    name_of,
)
from app.domain.library import Kind, Memory, Power
from app.domain.rule import Rule
from app.ports import KnownError, Library
from app.scoring.index import AnswerKey, key_of
from app.services.inspect import Engine

AT_ONCE = 256
"""So many answers go into the index or out of it before a waiting keystroke gets its turn."""

WINDOW = "window"

Result = TypeVar("Result")


class Desk(Protocol):
    """What the journal needs of the desk: the engine, the store on its thread, and word that something has changed."""

    @property
    def engine(self) -> Engine: ...

    @property
    def writing(self) -> asyncio.Lock:
        """Held while something is changed."""
        ...

    async def in_store(self, call: Callable[[Library], Result]) -> Result: ...

    async def library_changed(self) -> None: ...


class Journal:
    """The verbs of one person at one desk; steps are shared with every program that has the library open.

    Each verb raises StoreError where nothing can be kept, and changes nothing then.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def do(
        self, deed: Deed, items: Iterable[Item] = (), gone: Sequence[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        """Store items and delete others as one step, then answer with them; None if that changes nothing.

        StaleError if another program changed one of them since it was read, unless `anyway`; KnownError for a rule
        whose pattern cannot be used.
        """
        items = list(items)
        for rule in items:
            if isinstance(rule, Rule) and (fault := rule_fault(rule)):
                raise KnownError(fault)
        async with self._desk.writing:
            return await self.follow(
                await self._desk.in_store(lambda library: library.change(deed, items, gone, anyway=anyway))
            )

    async def edit(self, item: Item, *, source: str = WINDOW, anyway: bool = False) -> Item:
        """Store one edited item; as it is now. StaleError tells what another program made of it meanwhile."""
        deed = Deed("edited", f"“{name_of(item)}”", source)
        written = await self.do(deed, [item], anyway=anyway)
        return item if written is None else written.items[0]

    async def edit_many(self, keys: Sequence[int], edit: MemoryEdit, *, source: str = WINDOW) -> Written | None:
        """Make one change to many memories as one step; None if they are so already."""
        deed = Deed("edited", source=source)
        async with self._desk.writing:
            written = await self._desk.in_store(lambda library: library.edit_memories(deed, keys, edit))
            if written is not None:
                items = await self._desk.in_store(lambda library: _memories(library, keys))
                await self.follow(replace(written, items=items))
            return written

    async def count_edited(self, keys: Sequence[int], edit: MemoryEdit) -> int:
        """How many memories that edit would change."""
        return await self._desk.in_store(lambda library: library.count_edited(keys, edit))

    async def delete(self, keys: Sequence[ItemKey], *, name: str = "", source: str = WINDOW) -> Written | None:
        """Delete items as one step; they go to the bin. `name` is what a single one is called."""
        return await self.do(Deed("deleted", f"“{name}”" if name else "", source), gone=keys)

    async def put_back(self, keys: Sequence[ItemKey], *, source: str = WINDOW) -> Written | None:
        """Take deleted items out of the bin as one step; StoreError where another has the same name by now."""
        deed = Deed("restored", source=source)
        async with self._desk.writing:
            return await self.follow(await self._desk.in_store(lambda library: library.put_back(deed, keys)))

    async def restore(self, item: Item, *, source: str = WINDOW) -> Written | None:
        """Bring an item back to a state that its history shows, as a new step; None if it is in that state."""
        deed = Deed("restored", f"an earlier {kind_of(item).value} “{name_of(item)}”", source)
        return await self.do(deed, [item], anyway=True)

    async def undo(self, step: int | None = None) -> Written | None:
        """Take back a step, or the last that stands; None if there is none.

        KnownError if what it changed has been changed again since; the step stays then.
        """
        async with self._desk.writing:
            return await self.follow(await self._desk.in_store(lambda library: library.undo(step)))

    async def redo(self) -> Written | None:
        """Do again what was taken back last; None if nothing was, or something new was done since."""
        async with self._desk.writing:
            return await self.follow(await self._desk.in_store(lambda library: library.redo()))

    async def steps(self, most: int = 200) -> list[Step]:
        """The newest steps, newest first, undone ones among them."""
        return await self._desk.in_store(lambda library: library.steps(most))

    async def history(self, kind: ThingKind, key: int) -> list[Revision]:
        """What was done to one item, newest first."""
        return await self._desk.in_store(lambda library: library.history(kind, key))

    async def binned(self) -> list[Binned]:
        """What is deleted and can be put back, last deleted first."""
        return await self._desk.in_store(lambda library: library.binned())

    async def empty_bin(self) -> None:
        """Forget for good what is deleted."""
        async with self._desk.writing:
            await self._desk.in_store(lambda library: library.empty_bin())

    async def follow(self, written: Written | None) -> Written | None:
        """Bring index and rules in step with what was written, a little at a time; `writing` is held."""
        if written is None:
            return None
        await self._take_out([_answer_key(key) for key in written.gone if key[0] in ANSWERS])
        await self._take_in([item for item in written.items if isinstance(item, Memory | Power)])
        kinds = {kind for kind, _ in written.gone} | {kind_of(item) for item in written.items}
        if ThingKind.RULE in kinds:
            self._desk.engine.rules = KeywordRules(await self._desk.in_store(lambda library: library.rules()))
        await self._desk.library_changed()
        return written

    async def _take_out(self, keys: Sequence[AnswerKey]) -> None:
        for start in range(0, len(keys), AT_ONCE):
            for key in keys[start : start + AT_ONCE]:
                self._desk.engine.index.remove(key)
            await asyncio.sleep(0)

    async def _take_in(self, answers: Sequence[Memory | Power]) -> None:
        engine = self._desk.engine
        for start in range(0, len(answers), AT_ONCE):
            chunk = answers[start : start + AT_ONCE]
            least = engine.settings.min_score
            scored = [one for one in chunk if not isinstance(one, Memory) or one.success >= least]
            left_out = [one for one in chunk if isinstance(one, Memory) and one.success < least]
            await self._take_out([key_of(one) for one in left_out])
            engine.index.put(scored)
            texts = dict.fromkeys(text for one in scored for text in one.triggers)
            engine.index.embed({text: v for text in texts if (v := engine.vectors.get(text)) is not None})
            await asyncio.sleep(0)


ANSWERS = {ThingKind.MEMORY: Kind.MEMORY, ThingKind.POWER: Kind.POWER}
"""The kinds of items that the index holds."""


def _answer_key(key: ItemKey) -> AnswerKey:
    return ANSWERS[key[0]], key[1]


def _memories(library: Library, keys: Sequence[int]) -> list[Item]:
    return [dated.item for dated in library.memories_by_key(keys)]
