"""Rows of items of any kind: look-up, writes, deletion, past revisions, memories' triggers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Connection, or_, select, update

from app.adapters.store.connections import KEYS_AT_ONCE, among, array, chunks
from app.adapters.store.damage import check, decoding, halved
from app.adapters.store.entries import (
    JournalEntry,
    drop_undone,
    item_of,
    items_in,
    put_back,
    without_revived_approval,
)
from app.adapters.store.journal import STEP_COLUMNS, author_of, step_of
from app.adapters.store.pending_secrets import PendingSecrets
from app.adapters.store.rows.powers import PowerRepository
from app.adapters.store.writes import Repository, add_all, cleaned, identity, merged_memory, next_key
from app.domain.case import Case, Task
from app.domain.errors import StaleError, StoreError
from app.domain.filters import MemoryEdit, touched
from app.domain.intent import Rule
from app.domain.journal import (
    BY_PLURAL,
    Binned,
    Edit,
    Item,
    ItemKey,
    ItemKind,
    Revision,
    Step,
    Written,
    kind_of,
    name_of,
)
from app.domain.library import Memory, Power
from app.ports.store import DistinctPair, WriteResult
from db.schema import CaseRow, MemoryRow, RuleRow, TriggerRow, digest

# In the order of the fields of Memory after its triggers.
_COLUMNS = (
    MemoryRow.response, MemoryRow.intent, MemoryRow.namespace, MemoryRow.tags, MemoryRow.external_id,
    MemoryRow.success, MemoryRow.usage, MemoryRow.paused, MemoryRow.id, MemoryRow.source, MemoryRow.version,
    MemoryRow.right, MemoryRow.valid_from, MemoryRow.valid_to, MemoryRow.replaces,
)  # fmt: skip


class MemoryRepository(Repository[Memory]):
    """Stored memories, in key order.

    A memory with an id updates the one of that id. One without updates the one with the same first trigger and
    label: of several the one without an id, then the oldest.
    """

    kind, row, unique, owners = ItemKind.MEMORY, MemoryRow, "id", (TriggerRow.memory_id,)

    def __init__(self, secrets: PendingSecrets) -> None:
        super().__init__(secrets)
        self._by_key: dict[int, Memory] = {}
        self._by_id: dict[str, int] = {}
        self._by_text: defaultdict[tuple[str, str | None], list[int]] = defaultdict(list)

    @staticmethod
    def selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Memory]:
        with decoding("memories"):
            rows = select(*_COLUMNS).order_by(MemoryRow.id)
            texts = select(TriggerRow.memory_id, TriggerRow.text).order_by(TriggerRow.memory_id, TriggerRow.position)
            if where is not None:
                rows = rows.where(where)
                texts = texts.where(TriggerRow.memory_id.in_(select(MemoryRow.id).where(where)))
            triggers: defaultdict[int, list[str]] = defaultdict(list)
            for owner, text in connection.execute(texts):
                triggers[owner].append(text)
            # Equal values of memories are shared, which saves a fifth of the memory.
            labels: dict[str | None, str | None] = {}
            words: dict[str, str] = {}
            numbers: dict[float, float] = {}
            found = [
                Memory(
                    tuple(triggers[key]), response, labels.setdefault(intent, intent),
                    words.setdefault(namespace, namespace), tuple(tags), name, numbers.setdefault(success, success),
                    usage, paused, key, words.setdefault(source, source), version, right, start, end, tuple(replaces),
                )
                for response, intent, namespace, tags, name, success, usage, paused, key, source, version, right, start,
                end, replaces in connection.execute(rows)
            ]  # fmt: skip
            for memory in found:
                check(memory)
            return found

    def updatable(self, chunk: Sequence[Memory]) -> ColumnElement[bool]:
        ids = {memory.id for memory in chunk if memory.id is not None}
        digests = {digest(memory.triggers[0]) for memory in chunk if memory.id is None}
        first = select(TriggerRow.memory_id).where(TriggerRow.position == 0, TriggerRow.digest.in_(digests))
        wanted = []
        if ids:
            wanted.append(MemoryRow.external_id.in_(ids))
        if digests:
            wanted.append(MemoryRow.id.in_(first))
        return or_(*wanted)

    def fetch(self, connection: Connection, chunk: Sequence[Memory]) -> None:
        self._by_key, self._by_id = {}, {}
        self._by_text.clear()
        for memory in self.selected(connection, self.updatable(chunk)):
            assert memory.key is not None
            self.hold(memory.key, memory)

    def find(self, incoming: Memory) -> tuple[int, Memory] | None:
        if incoming.id is not None:
            key = self._by_id.get(incoming.id)
        else:
            # A memory changed in this chunk is still listed under its former text.
            held = (k for k in self._by_text.get(_text(incoming), ()) if _text(self._by_key[k]) == _text(incoming))
            key = min(held, key=lambda k: (self._by_key[k].id is not None, k), default=None)
        return None if key is None else (key, self._by_key[key])

    def hold(self, key: int, thing: Memory) -> None:
        self._by_key[key] = thing if thing.key == key else replace(thing, key=key)
        if thing.id is not None:
            self._by_id[thing.id] = key
        if key not in self._by_text[_text(thing)]:
            self._by_text[_text(thing)].append(key)

    def merged(self, stored: Memory, incoming: Memory) -> Memory:
        return merged_memory(stored, incoming)

    def write(self, entry: JournalEntry, new: Mapping[int, Memory], changed: Mapping[int, Memory]) -> None:
        sourced = {key: one if one.source else replace(one, source=entry.source) for key, one in new.items()}
        super().write(entry, sourced, changed)


def edit(entry: JournalEntry, keys: Iterable[int], change: MemoryEdit) -> list[Memory]:
    """Edit these memories; absent and unchanged ones are skipped.

    Returns the changed ones. The text index is only updated if indexed fields change.
    """
    written: list[Memory] = []
    for chunk in chunks(sorted(keys), KEYS_AT_ONCE):
        written += _edit_some(entry, chunk, change)
    return written


def _edit_some(entry: JournalEntry, keys: Sequence[int], change: MemoryEdit) -> list[Memory]:
    stored = {memory.key: memory for memory in MemoryRepository.selected(entry.connection, among(MemoryRow.id, keys))}
    changed = {memory.key: memory for memory in touched(change, list(stored.values())) if memory.key is not None}
    reworded = [key for key, memory in changed.items() if _found_by(memory) != _found_by(stored[key])]
    entry.changing(ItemKind.MEMORY, reworded)
    entry.changing(ItemKind.MEMORY, list(changed.keys() - set(reworded)), texts=False)
    said = {"namespace": change.namespace, "success": change.success, "paused": change.paused}
    values: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    if change.label is not None:
        values["intent"] = change.label or None
    wanted = update(MemoryRow).where(among(MemoryRow.id, changed))
    entry.connection.execute(wanted.values(version=entry.number, **values))
    tags = [(orjson.dumps(m.tags).decode(), key) for key, m in changed.items() if m.tags != stored[key].tags]
    if tags:
        entry.connection.exec_driver_sql("UPDATE memories SET tags = ? WHERE id = ?", tags)
    entry.written(ItemKind.MEMORY, reworded)
    return [replace(memory, version=entry.number) for memory in changed.values()]


def _found_by(memory: Memory) -> tuple[str | None, tuple[str, ...]]:
    """Return the indexed fields that a bulk edit may change."""
    return memory.intent, memory.tags


def _text(memory: Memory) -> tuple[str, str | None]:
    return memory.triggers[0], memory.intent


# ---- Pairs marked as no duplicates: digests, in force unless the step that marked them is undone.


def selected_distinct_pairs(connection: Connection) -> set[DistinctPair]:
    rows = connection.exec_driver_sql(
        "SELECT one, other FROM differences WHERE step_id NOT IN (SELECT id FROM steps WHERE undone > 0)"
    )
    return {(one, other) for one, other in rows}


def put(connection: Connection, edit: Edit, pairs: Iterable[DistinctPair]) -> Written | None:
    """Mark pairs as no duplicates in one step; None, without a step, if all are marked already."""
    held = selected_distinct_pairs(connection)
    fresh = [pair for pair in dict.fromkeys(pairs) if pair not in held]
    if not fresh:
        return None
    drop_undone(connection)
    number = connection.exec_driver_sql(
        "INSERT INTO steps (verb, subject, count, source, author) "
        "VALUES (?, ?, ?, ?, (SELECT '' FROM team)) RETURNING id",
        (edit.verb, edit.subject, len(fresh), edit.source),
    ).scalar_one()
    step = step_of(connection.exec_driver_sql(f"SELECT {STEP_COLUMNS} FROM steps s WHERE s.id = ?", (number,)).one())
    for chunk in chunks(fresh):
        connection.exec_driver_sql(
            "INSERT INTO differences (one, other, step_id) VALUES (?, ?, ?)", [(*pair, step.id) for pair in chunk]
        )
    return Written(step)


class RuleRepository(Repository[Rule]):
    """Stored rules, by pack and position."""

    kind, row, unique = ItemKind.RULE, RuleRow, "id"

    @staticmethod
    def selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Rule]:
        rows = select(RuleRow.__table__).order_by(RuleRow.pack, RuleRow.position, RuleRow.id)
        return items_in(connection, ItemKind.RULE, rows if where is None else rows.where(where))

    def updatable(self, chunk: Sequence[Rule]) -> ColumnElement[bool]:
        return RuleRow.external_id.in_({rule.id for rule in chunk})


class CaseRepository(Repository[Case]):
    """Stored cases, in key order; an equal task and text replaces the expectation."""

    kind, row, unique = ItemKind.CASE, CaseRow, "text"

    @staticmethod
    def selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Case]:
        columns = (CaseRow.id, CaseRow.task, CaseRow.text, CaseRow.expected, CaseRow.version, CaseRow.unwanted)
        rows = select(*columns).order_by(CaseRow.id)
        return items_in(connection, ItemKind.CASE, rows if where is None else rows.where(where))

    def updatable(self, chunk: Sequence[Case]) -> ColumnElement[bool]:
        return CaseRow.digest.in_({digest(case.text) for case in chunk})

    def merged(self, stored: Case, incoming: Case) -> Case:
        """Merge; excluded answers are kept unless the new case names or expects others."""
        kept = tuple(name for name in stored.unwanted if name not in incoming.expected)
        return super().merged(stored, replace(incoming, unwanted=incoming.unwanted or kept))


def cases_among(connection: Connection, texts: Iterable[str]) -> frozenset[str]:
    """Return the texts that are a case's query; found by task and digest, which share an index."""
    wanted, found = frozenset(texts), set[str]()
    every = CaseRow.task.in_([task.value for task in Task])
    for chunk in chunks(wanted):
        held = select(CaseRow.text).where(every, CaseRow.digest.in_([digest(text) for text in chunk]))
        found.update(connection.scalars(held))
    return wanted & found


