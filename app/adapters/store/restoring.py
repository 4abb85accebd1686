"""Backups made while a library is open, and restoring from them, from outside in part."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from errno import EISDIR
from pathlib import Path
from secrets import token_bytes
from typing import Any

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from app import files
from app.adapters.secrets import KEY_BYTES
from app.adapters.store import entries, faults, opening, ownership
from app.adapters.store.connections import BUSY_TIMEOUT_MS, KEYED, KEYS_AT_ONCE, MIGRATING, chunks, keying
from app.adapters.store.faults import BACKUPS, DamagedError, DiskFullError, ReadOnlyError, RowError, known_faults
from app.adapters.store.opening import FILE, HEADER
from app.adapters.store.values import STATE, STORED, unapproved_state
from app.domain.errors import StoreError
from app.domain.journal import ItemKind
from app.domain.outside import LeftOut, Restored
from app.settings.layers import sort_settings
from db import upgrade as history

KEPT = "kept-*.db"
"""Names of backups made on request; unlike those before migrations, they are never deleted."""


def backups_of(folder: Path) -> Sequence[Path]:
    """Return the backups in this profile's folder, newest first."""
    return sorted((folder.absolute() / BACKUPS).glob(KEPT), reverse=True)


def back_up(folder: Path, target: Path | None = None) -> Path:
    """Back up with SQLite's backup API, during writes; return the file; raises StoreError."""
    file = folder.absolute() / FILE
    with suppress(ReadOnlyError):  # a library that may only be read is copied as it is
        file = opening.prepare_file(folder)
    key = opening.make_key(folder)
    own = file.parent / BACKUPS
    if target is None:
        target = own / f"kept-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
        with usable(own):
            own.mkdir(mode=0o700, exist_ok=True)
    if target.exists() and target.samefile(file):
        raise StoreError(f"{target} is the library itself: name another file.")
    real, profile = (Path(os.path.realpath(path)) for path in (target, file.parent))
    if real.parent != Path(os.path.realpath(own)) and real.is_relative_to(profile):
        raise StoreError(f"{target} lies among the profile's own files: name a file elsewhere.")
    try:
        with usable(target), known_faults(file):
            files.check(target)
            # If others could replace the file that SQLite opens, the copy is made in the profile first.
            near = file.parent if target.parent == own or files.is_shared(target.parent) else target.parent
            with files.TemporaryFolder(near) as place:
                opening.copy_library(file, place / FILE)
                opening.seal_copy(place / FILE, key)
                files.move(place / FILE, target)
    except DiskFullError as error:
        raise faults.disk_full(target) from error
    return target.absolute()


def move_aside(folder: Path) -> Path:
    """Move a damaged library, and the files beside it, to the backups.

    Returns its new file. Raises StoreError.
    """
    file = folder.absolute() / FILE
    target = file.parent / BACKUPS / f"damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
    with usable(target):
        target.parent.mkdir(mode=0o700, exist_ok=True)
        for end in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                file.with_name(f"{FILE}{end}").rename(target.with_name(f"{target.name}{end}"))
    return target


@contextmanager
def usable(path: Path) -> Iterator[None]:
    """Convert OSError for a backup's file to StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path} cannot be used ({files.why_unwritten(error)}): name another file.") from error


TRIES = 5
"""Maximum number of backups of the present library; repeated if another program writes."""

NOT_COPIED = frozenset({"alembic_version", "notices"})
"""Tables that are created anew."""


@dataclass(slots=True)
class CheckedCopy:
    """Complete, checked library made from a copy, before anything is changed."""

    folder: Path
    source: Path
    is_own: bool
    """True if this profile made the copy, and it is unchanged."""
    settings: Mapping[str, str]
    """Settings of an outside copy that need the user's consent."""
    _fresh: sqlite3.Connection
    _sql: tuple[str, ...]

    def restore(self, *, accept: bool = False) -> Restored:
        """Back up or move aside the present library, and replace it; on StoreError nothing changes."""
        key = opening.make_key(self.folder)
        accepted = dict(self.settings) if accept else {}
        left = LeftOut()
        with known_faults(self.source):
            self._fresh.execute("BEGIN")
            if self.is_own:
                ownership.leave_team(self._fresh)
            else:
                left = replace(ownership.disown(self._fresh, accepted), sql=self._sql)
            ownership.claim(self._fresh, key)
            self._fresh.execute("COMMIT")
        try:
            before = _replaced(self.folder, self._fresh, back_up)
        except faults.DamagedError:
            before = _replaced(self.folder, self._fresh, move_aside)
        return Restored(str(before), self.is_own, accepted, left)


