"""The tables of a team's library on PostgreSQL: those of `schema` that a team shares, and what tells of changes.

Each client keeps a whole copy, which guards the names that may not come twice; the server orders changes, one after the
other, and holds the newest rows. So its tables have keys and nothing else, and texts of any length fit.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Column, DateTime, Integer, MetaData, Table, Text, func
from sqlalchemy.types import TypeEngine

from db.schema import (
    CaseRow,
    DifferenceRow,
    MemoryRow,
    PowerRow,
    RevisionRow,
    RuleRow,
    StepRow,
    TableRow,
    ToolRow,
    TriggerRow,
    UntaughtRouteRow,
)

SERVER = MetaData()

VERSION_TABLE = "intentscope_version"

SHARED: tuple[type[TableRow], ...] = (
    StepRow,
    RevisionRow,
    MemoryRow,
    TriggerRow,
    PowerRow,
    ToolRow,
    RuleRow,
    CaseRow,
    DifferenceRow,
    UntaughtRouteRow,
)
"""What a team shares. What was asked, approvals, vectors and secrets stay on each person's machine."""


def _on_server(row: type[TableRow]) -> Table:
    """The table of a row without its constraints, its numbers as long as they may get."""

    def kind(column: Column[Any]) -> TypeEngine[Any]:
        return BigInteger() if isinstance(column.type, Integer) else column.type

    columns = (
        Column(c.name, kind(c), primary_key=c.primary_key, nullable=c.nullable, autoincrement=False)
        for c in row.metadata.tables[row.__tablename__].columns
    )
    return Table(row.__tablename__, SERVER, *columns)


TABLES: dict[str, Table] = {row.__tablename__: _on_server(row) for row in SHARED}

LIBRARY = Table(
SETTINGS = Table("settings", SERVER, Column("key", Text(), primary_key=True), Column("value", Text(), nullable=False))
"""What was chosen of the settings that belong to the library when it was brought here: who joins begins with it."""

    "library",
    SERVER,
    Column("id", Text(), primary_key=True),
    Column("head", BigInteger(), nullable=False),
    Column("number", BigInteger(), nullable=False),
    Column("keys", JSON(), nullable=False),
)
"""One row: the library's own word, the number of its last change, that of its last step, and the last keys given."""

TOUCHED = Table(
    "touched",
    SERVER,
    Column("kind", Text(), primary_key=True),
    Column("key", Text(), primary_key=True),
    Column("seq", BigInteger(), nullable=False, index=True),
)
"""By each thing that ever was there, the change that touched it last: what a copy of an earlier one has to fetch."""

CHANGES = Table(
    "changes",
    SERVER,
    Column("seq", BigInteger(), primary_key=True, autoincrement=False),
    Column("id", Text(), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("author", Text(), nullable=False, server_default=func.session_user()),
    Column("things", BigInteger(), nullable=False),
)
"""The log: who changed how many things when, by the server's own clock and account."""