REPOSITORIES: dict[ItemKind, type[Repository[Any]]] = {
    repository.kind: repository for repository in (MemoryRepository, PowerRepository, RuleRepository, CaseRepository)
}


def change(
    entry: JournalEntry,
    items: Iterable[Item],
    gone: Iterable[ItemKey],
    secrets: PendingSecrets,
    *,
    anyway: bool = False,
) -> list[Item]:
    """Delete items and store others; return the stored ones, in order.

    An item with a key is stored exactly, if it was made on the stored version: else StaleError, unless `anyway`,
    which also restores deleted ones, without their approval (S5.5). An item without a key is new; with `anyway` it
    updates the one of its name (a memory is always new). Raises StoreError on a conflict of names or texts; deleted
    items do not conflict.
    """
    given = list(map(cleaned, items))
    gone = list(gone)
    found: dict[int, Item] = {}
    for kind in ItemKind:
        entry.delete(kind, [key for other, key in gone if other is kind])
        places = [place for place, item in enumerate(given) if kind_of(item) is kind]
        if places:
            write = _Write(entry, kind, secrets, anyway=anyway)
            keys = [key for chunk in chunks(places) for key in write.put([given[place] for place in chunk])]
            now = by_keys(entry.connection, kind, keys)
            found |= {place: now[key] for place, key in zip(places, keys, strict=True)}
    return [found[place] for place in sorted(found)]


