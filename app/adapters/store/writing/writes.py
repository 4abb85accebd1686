"""A write to the library with its step and its secrets, all of it or nothing; many things added in chunks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache
from typing import Any, Protocol, TypeVar, cast

from sqlalchemy import Connection, func, select, text
from sqlalchemy.orm import InstrumentedAttribute

from app.adapters.store.access import SqlAccess
from app.adapters.store.connections import chunks
from app.adapters.store.writing.entries import JournalEntry
from app.adapters.store.writing.pending_secrets import (
    STAGED,
    PendingSecrets,
    forgetting,
    forgetting_undone,
    pending,
    settle,
)
from app.domain.errors import StoreError
from app.domain.journal import Edit, Step
from app.domain.library import NEW_SUCCESS, Memory, Power, Transport
from app.domain.match import without_lone_surrogates
from app.ports.store import Change, Secrets

T = TypeVar("T")

Work = Callable[[JournalEntry, PendingSecrets], T]
"""What an edit does to the items; it says what becomes of secrets, which are safe before it is committed."""


class SqlWrites:
    """Writes whose secrets come with their commit, and stay as they are without it; StoreError."""

    def __init__(self, access: SqlAccess, secrets: Secrets) -> None:
        self._access = access
        self._secrets = secrets

    def write(self, edit: Edit | None, work: Work[T]) -> tuple[T, Step | None]:
        """What the work returns, and the step that it is: None without an edit, or where it changed nothing."""

        def write(connection: Connection, secrets: PendingSecrets) -> tuple[T, Step | None]:
            entry = JournalEntry(connection, cleaned(edit))
            done = work(entry, secrets)
            with forgetting_undone(connection, secrets):
                return done, entry.close()

        return self._settling(write)

    def dropping_undone(self, work: Callable[[Connection], T], *, shared: bool = True) -> T:
        """What the work returns, which may let go of steps that are undone; `shared`: a team hears of it."""

        def write(connection: Connection, secrets: PendingSecrets) -> T:
            with forgetting_undone(connection, secrets):
                return work(connection)

        return self._settling(write, shared=shared)

    def forget(self, work: Callable[[Connection], None], *, shared: bool = True) -> None:
        """Let the work forget items for good, and their secrets with them; `shared`: a team hears of it."""

        def forget(connection: Connection, secrets: PendingSecrets) -> None:
            with forgetting(connection, secrets):
                work(connection)

        self._settling(forget, strictly=True, shared=shared)

    def finish(self) -> None:
        """Do what writes have left to do to secrets, here or in a program that ended too early.

        What cannot be done now is tried again with the next such write and the next start; it reads as if it were done.
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


# ---- Adding many things in one transaction: in chunks, each thing either new, changed, or there already.


ADDED_AT_ONCE = 200
"""So many things are looked up and written at a time. `things` may give way to a person between two of them, and what
is done with so few takes some milliseconds."""


class Repository(Protocol[T]):
    """Repository of one kind of item: finds the stored item that an incoming one updates, merges them, and writes."""

    def fetch(self, connection: Connection, chunk: Sequence[T]) -> None:
        """Load every stored item that one of the chunk may update; drop those of the chunk before."""
        ...

    def find(self, incoming: T) -> tuple[int, T] | None:
        """The key and the loaded item that the incoming one updates."""
        ...

    def hold(self, key: int, thing: T) -> None:
        """Bring into sight what is about to be written under this key."""
        ...

    def merged(self, stored: T, incoming: T) -> T:
        """The stored item, updated by the incoming one."""
        ...

    def write(self, entry: JournalEntry, new: Mapping[int, T], changed: Mapping[int, T]) -> None:
        """Write rows with the entry's number as their version, and have it record what was there before.

        What is changed goes first: a name that it gives up may be that of a new one.
        """
        ...


def add_all(entry: JournalEntry, things: Iterable[T], repository: Repository[T], first_key: int) -> Change:
    """Store what is new under keys from `first_key` on, and what `repository.merged(stored, incoming)` changes.

    A thing that comes twice in one call counts once as added or updated; what repeats it as unchanged. `things` is
    consumed lazily; what it raises ends the transaction.
    """
    added: dict[int, None] = {}
    updated: dict[int, None] = {}
    unchanged = 0
    next_key = first_key
    for chunk in chunks(map(cleaned, things), ADDED_AT_ONCE):
        repository.fetch(entry.connection, chunk)
        new: dict[int, T] = {}
        changed: dict[int, T] = {}
        for incoming in chunk:
            found = repository.find(incoming)
            if found is None:
                key, thing = next_key, incoming
                new[key] = thing
                next_key += 1
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
    return Change(tuple(added), tuple(updated), unchanged)


def next_key(connection: Connection, column: InstrumentedAttribute[int]) -> int:
    """A key that was never given before; nobody else can take it, because the transaction holds the write lock."""
    highest = connection.scalar(select(func.max(column))) or 0
    given = connection.scalar(
        text("SELECT seq FROM sqlite_sequence WHERE name = :table"), {"table": column.class_.__tablename__}
    )
    return max(highest, given or 0) + 1


def cleaned(thing: T) -> T:
    """The thing with lone surrogates replaced in all its texts, which no store accepts; itself if it has none."""
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
"""What holds no text."""


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


# --------------------------------------------------------------------------------------------------------------------
# What becomes of a stored memory or power when the same one is taught or imported again


def merged_memory(stored: Memory, incoming: Memory) -> Memory:
    """The stored memory, updated by the incoming one, under the stored key."""
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
    """The stored power, updated by the incoming one, under the stored key.

    An incoming power with a key is the stored power, edited: its flags and examples are taken as they are, but an
    approval never passes to another transport.
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
    """How the power is reached from now on; the names of an environment never pass to another command or URL."""
    held, given = stored.transport, incoming.transport
    if given.command is None and given.url is None:
        return replace(held, args=given.args or held.args, env=given.env or held.env)
    if (given.command, given.args, given.url) != (held.command, held.args, held.url):
        return given
    kept = {name: value or held.env.get(name, "") for name, value in given.env.items()}
    return replace(held, env=kept) if kept else held
