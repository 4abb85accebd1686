"""SQLite file from outside: only rows of real tables are read and checked, within limits."""

from __future__ import annotations

import sqlite3
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EISDIR
from pathlib import Path
from typing import Any

from app.adapters.store import faults
from app.adapters.store.connections import BUSY_TIMEOUT_MS
from app.adapters.store.faults import DamagedError, RowError
from app.adapters.store.opening import HEADER
from app.adapters.store.values import STATE, STORED, unapproved_state
from app.domain.errors import StoreError
from db import upgrade as history

MOST_BYTES = 2**27
"""Maximum size of one value or row, and of a table's SQL statement."""

BASE_STEPS, STEPS_PER_BYTE, STEPS_AT_ONCE = 50_000_000, 20, 100_000
"""Maximum number of SQLite's steps, counted in portions; reading takes about four per byte."""

ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION})

PRAGMAS = frozenset({"quick_check", "table_list", "table_xinfo"})

OURS = ("found", "sqlite_")
"""Prefixes of SQLite's own tables and of the text index, which is rebuilt."""

SEQUENCE = "sqlite_sequence"

NO_LIBRARY = "it is not a library of this program"

LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MOST_BYTES,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: MOST_BYTES,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a table in this program's schema."""

    name: str
    kind: str
    may_lack: bool


class OutsideFile:
    """Open outside file; every call raises StoreError if it is no library or is refused."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection
        self._kinds = {str(name): str(kind) for _, name, kind, *_ in self._all("PRAGMA main.table_list")}
        self.sql = tuple(
            f"{kind} {name}"
            for kind, name, sql in self._all("SELECT type, name, sql FROM main.sqlite_master")
            if kind in ("trigger", "view") and " ".join(str(sql).split()) not in history.TRIGGERS
        )
        """Triggers and views that are not this program's, by kind and name."""
        self.doubt: StoreError | None = None
        """Reason that the rows read so far must not be used; None if they may."""

    @property
    def revision(self) -> str:
        """Revision stated in the file, known to this program."""
        if "alembic_version" not in self._kinds:
            raise self.refused(NO_LIBRARY)
        self._check("alembic_version", ("version_num",))
        found = [value for (value,) in self._all("SELECT version_num FROM main.alembic_version LIMIT 2")]
        if len(found) != 1 or not isinstance(found[0], str) or not found[0].isprintable():
            raise self.refused("it does not say of which revision it is")
        if found[0] not in history.REVISIONS:
            raise faults.newer(self._path, found[0])
        return found[0]

    def has(self, table: str) -> bool:
        return table in self._kinds

    def rows(self, table: str, columns: Sequence[Column]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table with checked types; `doubt` reports invalid values."""
        self._check(table, [column.name for column in columns])
        names = ", ".join(f'"{column.name}"' for column in columns)
        checks = [
            (at, column.may_lack, STORED[column.kind]) for at, column in enumerate(columns) if column.name != STATE
        ]
        for row in self._run(f'SELECT {names} FROM main."{table}" NOT INDEXED'):
            for at, may_lack, is_sound in checks:
                value = row[at]
                if not (may_lack if value is None else is_sound(value)):
                    self._doubt(f"a value in its table {table} is none that {columns[at].name} can have")
            yield row

    def states(self, rows: Iterator[tuple[Any, ...]], columns: Sequence[Column]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of recorded states, each validated."""
        kind, state = ([column.name for column in columns].index(name) for name in ("kind", STATE))
        for row in rows:
            try:
                unapproved_state(row[kind], row[state])
            except RowError:
                self._doubt("a recorded state in it is none")
            yield row

    def highest_keys(self) -> dict[str, int]:
        """Return the highest key ever assigned, by table."""
        if not self.has(SEQUENCE):
            return {}
        columns = (Column("name", "TEXT", may_lack=False), Column("seq", "INTEGER", may_lack=False))
        return dict(self.rows(SEQUENCE, columns))

    def _doubt(self, why: str) -> None:
        self.doubt = self.doubt or self.refused(why)

    def refused(self, why: str) -> StoreError:
        return refused(self._path, why)

    def _check(self, table: str, names: Sequence[str]) -> None:
        """Refuse the table unless it is a sound, real one with these columns."""
        kind = self._kinds.get(table)
        if kind is None:
            raise self.refused(f"its table {table} is missing")
        if kind != "table":
            raise self.refused(f"its {table} is a {kind} instead of a table")
        if [*self._all(f"PRAGMA main.quick_check('{table}')")] != [("ok",)]:
            raise self.refused(f"its table {table} is damaged")
        found = {name: hidden for _, name, _, _, _, _, hidden in self._all(f"PRAGMA main.table_xinfo('{table}')")}
        if lacking := [name for name in names if name not in found]:
            raise self.refused(f"its table {table} has no {lacking[0]}, although its revision has")
        if any(found.values()):
            raise self.refused(f"its table {table} has columns that are computed")

    def _all(self, statement: str) -> list[tuple[Any, ...]]:
        return list(self._run(statement))

    def _run(self, statement: str) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._connection.execute(statement)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            known = faults.translated(error, self._path) if isinstance(error, sqlite3.Error) else None
            if known is None or isinstance(known, RowError | DamagedError):
                raise self.refused(f"it cannot be read ({error})") from error
            raise known from error


def refused(path: Path, why: str) -> StoreError:
    return StoreError(f"{path} was not restored, and nothing was changed: {why}.")


@contextmanager
def outside_file(path: Path) -> Iterator[OutsideFile]:
    """Open a file for reading rows, changing nothing; raises OSError, StoreError."""
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(EISDIR, "a file is needed")
    if not stat.S_ISREG(found.st_mode):
        raise refused(path, "it is a pipe, a socket or a device")
    with path.open("rb") as stream:
        if stream.read(len(HEADER)) != HEADER:
            raise refused(path, NO_LIBRARY)
    log = path.with_name(f"{path.name}-wal")
    log_size = log.stat().st_size if log.exists() else 0
    mode = "ro" if log_size else "ro&immutable=1"
    with faults.known_faults(path):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000
        )
        try:
            _defend(connection, found.st_size + log_size)
            connection.execute("BEGIN")
            yield OutsideFile(path, connection)
        finally:
            connection.close()


def _defend(connection: sqlite3.Connection, size: int) -> None:
    """Prevent SQLite from running the file's code, and limit the work."""
    for limit, most in LIMITS.items():
        connection.setlimit(limit, most)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)
    for pragma in (
        "trusted_schema=OFF",
        "cell_size_check=ON",
        "ignore_check_constraints=ON",
        "query_only=ON",
        "mmap_size=0",
    ):
        connection.execute(f"PRAGMA {pragma}")
    left = (BASE_STEPS + STEPS_PER_BYTE * size) // STEPS_AT_ONCE

    def is_too_much() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(is_too_much, STEPS_AT_ONCE)
    connection.set_authorizer(_authorized)


def _authorized(action: int, first: str | None, _second: str | None, _schema: str | None, within: str | None) -> int:
    """Allow reading tables, but not through a view or trigger."""
    is_allowed = within is None and (
        action in ALLOWED or action == sqlite3.SQLITE_READ or (action == sqlite3.SQLITE_PRAGMA and first in PRAGMAS)
    )
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY
