"""Local copy of a team's library: records own writes, and applies others' changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store import entries
from app.adapters.store.connections import KEYS_AT_ONCE, chunks
from app.adapters.store.entries import TRANSPORT, membership, move_head
from app.adapters.store.team import faults
from app.adapters.store.team.server import State, things, touched_since
from app.adapters.store.team.wire import (
    KEYS_GIVEN,
    KINDS,
    LOCAL,
    Batch,
    Key,
    key_of,
    named,
    read_key,
    received,
    sent,
    whole,
)
from app.domain.journal import ItemKind
from db.schema import MemoryRow, PowerRow, RevisionRow, StepRow

STRIDE = 1_000_000
"""Divisor of a team's step numbers; those between are each user's own, such as settings."""


# ---- Recording of writes

_WATCHED: dict[str, tuple[str, str, str]] = {
    "memories": ("memory", "{row}.id", ""),
    "triggers": ("memory", "{row}.memory_id", ""),
    "powers": ("power", "{row}.id", ""),
    "tools": ("power", "{row}.power_id", ""),
    "rules": ("rule", "{row}.id", ""),
    "cases": ("case", "{row}.id", ""),
    "steps": ("step", "{row}.id", "WHEN {row}.author IS NOT NULL"),
    "revisions": ("step", "{row}.step_id", ""),
    "differences": ("difference", "hex({row}.one) || hex({row}.other)", ""),
    "untaught_routes": ("untaught", "hex({row}.digest)", ""),
}
"""Kind, key and filter of the shared rows of each table."""


def watch(connection: Connection) -> None:
    """Start recording this connection's writes of shared items, from an empty record.

    Triggers record them, including the effects of foreign keys and other triggers.
    """
    found = connection.exec_driver_sql("SELECT count(*) FROM sqlite_temp_master WHERE name = 'touched'").scalar()
    if found:
        connection.exec_driver_sql("DELETE FROM temp.touched")
        return
    connection.exec_driver_sql("CREATE TEMP TABLE touched (kind TEXT, key, PRIMARY KEY (kind, key)) WITHOUT ROWID")
    for table, (kind, key, when) in _WATCHED.items():
        for act, row in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")):
            connection.exec_driver_sql(
                f"CREATE TEMP TRIGGER watch_{table}_{act} AFTER {act} ON main.{table} {when.format(row=row)} BEGIN "
                f"INSERT OR IGNORE INTO touched VALUES ('{kind}', {key.format(row=row)}); END"
            )


def touched(connection: Connection) -> list[tuple[str, list[Key]]]:
    """Return the keys written since `watch`, by kind."""
    found: dict[str, list[Key]] = {kind: [] for kind in KINDS}
    for kind, key in connection.exec_driver_sql("SELECT kind, key FROM temp.touched ORDER BY kind, key"):
        found[kind].append(read_key(kind, str(key)))
    return [(kind, keys) for kind, keys in found.items() if keys]


def everything(connection: Connection, author: str) -> Iterator[Batch]:
    """Yield all shared rows in the server's form; raises RowError."""
    return (sent(batch, author) for batch in whole(connection, LOCAL))


# ---- Unique numbers across clients


def begin_step(connection: Connection, state: State) -> int:
    """Reserve the next unused number for a step; return it."""
    highest = connection.scalar(select(func.max(StepRow.id))) or 0
    number = (max(highest, state.number, _last_key(connection, "steps")) // STRIDE + 1) * STRIDE
    _give(connection, "steps", number - 1)
    return number


def end_step(connection: Connection, number: int) -> None:
    """Mark the number as used, also without a step."""
    _give(connection, "steps", number)


def last_keys(connection: Connection) -> dict[str, int]:
    """Return the last key ever assigned, by table."""
    return {table: _last_key(connection, table) for table in KEYS_GIVEN}


def take_keys(connection: Connection, state: State) -> None:
    """Skip the keys assigned by others."""
    for table, key in state.keys.items():
        _give(connection, table, max(key, _last_key(connection, table)))


def _last_key(connection: Connection, table: str) -> int:
    found = connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).scalar()
    return int(found or 0)


