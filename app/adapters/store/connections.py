"""Connections to a library and their settings; chunks of rows and keys per statement."""

from __future__ import annotations

import hmac
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import orjson
from sqlalchemy import URL, Column, ColumnElement, Connection, Engine, create_engine, event, func, select
from sqlalchemy.pool import ConnectionPoolEntry, Pool

from app.adapters.local.secrets import secret_key
from app.adapters.store import faults
from db.schema import DIGEST_BYTES

BUSY_TIMEOUT_MS = 5_000
"""Time to wait for another program's lock, in ms."""

UNTRUSTING = "PRAGMA trusted_schema=OFF"
"""Prevents the schema from calling unsafe functions."""

READING = (UNTRUSTING, "PRAGMA foreign_keys=ON", "PRAGMA query_only=ON")
QUICK, LASTING = "PRAGMA synchronous=NORMAL", "PRAGMA synchronous=FULL"
"""Durability of commits: LASTING waits for the disk; neither can damage a library."""

WRITING = (UNTRUSTING, "PRAGMA foreign_keys=ON", QUICK, "PRAGMA cache_size=-65536", "PRAGMA secure_delete=ON")
"""Settings of writers: 64 MB of pages, as 2 MB are too few for large steps.

Deleted data is overwritten, however SQLite was built.
"""
MIGRATING = (UNTRUSTING, "PRAGMA foreign_keys=OFF", "PRAGMA synchronous=FULL", "PRAGMA secure_delete=ON")

KEY_FILE = "digests.key"
"""File beside the library with the key of query digests, which prevents guessing queries."""

KEYED_BYTES = 24
"""Length of keyed digests, shorter than plain ones, so that both can be distinguished."""


IDENTITY_DIGITS = 16

ROWS_AT_ONCE = 50
"""Number of rows written before others may run: about half a millisecond."""


def library_identity(file: Path) -> str:
    """Return a unique identity of a library that does not reveal its key; raises StoreError."""
    with faults.known_files(file):
        return hmac.digest(secret_key(file.with_name(KEY_FILE)), b"library", "sha256").hex()[:IDENTITY_DIGITS]


def engine(file: Path, begin: str, pragmas: Sequence[str], pool: type[Pool] | None = None) -> Engine:
    """Make an engine with these pragmas whose transactions start with the statement `begin`.

    Raises StoreError if there is no key, and none can be made.
    """
    with faults.known_files(file):
        ours = keying(secret_key(file.with_name(KEY_FILE)))
    made = create_engine(
        URL.create("sqlite", database=str(file)),
        # Without an isolation level the driver begins no transaction: upgrading a reader to a writer fails at once
        # with "locked", without waiting.
        connect_args={"isolation_level": None, "timeout": BUSY_TIMEOUT_MS / 1000},
        json_serializer=_json,
        json_deserializer=orjson.loads,
        **({"poolclass": pool} if pool else {"max_overflow": -1}),
    )

    def connected(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
        entry.info[KEYED] = ours
        connection.create_function(KEYED, 1, ours, deterministic=True)
        for pragma in pragmas:
            connection.execute(pragma)
        connection.create_function("exactly", 1, _exactly, deterministic=True)

    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(made, "connect", connected)
    event.listen(made, "begin", begun)
    return made


def yielding_to_typing(made: Engine, yield_to_typing: Callable[[], object]) -> None:
    """Make an engine call this during statements for many rows."""

    def in_pieces(cursor: sqlite3.Cursor, statement: str, rows: Sequence[Any], _context: object) -> bool:
        for start in range(0, len(rows), ROWS_AT_ONCE):
            if start:
                yield_to_typing()
            cursor.executemany(statement, rows[start : start + ROWS_AT_ONCE])
        return True

    event.listen(made, "do_executemany", in_pieces)


KEYED = "keyed"
"""Name of the SQL function that keys a digest, also in the connection's info."""


def keying(key: bytes) -> Callable[[Any], Any]:
    """Return a function that keys digests of texts; other values are unchanged."""

    def keyed(plain: Any) -> Any:
        if not isinstance(plain, bytes) or len(plain) != DIGEST_BYTES:
            return plain
        return hmac.digest(key, plain, "sha256")[:KEYED_BYTES]

    return keyed


def keyed(connection: Connection, plain: bytes) -> bytes:
    """Return the keyed digest of a text's digest, as in history and route log."""
    made: bytes = connection.info[KEYED](plain)
    return made


def _exactly(number: float | None) -> str | None:
    """Format a float as JSON with all digits; SQLite's JSON has 15."""
    return None if number is None else repr(float(number))


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


# ---- Many items in few statements: chunks, or keys in one parameter.


CHUNK = 1_000
"""Number of items per statement; SQLite allows 32,766 parameters."""

KEYS_AT_ONCE = 10_000
"""Number of keys per statement as a JSON array."""

T = TypeVar("T")


def array(keys: Iterable[int]) -> str:
    """Format keys as a JSON array, a single parameter."""
    return f"[{','.join(map(str, keys))}]"


def among(column: Column[int], keys: Iterable[int]) -> ColumnElement[bool]:
    """Make the condition that a column holds one of these keys."""
    return column.in_(select(func.json_each(array(keys)).table_valued("value").c.value))


def chunks(things: Iterable[T], size: int | None = None) -> Iterator[list[T]]:
    """Yield lists of up to `size` (default CHUNK) items, in order."""
    iterator = iter(things)
    while chunk := list(islice(iterator, size or CHUNK)):
        yield chunk
