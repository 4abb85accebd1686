"""Deeds of a person: items stored exactly as given or deleted, checked against what others did meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection
from sqlalchemy.orm import InstrumentedAttribute

from app.adapters.store.chunks import among
from app.adapters.store.rows import cases, memories, powers, rules
from app.adapters.store.writing.adding import Repository, add_all, cleaned, next_key
from app.adapters.store.writing.entries import Entry
from app.adapters.store.writing.pending_secrets import PendingSecrets
from app.domain.case import Case
from app.domain.errors import StaleError, StoreError
from app.domain.intent import Rule
from app.domain.journal import Item, ItemKey, ThingKind, kind_of, name_of
from app.domain.library import Memory, Power
from db.schema import CaseRow, MemoryRow, PowerRow, RuleRow, digest

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


def change(
    entry: Entry, items: Iterable[Item], gone: Iterable[ItemKey], secrets: PendingSecrets, *, anyway: bool = False
) -> list[Item]:
    """Store items and take others out; the stored ones as they are now, in order.

    An item with a key is stored exactly, if it was made on the version that is stored: else StaleError, unless
    `anyway`, which also brings back what is gone, and revives no approval (S5.5). An item without a key is new, and
    restates the one of its name only `anyway` (a memory is always new). StoreError where another has the same name or
    text.
    """
    keys: list[ItemKey] = []
    for item in map(cleaned, items):
        kind = kind_of(item)
        keys.append((kind, _put(entry, kind, item, secrets, anyway=anyway)))
    for kind in ThingKind:
        entry.delete(kind, [key for other, key in gone if other is kind])
    stored = {(kind, item.key): item for kind in {kind for kind, _ in keys} for item in _now(entry, kind, keys)}
    return [stored[key] for key in keys]


def by_keys(connection: Connection, kind: ThingKind, keys: Iterable[int]) -> dict[int, Item]:
    """The items of these keys, those that are there."""
    found = SELECTED[kind](connection, among(KEYS[kind], keys))
    return {item.key: item for item in found if item.key is not None}


def _now(entry: Entry, kind: ThingKind, keys: list[ItemKey]) -> Iterable[Item]:
    return by_keys(entry.connection, kind, [key for other, key in keys if other is kind]).values()


def _put(entry: Entry, kind: ThingKind, item: Item, secrets: PendingSecrets, *, anyway: bool) -> int:
    """Store one item; its key."""
    shelf = shelf_of(kind, secrets)
    first_free = next_key(entry.connection, KEYS[kind])
    if item.key is None and not isinstance(item, Memory):
        shelf.fetch(entry.connection, [item])
        found = shelf.find(item)
        if found is not None and not anyway:
            raise StoreError(
                f"A {kind.value} “{name_of(item)}” exists already: edit that one, or name this differently."
            )
        add_all(entry, [item], shelf, first_free)
        return first_free if found is None else found[0]
    key = first_free if item.key is None else item.key
    stored = by_keys(entry.connection, kind, [key]).get(key)
    if item.key is not None and not anyway and (stored is None or stored.version != item.version):
        raise StaleError(item, stored)
    check_name(entry.connection, kind, item, key)
    if anyway and isinstance(item, Power) and item.transport.env:
        item = replace(item, approved=item.approved and isinstance(stored, Power) and stored.approved)
    if stored is None:
        shelf.write(entry, {key: item}, {})
    elif (changed := shelf.restated(stored, item) if kind is ThingKind.POWER else item) != stored:
        shelf.write(entry, {}, {key: changed})
    return key


def shelf_of(kind: ThingKind, secrets: PendingSecrets) -> Repository[Any]:
    """What a kind of thing is found and written by."""
    match kind:
        case ThingKind.MEMORY:
            return memories.MemoryRepository()
        case ThingKind.POWER:
            return powers.PowerRepository(secrets)
        case ThingKind.RULE:
            return rules.RuleRepository()
        case ThingKind.CASE:
            return cases.CaseRepository()


def check_name(connection: Connection, kind: ThingKind, item: Item, key: int) -> None:
    """StoreError if another item of the kind has the name that must be its own."""
    same = _same_name(item)
    if same is not None and any(other.key != key for other in SELECTED[kind](connection, same)):
        word = {ThingKind.POWER: "name", ThingKind.CASE: "text"}.get(kind, "id")
        named = name_of(item)
        raise StoreError(f"Another {kind.value} has the {word} “{named}” already: give this one a different {word}.")


def identity(item: Item) -> Hashable | None:
    """What no other item of its kind may share; None if there is nothing of the kind."""
    match item:
        case Memory() | Rule():
            return item.id
        case Power():
            return item.name
        case Case():
            return item.task, item.text


def _same_name(item: Item) -> ColumnElement[bool] | None:
    match item:
        case Memory():
            return None if item.id is None else MemoryRow.external_id == item.id
        case Power():
            return PowerRow.name == item.name
        case Rule():
            return RuleRow.external_id == item.id
        case Case():
            return (CaseRow.digest == digest(item.text)) & (CaseRow.task == item.task.value)
