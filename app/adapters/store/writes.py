"""Atomic writes with their step and secrets; bulk additions in chunks."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import Column, ColumnElement, Connection, bindparam, delete, func, insert, select, text, update

from app.adapters.store.connections import SqlAccess, among, chunks
from app.adapters.store.entries import JournalEntry, insert_parts, row_of
from app.adapters.store.pending_secrets import (
    STAGED,
    PendingSecrets,
    forgetting,
    forgetting_undone,
    pending,
    settle,
)
from app.domain.case import Case
from app.domain.errors import StoreError
from app.domain.intent import Rule
from app.domain.journal import Edit, Item, ItemKind, Step
from app.domain.library import NEW_SUCCESS, Memory, Power, Transport
from app.domain.match import without_lone_surrogates
from app.ports.store import Secrets, WriteResult

T = TypeVar("T")
Stored = TypeVar("Stored", Memory, Power, Rule, Case)

Work = Callable[[JournalEntry, PendingSecrets], T]
"""Work of an edit on items; its secrets are staged before the commit."""


class SqlWrites:
    """Writes whose secrets take effect with the commit; raises StoreError."""

    def __init__(self, access: SqlAccess, secrets: Secrets) -> None:
        self._access = access
        self._secrets = secrets

    def write(self, edit: Edit | None, work: Work[T]) -> tuple[T, Step | None]:
        """Run work; return its result and the step, None without an edit or a change."""

        def write(connection: Connection, secrets: PendingSecrets) -> tuple[T, Step | None]:
            entry = JournalEntry(connection, cleaned(edit))
            done = work(entry, secrets)
            with forgetting_undone(connection, secrets):
                return done, entry.close()

        return self._settling(write)

    def dropping_undone(self, work: Callable[[Connection], T], *, shared: bool = True) -> T:
        """Run work that may drop undone steps; return its result. `shared`: it goes to the team."""

        def write(connection: Connection, secrets: PendingSecrets) -> T:
            with forgetting_undone(connection, secrets):
                return work(connection)

        return self._settling(write, shared=shared)

    def forget(self, work: Callable[[Connection], None], *, shared: bool = True) -> None:
        """Run work that deletes items permanently with secrets; `shared`: in the team, too."""

        def forget(connection: Connection, secrets: PendingSecrets) -> None:
            with forgetting(connection, secrets):
                work(connection)

        self._settling(forget, strictly=True, shared=shared)

    def finish(self) -> None:
        """Complete the secrets of committed writes, here or of a killed program.

        On failure it is retried with the next such write and the next start; reads are correct meanwhile.
        """
        with suppress(StoreError):
            waiting = self._access.read(pending)
            if waiting or self._secrets.names_with_prefix(STAGED):
                self._settle()

    def _settle(self) -> None:
        self._access.write(lambda connection: settle(connection, self._secrets), lasting=True)

    def _settling(
        self, work: Callable[[Connection, PendingSecrets], T], *, strictly: bool = False, shared: bool = True
    ) -> T:
        made: list[PendingSecrets] = []

        def staging(connection: Connection) -> tuple[T, bool]:
            secrets = PendingSecrets(self._secrets, connection)
            made.append(secrets)
            return work(connection, secrets), secrets.stage(connection)

        is_committed = False
        try:
            done, is_open = self._access.share(staging) if shared else self._access.write(staging, lasting=True)
            is_committed = True
        finally:
            if made and not is_committed:
                made[0].take_back()
        if is_open:
            with nullcontext() if strictly else suppress(StoreError):
                self._settle()
        return done


# ---- Bulk additions in one transaction, in chunks: each item is new, changed, or unchanged.


ADDED_AT_ONCE = 200
"""Number of items per chunk, some milliseconds; `things` may yield to typing between items."""


def identity(item: Item) -> Hashable | None:
    """Return an item's unique field; None without one."""
    match item:
        case Memory() | Rule():
            return item.id
        case Power():
            return item.name
        case Case():
            return item.task, item.text


class Repository(ABC, Generic[Stored]):
    """Repository of one kind: finds the stored item to update by its unique field, merges, and writes."""

    kind: ItemKind
    row: type[Any]
    unique: str
    """Name of the field that no two items share."""
    owners: tuple[Column[int], ...] = ()
    """Columns of the tables of parts that hold an item's key."""

    def __init__(self, secrets: PendingSecrets) -> None:
        self._secrets = secrets
        self._held: dict[Hashable, tuple[int, Stored]] = {}

    @staticmethod
    @abstractmethod
    def selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Stored]:
        """Return all stored items, or those of a condition, in order; raises RowError."""

    @abstractmethod
    def updatable(self, chunk: Sequence[Stored]) -> ColumnElement[bool]:
        """Return the condition for the stored items that the chunk may update."""

    def fetch(self, connection: Connection, chunk: Sequence[Stored]) -> None:
        """Load the stored items that the chunk may update; drop the previous chunk's."""
        stored = self.selected(connection, self.updatable(chunk))
        self._held = {identity(one): (one.key, one) for one in stored if one.key is not None}

    def find(self, incoming: Stored) -> tuple[int, Stored] | None:
        """Return the key and loaded item that the incoming one updates; None without one."""
        return self._held.get(identity(incoming))

    def hold(self, key: int, thing: Stored) -> None:
        """Register an item that is about to be written under this key."""
        self._held[identity(thing)] = key, replace(thing, key=key)

    def merged(self, stored: Stored, incoming: Stored) -> Stored:
        """Return the stored item, updated by the incoming one."""
        return replace(incoming, key=stored.key, version=stored.version)

    def write(self, entry: JournalEntry, new: Mapping[int, Stored], changed: Mapping[int, Stored]) -> None:
        """Write rows with the entry's version, changed ones first; record previous states."""
        row, connection, number = self.row, entry.connection, entry.number
        if changed:
            entry.changing(self.kind, list(changed))
            rows = [{"key": key, **row_of(item, number)} for key, item in changed.items()]
            connection.execute(update(row).where(row.id == bindparam("key")), rows)
            for owner in self.owners:
                connection.execute(delete(owner.table).where(among(owner, changed)))
        if new:
            entry.adding(self.kind, new)
            connection.execute(insert(row), [{"id": key, **row_of(item, number)} for key, item in new.items()])
        insert_parts(connection, self.kind, {**new, **changed})
        entry.written(self.kind, (*new, *changed))


