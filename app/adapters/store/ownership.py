"""Ownership of a library: a mark or seal made with the profile's secret.

A library in use has its profile's mark. A copy has a seal instead, which covers approvals, settings and other
decisions of the user. All other libraries are from outside: they bring no approvals, addresses, permissions or
secrets.
"""

from __future__ import annotations

import hmac
import os
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import randbelow
from tempfile import gettempdir

import orjson

from app import files
from app.adapters.store.faults import BACKUPS
from app.domain.journal import ItemKind
from app.domain.outside import LeftOut
from app.settings.layers import is_portable, sort_settings

TABLE = (
    "CREATE TABLE IF NOT EXISTS ownership (id INTEGER NOT NULL, mark BLOB NOT NULL, "
    "CONSTRAINT pk_ownership PRIMARY KEY (id))"
)
"""Table of the mark, for copies of older libraries."""

VOUCHED = {
    "settings": "SELECT key, value FROM settings ORDER BY key",
    "setting_revisions": "SELECT step_id, key, held, present FROM setting_revisions ORDER BY step_id, key",
    "powers": "SELECT id, name, command, args, url, approved, CASE WHEN json_valid(env) THEN (SELECT "
    "group_concat(name, char(10)) FROM (SELECT key AS name FROM json_each(env) ORDER BY key)) END FROM powers "
    "ORDER BY id",
    "runs": "SELECT power_id, approved FROM runs ORDER BY power_id",
    "revisions": "SELECT step_id, item_id, state FROM revisions WHERE kind = 'power' ORDER BY step_id, item_id",
    "pending_secrets": "SELECT name, staged FROM pending_secrets ORDER BY name",
}
"""Data covered by a copy's seal, by table; it may only grow, for later versions."""

SPREAD = 2**40
"""Range of random offsets for keys of outside powers.

Environment values are stored by key, so that no such power gets this profile's.
"""


def is_own(connection: sqlite3.Connection, key: bytes) -> bool:
    """Return whether the library has the mark of the profile with this secret."""
    return hmac.compare_digest(_mark(connection), _own_mark(key))


def is_sealed(connection: sqlite3.Connection, key: bytes) -> bool:
    """Return whether the library is an unchanged copy made by the profile with this secret."""
    return hmac.compare_digest(_mark(connection), _seal(connection, key))


def is_marked(connection: sqlite3.Connection) -> bool:
    """Return whether the library has any mark or seal."""
    return bool(_mark(connection))


def claim(connection: sqlite3.Connection, key: bytes) -> None:
    """Mark the library as that of the profile with this secret."""
    _put(connection, _own_mark(key))


def seal(connection: sqlite3.Connection, key: bytes) -> None:
    _put(connection, _seal(connection, key))


def _own_mark(key: bytes) -> bytes:
    return hmac.digest(key, b"the library of this profile", "sha256")


def _seal(connection: sqlite3.Connection, key: bytes) -> bytes:
    content = sha256()
    with _reading_anything(connection):
        for table in sorted(VOUCHED.keys() & _tables(connection)):
            content.update(f"{table}\n".encode())
            for row in connection.execute(VOUCHED[table]):
                content.update(f"{row!r}\n".encode("utf-8", "surrogateescape"))
    return hmac.digest(key, b"a copy of its library " + content.digest(), "sha256")


def _mark(connection: sqlite3.Connection) -> bytes:
    if "ownership" not in _tables(connection):
        return b""
    row = connection.execute("SELECT mark FROM ownership WHERE id = 1").fetchone()
    return row[0] if row is not None and isinstance(row[0], bytes) else b""


def _put(connection: sqlite3.Connection, mark: bytes) -> None:
    connection.execute(TABLE)
    connection.execute("INSERT OR REPLACE INTO ownership (id, mark) VALUES (1, ?)", (mark,))


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


# ---- Removal from a library of another profile


