"""Query part of a library: past queries, their traces, and decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from app.adapters.store.connections import KEYS_AT_ONCE, SqlAccess, array, chunks, keyed, reading, writing
from app.adapters.store.rows import queries as sql_queries
from app.adapters.store.rows import usage
from app.adapters.store.rows.items import LIVED
from app.adapters.store.writes import SqlWrites, cleaned
from app.domain.history import HistoryEntry, Judgement
from app.domain.journal import Edit, Written
from app.domain.match import Query
from app.domain.match import without_lone_surrogates as clean
from app.scoring.text import without_punctuation
from db.schema import digest

PRUNED_AT_ONCE = 2_000
"""Number of queries deleted per transaction."""


# ---- Permanent deletion of queries from history, journal and router

AMONG = "id IN (SELECT value FROM json_each(?))"

UNSAID = (
    "UPDATE steps SET subject = 'a query' WHERE subject IN (SELECT '“' || text || '”' FROM queries WHERE {where}) "
    "AND NOT EXISTS (SELECT 1 FROM revisions r WHERE r.step_id = steps.id)"
)
"""Statement that replaces a deleted query's text in steps that only decided it.

The step can still be undone.
"""

UNROUTED = "UPDATE route_decisions SET text = NULL, reasoning = '' WHERE text IS NOT NULL"
"""Statement that removes texts from route decisions; numbers stay for the monthly budget."""


def _forget(connection: Connection, keys: Iterable[int] | None) -> int:
    """Delete queries, or all, with traces and other copies of their texts; return the number."""
    if keys is None:
        connection.exec_driver_sql(UNSAID.format(where="text IS NOT NULL"))
        connection.exec_driver_sql(UNROUTED)
        for table in ("route_cache", "llm_answers", "evaluation_runs", "traces", "injections", "use_counts"):
            connection.exec_driver_sql(f"DELETE FROM {table}")
        return connection.exec_driver_sql("DELETE FROM queries").rowcount
    gone = 0
    for chunk in chunks(keys, KEYS_AT_ONCE):
        some = array(chunk)
        connection.exec_driver_sql(UNSAID.format(where=AMONG), (some,))
        _forget_routes(connection, some)
        gone += connection.exec_driver_sql(f"DELETE FROM queries WHERE {AMONG}", (some,)).rowcount
    return gone


def _prune(connection: Connection, days: int, most: int, accesses: int) -> int:
    """Delete up to PRUNED_AT_ONCE queries and accesses each beyond the limits.

    Returns the number. A clock far ahead of the last activity makes nothing old. With 0 days everything is deleted.
    """
    now = LIVED if days else "'now'"
    doomed = connection.exec_driver_sql(
        f"SELECT id FROM queries WHERE at < datetime({now}, ?) "
        "OR id IN (SELECT id FROM queries ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?) ORDER BY at LIMIT ?",
        (f"-{days} days", most, PRUNED_AT_ONCE),
    )
    gone = _forget(connection, [key for (key,) in doomed])
    return gone + usage.prune_accesses(connection, days, accesses, PRUNED_AT_ONCE)


def _forget_routes(connection: Connection, keys: str) -> None:
    """Delete the router's texts of these queries, and the LLM's answers to them."""
    connection.exec_driver_sql(f"{UNROUTED} AND digest IN (SELECT digest FROM queries WHERE {AMONG})", (keys,))
    connection.exec_driver_sql(
        f"DELETE FROM llm_answers WHERE digest IN (SELECT digest FROM queries WHERE {AMONG})", (keys,)
    )
    rows = connection.exec_driver_sql(f"SELECT text FROM queries WHERE {AMONG} AND text IS NOT NULL", (keys,))
    # Only the beginning of a long text is scored, and answers are stored under that.
    scored = [Query.of(text).scored for (text,) in rows]
    if scored:
        of_scored = [(keyed(connection, digest(text)),) for text in scored]
        connection.exec_driver_sql("DELETE FROM llm_answers WHERE digest = ?", of_scored)
        connection.exec_driver_sql(f"{UNROUTED} AND digest = ?", of_scored)
        cached = [(digest(clean(without_punctuation(text))),) for text in scored]
        connection.exec_driver_sql("DELETE FROM route_cache WHERE digest = ?", cached)


class SqlHistory:
    """Past queries in the library's file; every call waits for its transaction."""

    def __init__(self, access: SqlAccess, writes: SqlWrites) -> None:
        self._access = access
        self._writes = writes
        self._damaged: dict[str, Sequence[int | str]] = {}

    add_queries = writing(sql_queries.note)
    find_queries = reading(sql_queries.find)
    queries_of = reading(sql_queries.of_texts)
    count_queries = reading(sql_queries.count)
    accesses_of = reading(usage.accesses_of_memory)
    add_doubts = writing(sql_queries.add_doubts)
    prune_queries = writing(_prune)
    compress_traces = writing(sql_queries.compress_traces)

    def queries_by_key(self, keys: Sequence[int]) -> list[HistoryEntry]:
        return self._noting(*self._access.read(lambda connection: sql_queries.by_key(connection, keys)))

    def traced_queries(self, keys: Sequence[int]) -> list[HistoryEntry]:
        return self._noting(*self._access.read(lambda connection: sql_queries.traced(connection, keys)))

    def _noting(self, found: list[HistoryEntry], damaged: Sequence[int]) -> list[HistoryEntry]:
        self._damaged["queries"] = sorted({*self._damaged.get("queries", ()), *damaged}, key=str)
        return found

    def query(self, key: int) -> HistoryEntry | None:
        found = next(iter(self.traced_queries([key])), None)
        if found is None:
            return None
        return replace(found, accesses=self._access.read(lambda connection: usage.accesses_of_query(connection, key)))

    def decide(self, edit: Edit | int, keys: Iterable[int], decision: Judgement) -> Written | None:
        """Decide queries in their own step, or as part of a step in force."""
        return self._writes.dropping_undone(
            lambda connection: sql_queries.decide(connection, cleaned(edit), keys, decision)
        )

    def forget_queries(self, keys: Iterable[int] | None = None) -> int:
        gone = self._access.write(lambda connection: _forget(connection, keys))
        if gone or keys is None:
            self._access.empty_log()
        return gone

    def size_bytes(self) -> int:
        return self._access.size_bytes()

    def reclaim_space(self) -> None:
        self._access.reclaim_space()
