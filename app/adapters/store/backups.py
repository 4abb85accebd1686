"""The copies from before each migration, without the secrets that they were made with."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import orjson

from app.adapters.store.faults import BACKUPS

UNREADABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def blank_secrets(folder: Path) -> None:
    """Take the values of environments out of the copies of this profile, for good, and let only the owner read them.

    A copy that cannot be read stays as it is.
    """
    for file in sorted((folder / BACKUPS).glob("library-*.db")):
        try:
            _blank(file)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in UNREADABLE:
                raise
        if sys.platform != "win32":
            file.chmod(0o600)


def _blank(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        held = [(key, orjson.loads(env)) for key, env in connection.execute("SELECT id, env FROM powers")]
        blank = [(orjson.dumps(dict.fromkeys(env, "")).decode(), key) for key, env in held if any(env.values())]
        if blank:
            connection.executemany("UPDATE powers SET env = ? WHERE id = ?", blank)
            connection.execute("VACUUM")  # nothing of what was there stays in pages that are free
