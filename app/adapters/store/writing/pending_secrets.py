"""What a write to the library does to secrets: kept aside before its commit, and in its place after it.

Secrets lie outside of the library's file, so that no transaction holds both. Before a write is committed its values
are on the disk under names that nothing reads, and the commit says which of them count. A program that ends at any
moment leaves either what was there before, or what is to be finished by whoever comes next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from uuid import uuid4

import orjson
from sqlalchemy import Connection

from app.domain.errors import StoreError
from app.ports.store import Secrets

STAGED = "staged:"
"""How the names begin under which values wait for a commit."""


class PendingSecrets:
    """Reads as the secrets will be; what is there stays as it is before `settle`."""

    def __init__(self, kept: Secrets, connection: Connection) -> None:
        self._kept = kept
        self._pending = pending(connection)
        self._put: dict[str, str] = {}
        self._forgotten: dict[str, None] = {}
        self._staged: list[str] = []

    def get(self, name: str) -> str | None:
        if name in self._put or name in self._forgotten:
            return self._put.get(name)
        return value_of(self._kept, self._pending, name)

    def put(self, name: str, value: str) -> None:
        self._put[name] = value

    def forget(self, names: Iterable[str]) -> None:
        self._forgotten |= dict.fromkeys(names)

    def stage(self, connection: Connection) -> bool:
        """Bring the values to the disk, and what is to become of them into the write; whether there is anything.

        StoreError, after which nothing may be committed.
        """
        if not self._put and not self._forgotten:
            return False
        mark = uuid4().hex
        aside = {name: f"{STAGED}{mark}:{name}" for name in self._put}
        if aside:
            self._staged = list(aside.values())
            self._kept.change({aside[name]: value for name, value in self._put.items()})
        rows: dict[str, str | None] = dict.fromkeys(self._forgotten) | aside
        overtaken = (self._pending.get(name) for name in rows)
        rows |= {staged: None for staged in overtaken if staged is not None}
        connection.exec_driver_sql(
            "INSERT OR REPLACE INTO pending_secrets (name, staged) VALUES (?, ?)", list(rows.items())
        )
        return True

    def take_back(self) -> None:
        """The write was not committed: nobody will read what was put aside, and it goes if it can."""
        if self._staged:
            with suppress(StoreError):
                self._kept.change(dict.fromkeys(self._staged))


def pending(connection: Connection) -> dict[str, str | None]:
    """By name, what is still to be done: where its value lies, or None if it is to be forgotten."""
    rows = connection.exec_driver_sql("SELECT name, staged FROM pending_secrets")
    return {str(name): staged for name, staged in rows}


def value_of(kept: Secrets, waiting: dict[str, str | None], name: str) -> str | None:
    """The value as the last commit has it, in its place yet or not; StoreError."""
    if name not in waiting:
        return kept.get(name)
    staged = waiting[name]
    if staged is None:
        return None
    found = kept.get(staged)
    return kept.get(name) if found is None else found  # somebody else has put it in its place meanwhile


def settle(connection: Connection, kept: Secrets) -> None:
    """Do what committed writes have left to do, and let go of values of those that never were; StoreError.

    It may be done again and again, and is as often as a program ends midway. No other write is under way.
    """
    waiting = pending(connection)
    changes: dict[str, str | None] = {}
    for name, staged in waiting.items():
        if staged is None:
            changes[name] = None
        elif (value := kept.get(staged)) is not None:
            changes |= {name: value, staged: None}
    changes |= dict.fromkeys(kept.names_with_prefix(STAGED))
    if changes:
        kept.change(changes)
    connection.exec_driver_sql("DELETE FROM pending_secrets")


def secret_name(key: int, name: str) -> str:
    """What a value of a power's environment is kept under; keys are never given twice, names of powers are."""
    return f"power:{key}:{name}"


# --------------------------------------------------------------------------------------------------------------------
# Secrets of powers that nothing can bring back any more, found as their last traces go

ANY_UNDONE = (
    "SELECT EXISTS (SELECT 1 FROM revisions r JOIN steps s ON s.id = r.step_id WHERE s.undone > 0 AND r.kind = 'power')"
)


@contextmanager
def forgetting(connection: Connection, secrets: PendingSecrets) -> Iterator[None]:
    """Forget the secrets of the powers that are neither stored nor recorded after this, and were before."""
    before = _names(connection)
    yield
    after = _names(connection)
    for key in before.keys() - after.keys():
        secrets.forget(secret_name(key, name) for name in before[key])


@contextmanager
def forgetting_undone(connection: Connection, secrets: PendingSecrets) -> Iterator[None]:
    """Forget secrets in this way around a write that lets go of undone steps; most hold no power, and look at none."""
    if connection.exec_driver_sql(ANY_UNDONE).scalar():
        with forgetting(connection, secrets):
            yield
    else:
        yield


def _names(connection: Connection) -> dict[int, set[str]]:
    """By key, what the environments of stored and recorded powers name."""
    found: dict[int, set[str]] = {}
    rows = connection.exec_driver_sql(
        "SELECT id, env FROM powers WHERE json_valid(env) UNION ALL "
        "SELECT item_id, json_extract(state, '$.env') FROM revisions WHERE kind = 'power' AND json_valid(state)"
    )
    for key, env in rows:
        found.setdefault(key, set()).update(orjson.loads(env) if env else ())
    return found
