"""Secrets of a write: staged before its commit, moved into place after it.

Secrets are outside the library's file, so that no transaction covers both. Before the commit, values are on disk
under names that nothing reads, and the commit records which of them count. If the program ends at any moment, the
old state holds or the next program completes the new one.
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
"""Prefix of staged secrets."""


class PendingSecrets:
    """Secrets as after the write; the stored ones change in `settle`."""

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
        """Stage the values on disk, and record them in the write; False if there are none.

        After a StoreError nothing may be committed.
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
        """Delete the staged values of an uncommitted write, if possible."""
        if self._staged:
            with suppress(StoreError):
                self._kept.change(dict.fromkeys(self._staged))


def pending(connection: Connection) -> dict[str, str | None]:
    """Return the pending changes by name: the staged name, or None for a deletion."""
    rows = connection.exec_driver_sql("SELECT name, staged FROM pending_secrets")
    return {str(name): staged for name, staged in rows}


def value_of(kept: Secrets, waiting: dict[str, str | None], name: str) -> str | None:
    """Return the value after the last commit, in place or staged; raises StoreError."""
    if name not in waiting:
        return kept.get(name)
    staged = waiting[name]
    if staged is None:
        return None
    found = kept.get(staged)
    return kept.get(name) if found is None else found  # another program has moved it into place


def settle(connection: Connection, kept: Secrets) -> None:
    """Complete committed writes, and delete values of others; raises StoreError.

    Idempotent, as the program may end midway. No other write may be in progress.
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
    """Return the name of an environment value's secret, by the power's key, never reused."""
    return f"power:{key}:{name}"


# ---- Secrets of powers without any remaining record

ANY_UNDONE = (
    "SELECT EXISTS (SELECT 1 FROM revisions r JOIN steps s ON s.id = r.step_id WHERE s.undone > 0 AND r.kind = 'power')"
)


@contextmanager
def forgetting(connection: Connection, secrets: PendingSecrets) -> Iterator[None]:
    """Delete the secrets of powers whose last record disappears in this block."""
    before = _names(connection)
    yield
    after = _names(connection)
    for key in before.keys() - after.keys():
        secrets.forget(secret_name(key, name) for name in before[key])


@contextmanager
def forgetting_undone(connection: Connection, secrets: PendingSecrets) -> Iterator[None]:
    """Do the same around a write that drops undone steps, if one of them has a power."""
    if connection.exec_driver_sql(ANY_UNDONE).scalar():
        with forgetting(connection, secrets):
            yield
    else:
        yield


def _names(connection: Connection) -> dict[int, set[str]]:
    """Return the names in environments of stored and recorded powers, by key."""
    found: dict[int, set[str]] = {}
    rows = connection.exec_driver_sql(
        "SELECT id, iif(json_type(env) = 'object', env, NULL) FROM powers WHERE json_valid(env) UNION ALL "
        "SELECT item_id, iif(json_type(state, '$.env') = 'object', json_extract(state, '$.env'), NULL) "
        "FROM revisions WHERE kind = 'power' AND json_valid(state)"
    )
    for key, env in rows:
        found.setdefault(key, set()).update(orjson.loads(env) if env else ())
    return found