def by_keys(connection: Connection, kind: ItemKind, keys: Sequence[int]) -> dict[int, Item]:
    repository = REPOSITORIES[kind]
    found = repository.selected(connection, among(repository.row.id, keys)) if keys else ()
    return {item.key: item for item in found if item.key is not None}


def check_names(connection: Connection, kind: ItemKind, items: Iterable[Item], secrets: PendingSecrets) -> None:
    """Raise StoreError if a stored item of another key has the unique field of one of these."""
    for chunk in chunks(items):
        repository = _repository(connection, kind, chunk, secrets)
        for item in chunk:
            found = repository.find(item) if identity(item) is not None else None
            if found is not None and found[0] != item.key:
                raise _duplicate_error(kind, item)


def add(entry: JournalEntry, table: str, items: Iterable[Any], secrets: PendingSecrets) -> WriteResult:
    """Add items of one table; those with the unique field of a stored one update that one."""
    return add_all(entry, items, REPOSITORIES[BY_PLURAL[table]](secrets))


class _Write:
    """Unit of work: items of one kind, looked up and written in chunks as if one by one."""

    def __init__(self, entry: JournalEntry, kind: ItemKind, secrets: PendingSecrets, *, anyway: bool) -> None:
        self._entry, self._kind, self._secrets, self._anyway = entry, kind, secrets, anyway
        self._free: int | None = None
        self._now: dict[int, Item] = {}
        """Items that this has stored or will store, by key."""

    def put(self, items: Sequence[Item]) -> list[int]:
        """Store one chunk; return the keys in order."""
        connection = self._entry.connection
        stored = by_keys(connection, self._kind, [item.key for item in items if item.key is not None])
        repository = _repository(connection, self._kind, items, self._secrets)
        new: dict[int, Item] = {}
        changed: dict[int, Item] = {}
        keys: list[int] = []
        for item in items:
            key, before, after = self._resolved(repository, item, self._same(repository, item), stored)
            keys.append(key)
            if after != before:
                (new if before is None or key in new else changed)[key] = after
            self._now[key] = after
            if identity(after) is not None:
                repository.hold(key, after)
        repository.write(self._entry, new, changed)
        return keys

    def _same(self, repository: Repository[Any], item: Item) -> tuple[int, Item] | None:
        """Return the key and item with the same unique field, possibly the item's own version."""
        own = identity(item)
        found = repository.find(item) if own is not None else None
        if found is None or identity(self._now.get(found[0], found[1])) != own:
            return None  # it is unused, or its holder is renamed now
        return found

    def _resolved(
        self, repository: Repository[Any], item: Item, same: tuple[int, Item] | None, stored: dict[int, Item]
    ) -> tuple[int, Item | None, Item]:
        """Return an item's key, the stored item, and the item to store."""
        if item.key is None:
            if same is None:
                return self._next_key(), None, item
            if isinstance(item, Memory):
                raise _duplicate_error(self._kind, item)
            if not self._anyway:
                named = f"{self._kind.value} “{name_of(item)}”"
                raise StoreError(f"A {named} exists already: edit that one, or name this differently.")
            return same[0], same[1], repository.merged(same[1], item)
        key, before = item.key, self._now.get(item.key, stored.get(item.key))
        if not self._anyway and (before is None or before.version != item.version or key in self._now):
            known = self._entry.connection, self._kind, key
            raise StaleError(item, before, author_of(*known), _version_of(*known, item.version))
        if same is not None and same[0] != key:
            raise _duplicate_error(self._kind, item)
        if self._anyway and isinstance(item, Power) and item.transport.env:
            item = replace(item, approved=item.approved and isinstance(before, Power) and before.approved)
        if before is not None and self._kind is ItemKind.POWER:
            return key, before, repository.merged(before, item)
        return key, before, item

    def _next_key(self) -> int:
        self._free = (
            next_key(self._entry.connection, REPOSITORIES[self._kind].row.id) if self._free is None else self._free + 1
        )
        return self._free


