"""Tables of a team's library on PostgreSQL: the shared tables of `schema`, and its log.

Each client has a complete copy, which enforces unique names; the server orders changes and holds the newest rows. The
server's tables have primary keys and no other constraints, and texts of any length fit.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Computed, DateTime, Float, Integer, MetaData, Table, Text, func
from sqlalchemy.dialects.postgresql import TSVECTOR
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
"""Shared tables. History, approvals, vectors and secrets stay on each person's machine."""


def _on_server(row: type[TableRow]) -> Table:
    """Return the table of a row without its constraints, with integers as BIGINT."""

    def kind(column: Column[Any]) -> TypeEngine[Any]:
        return BigInteger() if isinstance(column.type, Integer) else column.type

    columns = (
        Column(c.name, kind(c), primary_key=c.primary_key, nullable=c.nullable, autoincrement=False)
        for c in row.metadata.tables[row.__tablename__].columns
    )
    return Table(row.__tablename__, SERVER, *columns)


TABLES: dict[str, Table] = {row.__tablename__: _on_server(row) for row in SHARED}

SETTINGS = Table("settings", SERVER, Column("key", Text(), primary_key=True), Column("value", Text(), nullable=False))
"""Library settings when the library was moved to the server; new members start with them."""

LIBRARY = Table(
    "library",
    SERVER,
    Column("id", Text(), primary_key=True),
    Column("head", BigInteger(), nullable=False),
    Column("number", BigInteger(), nullable=False),
    Column("keys", JSON(), nullable=False),
)
"""One row: the library's ID, numbers of its last change and step, and last keys used."""

TOUCHED = Table(
    "touched",
    SERVER,
    Column("kind", Text(), primary_key=True),
    Column("key", Text(), primary_key=True),
    Column("seq", BigInteger(), nullable=False, index=True),
)
"""The last change of each item that ever existed, to find what an older copy has to fetch."""

CHANGES = Table(
    "changes",
    SERVER,
    Column("seq", BigInteger(), primary_key=True, autoincrement=False),
    Column("id", Text(), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("author", Text(), nullable=False, server_default=func.session_user()),
    Column("things", BigInteger(), nullable=False),
)
"""Log of changes: author, number of items and time, by the server's clock and accounts."""


# --------------------------------------------------------------------------------------------------------------------
# Search index on the server: derived from the other tables, can be rebuilt at any time

SEARCH = MetaData()

SEARCH_STATE = Table(
    "search_state",
    SEARCH,
    Column("library", Text(), primary_key=True),
    Column("shard", BigInteger(), nullable=False),
    Column("shards", BigInteger(), nullable=False),
    Column("encoder", Text(), nullable=False),
    Column("dimension", BigInteger(), nullable=False),
    Column("filled", BigInteger(), nullable=False),
    Column("begun", BigInteger(), nullable=False),
    Column("seq", BigInteger(), nullable=False),
    Column("triggers", BigInteger(), nullable=False),
    Column("recall", Float()),
    Column("measured", Text()),
)
"""Status of the index, in one row.

Library and encoder, the memory up to which the index was filled, the change at which filling began, and the change up
to which the index is complete (-1: incomplete). `shard` is 0 and `shards` 1, for earlier versions that read them.
"""

SEARCH_TRIGGERS = Table(
    "search_triggers",
    SEARCH,
    Column("memory", BigInteger(), primary_key=True, autoincrement=False),
    Column("position", Integer(), primary_key=True, autoincrement=False),
    Column("text", Text(), nullable=False),
    Column("words", TSVECTOR(), Computed("to_tsvector('simple', text)", persisted=True)),
)
"""Searchable triggers. Their pgvector column is added once the dimension is known."""

SEARCH_WORDS = Table(
    "search_words", SEARCH, Column("word", Text(), primary_key=True), Column("n", BigInteger(), nullable=False)
)
"""Number of triggers per word: rare words are searched for, unknown ones are misspelt."""
