"""Items of any kind: found by key, and stored exactly or deleted, checked against what others did meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection
from sqlalchemy.orm import InstrumentedAttribute

from app.adapters.store.chunks import among, chunks
from app.adapters.store.rows import cases, memories, powers, rules
from app.adapters.store.writing.adding import Repository, cleaned, next_key
from app.adapters.store.writing.entries import Entry
from app.adapters.store.writing.pending_secrets import PendingSecrets
from app.domain.case import Case
from app.domain.errors import StaleError, StoreError
from app.domain.intent import Rule
from app.domain.journal import Item, ItemKey, ThingKind, kind_of, name_of
from app.domain.library import Memory, Power
from db.schema import CaseRow, MemoryRow, PowerRow, RuleRow

KEYS: dict[ThingKind, InstrumentedAttribute[int]] = {
    ThingKind.MEMORY: MemoryRow.id,
    ThingKind.POWER: PowerRow.id,
    ThingKind.RULE: RuleRow.id,
    ThingKind.CASE: CaseRow.id,
}

SELECTED: dict[ThingKind, Callable[[Connection, ColumnElement[bool]], Sequence[Item]]] = {
    ThingKind.MEMORY: memories.selected,
    ThingKind.POWER: powers.selected,
    ThingKind.RULE: rules.selected,
    ThingKind.CASE: cases.selected,
}

REPOSITORIES: dict[ThingKind, Callable[[PendingSecrets], Repository[Any]]] = {
    ThingKind.MEMORY: lambda _: memories.MemoryRepository(),
    ThingKind.POWER: powers.PowerRepository,
    ThingKind.RULE: lambda _: rules.RuleRepository(),
    ThingKind.CASE: lambda _: cases.CaseRepository(),
}

UNIQUE = {ThingKind.MEMORY: "id", ThingKind.POWER: "name", ThingKind.RULE: "id", ThingKind.CASE: "text"}
"""In words, what no other item of the kind may share."""


def change(
    entry: Entry, items: Iterable[Item], gone: Iterable[ItemKey], secrets: PendingSecrets, *, anyway: bool = False
) -> list[Item]:
    """Take items out and store others; the stored ones as they are now, in order.

    An item with a key is stored exactly, if it was made on the version that is stored: else StaleError, unless
    `anyway`, which also brings back what is gone, and revives no approval (S5.5). An item without a key is new, and
    restates the one of its name only `anyway` (a memory is always new). StoreError where another has the same name or
    text; what is taken out makes room for a newcomer of its name.
    """
    given = list(map(cleaned, items))
    gone = list(gone)
    found: dict[int, Item] = {}
    for kind in ThingKind:
        entry.delete(kind, [key for other, key in gone if other is kind])
        places = [place for place, item in enumerate(given) if kind_of(item) is kind]
        if places:
            write = _Write(entry, kind, secrets, anyway=anyway)
            keys = [key for chunk in chunks(places) for key in write.put([given[place] for place in chunk])]
            now = by_keys(entry.connection, kind, keys)
            found |= {place: now[key] for place, key in zip(places, keys, strict=True)}
    return [found[place] for place in sorted(found)]


def by_keys(connection: Connection, kind: ThingKind, keys: Sequence[int]) -> dict[int, Item]:
    """The items of these keys, those that are there."""
    found = SELECTED[kind](connection, among(KEYS[kind], keys)) if keys else ()
    return {item.key: item for item in found if item.key is not None}


def check_names(connection: Connection, kind: ThingKind, items: Iterable[Item], secrets: PendingSecrets) -> None:
    """StoreError if a stored item has the name or text that one of these, under another key, must have for itself."""
    for chunk in chunks(items):
        repository = _repository(connection, kind, chunk, secrets)
        for item in chunk:
            found = repository.find(item) if identity(item) is not None else None
            if found is not None and found[0] != item.key:
                raise _taken(kind, item)


def identity(item: Item) -> Hashable | None:
    """What no other item of its kind may share; None if there is nothing of the kind."""
    match item:
        case Memory() | Rule():
            return item.id
        case Power():
            return item.name
        case Case():
            return item.task, item.text


class _Write:
    """Unit of work: items of one kind, looked up and written a chunk at a time, as if each came after the other."""

    def __init__(self, entry: Entry, kind: ThingKind, secrets: PendingSecrets, *, anyway: bool) -> None:
        self._entry, self._kind, self._secrets, self._anyway = entry, kind, secrets, anyway
        self._free: int | None = None
        self._now: dict[int, Item] = {}
        """What this has stored, or is about to, by key."""

    def put(self, items: Sequence[Item]) -> list[int]:
        """Store one chunk; the keys in order."""
        connection = self._entry.connection
        stored = by_keys(connection, self._kind, [item.key for item in items if item.key is not None])
        repository = _repository(connection, self._kind, items, self._secrets)
        new: dict[int, Item] = {}
        changed: dict[int, Item] = {}
        keys: list[int] = []
        for item in items:
            same = self._same(repository, item)
            key, before, after = self._resolved(repository, item, same, stored)
            keys.append(key)
            if after != before:
                (new if before is None or key in new else changed)[key] = after
            self._now[key] = after
            if identity(after) is not None:
                repository.hold(key, after)
        repository.write(self._entry, new, changed)
        return keys

    def _same(self, repository: Repository[Any], item: Item) -> tuple[int, Item] | None:
        """The key and the item that has the name of this one, which may be this one as it was."""
        own = identity(item)
        found = repository.find(item) if own is not None else None
        if found is None or identity(self._now.get(found[0], found[1])) != own:
            return None  # nobody has it, or who had it is called otherwise by now
        return found

    def _resolved(
        self,
        repository: Repository[Any],
        item: Item,
        same: tuple[int, Item] | None,
        stored: dict[int, Item],
    ) -> tuple[int, Item | None, Item]:
        """The key under which an item is stored, what is there before, and what is to be there."""
        if item.key is None:
            if same is None:
                return self._next_key(), None, item
            if isinstance(item, Memory):
                raise _taken(self._kind, item)
            if not self._anyway:
                named = f"{self._kind.value} “{name_of(item)}”"
                raise StoreError(f"A {named} exists already: edit that one, or name this differently.")
            return same[0], same[1], repository.restated(same[1], item)
        key, before = item.key, self._now.get(item.key, stored.get(item.key))
        if not self._anyway and (before is None or before.version != item.version or key in self._now):
            raise StaleError(item, before)
        if same is not None and same[0] != key:
            raise _taken(self._kind, item)
        if self._anyway and isinstance(item, Power) and item.transport.env:
            item = replace(item, approved=item.approved and isinstance(before, Power) and before.approved)
        if before is not None and self._kind is ThingKind.POWER:
            return key, before, repository.restated(before, item)
        return key, before, item

    def _next_key(self) -> int:
        self._free = next_key(self._entry.connection, KEYS[self._kind]) if self._free is None else self._free + 1
        return self._free


def _repository(
    connection: Connection, kind: ThingKind, items: Sequence[Item], secrets: PendingSecrets
) -> Repository[Any]:
    """The repository of a kind, with those in sight that have the name of one of these items."""
    repository = REPOSITORIES[kind](secrets)
    if named := [item for item in items if identity(item) is not None]:
        repository.fetch(connection, named)
    return repository


def _taken(kind: ThingKind, item: Item) -> StoreError:
    word = UNIQUE[kind]
    named = name_of(item)
    return StoreError(f"Another {kind.value} has the {word} “{named}” already: give this one a different {word}.")
