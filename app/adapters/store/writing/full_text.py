"""The full-text index over memories, kept in the same transaction as they are.

It holds no texts of its own, so it must be told them again, as they were, before a memory is changed or taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from app.adapters.store.chunks import KEYS_AT_ONCE, array, chunks
from app.domain.journal import ThingKind

TEXTS = (
    "m.id, (SELECT group_concat(t.text, char(10)) FROM triggers t WHERE t.memory_id = m.id), "
    "m.external_id, m.intent, m.tags, m.response "
    "FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))"
)
"""What is indexed of a memory; the order of triggers is that of their table's key."""

COLUMNS = "rowid, triggers, name, label, tags, response"


def learn(connection: Connection, kind: ThingKind, keys: Iterable[int]) -> None:
    """Index these memories as they are now; other kinds are not indexed."""
    _tell(connection, kind, keys, f"INSERT INTO found ({COLUMNS}) SELECT {TEXTS}")


def forget(connection: Connection, kind: ThingKind, keys: Iterable[int]) -> None:
    """Take these memories out of the index while they are still as they were indexed."""
    _tell(connection, kind, keys, f"INSERT INTO found (found, {COLUMNS}) SELECT 'delete', {TEXTS}")


def match_of(words: Sequence[str]) -> str:
    """A query of the index for memories in which each word begins some word; nothing in it is an operator."""
    return " ".join('"' + word.replace('"', '""') + '"*' for word in words)


def words_of(text: str) -> tuple[list[str], list[str]]:
    """The words of what a person typed: those that the index knows, and those without a letter or digit."""
    words = text.replace("\0", " ").encode(errors="replace").decode().split()
    indexed = [word for word in words if any(map(str.isalnum, word))]
    return indexed, [word for word in words if word not in indexed]


def _tell(connection: Connection, kind: ThingKind, keys: Iterable[int], statement: str) -> None:
    if kind is not ThingKind.MEMORY:
        return
    for chunk in chunks(keys, KEYS_AT_ONCE):
        connection.exec_driver_sql(statement, (array(chunk),))
