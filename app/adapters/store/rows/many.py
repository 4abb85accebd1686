"""Many items stored exactly as given and others deleted, as `sql_curating` does it with a few, a thousand at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from app.adapters.store.chunks import chunks
from app.adapters.store.rows.curating import KEYS, by_keys, identity, shelf_of
from app.adapters.store.writing.adding import cleaned, next_key
from app.adapters.store.writing.entries import Entry
from app.adapters.store.writing.pending_secrets import PendingSecrets
from app.domain.errors import StaleError, StoreError
from app.domain.journal import Item, ItemKey, ThingKind, kind_of, name_of
from app.domain.library import Memory

FEW = 50
"""So many items are stored one by one."""


def change(entry: Entry, items: Iterable[Item], gone: Iterable[ItemKey], secrets: PendingSecrets) -> list[Item]:
    """Take items out and store others; the stored ones as they are now, in order.

    StaleError for one with a key that was made on another version than is stored; StoreError where two would have the
    same name. What goes makes room for a newcomer of its name.
    """
    gone = list(gone)
    by_kind: defaultdict[ThingKind, list[tuple[int, Item]]] = defaultdict(list)
    for place, item in enumerate(map(cleaned, items)):
        by_kind[kind_of(item)].append((place, item))
    found: dict[int, Item] = {}
    for kind in ThingKind:
        entry.delete(kind, [key for other, key in gone if other is kind])
        places = [place for place, _ in by_kind[kind]]
        keys = _put(entry, kind, [item for _, item in by_kind[kind]], secrets)
        now = by_keys(entry.connection, kind, keys)
        found |= {place: now[key] for place, key in zip(places, keys, strict=True)}
    return [found[place] for place in sorted(found)]


def _put(entry: Entry, kind: ThingKind, items: Sequence[Item], secrets: PendingSecrets) -> list[int]:
    """Store items of one kind; their keys."""
    shelf = shelf_of(kind, secrets)
    free = next_key(entry.connection, KEYS[kind])
    keys: list[int] = []
    named: set[Hashable] = set()
    for chunk in chunks(items):
        stored = by_keys(entry.connection, kind, [item.key for item in chunk if item.key is not None])
        shelf.fetch(entry.connection, chunk)
        new: dict[int, Item] = {}
        changed: dict[int, Item] = {}
        for item in chunk:
            before = None if item.key is None else stored.get(item.key)
            if item.key is not None and (before is None or before.version != item.version):
                raise StaleError(item, before)
            _check_name(kind, item, shelf.find(item), named)
            if before is None:
                new[free] = item
                keys.append(free)
                free += 1
            else:
                assert item.key is not None, "it is stored under its key"
                keys.append(item.key)
                now = shelf.restated(before, item) if kind is ThingKind.POWER else item
                if now != before:
                    changed[item.key] = now
        shelf.write(entry, new, changed)
    return keys


def _check_name(kind: ThingKind, item: Item, same: tuple[int, Item] | None, named: set[Hashable]) -> None:
    """StoreError if another, stored or among these, has the name that must be the item's own."""
    own = identity(item)
    if own is None:
        return
    if own in named or (same is not None and same[0] != item.key):
        word = {ThingKind.POWER: "name", ThingKind.CASE: "text"}.get(kind, "id")
        raise StoreError(
            f"Another {kind.value} has the {word} “{name_of(item)}” already: give this one a different {word}."
            if item.key is not None or isinstance(item, Memory)
            else f"A {kind.value} “{name_of(item)}” exists already: edit that one, or name this differently."
        )
    named.add(own)
