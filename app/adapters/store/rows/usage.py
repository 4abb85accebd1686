"""Rows of assistants' usage: access log of memories, numbers of injections, daily counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store.connections import SqlAccess, array, reading, writing
from app.adapters.store.damage import decoding, expect
from app.adapters.store.rows.items import LIVED
from app.domain.history import Access, HistoryEntry, LoggedAccess, Source, UsageCount, UsageCounter
from db.schema import UseCountRow

NAME = (
    "coalesce((SELECT coalesce(nullif(m.external_id, ''), t.text) FROM memories m JOIN triggers t "
    "ON t.memory_id = m.id AND t.position = 0 WHERE m.id = i.memory_id), '')"
)
"""SQL of a memory's present name, '' if deleted."""

ACCESS = f"i.memory_id, i.rank, i.confidence, i.cut, {NAME}"

NOTE = "INSERT INTO injections (query_id, memory_id, at, rank, confidence, cut) VALUES (?, ?, ?, ?, ?, ?)"

COUNT = (
    "INSERT INTO uses (memory_id, used, last) VALUES (?, 1, ?) "
    "ON CONFLICT (memory_id) DO UPDATE SET used = used + 1, last = max(last, excluded.last)"
)


def add_accesses(connection: Connection, queries: Iterable[tuple[int, HistoryEntry]]) -> None:
    """Add the accesses of these queries to the log, by query key, and count injections."""
    rows = [(key, query.at, access) for key, query in queries for access in query.accesses]
    if not rows:
        return
    connection.exec_driver_sql(
        NOTE, [(key, one.memory, at, one.rank, one.confidence, one.cut) for key, at, one in rows]
    )
    injected = [(one.memory, at) for _, at, one in rows if one.cut is None]
    if injected:
        connection.exec_driver_sql(COUNT, injected)


def accesses_of_query(connection: Connection, key: int) -> tuple[Access, ...]:
    """Return the accesses of a query's latest run, injected ones first, by rank."""
    with decoding("injections"):
        rows = connection.exec_driver_sql(
            f"SELECT {ACCESS} FROM injections i WHERE i.query_id = ? "
            "AND i.at = (SELECT max(at) FROM injections WHERE query_id = ?) ORDER BY i.id",
            (key, key),
        )
        last = {row[0]: _access(*row) for row in rows}  # twice in a second: the later one counts
    return tuple(sorted(last.values(), key=lambda one: (one.cut is not None, one.rank is None, one.rank or 0)))


def accesses_of_memory(connection: Connection, memory: int, most: int) -> list[LoggedAccess]:
    """Return the newest accesses of a memory, newest first."""
    with decoding("injections"):
        rows = connection.exec_driver_sql(
            f"SELECT {ACCESS}, i.at, q.source, q.text, q.id FROM injections i JOIN queries q ON q.id = i.query_id "
            "WHERE i.memory_id = ? ORDER BY i.id DESC LIMIT ?",
            (memory, most),
        )
        return [_logged(*row) for row in rows]


def uses(connection: Connection, keys: Iterable[int]) -> Mapping[int, tuple[int, str]]:
    """Return number and last time of injections by memory; never injected ones left out."""
    rows = connection.exec_driver_sql(
        "SELECT memory_id, used, last FROM uses WHERE memory_id IN (SELECT value FROM json_each(?))", (array(keys),)
    )
    return {key: (int(used), str(last)[:19]) for key, used, last in rows if isinstance(used, int)}


def prune_accesses(connection: Connection, days: int, most: int, at_once: int) -> int:
    """Delete up to `at_once` accesses beyond the limits; return the number. Counts stay."""
    now = LIVED if days else "'now'"
    return connection.exec_driver_sql(
        f"DELETE FROM injections WHERE id IN (SELECT id FROM injections WHERE at < datetime({now}, ?) "
        "OR id <= (SELECT id FROM injections ORDER BY id DESC LIMIT 1 OFFSET ?) ORDER BY id LIMIT ?)",
        (f"-{days} days", most, at_once),
    ).rowcount


def _access(memory: int, rank: int | None, confidence: float, cut: str | None, name: str) -> Access:
    expect((cut, name), (memory, rank, confidence))
    return Access(memory, rank, float(confidence), cut, name)


def _logged(
    memory: int,
    rank: int | None,
    confidence: float,
    cut: str | None,
    name: str,
    at: str,
    source: str,
    text: str | None,
    query: int,
) -> LoggedAccess:
    expect((text,))
    return LoggedAccess(_access(memory, rank, confidence, cut, name), str(at)[:19], Source(source), text, query)


# ---- Outcomes by day

_ROW = UseCountRow
_KNOWN = [use.value for use in UsageCounter]


def _add_counts(connection: Connection, counts: Iterable[UsageCount]) -> None:
    for row in counts:
        own = {"day": row.day, "what": row.use.value, "outcome": row.outcome}
        statement = upsert(_ROW).values(**own, count=row.count)
        connection.execute(
            statement.on_conflict_do_update(index_elements=[*own], set_={"count": _ROW.count + row.count})
        )


def _counts_since(connection: Connection, day: int) -> list[UsageCount]:
    """Return all counts from this day on, in any order; unknown counters are skipped."""
    wanted = select(_ROW.day, _ROW.what, _ROW.outcome, _ROW.count).where(_ROW.day >= day, _ROW.what.in_(_KNOWN))
    return [
        UsageCount(on, UsageCounter(what), outcome, count) for on, what, outcome, count in connection.execute(wanted)
    ]


class SqlUsageCounts:
    """UsageCounts in the library's file; every call waits for its transaction.

    Raises StoreError.
    """

    def __init__(self, access: SqlAccess) -> None:
        self._access = access

    add = writing(_add_counts)
    since = reading(_counts_since)

    def forget(self) -> None:
        self._access.write(lambda connection: connection.execute(delete(_ROW)))
