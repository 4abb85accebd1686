"""Backups made while a library is open, and restoring from them, from outside in part."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_bytes

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from app import files
from app.adapters.local.secrets import KEY_BYTES
from app.adapters.store import faults, opening, ownership
from app.adapters.store.connections import KEYED, KEYS_AT_ONCE, MIGRATING, chunks, keying
from app.adapters.store.faults import BACKUPS, known_faults
from app.adapters.store.opening import FILE
from app.adapters.store.outside_file import OURS, Column, OutsideFile, outside_file
from app.adapters.store.writing import entries
from app.domain.errors import StoreError
from app.domain.journal import ThingKind
from app.domain.outside import LeftOut, Restored
from app.settings.outside import sort_settings
from db import upgrade as history

KEPT = "kept-*.db"
"""Names of backups made on request; unlike those before migrations, they are never deleted."""


def backups_of(folder: Path) -> Sequence[Path]:
    """Return the backups in this profile's folder, newest first."""
    return sorted((folder.absolute() / BACKUPS).glob(KEPT), reverse=True)


def back_up(folder: Path, target: Path | None = None) -> Path:
    """Back up with SQLite's backup API, during writes; return the file; raises StoreError."""
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
    with usable(target), known_faults(file):
        files.check(target)
        # If others could replace the file that SQLite opens, the copy is made in the profile first.
        near = file.parent if target.parent == own or files.is_shared(target.parent) else target.parent
        with files.TemporaryFolder(near) as place:
            opening.copy_library(file, place / FILE)
            opening.seal_copy(place / FILE, key)
            files.move(place / FILE, target)
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
        why = error.strerror or str(error)
        raise StoreError(f"{path} cannot be used ({why}): name another file.") from error


TRIES = 5
"""Maximum number of backups of the present library; repeated if another program writes."""

NOT_COPIED = frozenset({"alembic_version", "notices"})
"""Tables that are created anew."""


@dataclass(slots=True)
class Candidate:
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
def candidate(folder: Path, source: Path) -> Iterator[Candidate]:
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
        chosen = dict(fresh.execute("SELECT key, value FROM settings"))
        settings = {} if is_own else sort_settings(chosen).personal
        yield Candidate(folder, source, is_own, settings, fresh, found.sql)


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


def _columns(fresh: sqlite3.Connection, table: str) -> list[Column]:
    rows = fresh.execute(f"PRAGMA table_info('{table}')").fetchall()
    return [Column(name, kind, may_lack=not is_needed and not key) for _, name, kind, is_needed, _, key in rows]


def _index(connection: Connection) -> None:
    """Build the text index of the memories."""
    connection.exec_driver_sql("INSERT INTO found (found) VALUES ('delete-all')")
    for keys in chunks(connection.exec_driver_sql("SELECT id FROM memories").scalars(), KEYS_AT_ONCE):
        entries.learn(connection, ThingKind.MEMORY, keys)


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
                seen = _written(target)
                again = keep(folder)
                before.unlink()
                before = again
                if _written(target) == seen:
                    break
        fresh.backup(target)
    return before


def _written(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another program has written."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)