def _version_of(connection: Connection, kind: ItemKind, key: int, version: int) -> Item | None:
    """Return an item in this version, if a step recorded it; else None."""
    state = connection.exec_driver_sql(
        "SELECT state FROM revisions WHERE kind = ? AND item_id = ? AND held = ? AND state NOT NULL LIMIT 1",
        (kind.value, key, version),
    ).scalar()
    return None if state is None else item_of(kind, key, version, state)


def _repository(
    connection: Connection, kind: ItemKind, items: Sequence[Item], secrets: PendingSecrets
) -> Repository[Any]:
    """Return the repository of a kind, with the items of the same unique fields."""
    repository = REPOSITORIES[kind](secrets)
    if named := [item for item in items if identity(item) is not None]:
        repository.fetch(connection, named)
    return repository


def _duplicate_error(kind: ItemKind, item: Item) -> StoreError:
    word = REPOSITORIES[kind].unique
    named = name_of(item)
    return StoreError(f"Another {kind.value} has the {word} “{named}” already: give this one a different {word}.")


# ---- Past states of items, the bin, and their retention.


STEP_WIDTH = len(STEP_COLUMNS.split(","))

NEWEST_FIRST = "ORDER BY r.step_id DESC"

DELETED = (
    "FROM revisions r JOIN steps s ON s.id = r.step_id WHERE s.undone = 0 AND r.present IS NULL AND r.state NOT NULL"
)


