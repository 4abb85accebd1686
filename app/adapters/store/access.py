"""One library's file, read and written: reads on connections of their own, writes on one thread, one at a time."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

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

LOG, SHARED = "-wal", "-shm"
"""What lies beside a library while it is open: the log that writes go to first, and what its readers share of it."""

LOG_HEADER = 32
"""A log with fewer bytes than this holds nothing."""

LOOK = "SELECT count(*) FROM sqlite_master"
"""The least that has a connection open the files beside the library."""


class SqlAccess:
    """All writes run on one thread with one connection, each in one transaction that takes the write lock at once."""

    def __init__(self, file: Path, yield_to_typing: Callable[[], object] = lambda: None) -> None:
        """`yield_to_typing` is called now and then while much is written, and may take its time."""
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
        """Take hold of the library and of the two files beside it, and remember which they are; StoreError if another
        program has it open whose log was taken away: what is written then is found by nobody."""
        self._watchman = sqlite3.connect(f"{self.file.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        self._watchman.execute(LOOK).fetchone()
        driver = self._driver()
        driver.execute(LOOK).fetchone()
        if self._log_is_empty() and self._unsaved() > 0:
            raise log_gone(self.file)
        self._opened = self._found()

    def read(self, work: Callable[[Connection], T]) -> T:
        """What the work finds, which sees one moment in time; StoreError, RowError for a damaged value."""
        with known_faults(self.file), self._reading.begin() as connection:
            try:
                return work(connection)
            except ValueError as error:  # of a date, a word of a list or a JSON that is none
                raise RowError from error

    def write(self, work: Callable[[Connection], T], *, lasting: bool = False) -> T:
        """What the work returns, once it is committed; nothing is changed if it raises. StoreError.

        What is `lasting` is on the disk by then: it is there even if the power fails, while other writes of the last
        moments may be gone.
        """

        def in_transaction() -> T:
            connection = self._writers_connection()
            with self._syncing(lasting), connection.begin():
                done = work(connection)
            if self._found() != self._opened:
                raise self._gone()  # it went somewhere that nobody will look into
            return done

        return self._on_writer(in_transaction)

    def share(self, work: Callable[[Connection], T]) -> T:
        """`write`, lasting, of what a team would have to hear of: StoreGoneError where this library has become a copy
        of a team's since it was opened."""

        def alone(connection: Connection) -> T:
            if connection.exec_driver_sql("SELECT count(*) FROM team").scalar():
                raise joined_since(self.file)
            return work(connection)

        return self.write(alone, lasting=True)

    def empty_log(self) -> None:
        """Bring what was written from the log beside the file into it: the log holds nothing then that was forgotten.

        Who reads at the same time is waited for; whoever reads on after that keeps the log as it is.
        """
        self._on_writer(lambda: self._driver().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())

    def size_bytes(self) -> int:
        """How large the library is on the disk, with its log."""
        return self.file.stat().st_size + self._log_bytes()

    def reclaim_space(self) -> None:
        """Write the library anew without what is free in it. For a while it takes its room again, twice; StoreError
        if that is not there, or another program writes: the library is as it was then."""
        with known_files(self.file):
            if shutil.disk_usage(self.file.parent).free < 2 * self.size_bytes() + ROOM:
                raise no_room_to_shrink(self.file)
        self._on_writer(lambda: self._driver().execute("VACUUM"))
        self.empty_log()

    def data_version(self) -> int:
        """A number that changes when somebody else has written: another instance, not this one."""
        return self._on_writer(self._foreign_writes)

    def close(self) -> None:
        """Wait for the writer, then let go of the file; a second call does nothing."""
        self._writer.shutdown(wait=True)
        # Whoever closes last moves the log into the library and deletes what has its name, which may be another
        # library's by now. One that may only read does neither: it goes first where all is well, and last where not.
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
        """Have the writer's commits wait for the disk; it is set outside of any transaction."""
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
            # SQLite would go on writing to a file that has no name any more, and say that all is well.
            if self._found() != self._opened:
                raise self._gone()
            return work()

        with known_faults(self.file):
            return self._writer.submit(watched).result()

    def _found(self) -> list[tuple[int, int] | None]:
        """What lies where the library and the two files beside it were."""
        return [_identity(self.file.with_name(f"{self.file.name}{end}")) for end in ("", LOG, SHARED)]

    def _gone(self) -> StoreError:
        """Why nothing more is written. What only the lost log holds is brought into the library first, if nobody has
        begun another log."""
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
        """How many pages of the log are not in the library, after trying to bring them there."""
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