@contextmanager
def candidate(folder: Path, source: Path) -> Iterator[CheckedCopy]:
    """Build a copy's library, migrated, in an unnamed temporary file; raises StoreError."""
    source = source.absolute()
    key = opening.key_of(folder)
    with closing(sqlite3.connect("", isolation_level=None)) as fresh:
        fresh.create_function(KEYED, 1, keying(key or token_bytes(KEY_BYTES)), deterministic=True)
        for pragma in MIGRATING:
            fresh.execute(pragma)
        engine = create_engine("sqlite://", creator=lambda: fresh, poolclass=StaticPool)
        with usable(source), outside_file(source) as found, _taking(found), engine.begin() as connection:
            fresh.execute("BEGIN")
            history.upgrade(connection, found.revision)
            _copy(found, fresh)
            is_own = key is not None and ownership.is_sealed(fresh, key)
            if found.doubt is not None and not is_own:
                raise found.doubt
            history.upgrade(connection)
            if fresh.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise found.refused("rows in it belong to others that are missing")
            _index(connection)
        settings = {} if is_own else sort_settings(dict(fresh.execute("SELECT key, value FROM settings"))).personal
        yield CheckedCopy(folder, source, is_own, settings, fresh, found.sql)


@contextmanager
def _taking(found: OutsideFile) -> Iterator[None]:
    """Refuse a file whose rows violate the schema, or cannot be migrated."""
    try:
        yield
    except (sqlite3.Error, DBAPIError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if getattr(cause, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise
        raise found.refused(f"its rows make no library ({cause})") from error
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise found.refused(f"its rows make no library ({error})") from error


def _copy(found: OutsideFile, fresh: sqlite3.Connection) -> None:
    """Copy the rows of all tables of its revision."""
    if found.has("ownership"):
        fresh.execute(ownership.TABLE)
    tables = fresh.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    given = found.highest_keys()
    for table, sql in tables:
        if table in NOT_COPIED or table.startswith(OURS):
            continue
        columns = _columns(fresh, table)
        rows = found.rows(table, columns)
        if table == "revisions":
            rows = found.states(rows, columns)
        fresh.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})', rows)
        if "AUTOINCREMENT" in sql and table in given:
            fresh.execute("INSERT INTO sqlite_sequence SELECT ?1, 0 WHERE NOT EXISTS "
                          "(SELECT 1 FROM sqlite_sequence WHERE name = ?1)", (table,))  # fmt: skip
            fresh.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (given[table], table))


def _columns(fresh: sqlite3.Connection, table: str) -> list[TableColumn]:
    rows = fresh.execute(f"PRAGMA table_info('{table}')").fetchall()
    return [TableColumn(name, kind, may_lack=not is_needed and not key) for _, name, kind, is_needed, _, key in rows]


def _index(connection: Connection) -> None:
    """Build the text index of the memories."""
    connection.exec_driver_sql("INSERT INTO found (found) VALUES ('delete-all')")
    for keys in chunks(connection.exec_driver_sql("SELECT id FROM memories").scalars(), KEYS_AT_ONCE):
        entries.learn(connection, ItemKind.MEMORY, keys)


def _replaced(folder: Path, fresh: sqlite3.Connection, keep: Callable[[Path], Path]) -> Path:
    """Back up the present library and replace it; return the backup. Raises StoreError."""
    if keep is back_up and opening.team_of(opening.prepare_file(folder)) is not None:
        raise StoreError(
            "The library is a team's, whose server keeps what everybody has: “intentscope team --leave” first."
        )
    before = keep(folder)
    file = opening.prepare_file(folder)
    with known_faults(file), closing(opening.connect(file, "rw")) as target:
        if keep is back_up:
            for _ in range(TRIES):  # so that changes by another program during the backup are in one or the other
                seen = _data_version(target)
                again = keep(folder)
                before.unlink()
                before = again
                if _data_version(target) == seen:
                    break
        fresh.backup(target)
    return before


def _data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another program has written."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


# ---- SQLite file from outside: only rows of real tables are read and checked, within limits.


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
class TableColumn:
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

    def rows(self, table: str, columns: Sequence[TableColumn]) -> Iterator[tuple[Any, ...]]:
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

    def states(self, rows: Iterator[tuple[Any, ...]], columns: Sequence[TableColumn]) -> Iterator[tuple[Any, ...]]:
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
        columns = (TableColumn("name", "TEXT", may_lack=False), TableColumn("seq", "INTEGER", may_lack=False))
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
