"""What a person has told apart: pairs of digests, each in force unless the step that wrote it is undone."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from app.adapters.store.chunks import chunks
from app.adapters.store.writing.journal import STEP_COLUMNS, step_of
from app.domain.journal import Deed, Written
from app.ports.store.journal import Difference


def selected(connection: Connection) -> set[Difference]:
    """All pairs in force."""
    rows = connection.exec_driver_sql(
        "SELECT one, other FROM differences WHERE step_id NOT IN (SELECT id FROM steps WHERE undone > 0)"
    )
    return {(one, other) for one, other in rows}


def put(connection: Connection, deed: Deed, pairs: Iterable[Difference]) -> Written | None:
    """Tell pairs apart as one step; None, and no step, if all of them are told apart already."""
    held = selected(connection)
    fresh = [pair for pair in dict.fromkeys(pairs) if pair not in held]
    if not fresh:
        return None
    connection.exec_driver_sql("DELETE FROM steps WHERE undone > 0")
    number = connection.exec_driver_sql(
        "INSERT INTO steps (verb, subject, count, source) VALUES (?, ?, ?, ?) RETURNING id",
        (deed.verb, deed.subject, len(fresh), deed.source),
    ).scalar_one()
    step = step_of(connection.exec_driver_sql(f"SELECT {STEP_COLUMNS} FROM steps s WHERE s.id = ?", (number,)).one())
    for chunk in chunks(fresh):
        connection.exec_driver_sql(
            "INSERT INTO differences (one, other, step_id) VALUES (?, ?, ?)", [(*pair, step.id) for pair in chunk]
        )
    return Written(step)
