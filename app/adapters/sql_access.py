"""One library's file, read and written: reads on connections of their own, writes on one thread, one at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from app.adapters import sql_connections
from app.adapters.sql_faults import gone, known_faults

T = TypeVar("T")


class SqlAccess:
    """All writes run on one thread with one connection, each in one transaction that takes the write lock at once."""

    def __init__(self, file: Path, give_way: Callable[[], object] = lambda: None) -> None:
        """`give_way` is called now and then while much is written, and may take its time."""
        self.file = file
        self._opened = _identity(file)
        self._reading = sql_connections.engine(file, "BEGIN", sql_connections.READING)
        self._writing = sql_connections.engine(file, "BEGIN IMMEDIATE", sql_connections.WRITING)
        sql_connections.giving_way(self._writing, give_way)
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="library-writer")
        self._connection: Connection | None = None

    def read(self, work: Callable[[Connection], T]) -> T:
        """What the work finds, which sees one moment in time; StoreError."""
        with known_faults(self.file), self._reading.begin() as connection:
            return work(connection)

    def write(
        self, work: Callable[[Connection], T], afterwards: Callable[[], None] | None = None, *, lasting: bool = False
    ) -> T:
        """What the work returns, once it is committed; nothing is changed if it raises. StoreError.

        `afterwards` is called after the commit and before any other write. What is `lasting` is on the disk by then:
        it is there even if the power fails, while other writes of the last moments may be gone.
        """

        def in_transaction() -> T:
            connection = self._writers_connection()
            with self._syncing(lasting), connection.begin():
                done = work(connection)
            if afterwards is not None:
                afterwards()
            return done

        return self._on_writer(in_transaction)

    def empty_log(self) -> None:
        """Bring what was written from the log beside the file into it: the log holds nothing then that was forgotten.

        Who reads at the same time is waited for; whoever reads on after that keeps the log as it is.
        """
        self._on_writer(lambda: self._driver().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())

    def data_version(self) -> int:
        """A number that changes when somebody else has written: another instance, not this one."""
        return self._on_writer(self._foreign_writes)

    def close(self) -> None:
        """Wait for the writer, then let go of the file; a second call does nothing."""
        self._writer.shutdown(wait=True)
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._reading.dispose()
        self._writing.dispose()

    @contextmanager
    def _syncing(self, lasting: bool) -> Iterator[None]:
        """Have the writer's commits wait for the disk; it is told outside of any transaction."""
        driver = self._driver()
        if lasting:
            driver.execute(sql_connections.LASTING)
        try:
            yield
        finally:
            if lasting:
                driver.execute(sql_connections.QUICK)

    def _on_writer(self, work: Callable[[], T]) -> T:
        # SQLite would go on writing to a file that has no name any more, and say that all is well.
        if _identity(self.file) != self._opened:
            raise gone(self.file)
        with known_faults(self.file):
            return self._writer.submit(work).result()

    def _writers_connection(self) -> Connection:
        if self._connection is None:
            self._connection = self._writing.connect()
        return self._connection

    def _foreign_writes(self) -> int:
        # Asked on the writer's own connection, whose writes do not count, and outside of any transaction.
        (number,) = self._driver().execute("PRAGMA data_version").fetchone()
        return int(number)

    def _driver(self) -> sqlite3.Connection:
        driver = self._writers_connection().connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        return driver


def _identity(file: Path) -> tuple[int, int] | None:
    """What tells the file from any other that may come to lie in its place; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
