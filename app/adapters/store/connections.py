"""Connections to a library, and access to its file: reads at once, writes one at a time."""

from __future__ import annotations

import hmac
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import orjson
from sqlalchemy import URL, Column, ColumnElement, Connection, Engine, create_engine, event, func, select
from sqlalchemy.pool import ConnectionPoolEntry, Pool

from app.adapters.secrets import secret_key
from app.adapters.store import faults
from app.adapters.store.faults import (
    ROOM,
    RowError,
    gone,
    joined_since,
    known_faults,
    known_files,
    log_gone,
    no_room_to_shrink,
)
from app.domain.errors import StoreError
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
        # A float as JSON with all digits; SQLite's JSON has 15.
        connection.create_function("exactly", 1, lambda x: None if x is None else repr(float(x)), deterministic=True)

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


# ---- Access to the file: concurrent reads, writes on one thread, one at a time.


P = ParamSpec("P")

LOG, SHARED = "-wal", "-shm"
"""Suffixes of the files beside an open library: write-ahead log and shared memory."""

LOG_HEADER = 32
"""Minimum size of a non-empty log in bytes."""

LOOK = "SELECT count(*) FROM sqlite_master"
"""Smallest statement that makes a connection open the files beside the library."""


class SqlAccess:
    """Access to a library; writes run on one thread and connection, in immediate transactions."""

    def __init__(self, file: Path, yield_to_typing: Callable[[], object] = lambda: None) -> None:
        """Open the file; `yield_to_typing` is called during large writes, and may block."""
        self.file = file
        self._reading = engine(file, "BEGIN", READING)
        self._writing = engine(file, "BEGIN IMMEDIATE", WRITING)
        yielding_to_typing(self._writing, yield_to_typing)
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="library-writer")
        self._connection: Connection | None = None
        self._watchman: sqlite3.Connection | None = None
        self._opened: list[tuple[int, int] | None] = []
        try:
            with known_faults(file):
                self._writer.submit(self._begin).result()
        except StoreError:
            self.close()
            raise

    def _begin(self) -> None:
        """Open the library and the files beside it, and remember their identities.

        Raises StoreError if another program has it open whose log was removed: further writes would be lost.
        """
        self._watchman = sqlite3.connect(f"{self.file.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        self._watchman.execute(LOOK).fetchone()
        self._driver().execute(LOOK).fetchone()
        if self._log_is_empty() and self._unsaved() > 0:
            raise log_gone(self.file)
        self._opened = self._found()

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run work in a read transaction; raises StoreError, RowError for a damaged value."""
        with known_faults(self.file), self._reading.begin() as connection:
            try:
                return work(connection)
            except ValueError as error:  # an invalid date, enum value or JSON
                raise RowError from error

    def write(self, work: Callable[[Connection], T], *, lasting: bool = False) -> T:
        """Run work in a write transaction and commit; nothing is changed if it raises.

        Raises StoreError. With `lasting` the commit waits for the disk; otherwise the last writes may be lost in a
        power failure.
        """

        def in_transaction() -> T:
            connection = self._writers_connection()
            with self._syncing(lasting), connection.begin():
                done = work(connection)
            if self._found() != self._opened:
                raise self._gone()  # written to a file that nobody will read
            return done

        return self._on_writer(in_transaction)

    def share(self, work: Callable[[Connection], T]) -> T:
        """Write durably what teams must know of; raises StoreGoneError if now a team's copy."""

        def alone(connection: Connection) -> T:
            if connection.exec_driver_sql("SELECT count(*) FROM team").scalar():
                raise joined_since(self.file)
            return work(connection)

        return self.write(alone, lasting=True)

    def empty_log(self) -> None:
        """Move the log into the file, so that it holds no deleted data.

        Waits for present readers; with later readers the log remains.
        """
        self._on_writer(lambda: self._driver().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())

    def size_bytes(self) -> int:
        """Return the size on disk with the log, in bytes."""
        return self.file.stat().st_size + self._log_bytes()

    def reclaim_space(self) -> None:
        """Rewrite the library without free pages.

        This needs twice the space for a while; raises StoreError without it, or if another program writes, with the
        library unchanged.
        """
        with known_files(self.file):
            if shutil.disk_usage(self.file.parent).free < 2 * self.size_bytes() + ROOM:
                raise no_room_to_shrink(self.file)
        self._on_writer(lambda: self._driver().execute("VACUUM"))
        self.empty_log()

    def data_version(self) -> int:
        """Return a number that changes when another instance has written."""
        return self._on_writer(self._foreign_writes)

    def close(self) -> None:
        """Wait for the writer, then close the file; idempotent."""
        self._writer.shutdown(wait=True)
        # The last connection moves the log into the library and deletes the file of that name, which may be another
        # library's now. A read-only one does neither: it is closed first if all is well, and last otherwise.
        if self._found() == self._opened:
            self._dismiss()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._reading.dispose()
        self._writing.dispose()
        self._dismiss()

    def _dismiss(self) -> None:
        if self._watchman is not None:
            self._watchman.close()
            self._watchman = None

    @contextmanager
    def _syncing(self, lasting: bool) -> Iterator[None]:
        """Make commits wait for the disk; set outside of transactions."""
        driver = self._driver()
        if lasting:
            driver.execute(LASTING)
        try:
            yield
        finally:
            if lasting:
                driver.execute(QUICK)

    def _on_writer(self, work: Callable[[], T]) -> T:
        def watched() -> T:
            # SQLite would go on writing to a deleted file without an error.
            if self._found() != self._opened:
                raise self._gone()
            return work()

        with known_faults(self.file):
            return self._writer.submit(watched).result()

    def _found(self) -> list[tuple[int, int] | None]:
        """Return the identities of the library and the files beside it."""
        return [_identity(self.file.with_name(f"{self.file.name}{end}")) for end in ("", LOG, SHARED)]

    def _gone(self) -> StoreError:
        """Return the error for a replaced file.

        The content of a lost log is first moved into the library, if there is no new log.
        """
        if self._found()[0] != self._opened[0]:
            return gone(self.file)
        return gone(self.file, beside=True, saved=self._log_is_empty() and self._unsaved() == 0)

    def _log_is_empty(self) -> bool:
        return self._log_bytes() < LOG_HEADER

    def _log_bytes(self) -> int:
        try:
            return self.file.with_name(f"{self.file.name}{LOG}").stat().st_size
        except FileNotFoundError:
            return 0

    def _unsaved(self) -> int:
        """Return the number of log pages not in the library, after trying to move them."""
        try:
            busy, pages, moved = self._driver().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.OperationalError:
            return 1  # the log that should hold them cannot be read
        return max(int(busy), int(pages) - int(moved))

    def _writers_connection(self) -> Connection:
        if self._connection is None:
            self._connection = self._writing.connect()
        return self._connection

    def _foreign_writes(self) -> int:
        # On the writer's connection, whose own writes do not count, outside of a transaction.
        (number,) = self._driver().execute("PRAGMA data_version").fetchone()
        return int(number)

    def _driver(self) -> sqlite3.Connection:
        driver = self._writers_connection().connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        return driver


def reading(work: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Make a method of work that is done in a read transaction of its object's access."""

    @wraps(work)
    def method(self: Any, /, *given: P.args, **named: P.kwargs) -> T:
        found: T = self._access.read(lambda connection: work(connection, *given, **named))
        return found

    return method


def writing(work: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Make a method of work that is done in a write transaction of its object's access."""

    @wraps(work)
    def method(self: Any, /, *given: P.args, **named: P.kwargs) -> T:
        done: T = self._access.write(lambda connection: work(connection, *given, **named))
        return done

    return method


def _identity(file: Path) -> tuple[int, int] | None:
    """Return the identity of a file; None if missing."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
