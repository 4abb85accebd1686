"""Removal of leftovers of killed programs: drafts, copies and folders without a lock."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from tempfile import gettempdir

from app import files
from app.adapters.store.faults import BACKUPS

SIDES = ("", "-journal", "-wal", "-shm")
"""Suffixes of a SQLite file and the files that SQLite puts beside it."""

EARLIER_DRAFT = re.compile(r"\..+\.(?:\d{1,10}|[a-z0-9_]{8})\.part|vectors-[0-9a-f]+\.\d{1,10}\.new")
EARLIER_BACKUP = re.compile(r"((?:kept|library)-[^/]+\.db\.part)(?:-journal|-wal|-shm)?")
EARLIER_FOLDERS = "intentscope-*"
"""Names used by earlier versions, without a lock of ours."""

LIBRARY = "library.db"
QUIET_SECONDS = 60.0
"""Minimum age of unlocked files since their last change."""


def remove_abandoned(profile: Path) -> list[Path]:
    """Remove the leftovers in a profile, ignoring errors; return the removed paths."""
    removed: list[Path] = []
    for folder in (profile, profile / "cache", profile / "folders"):
        with suppress(OSError):
            removed += [folder / name for name in files.remove_abandoned(folder)]
            earlier = (path for path in folder.iterdir() if EARLIER_DRAFT.fullmatch(path.name))
            removed += [path for path in earlier if _removed(path)]
    with suppress(OSError):
        found = [EARLIER_BACKUP.fullmatch(path.name) for path in (profile / BACKUPS).iterdir()]
        for name in sorted({match[1] for match in found if match is not None}):
            removed += _removed_backup(profile / BACKUPS / name)
    return removed


def remove_from_system() -> list[Path]:
    """Remove the leftovers in the system's temporary folder; return the removed paths."""
    folder, removed = Path(gettempdir()), list[Path]()
    with suppress(OSError):
        removed += [folder / name for name in files.remove_abandoned(folder)]
    for path in folder.glob(EARLIER_FOLDERS):
        with suppress(OSError):
            library = path / LIBRARY
            if _is_mine(path) and library.is_file() and _is_quiet(library) and not _is_open(library):
                shutil.rmtree(path)
                removed.append(path)
    return removed


def _removed(path: Path) -> bool:
    with suppress(OSError):
        if _is_mine(path) and _is_quiet(path):
            path.unlink()
            return True
    return False


def _removed_backup(draft: Path) -> list[Path]:
    """Remove an unfinished backup and the files beside it, unless a program is writing it."""
    removed: list[Path] = []
    if _is_mine(draft, is_missing_fine=True) and not _is_open(draft):
        for side in SIDES:
            with suppress(OSError):
                path = draft.with_name(f"{draft.name}{side}")
                path.unlink()
                removed.append(path)
    return removed


def _is_mine(path: Path, *, is_missing_fine: bool = False) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return is_missing_fine
    return not path.is_symlink() and (sys.platform == "win32" or found.st_uid == os.geteuid())


def _is_quiet(path: Path) -> bool:
    return time.time() - path.stat().st_mtime > QUIET_SECONDS


def _is_open(file: Path) -> bool:
    """Return whether a program has a lock on this SQLite file; False for other files."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=0.0)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return False
