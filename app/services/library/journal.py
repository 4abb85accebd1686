"""Journal: edits, deletes and restores as persistent steps with undo and redo (S7.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from app.detect.keywords import KeywordRules
from app.detect.patterns import rule_fault
from app.domain.errors import KnownError
from app.domain.filters import MemoryEdit
from app.domain.intent import Rule
from app.domain.journal import (
    Binned,
    Edit,
    Item,
    ItemKey,
    ItemKind,
    Revision,
    Step,
    Written,
    counted,
    kind_of,
    name_of,
)
from app.domain.library import Answer, Kind, Memory, Power
from app.ports.store import Steps
from app.scoring.index.layout import key_of
from app.services.core import Core
from app.services.engine.index_loader import IndexDiff, apply_diff
from app.services.engine.typing_priority import without_gc

WINDOW = "window"


class Journal:
    """`workbench.journal`. Steps are shared with every program that has the library open.

    Methods raise StoreError if nothing can be stored, and then change nothing.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    async def do(
        self, edit: Edit, items: Iterable[Item] = (), gone: Sequence[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        """Store and delete items as one step, then score them; None without a change.

        Raises StaleError if another program changed one of them since it was read, unless `anyway`; KnownError for a
        rule with an invalid pattern.
        """
        items = list(items)
        for rule in items:
            if isinstance(rule, Rule) and (fault := rule_fault(rule)):
                raise KnownError(fault)
        async with self._core.writing:
            return await self.follow(
                await self._core.in_store(lambda library: library.change(edit, items, gone, anyway=anyway))
            )

    async def edit(self, item: Item, *, source: str = WINDOW, anyway: bool = False) -> Item:
        """Store one edited item; return its stored version. StaleError has the other version."""
        edit = Edit("edited", f"“{name_of(item)}”", source)
        written = await self.do(edit, [item], anyway=anyway)
        return item if written is None else written.items[0]

    async def edit_many(self, keys: Sequence[int], change: MemoryEdit) -> Written | None:
        """Apply one change to many memories as one step; None without a change."""
        edit = Edit("edited", source=WINDOW)
        async with self._core.writing:
            with without_gc(len(keys)):
                return await self.follow(
                    await self._core.in_store(lambda library: library.edit_memories(edit, keys, change))
                )

    async def count_edited(self, keys: Sequence[int], edit: MemoryEdit) -> int:
        """Return the number of memories that the edit would change."""
        return await self._core.in_store(lambda library: library.count_edited(keys, edit))

    async def delete(self, keys: Sequence[ItemKey], *, name: str = "", source: str = WINDOW) -> Written | None:
        """Delete items as one step; they go to the bin. `name` is a single item's name."""
        return await self.do(Edit("deleted", f"“{name}”" if name else "", source), gone=keys)

    async def pause(self, answers: Sequence[Answer], *, on: bool, source: str = WINDOW) -> Written | None:
        """Pause or enable memories and powers as one step; None without a change."""
        changed = [replace(one, paused=on) for one in answers if one.paused is not on]
        if not changed:
            return None
        subject, kinds = f"“{name_of(changed[0])}”", {kind_of(one) for one in changed}
        if len(changed) > 1:
            subject = counted(kinds.pop(), len(changed)) if len(kinds) == 1 else ""
        return await self.do(Edit("paused" if on else "resumed", subject, source), changed)

    async def put_back(self, keys: Sequence[ItemKey], *, source: str = WINDOW) -> Written | None:
        """Restore deleted items from the bin as one step; raises StoreError if a name is taken."""
        edit = Edit("restored", source=source)
        async with self._core.writing:
            return await self.follow(await self._core.in_store(lambda library: library.put_back(edit, keys)))

    async def restore(self, item: Item, *, source: str = WINDOW) -> Written | None:
        """Restore an earlier state of an item as a new step; None without a change."""
        edit = Edit("restored", f"an earlier {kind_of(item).value} “{name_of(item)}”", source)
        return await self.do(edit, [item], anyway=True)

    async def undo(self, step: int | None = None) -> Written | None:
        """Undo a step, or the last one in force; None if there is none.

        Raises KnownError if its items have changed since, SettingsError if its former settings are refused; the step
        then stays.
        """
        async with self._core.writing:
            standing = [one for one in await self.steps(by="" if step is None else None) if not one.undone]
            mine = [one for one in standing if step in (None, one.id)]
            which = mine[0].id if mine else step  # a fixed step, whatever another program does meanwhile
            held = await self._core.in_store(lambda library: library.settings_of_step(which))
            return await self._swap(mine[:1], held, lambda library: library.undo(which))

    async def redo(self) -> Written | None:
        """Redo the last undone step; None if there is none, or a new step was made since.

        Raises KnownError and SettingsError as of `undo`.
        """
        async with self._core.writing:
            undone = [one for one in await self.steps(by="") if one.undone]
            held = await self._core.in_store(lambda library: library.settings_of_step(redo=True))
            return await self._swap(undone, held, lambda library: library.redo())

    async def _swap(
        self, among: Sequence[Step], held: Mapping[str, str | None], swap: Callable[[Steps], Written | None]
    ) -> Written | None:
        """Undo or redo the step `among` these, and apply its settings."""
        with without_gc(max((one.count for one in among), default=0)):
            if held:
                return await self.follow(await self._core.choosing(held, swap))
            return await self.follow(await self._core.in_store(swap))

    async def steps(self, most: int = 200, by: str | None = None) -> list[Step]:
        """Return the newest steps, newest first, undone ones included.

        `by` limits them to an author, "" for the user.
        """
        return await self._core.in_store(lambda library: library.steps(most, by))

    async def last(self) -> Step | None:
        """Return the step that an undo would undo; None if there is none."""
        return next((one for one in await self.steps(by="") if not one.undone), None)

    async def last_of_settings(self) -> Step | None:
        """Return the last step in force, if it changed settings."""
        step = await self.last()
        held = await self._core.in_store(lambda library: library.settings_of_step(step.id)) if step else {}
        return step if held else None

    async def redoes_settings(self) -> bool:
        """Check if the step to redo changes settings."""
        return bool(await self._core.in_store(lambda library: library.settings_of_step(redo=True)))

    async def history(self, kind: ItemKind, key: int) -> list[Revision]:
        """Return the revisions of one item, newest first."""
        return await self._core.in_store(lambda library: library.history(kind, key))

    async def binned(self) -> list[Binned]:
        """Return the restorable deleted items, last deleted first."""
        return await self._core.in_store(lambda library: library.binned())

    async def empty_bin(self) -> None:
        """Delete the bin's items permanently."""
        async with self._core.writing:
            await self._core.in_store(lambda library: library.empty_bin())

    async def follow(self, written: Written | None) -> Written | None:
        """Apply written changes to index and rules in batches. Holds `writing`."""
        self._core.last_step = None if written is None else written.step.id
        if written is None:
            return None
        engine, change = self._core.engine, self._index_diff(written)
        memories = [one.key for one in change.added if isinstance(one, Memory) and one.key is not None]
        if engine.candidates is not None and memories:
            # Of many, the server finds those needed.
            memories = engine.candidates.admitted(memories)
            admitted = {(Kind.MEMORY, key) for key in memories}
            added = [one for one in change.added if isinstance(one, Power) or key_of(one) in admitted]
            change = IndexDiff(added, change.removed)
        await apply_diff(engine.index, change, self._core.typing_priority, vector=engine.vectors.get)
        if engine.candidates is not None and memories:
            await engine.candidates.load_keys(memories)
        kinds = {kind for kind, _ in written.gone} | {kind_of(item) for item in written.items}
        if ItemKind.RULE in kinds:
            self._core.engine.rules = KeywordRules(await self._core.in_store(lambda library: library.rules()))
        await self._core.library_changed()
        return written

    def _index_diff(self, written: Written) -> IndexDiff:
        """Return the index diff of written changes, without paused and low-success items (S2.11)."""
        least = self._core.engine.settings.min_score
        gone = [(ANSWERS[key[0]], key[1]) for key in written.gone if key[0] in ANSWERS]
        added: list[Answer] = []
        for item in written.items:
            if isinstance(item, Memory | Power):
                if item.paused or (isinstance(item, Memory) and item.success < least):
                    gone.append(key_of(item))
                else:
                    added.append(item)
        return IndexDiff(added, gone)


ANSWERS = {ItemKind.MEMORY: Kind.MEMORY, ItemKind.POWER: Kind.POWER}
"""Kinds of items that are indexed."""