def disown(connection: sqlite3.Connection, accepted: Collection[str] = ()) -> LeftOut:
    """Remove everything that only the owner decides, except these settings; return it.

    In the caller's transaction, without foreign keys.
    """
    with _reading_anything(connection):
        approved = connection.execute(
            "SELECT p.name FROM powers p LEFT JOIN runs r ON r.power_id = p.id "
            "WHERE p.approved IS NOT 0 OR coalesce(r.approved, '') != '' ORDER BY p.id"
        ).fetchall()
        connection.execute("UPDATE powers SET approved = 0 WHERE approved IS NOT 0")
        connection.execute("UPDATE runs SET approved = '' WHERE approved != ''")
        _withdraw_recorded(connection)
        _move_powers(connection)
        connection.execute("DELETE FROM pending_secrets")
        found = sort_settings({str(k): str(v) for k, v in connection.execute("SELECT key, value FROM settings")})
        left = {key: value for key, value in found.personal.items() if key not in accepted}
        _keep_settings(
            connection, found.portable.keys() | found.harmless.keys() | (found.personal.keys() - left.keys())
        )
        return LeftOut(tuple(str(name) for (name,) in approved), left, found.refused, leave_team(connection))


def leave_team(connection: sqlite3.Connection) -> str:
    """Make the library an own one; return the address of the team's, "" if none."""
    row = connection.execute("SELECT address FROM team").fetchone()
    connection.execute("DELETE FROM team")
    connection.execute("UPDATE steps SET author = NULL WHERE author = ''")
    return "" if row is None else str(row[0])


def _withdraw_recorded(connection: sqlite3.Connection) -> None:
    """Remove approvals from the recorded states of powers, which undo would restore."""
    rows = connection.execute(
        "SELECT step_id, item_id, state FROM revisions WHERE kind = ? AND state IS NOT NULL", (ItemKind.POWER.value,)
    ).fetchall()
    for step, item, state in rows:
        try:
            blank = orjson.dumps(orjson.loads(state) | {"approved": 0}).decode()
        except (orjson.JSONDecodeError, TypeError):
            blank = None  # it is not readable either way
        connection.execute(
            "UPDATE revisions SET state = ? WHERE step_id = ? AND item_id = ? AND kind = ?",
            (blank, step, item, ItemKind.POWER.value),
        )


def _move_powers(connection: sqlite3.Connection) -> None:
    """Move the powers to keys without stored values in this profile."""
    (highest,) = connection.execute(
        "SELECT max(coalesce((SELECT max(id) FROM powers), 0), coalesce((SELECT max(item_id) FROM revisions "
        "WHERE kind = 'power'), 0), coalesce((SELECT max(power_id) FROM runs), 0), coalesce((SELECT seq FROM "
        "sqlite_sequence WHERE name = 'powers'), 0))"
    ).fetchone()
    step = (highest if isinstance(highest, int) else SPREAD) + 1 + randbelow(SPREAD)
    for table, column in (("tools", "power_id"), ("runs", "power_id"), ("powers", "id")):
        connection.execute(f"UPDATE {table} SET {column} = {column} + ?", (step,))
    connection.execute("UPDATE revisions SET item_id = item_id + ? WHERE kind = 'power'", (step,))
    connection.execute("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'powers'", (step,))


def _keep_settings(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    """Delete all other settings, and their steps unless portable, as undo would restore them."""
    kept = orjson.dumps(sorted(keys)).decode()
    connection.execute("DELETE FROM settings WHERE key NOT IN (SELECT value FROM json_each(?))", (kept,))
    changed = connection.execute("SELECT DISTINCT key FROM setting_revisions").fetchall()
    stays = orjson.dumps([key for (key,) in changed if isinstance(key, str) and is_portable(key)]).decode()
    others = "key NOT IN (SELECT value FROM json_each(?))"
    steps = connection.execute(f"SELECT DISTINCT step_id FROM setting_revisions WHERE {others}", (stays,)).fetchall()
    connection.execute(f"DELETE FROM setting_revisions WHERE {others}", (stays,))
    connection.executemany(
        "DELETE FROM steps WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM revisions WHERE step_id = ?1) "
        "AND NOT EXISTS (SELECT 1 FROM setting_revisions WHERE step_id = ?1)",
        steps,
    )


@contextmanager
def _reading_anything(connection: sqlite3.Connection) -> Iterator[None]:
    """Read invalid text as well, so that a bad byte does not save an approval."""
    before, connection.text_factory = connection.text_factory, lambda told: told.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = before


# ---- Removal of leftovers of killed programs: drafts, copies and folders without a lock.


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
