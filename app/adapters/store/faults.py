"""Messages for SQLite's errors: what happened, and what to do."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from sqlalchemy.exc import DBAPIError

from app.domain.errors import FolderError, StoreBusyError, StoreError, StoreGoneError
from app.files import DISK_FULL

BACKUPS = "backups"
"""Folder beside the library for backups."""

UNDECODABLE = "Could not decode to UTF-8"
"""The driver's message for invalid UTF-8, which has no code; only valid text is stored."""


MALFORMED = "malformed JSON"
"""SQLite's message for invalid JSON."""

NO_SUCH = ("no such table", "no such column")
"""SQLite's messages, without a code, for missing parts of this version's schema."""

MOST_NAMED = 5

ROOM = 65_536
"""Free space in bytes that SQLite needs for the files beside a library."""


class ReadOnlyError(FolderError):
    """The library, or its folder, cannot be written."""


class RowError(FolderError):
    """A row of this table holds an invalid value."""

    def __init__(self, table: str = "") -> None:
        where = f" among its {table}" if table else ""
        super().__init__(
            f"The library is damaged{where}, so this cannot be read or changed: “doctor” names the rows; what else is "
            f"stored can be used and exported. “intentscope restore FILE” takes a copy (see the folder {BACKUPS})."
        )


class DamagedError(FolderError):
    """The library's file is not a valid SQLite library."""


class DiskFullError(StoreError):
    """The disk of the library is full."""


def locked(file: Path) -> StoreError:
    return StoreBusyError(
        f"The library {file} is in use by another program: let that one finish or close it, and try again."
    )


def read_only(path: Path) -> StoreError:
    return ReadOnlyError(
        f"The library cannot be written because {path} is read-only: make it writable, or "
        "choose another --profile folder."
    )


def damaged(file: Path) -> StoreError:
    return DamagedError(
        f"The library {file} is damaged and was left as it is: “intentscope restore FILE” takes a copy instead (see "
        f"{file.parent / BACKUPS}), or move it away to start with a new one."
    )


def foreign(file: Path) -> StoreError:
    return DamagedError(
        f"The file {file} is not a library of this program and was left as it is: move it "
        "away, or choose another --profile folder."
    )


def odd_sql(file: Path, names: Sequence[str]) -> StoreError:
    """Report SQL of others; a trigger would run at each change of a table."""
    named = ", ".join(names[:MOST_NAMED])
    return DamagedError(
        f"The library {file} holds SQL that this program did not write ({named}), and was left as it is: “intentscope "
        f"restore {file}” takes its rows alone."
    )


def newer(file: Path, version: str) -> StoreError:
    return FolderError(
        f"The library {file} was written by a newer version of this program (its format is “{version}”) "
        "and was left as it is: update the program, or choose another --profile folder."
    )


def gone(file: Path, *, beside: bool = False, saved: bool = False) -> StoreError:
    """Report a replaced library, or (`beside`) a replaced file beside it.

    `saved`: all earlier changes are in the library.
    """
    if beside:
        kept = "what was stored before is kept" if saved else "what was stored last may be lost"
        return StoreGoneError(
            f"A file beside the library {file} (its name ends in -wal or -shm) was removed or "
            f"replaced while it was open, so nothing is stored any more; {kept}. Leave these "
            "files alone, and try again to open it."
        )
    return StoreGoneError(
        f"The library {file} was removed or replaced while it was open, so nothing is stored "
        "any more: put it back and try again; the file there is then opened, or a new one "
        "is made."
    )


def joined_since(file: Path) -> StoreError:
    """Report that the library in this file has been exchanged."""
    return StoreGoneError(
        f"The library {file} was joined to a team's, or taken out of it, while it was open, "
        "so nothing was changed: try again to open it."
    )


def log_gone(file: Path) -> StoreError:
    return StoreBusyError(
        f"The log beside the library {file} (its name ends in -wal) was removed while another "
        "program has the library open, so nothing was changed: close that program, and try "
        "again."
    )


def disk_full(file: Path) -> StoreError:
    return DiskFullError(f"The disk that holds {file} is full, so nothing was changed: free some space, and try again.")


def no_room_to_shrink(file: Path) -> StoreError:
    return DiskFullError(
        f"The disk that holds the library {file} has no room to rewrite it, which takes "
        "twice its size for a while: free some space, and try again. Nothing is lost."
    )


def unreachable(path: Path, reason: str) -> StoreError:
    return StoreError(
        f"The library cannot be opened at {path} ({reason}): put that right, or choose another --profile folder."
    )


def is_of_a_row(error: sqlite3.Error) -> bool:
    """Return whether a single value is damaged, not the file."""
    return str(error).startswith((UNDECODABLE, MALFORMED))


def translated(error: sqlite3.Error, file: Path) -> StoreError | None:
    """Return the known error for SQLite's; None for a bug."""
    if is_of_a_row(error):
        return RowError()
    if str(error).startswith(NO_SUCH):
        return damaged(file)
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:  # the low byte is the primary result code
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return locked(file)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return read_only(file)
        case sqlite3.SQLITE_CORRUPT:
            return damaged(file)
        case sqlite3.SQLITE_NOTADB:
            return foreign(file)
        case sqlite3.SQLITE_FULL:
            return disk_full(file)
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR | sqlite3.SQLITE_PROTOCOL | sqlite3.SQLITE_AUTH:
            # SQLite reports a full disk as a file that cannot be made or written.
            return disk_full(file) if _has_no_room(file.parent) else unreachable(file, str(error))
    return None


def _has_no_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < ROOM
    except OSError:
        return False


def _of_disk(error: OSError, file: Path) -> StoreError:
    if error.errno in DISK_FULL:
        return disk_full(file)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return read_only(file.parent)
    return unreachable(file.parent, error.strerror or str(error))


@contextmanager
def known_files(file: Path) -> Iterator[None]:
    """Convert errors about small files beside this library to StoreError."""
    try:
        yield
    except TimeoutError as error:
        raise locked(file) from error
    except OSError as error:
        raise _of_disk(error, file) from error


@contextmanager
def known_faults(file: Path) -> Iterator[None]:
    """Convert errors from outside to StoreError; other errors are unchanged."""
    try:
        yield
    except (sqlite3.Error, DBAPIError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        known = translated(cause, file) if isinstance(cause, sqlite3.Error) else None
        if known is None:
            raise
        raise known from error
    except UnicodeDecodeError as error:  # by the driver, for a table whose name is not valid text
        raise damaged(file) from error


def tried_writing(library: Path) -> str:
    """Write durably what SQLite needs beside a library, and delete it; return the free space.

    Raises DiskFullError, ReadOnlyError, StoreError.
    """
    folder = library.parent
    try:
        with TemporaryFile(dir=folder) as stream:
            stream.write(bytes(ROOM))
            stream.flush()
            os.fsync(stream.fileno())
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise _of_disk(error, library) from error
    return f"{free / 1024**2:,.0f} MB are free; a small test file was written"