LIVED = (
    "(SELECT min(datetime('now'), coalesce(datetime(max(at), '+1 day'), '0001-01-01')) "
    "FROM (SELECT at FROM steps UNION ALL SELECT at FROM queries) WHERE at <= datetime('now', '-1 day'))"
)
"""Reference time of retention: a day after the newest activity before yesterday, or now.

Ages count from it rather than from now, so that a clock set far ahead, and activity on that day, make nothing old.
"""


def history(connection: Connection, kind: ItemKind, key: int) -> list[Revision]:
    """Return the steps in force on one item, newest first, up to a damaged record."""
    revisions = "FROM revisions r JOIN steps s ON s.id = r.step_id WHERE s.undone = 0 AND r.kind = ? AND r.item_id = ?"

    def read(some: Sequence[int] | None) -> list[tuple[Step, Item | None]]:
        among, values = ("", ()) if some is None else ("AND s.id IN (SELECT value FROM json_each(?))", (array(some),))
        with decoding("recorded states"):
            rows = connection.exec_driver_sql(
                f"SELECT {STEP_COLUMNS}, r.held, r.state {revisions} {among} {NEWEST_FIRST}", (kind.value, key, *values)
            )
            states = ((row, *row[STEP_WIDTH:]) for row in rows)
            return [(step_of(row), state and item_of(kind, key, held, state)) for row, held, state in states]

    def numbers() -> list[int]:
        rows = connection.exec_driver_sql(f"SELECT r.step_id {revisions} {NEWEST_FIRST}", (kind.value, key))
        return list(rows.scalars())

    found, damaged = halved(read, numbers)
    after: Item | None = by_keys(connection, kind, [key]).get(key)
    past: list[Revision] = []
    for step, before in found:
        if step.id < max(damaged, default=0):
            break
        past.append(Revision(step, before, after))
        after = before
    return past


def binned(connection: Connection) -> list[Binned]:
    """Return the restorable items, last deleted first, without damaged ones."""

    def read(kind: ItemKind, some: Sequence[int] | None) -> list[Binned]:
        with decoding("recorded states"):
            rows = _deleted_of(connection, kind, f"{STEP_COLUMNS}, r.item_id, r.held, r.state", some)
            return [Binned(step_of(row[1:]), kind, item_of(kind, *row[1 + STEP_WIDTH :])) for row in rows]

    found: list[Binned] = []
    for kind in ItemKind:
        found += halved(partial(read, kind), partial(_keys_deleted, connection, kind))[0]
    return sorted(found, key=lambda each: -each.step.id)