def add_all(entry: JournalEntry, things: Iterable[Stored], repository: Repository[Stored]) -> WriteResult:
    """Store new items under unused keys, and merge the others.

    An item that occurs twice counts once as added or updated; the repetition counts as unchanged. `things` is
    consumed lazily; an exception from it rolls back.
    """
    added: dict[int, None] = {}
    updated: dict[int, None] = {}
    unchanged = 0
    free = next_key(entry.connection, repository.row.id)
    for chunk in chunks(map(cleaned, things), ADDED_AT_ONCE):
        repository.fetch(entry.connection, chunk)
        new: dict[int, Stored] = {}
        changed: dict[int, Stored] = {}
        for incoming in chunk:
            found = repository.find(incoming)
            if found is None:
                key, thing = free, incoming
                new[key] = thing
                free += 1
            else:
                key, stored = found
                thing = repository.merged(stored, incoming)
                if thing == stored:
                    unchanged += 1
                    continue
                (new if key in new else changed)[key] = thing
            repository.hold(key, thing)
        repository.write(entry, new, changed)
        added |= dict.fromkeys(new)
        updated |= dict.fromkeys(key for key in changed if key not in added)
    return WriteResult(tuple(added), tuple(updated), unchanged)


def next_key(connection: Connection, column: Column[int]) -> int:
    """Return an unused key; the transaction's write lock keeps others from taking it."""
    highest = connection.scalar(select(func.max(column))) or 0
    given = connection.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = :table"), {"table": column.table.name})
    return max(highest, given or 0) + 1


def cleaned(thing: T) -> T:
    """Replace lone surrogates in all texts; returns the same object if there are none."""
    return cast("T", _cleaned(thing))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else without_lone_surrogates(value)
    if isinstance(value, tuple):
        return tuple(map(_cleaned, value)) if value else value
    if isinstance(value, Mapping):
        return {_cleaned(key): _cleaned(held) for key, held in value.items()} if value else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed: dict[str, Any] = {}
        for name in _names(type(value)):
            before = getattr(value, name)
            if isinstance(before, _PLAIN):
                continue
            after = _cleaned(before)
            if after is not before and after != before:
                changed[name] = after
        return dataclasses.replace(value, **changed) if changed else value
    return value


_PLAIN = (bool, int, float, type(None))
"""Types without text."""


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


# ---- Merging of a stored memory or power with the same one added again


def merged_memory(stored: Memory, incoming: Memory) -> Memory:
    """Return the stored memory, updated by the incoming one, under the stored key."""
    silent = (incoming.success, incoming.usage, incoming.right, incoming.paused) == (NEW_SUCCESS, 0, 0, False)
    history = stored if silent else incoming
    lasting = incoming if incoming.valid_from or incoming.valid_to or incoming.replaces else stored
    is_known = len(incoming.triggers) == 1 and incoming.triggers[0] in stored.triggers
    return replace(
        incoming,
        triggers=stored.triggers if is_known else incoming.triggers,
        id=incoming.id or stored.id,
        success=history.success,
        usage=history.usage,
        right=history.right,
        paused=history.paused,
        valid_from=lasting.valid_from,
        valid_to=lasting.valid_to,
        replaces=lasting.replaces,
        key=stored.key,
        source=stored.source,
        version=stored.version,
    )


def merged_power(stored: Power, incoming: Power) -> Power:
    """Return the stored power, updated by the incoming one, under the stored key.

    An incoming power with a key is an edit of the stored one: its flags and examples apply, but an approval never
    passes to another transport.
    """
    transport = incoming.transport if incoming.key is not None else _merged_transport(stored, incoming)
    same_transport = stored.transport == transport
    if incoming.key is not None:
        approved = incoming.approved and same_transport
        return replace(incoming, approved=approved, key=stored.key, version=stored.version)
    return replace(
        incoming,
        description=incoming.description or stored.description,
        keywords=incoming.keywords or stored.keywords,
        steering=incoming.steering or stored.steering,
        tools=incoming.tools or stored.tools,
        transport=transport,
        examples=incoming.examples or stored.examples,
        paused=incoming.paused or stored.paused,
        approved=(incoming.approved or stored.approved) and same_transport,
        key=stored.key,
        version=stored.version,
    )


def _merged_transport(stored: Power, incoming: Power) -> Transport:
    """Return the new transport; an environment never passes to another command or URL."""
    held, given = stored.transport, incoming.transport
    if given.command is None and given.url is None:
        return replace(held, args=given.args or held.args, env=given.env or held.env)
    if (given.command, given.args, given.url) != (held.command, held.args, held.url):
        return given
    kept = {name: value or held.env.get(name, "") for name, value in given.env.items()}
    return replace(held, env=kept) if kept else held
