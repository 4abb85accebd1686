"""The tables of a team's library on PostgreSQL: those of `schema` that a team shares, and what tells of changes.

Each client keeps a whole copy, which guards the names that may not come twice; the server orders changes, one after the
other, and holds the newest rows. So its tables have keys and nothing else, and texts of any length fit.
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

SETTINGS = Table("settings", SERVER, Column("key", Text(), primary_key=True), Column("value", Text(), nullable=False))
"""What was chosen of the settings that belong to the library when it was brought here: who joins begins with it."""

LIBRARY = Table(
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


# --------------------------------------------------------------------------------------------------------------------
# What is searched on the server: derived from the rest, made anew at any time

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
"""One row: which library it holds, by which encoder, up to which memory it was filled, the change that the library
stood at when that began, and the one up to which it is whole (-1: not yet). `shard` is 0 and `shards` 1: earlier
versions, which read them, could spread a library over several servers."""

SEARCH_TRIGGERS = Table(
    "search_triggers",
    SEARCH,
    Column("memory", BigInteger(), primary_key=True, autoincrement=False),
    Column("position", Integer(), primary_key=True, autoincrement=False),
    Column("text", Text(), nullable=False),
    Column("words", TSVECTOR(), Computed("to_tsvector('simple', text)", persisted=True)),
)
"""Triggers as they are searched; their vectors are a column of pgvector's, added once it is known how long they are."""

SEARCH_WORDS = Table(
    "search_words", SEARCH, Column("word", Text(), primary_key=True), Column("n", BigInteger(), nullable=False)
)
"""How many triggers have each word: the rare ones are what is searched for, and misspelt ones are told by it."""
