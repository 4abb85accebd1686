"""Whose a library is: a mark that only the secret of its profile makes, and what goes from a library that lacks it.

A library that is in use bears a mark of its profile. A copy bears a seal instead, which vouches for its approvals,
settings and what else a person decides. All other libraries are from outside: they bring no approvals, no addresses, no
permissions and none of a person's secrets.
"""

from __future__ import annotations

import hmac
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from secrets import randbelow

import orjson

from app.domain.journal import ThingKind
from app.domain.outside import LeftOut
from app.settings.outside import is_portable, sort_settings

TABLE = (
    "CREATE TABLE IF NOT EXISTS ownership (id INTEGER NOT NULL, mark BLOB NOT NULL, "
    "CONSTRAINT pk_ownership PRIMARY KEY (id))"
)
"""The table of the mark, for copies of libraries from before there was one."""

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
"""By table, what the seal of a copy vouches for. Programs to come read it from copies of today: it only grows."""

SPREAD = 2**40
"""Keys of powers from outside begin at random within so many: the values of environments are kept under them, and none
of this profile's belongs to such a power."""


def is_own(connection: sqlite3.Connection, key: bytes) -> bool:
    """Whether the library bears the mark of the profile with this secret."""
    return hmac.compare_digest(_mark(connection), _own_mark(key))


def is_sealed(connection: sqlite3.Connection, key: bytes) -> bool:
    """Whether the library is a copy that the profile with this secret has made, and holds what it held then."""
    return hmac.compare_digest(_mark(connection), _seal(connection, key))


def is_marked(connection: sqlite3.Connection) -> bool:
    """Whether the library bears anybody's mark or seal."""
    return bool(_mark(connection))


def claim(connection: sqlite3.Connection, key: bytes) -> None:
    """Mark the library as that of the profile with this secret."""
    _put(connection, _own_mark(key))


def seal(connection: sqlite3.Connection, key: bytes) -> None:
    """Seal a copy."""
    _put(connection, _seal(connection, key))


def _own_mark(key: bytes) -> bytes:
    return hmac.digest(key, b"the library of this profile", "sha256")


def _seal(connection: sqlite3.Connection, key: bytes) -> bytes:
    told = sha256()
    with _reading_anything(connection):
        for table in sorted(VOUCHED.keys() & _tables(connection)):
            told.update(f"{table}\n".encode())
            for row in connection.execute(VOUCHED[table]):
                told.update(f"{row!r}\n".encode("utf-8", "surrogateescape"))
    return hmac.digest(key, b"a copy of its library " + told.digest(), "sha256")


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


# ---- What goes from a library that is not this profile's


def disown(connection: sqlite3.Connection, accepted: Collection[str] = ()) -> LeftOut:
    """Take out of a library what its owner alone decides, but for these settings; what that was.

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
    """Make the library nobody's copy; the address of what it was a copy of, "" for nothing."""
    row = connection.execute("SELECT address FROM team").fetchone()
    connection.execute("DELETE FROM team")
    connection.execute("UPDATE steps SET author = NULL WHERE author = ''")
    return "" if row is None else str(row[0])


def _withdraw_recorded(connection: sqlite3.Connection) -> None:
    """Take approvals out of the recorded states of powers, which undo would bring back."""
    rows = connection.execute(
        "SELECT step_id, item_id, state FROM revisions WHERE kind = ? AND state IS NOT NULL", (ThingKind.POWER.value,)
    ).fetchall()
    for step, item, state in rows:
        try:
            held = orjson.loads(state)
            blank = orjson.dumps(held | {"approved": 0}).decode()
        except (orjson.JSONDecodeError, TypeError):
            blank = None  # nothing could be made of it either
        connection.execute(
            "UPDATE revisions SET state = ? WHERE step_id = ? AND item_id = ? AND kind = ?",
            (blank, step, item, ThingKind.POWER.value),
        )


def _move_powers(connection: sqlite3.Connection) -> None:
    """Give the powers keys under which this profile keeps no values."""
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
    """Forget all other settings, and the steps on any that is not portable: undo or redo would bring it back."""
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
    """Read texts that are none as well: one bad byte is no reason to keep an approval."""
    before, connection.text_factory = connection.text_factory, lambda told: told.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = before
