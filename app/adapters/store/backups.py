"""The copies from before each migration, without the secrets that they were made with."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import orjson

from app.adapters.local.secrets import kept_key
from app.adapters.store.connections import KEY_FILE, KEYED, keying
from app.adapters.store.faults import BACKUPS, known_files

DIGESTED = (
    "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c "
    "WHERE t.name IN ('queries', 'route_decisions') AND c.name = 'digest'"
)
"""Where digests of queries are; the oldest libraries have no such tables."""

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


def key_digests(file: Path) -> None:
    """Key the digests of queries in the copies of this library, for good: a text can be guessed from a plain one.

    A copy that cannot be read stays as it is.
    """
    with known_files(file):
        keyed = keying(kept_key(file.with_name(KEY_FILE)))
    for copy in sorted((file.parent / BACKUPS).glob("library-*.db")):
        try:
            with closing(sqlite3.connect(copy)) as connection, connection:
                connection.execute("PRAGMA secure_delete=ON")
                connection.create_function(KEYED, 1, keyed, deterministic=True)
                for table, column in connection.execute(DIGESTED).fetchall():
                    connection.execute(f"UPDATE {table} SET {column} = {KEYED}({column})")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in UNREADABLE:
                raise


def _blank(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        held = [(key, orjson.loads(env)) for key, env in connection.execute("SELECT id, env FROM powers")]
        blank = [(orjson.dumps(dict.fromkeys(env, "")).decode(), key) for key, env in held if any(env.values())]
        if blank:
            connection.executemany("UPDATE powers SET env = ? WHERE id = ?", blank)
            connection.execute("VACUUM")  # nothing of what was there stays in pages that are free
