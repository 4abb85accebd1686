"""Access to a library's file: concurrent reads, writes on one thread, one at a time."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from app.adapters.store import connections
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

T = TypeVar("T")
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
        self._reading = connections.engine(file, "BEGIN", connections.READING)
        self._writing = connections.engine(file, "BEGIN IMMEDIATE", connections.WRITING)
        connections.yielding_to_typing(self._writing, yield_to_typing)
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
        driver = self._driver()
        driver.execute(LOOK).fetchone()
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
            driver.execute(connections.LASTING)
        try:
            yield
        finally:
            if lasting:
                driver.execute(connections.QUICK)

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
