"""Rows of memories with their triggers, and pairs marked as no duplicates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Connection, or_, select, update

from app.adapters.store.connections import KEYS_AT_ONCE, among, chunks
from app.adapters.store.damage import check, decoding
from app.adapters.store.writing.entries import JournalEntry, drop_undone
from app.adapters.store.writing.journal import STEP_COLUMNS, step_of
from app.adapters.store.writing.pending_secrets import PendingSecrets
from app.adapters.store.writing.writes import Repository, merged_memory
from app.domain.filters import MemoryEdit, touched
from app.domain.journal import Edit, ThingKind, Written
from app.domain.library import Memory
from app.ports.store import DistinctPair
from db.schema import MemoryRow, TriggerRow, digest

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

    kind, row, unique, owners = ThingKind.MEMORY, MemoryRow, "id", (TriggerRow.memory_id,)

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
    entry.changing(ThingKind.MEMORY, reworded)
    entry.changing(ThingKind.MEMORY, list(changed.keys() - set(reworded)), texts=False)
    said = {"namespace": change.namespace, "success": change.success, "paused": change.paused}
    values: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    if change.label is not None:
        values["intent"] = change.label or None
    wanted = update(MemoryRow).where(among(MemoryRow.id, changed))
    entry.connection.execute(wanted.values(version=entry.number, **values))
    tags = [(orjson.dumps(m.tags).decode(), key) for key, m in changed.items() if m.tags != stored[key].tags]
    if tags:
        entry.connection.exec_driver_sql("UPDATE memories SET tags = ? WHERE id = ?", tags)
    entry.written(ThingKind.MEMORY, reworded)
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
