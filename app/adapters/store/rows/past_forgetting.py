"""Queries forgotten for good, wherever in the library's file they were told: by history, journal and router."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from app.adapters.store.chunks import KEYS_AT_ONCE, array, chunks
from app.adapters.store.rows.history import LIVED
from app.domain.query import without_lone_surrogates as clean
from app.scoring.text import without_punctuation
from db.schema import digest

AMONG = "id IN (SELECT value FROM json_each(?))"

UNSAID = (
    "UPDATE steps SET subject = 'a query' WHERE subject IN (SELECT '“' || text || '”' FROM queries WHERE {where}) "
    "AND NOT EXISTS (SELECT 1 FROM revisions r WHERE r.step_id = steps.id)"
)
"""A step that only decided a query is called by its text, which is forgotten with it; the step can still be undone."""

UNROUTED = "UPDATE route_decisions SET text = NULL, reasoning = '' WHERE text IS NOT NULL"
"""Decisions of the router stay as numbers, for the month's budget; their reasons quote the query."""


def forget(connection: Connection, keys: Iterable[int] | None) -> int:
    """Forget queries and their traces, or all of them, and what else tells their texts; how many."""
    if keys is None:
        connection.exec_driver_sql(UNSAID.format(where="text IS NOT NULL"))
        for statement in (UNROUTED, "DELETE FROM route_cache", "DELETE FROM traces"):
            connection.exec_driver_sql(statement)
        return connection.exec_driver_sql("DELETE FROM queries").rowcount
    gone = 0
    for chunk in chunks(keys, KEYS_AT_ONCE):
        some = array(chunk)
        connection.exec_driver_sql(UNSAID.format(where=AMONG), (some,))
        _forget_routes(connection, some)
        gone += connection.exec_driver_sql(f"DELETE FROM queries WHERE {AMONG}", (some,)).rowcount
    return gone


def prune(connection: Connection, days: int, most: int, at_once: int) -> int:
    """Forget the oldest of what is older than so many days or beyond so many, so many at once; how many went.

    A clock that is far ahead of what was asked and done last makes nothing old. With 0 days all is.
    """
    now = LIVED if days else "'now'"
    doomed = connection.exec_driver_sql(
        f"SELECT id FROM queries WHERE at < datetime({now}, ?) "
        "OR id IN (SELECT id FROM queries ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?) ORDER BY at LIMIT ?",
        (f"-{days} days", most, at_once),
    )
    return forget(connection, [key for (key,) in doomed])


def _forget_routes(connection: Connection, keys: str) -> None:
    """What the router keeps of these queries."""
    connection.exec_driver_sql(f"{UNROUTED} AND digest IN (SELECT digest FROM queries WHERE {AMONG})", (keys,))
    texts: Sequence[str] = [
        text
        for (text,) in connection.exec_driver_sql(
            f"SELECT text FROM queries WHERE {AMONG} AND text IS NOT NULL", (keys,)
        )
    ]
    cached = [(digest(clean(without_punctuation(text))),) for text in texts]
    if cached:
        connection.exec_driver_sql("DELETE FROM route_cache WHERE digest = ?", cached)