def put_back_binned(entry: JournalEntry, keys: Iterable[ItemKey], secrets: PendingSecrets) -> list[Item]:
    """Restore deleted items under their keys; those not in the bin are skipped.

    Raises StoreError on a conflict of names or texts. A power with environment names needs a new approval (S5.5).
    """
    wanted = set(keys)
    found = [(kind, *row) for kind, row in _deleted(entry.connection, "r.item_id, r.state")]
    items: list[Item] = []
    for kind in ItemKind:
        states = {
            key: without_revived_approval(kind, state, None)
            for other, key, state in found
            if other is kind and (kind, key) in wanted
        }
        restored = [item_of(kind, key, entry.number, state) for key, state in states.items()]
        check_names(entry.connection, kind, restored, secrets)
        _check_twins(kind, restored)
        entry.adding(kind, states)
        put_back(entry.connection, kind, ((key, entry.number, state) for key, state in states.items()))
        entry.written(kind, states)
        items += restored
    return items


def _check_twins(kind: ItemKind, items: Sequence[Item]) -> None:
    """Raise StoreError if two of them have the same name or text."""
    seen: set[Hashable] = set()
    for item in items:
        own = identity(item)
        if own is not None and own in seen:
            raise StoreError(
                f"More than one deleted {kind.value} is called “{name_of(item)}”: restore only one of them."
            )
        seen.add(own)


def empty(connection: Connection) -> None:
    """Delete the bin's items and their records permanently; "not a duplicate" marks stay."""
    doomed = [(kind, *row) for kind, row in _deleted(connection, "r.item_id")]
    for kind in ItemKind:
        keys = [key for other, key, *_ in doomed if other is kind]
        connection.exec_driver_sql(
            f"DELETE FROM revisions WHERE kind = '{kind}' AND item_id IN (SELECT value FROM json_each(?))",
            (array(keys),),
        )
    connection.exec_driver_sql(
        "DELETE FROM steps WHERE id NOT IN (SELECT step_id FROM revisions UNION SELECT step_id FROM differences "
        "UNION SELECT step_id FROM setting_revisions UNION SELECT step_id FROM decisions)"
    )


def prune(connection: Connection, days: int) -> None:
    """Delete the steps older than this many days.

    A step is old only if all before it are, so that a clock set back makes nothing old too early, nor does one far
    ahead. With 0 days all are deleted. A team's steps are kept.
    """
    now = LIVED if days else "'now'"
    connection.exec_driver_sql(
        "DELETE FROM steps WHERE id < coalesce("
        f"(SELECT min(id) FROM steps WHERE at > datetime({now}, ?)), (SELECT max(id) + 1 FROM steps)) "
        "AND (author IS NULL OR NOT EXISTS (SELECT 1 FROM team))",
        (f"-{days} days",),
    )


def _deleted(connection: Connection, columns: str) -> list[tuple[ItemKind, Sequence[Any]]]:
    """Return columns of the latest deleting revision of every deleted item."""
    found = [(kind, row) for kind in ItemKind for row in _deleted_of(connection, kind, columns)]
    return [(kind, row[1:]) for kind, row in sorted(found, key=lambda each: -each[1][0])]


def _deleted_of(
    connection: Connection, kind: ItemKind, columns: str, some: Sequence[int] | None = None
) -> Iterable[Sequence[Any]]:
    """Return (step, columns) of the latest deleting revisions of one kind, unordered."""
    among, values = ("", ()) if some is None else ("AND r.item_id IN (SELECT value FROM json_each(?))", (array(some),))
    return connection.exec_driver_sql(
        f"SELECT max(r.step_id), {columns} {DELETED} AND r.kind = '{kind}' "
        f"AND r.item_id NOT IN (SELECT id FROM {kind.plural}) {among} GROUP BY r.item_id",
        values,
    )


def _keys_deleted(connection: Connection, kind: ItemKind) -> list[int]:
    return [key for _, key in _deleted_of(connection, kind, "r.item_id")]