def _give(connection: Connection, table: str, key: int) -> None:
    if connection.exec_driver_sql("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (key, table)).rowcount == 0:
        connection.exec_driver_sql("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, key))


# ---- Changes of others


def catch_up(local: Connection, server: Connection, state: State) -> list[tuple[str, list[Key]]]:
    """Apply newer changes of the server; return their keys, by kind. One transaction per side.

    Raises StoreError if the server has another library.
    """
    mine = membership(local)
    assert mine is not None, "only a copy follows"
    if mine.library != state.library or mine.head > state.head:
        raise faults.other_library()
    if mine.head == state.head:
        return []
    wanted = touched_since(server, mine.head)
    take_over(local, server, wanted, mine.author)
    take_keys(local, state)
    move_head(local, state.head)
    return wanted


def take_over(local: Connection, server: Connection, wanted: Sequence[tuple[str, list[Key]]], author: str) -> None:
    """Copy these items from the server. Deletions come first, as names may be reassigned."""
    approved = _approvals(local, dict(wanted).get("power", []))
    for kind, keys in wanted:
        if kind != "step":
            for some in chunks(keys):
                forget(local, kind, some)
    for batch in things(server, wanted):
        _put(local, received(batch, author), approved)
    entries.learn(local, ItemKind.MEMORY, _numbers(dict(wanted).get("memory", ())))


def fill(local: Connection, batches: Iterable[Batch], author: str) -> Iterator[None]:
    """Replace the local content by a server's; yields after each batch."""
    for sharing in KINDS.values():
        local.execute(delete(LOCAL[sharing.table]))
    for batch in batches:
        _put(local, received(batch, author), {})
        yield
    for some in chunks(local.execute(select(MemoryRow.id)).scalars(), KEYS_AT_ONCE):
        entries.learn(local, ItemKind.MEMORY, some)
        yield


def forget(local: Connection, kind: str, keys: Sequence[Key]) -> None:
    """Delete items and their parts from the copy."""
    if kind == "memory":
        entries.forget(local, ItemKind.MEMORY, _numbers(keys))
    for some in chunks(keys, 500):
        local.execute(delete(LOCAL[KINDS[kind].table]).where(named(kind, LOCAL, some)))


def _numbers(keys: Iterable[Key]) -> list[int]:
    return [key for key in keys if isinstance(key, int)]


@faults.fitting()
def _put(local: Connection, batch: Batch, approved: Mapping[int, tuple[Any, ...]]) -> None:
    sharing = KINDS[batch.kind]
    rows = list(batch.rows)
    if batch.kind == "step":
        # A step's row stays in place, as local data refers to it, such as decisions about queries.
        here = {key_of("step", row) for row in rows}
        forget(local, "step", [key for key in batch.keys if key not in here])
        for some in chunks(batch.keys):
            local.execute(delete(RevisionRow).where(RevisionRow.step_id.in_(some)))
    if batch.kind == "power":
        rows = [row | {"approved": approved.get(row["id"]) == tuple(row[name] for name in TRANSPORT)} for row in rows]
    if rows:
        table = LOCAL[sharing.table]
        statement = upsert(table)
        values = {c.name: statement.excluded[c.name] for c in table.columns if not c.primary_key}
        local.execute(
            statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=values)
            if batch.kind == "step"
            else insert(table),
            rows,
        )
    if batch.parts:
        local.execute(insert(LOCAL[sharing.parts]), list(batch.parts))


def _approvals(local: Connection, keys: Sequence[Key]) -> dict[int, tuple[Any, ...]]:
    """Return the transports of approved powers by key; approvals stay while those do (S5.5)."""
    found: dict[int, tuple[Any, ...]] = {}
    for some in chunks(keys):
        columns = (PowerRow.id, *(getattr(PowerRow, name) for name in TRANSPORT))
        rows = select(*columns).where(PowerRow.id.in_(some), PowerRow.approved)
        found |= {row[0]: tuple(row[1:]) for row in local.execute(rows)}
    return found
