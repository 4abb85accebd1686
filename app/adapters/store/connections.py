"""Connections to one library and how each begins; many things in few statements, cut into chunks."""

from __future__ import annotations

import hmac
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import orjson
from sqlalchemy import URL, ColumnElement, Connection, Engine, create_engine, event, func, select
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.pool import ConnectionPoolEntry, Pool

from app.adapters.local.secrets import kept_key
from app.adapters.store import faults
from db.schema import DIGEST_BYTES

BUSY_TIMEOUT_MS = 5_000
"""How long a connection waits for another program's lock before that is a fault."""

UNTRUSTING = "PRAGMA trusted_schema=OFF"
"""What the file of a library says of its tables calls no function that could harm."""

READING = (UNTRUSTING, "PRAGMA foreign_keys=ON", "PRAGMA query_only=ON")
QUICK, LASTING = "PRAGMA synchronous=NORMAL", "PRAGMA synchronous=FULL"
"""With a log, neither can damage a library; LASTING waits at each commit until it is on the disk."""

WRITING = (UNTRUSTING, "PRAGMA foreign_keys=ON", QUICK, "PRAGMA cache_size=-65536", "PRAGMA secure_delete=ON")
"""A writer may keep 64 MB of pages: with SQLite's own 2 MB a step that touches everything reads the file many times.
What is forgotten is overwritten, not only crossed out, however SQLite was built."""
MIGRATING = (UNTRUSTING, "PRAGMA foreign_keys=OFF", "PRAGMA synchronous=FULL", "PRAGMA secure_delete=ON")

KEY_FILE = "digests.key"
"""Beside the library, what digests of queries are keyed with: who has the library alone cannot guess what was asked."""

KEYED_BYTES = 24
"""Keyed digests are shorter than those of texts, so that it shows which is which and none is keyed twice."""


IDENTITY_DIGITS = 16

ROWS_AT_ONCE = 50
"""So many rows are written before others may run: about half a millisecond."""


def library_identity(file: Path) -> str:
    """A word that no other library has, and that tells nothing of this one's key; StoreError."""
    with faults.known_files(file):
        return hmac.digest(kept_key(file.with_name(KEY_FILE)), b"library", "sha256").hex()[:IDENTITY_DIGITS]


def engine(file: Path, begin: str, pragmas: Sequence[str], pool: type[Pool] | None = None) -> Engine:
    """An engine whose connections run these pragmas, and whose transactions start with the statement `begin`.

    StoreError if there is no key for it, and none can be made.
    """
    with faults.known_files(file):
        ours = keying(kept_key(file.with_name(KEY_FILE)))
    made = create_engine(
        URL.create("sqlite", database=str(file)),
        # Without an isolation level the driver begins nothing by itself: a reader must not be upgraded to a writer
        # half-way, which SQLite answers with "locked" at once, without waiting.
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
    """Have an engine call this within statements for many rows. A statement for few is not held up."""

    def in_pieces(cursor: sqlite3.Cursor, statement: str, rows: Sequence[Any], _context: object) -> bool:
        for start in range(0, len(rows), ROWS_AT_ONCE):
            if start:
                yield_to_typing()
            cursor.executemany(statement, rows[start : start + ROWS_AT_ONCE])
        return True

    event.listen(made, "do_executemany", in_pieces)


KEYED = "keyed"
"""What the function is called that keys a digest, in SQL and where a connection keeps it."""


def keying(key: bytes) -> Callable[[Any], Any]:
    """What makes of a text's digest one that only this key makes; what is keyed, or no digest, stays as it is."""

    def keyed(plain: Any) -> Any:
        if not isinstance(plain, bytes) or len(plain) != DIGEST_BYTES:
            return plain
        return hmac.digest(key, plain, "sha256")[:KEYED_BYTES]

    return keyed


def keyed(connection: Connection, plain: bytes) -> bytes:
    """A text's digest as the history and the log of routes know it."""
    made: bytes = connection.info[KEYED](plain)
    return made


def _exactly(number: float | None) -> str | None:
    """A float as JSON with all its digits, for states; SQLite's own JSON has 15."""
    return None if number is None else repr(float(number))


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


# ---- Many things in few statements: cut into chunks, or their keys in one parameter.


CHUNK = 1_000
"""How many things are looked up and written at a time; SQLite takes 32,766 parameters in a statement."""

KEYS_AT_ONCE = 10_000
"""How many keys go into one statement as a JSON array."""

T = TypeVar("T")


def array(keys: Iterable[int]) -> str:
    """Keys as a JSON array, which is one parameter however many there are."""
    return f"[{','.join(map(str, keys))}]"


def among(column: InstrumentedAttribute[int], keys: Iterable[int]) -> ColumnElement[bool]:
    """The condition that a column holds one of these keys."""
    return column.in_(select(func.json_each(array(keys)).table_valued("value").c.value))


def chunks(things: Iterable[T], size: int | None = None) -> Iterator[list[T]]:
    """Lists of up to `size` (CHUNK) things, in order."""
    iterator = iter(things)
    while chunk := list(islice(iterator, size or CHUNK)):
        yield chunk
