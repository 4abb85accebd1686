"""From a folder to a library that can be used: looked at first, copied before it is migrated."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import orjson
from sqlalchemy import URL, create_engine
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

from app import files
from app.adapters.local.secrets import has_key, kept_key
from app.adapters.store import connections, faults, notices, ownership
from app.adapters.store.connections import KEY_FILE, KEYED, keying
from app.adapters.store.faults import BACKUPS, known_faults, known_files
from app.adapters.store.leftovers import remove_abandoned
from app.domain.errors import StoreError
from db import upgrade as history
from db.schema import TableRow

FILE = "library.db"
MARKED_FILE, MARKED, KEYED_SINCE = "library.marked", "0021", "0010"
"""The note that the library beside it bears a mark; the revisions since which it does, and since which it has a key."""

KEPT_BACKUPS = 3
HEADER = b"SQLite format 3\0"
WAL_BYTE, WAL_MODE = 18, b"\2"
"""Where a SQLite file says that it is written through a log, and how."""
LIBRARY = (FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal")
SMALL = ("settings.toml", "secrets.json", "calibration.json", "learned.npz", "routes.npz", "types.npz",
         "columns.json", "tables.json", "panes.json", "guide.json", connections.KEY_FILE, "recent.json",
         "updates.json", MARKED_FILE)  # fmt: skip
OURS = frozenset(
    {
        BACKUPS,
        "cache",
        "folders",
        "log",
        "secrets.lock",
        *SMALL,
        *LIBRARY,
    }
)
"""What a profile folder may hold for its mode to be narrowed; a folder with anything else in it is left alone."""

SEATS = re.compile(r"(?:window|hook|engine-\d+)\.(?:lock|sock|address)")
"""What the processes of a profile that can be asked leave in its folder, whatever version they are of."""

PLAIN_INDEX = re.compile(r'CREATE (UNIQUE )?INDEX "?\w+"? ON "?\w+"? ?\("?\w+"?(, "?\w+"?)*\)')
"""An index over columns, which computes nothing."""

DRAFTS = (".part", ".new")
"""How the names of small files end that are being written, or were when their program was killed."""


def prepare_file(folder: Path) -> Path:
    """The library file of this profile: made if missing, migrated if older, in WAL mode.

    StoreError for every fault of the outside; a file that is damaged, foreign, newer or locked keeps every byte.
    """
    folder = Path(os.path.abspath(folder))
    file = folder / FILE
    make_private(folder)
    _check_access(folder, file)
    remove_abandoned(folder)
    with known_faults(file):
        if _version_on_disk(file) != history.HEAD:
            _make_private_file(file)
            _migrate(file)
        _use_wal(file)
        _make_own(file)
    return file


def make_private(folder: Path) -> None:
    """Make the folder with mode 0700, or narrow the mode of one that holds nothing but a profile."""
    try:
        folder.mkdir(mode=0o700, parents=True)
    except (FileExistsError, NotADirectoryError) as error:
        if not folder.is_dir():
            raise faults.unreachable(folder, "expected a folder, found a file") from error
        _narrow(folder)
    except PermissionError as error:
        raise faults.read_only(folder.parent) from error
    except OSError as error:
        raise faults.unreachable(folder, error.strerror or str(error)) from error


def _narrow(folder: Path) -> None:
    if sys.platform == "win32":
        return
    with suppress(OSError):  # what we may neither list nor change is not ours, or cannot be changed by anybody
        if folder.stat().st_uid == os.getuid() and all(map(_is_ours, os.listdir(folder))):
            folder.chmod(0o700)
            for name in LIBRARY:
                with suppress(FileNotFoundError):
                    _narrow_file(folder / name)


def _narrow_file(file: Path) -> None:
    """Not by opening it: closing it again would take SQLite's locks on it from this process."""
    try:
        file.chmod(0o600, follow_symlinks=False)
    except NotImplementedError:  # where /proc is missing, through which the C library does that
        if not file.is_symlink():
            file.chmod(0o600)


def _is_ours(name: str) -> bool:
    if name in OURS or SEATS.fullmatch(name):
        return True
    draft = name.removeprefix(".")
    is_draft = name.endswith(DRAFTS) and (draft.startswith((*SMALL, FILE)) or SEATS.match(draft) is not None)
    return is_draft or name.startswith(files.TEMPORARY)


def _make_private_file(file: Path) -> None:
    """Let there be a file, for its owner alone: SQLite would make it as others are, and its log after its pattern."""
    with suppress(OSError):  # SQLite meets the same fault, and that is reported
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))


def _check_access(folder: Path, file: Path) -> None:
    if not os.access(folder, os.R_OK | os.X_OK):
        raise faults.unreachable(folder, "you may not read it")
    if not os.access(folder, os.W_OK):  # WAL puts two files beside the library
        raise faults.read_only(folder)
    if file.is_dir():
        raise faults.unreachable(file, "expected a file, found a folder")
    if file.exists() and not file.is_file():  # opening a pipe would wait for somebody to write into it
        raise faults.unreachable(file, "expected a file, found a pipe or a device")
    if file.exists() and not os.access(file, os.R_OK | os.W_OK):
        raise faults.read_only(file)


def _version_on_disk(file: Path) -> str | None:
    """The revision of the file, None if there is nothing in it yet; found without changing a byte of it."""
    try:
        with file.open("rb") as stream:
            start = stream.read(WAL_BYTE + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise faults.unreachable(file, error.strerror or str(error)) from error
    if start and not start.startswith(HEADER):
        raise faults.foreign(file)
    log = file.with_name(f"{FILE}-wal")
    if start[WAL_BYTE:] == WAL_MODE and not log.exists():
        # Nobody has it open: read it without the two files beside it that even a reader would leave behind.
        try:
            return _version_by(file, "ro&immutable=1")
        except (sqlite3.Error, StoreError):
            if not log.exists():
                raise
            # Somebody has opened it meanwhile and may be writing: look again, as a reader who takes part.
    try:
        return _version_by(file, "ro")
    except sqlite3.OperationalError as error:
        # A program that died while writing leaves a journal, which only a writing connection may roll back.
        if error.sqlite_errorcode not in (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_RECOVERY):
            raise
    return _version_by(file, "rw")


def _version_by(file: Path, mode: str) -> str | None:
    with closing(connect(file, mode)) as connection:
        return version(connection, file)


def team_of(file: Path) -> tuple[str, str] | None:
    """The word and the address of the team's library that this one is a copy of; None where it is nobody else's."""
    with known_faults(file), closing(connect(file, "ro")) as connection:
        row = connection.execute("SELECT library, address FROM team").fetchone()
    return None if row is None else (str(row[0]), str(row[1]))


def version(connection: sqlite3.Connection, file: Path) -> str | None:
    """The revision, or None for an empty file; StoreError for another program's, a newer one, or one that holds SQL of
    somebody else."""
    held = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    if not held:
        return None
    if "alembic_version" not in {name for _, name, _ in held}:
        raise faults.foreign(file)
    if odd := [f"{kind} {name}" for kind, name, sql in held if not _is_harmless(kind, name, sql)]:
        raise faults.odd_sql(file, odd)
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if row is None or not isinstance(row[0], str) or not row[0].isprintable():
        raise faults.damaged(file)
    if row[0] not in history.REVISIONS:
        raise faults.newer(file, str(row[0]))
    return str(row[0])


def _is_harmless(kind: str, name: str, sql: str | None) -> bool:
    """Whether a part of the schema is this program's, or runs nothing when this program reads and writes."""
    plain = " ".join((sql or "").split())
    match kind:
        case "table":
            return plain.startswith("CREATE TABLE ") or name not in TableRow.metadata.tables
        case "index":
            return sql is None or PLAIN_INDEX.fullmatch(plain) is not None
        case "view":
            return name not in TableRow.metadata.tables and plain.startswith("CREATE VIEW ")
    return plain in history.TRIGGERS


def _migrate(file: Path) -> None:
    """Bring the file to today's revision in one transaction; another program that wants the same waits, then sees it.

    BEGIN IMMEDIATE keeps out other writers but not the readers, of which the backup is one.
    """
    had_key = has_key(file.with_name(KEY_FILE))
    engine = connections.engine(file, "BEGIN IMMEDIATE", connections.MIGRATING, NullPool)
    with engine.begin() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        found = version(driver, file)
        if found == history.HEAD:
            return
        key = make_key(file.parent)
        is_own = found is None or _was_own(driver, file, found, key, had_key=had_key)
        if found is not None:
            _check_whole(driver, file)
            copy = _back_up(file, found)
            key_digests(file)
            blank_addresses(file)
            if is_own:
                seal_copy(copy, key)
                if found < MARKED:
                    for former in (file.parent / BACKUPS).glob("kept-*.db"):
                        with suppress(sqlite3.Error):
                            seal_copy(former, key)
        history.upgrade(connection)
        if driver.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise faults.damaged(file)
        if is_own:
            ownership.claim(driver, key)
            if found is not None and found < MARKED:
                notices.add(driver, notices.of_team(driver))


def _was_own(driver: sqlite3.Connection, file: Path, found: str, key: bytes, *, had_key: bool) -> bool:
    """Whether a library of an earlier revision is this profile's own.

    Before there were marks it is, unless something speaks against that: it is older than what the profile had already,
    or the profile lacks the key that a library of its revision came with.
    """
    if ownership.is_marked(driver):
        return ownership.is_own(driver, key) or ownership.is_sealed(driver, key)
    return not file.with_name(MARKED_FILE).exists() and (had_key or found < KEYED_SINCE)


def _make_own(file: Path) -> None:
    """Have a library from outside, which somebody put in this place, bring nothing that only its owner decides."""
    key = make_key(file.parent)
    with closing(connect(file, "rw")) as connection:
        if ownership.is_own(connection, key):
            _note_marked(file)
            return
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("BEGIN IMMEDIATE")
        if not ownership.is_own(connection, key):
            if not ownership.is_sealed(connection, key):
                notices.add(connection, notices.of_outside(file, ownership.disown(connection)))
            ownership.claim(connection, key)
        connection.execute("COMMIT")
    _note_marked(file)


def _note_marked(file: Path) -> None:
    """Note beside the library that it has a mark from now on; what has none is from outside then."""
    note = file.with_name(MARKED_FILE)
    if not note.exists():
        with known_files(file):
            files.write_private(note, b"")


def key_of(folder: Path) -> bytes | None:
    """The secret of this profile, None where it has none yet; StoreError."""
    with known_files(file := folder.absolute() / FILE):
        return kept_key(key) if has_key(key := file.with_name(KEY_FILE)) else None


def make_key(folder: Path) -> bytes:
    """The secret of this profile, made where there is none yet, as the profile is; StoreError."""
    make_private(folder.absolute())
    with known_files(file := folder.absolute() / FILE):
        return kept_key(file.with_name(KEY_FILE))


def _check_whole(connection: sqlite3.Connection, file: Path) -> None:
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise faults.damaged(file)


def _back_up(file: Path, found: str) -> Path:
    """Copy the library into `backups` by SQLite's own means, whole or not at all, and keep the last three copies; where
    it is."""
    folder = file.parent / BACKUPS
    name = f"library-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{found}.db"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        with files.TemporaryFolder(file.parent) as place:
            copy_library(file, place / FILE)
            files.move(place / FILE, folder / name)
        _prune(sorted(folder.glob("library-*.db")))
    except OSError as error:
        raise faults.unreachable(folder, error.strerror or str(error)) from error
    return folder / name


def seal_copy(copy: Path, key: bytes) -> None:
    """Seal a copy of this profile's own library; sqlite3.Error. One that cannot be read to its end gets no seal."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        try:
            ownership.seal(connection, key)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in UNREADABLE:
                raise
            with suppress(sqlite3.DatabaseError):
                connection.execute("DELETE FROM ownership")


def copy_library(file: Path, target: Path) -> None:
    """Write the library whole into one file for its owner alone, with nothing beside it; OSError, sqlite3.Error."""
    _make_private_file(target)
    with closing(connect(file, "ro")) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")


def _prune(backups: Iterable[Path]) -> None:
    for old in list(backups)[:-KEPT_BACKUPS]:
        old.unlink(missing_ok=True)


def _use_wal(file: Path) -> None:
    """Switch to write-ahead logging, once; the switch needs the file for itself and SQLite does not wait for that."""
    deadline = time.monotonic() + connections.BUSY_TIMEOUT_MS / 1000
    with closing(connect(file, "rw")) as connection:
        while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                return  # a file system that cannot do it keeps its mode, and works
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(0.02)


def connect(file: Path, mode: str) -> sqlite3.Connection:
    """A connection of SQLite's own to a file that is there, in one of its modes."""
    return sqlite3.connect(
        f"{file.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=connections.BUSY_TIMEOUT_MS / 1000
    )


# ---- The copies from before each migration, without the secrets that they were made with.


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


def blank_addresses(file: Path) -> None:
    """Take passwords and keys out of the addresses that settings hold in the copies of this library, for good.

    A copy that cannot be read stays as it is.
    """
    for copy in sorted((file.parent / BACKUPS).glob("library-*.db")):
        engine = create_engine(URL.create("sqlite", database=str(copy)), poolclass=NullPool)
        try:
            with engine.begin() as connection:
                connection.exec_driver_sql("PRAGMA secure_delete=ON")
                history.blank_addresses(connection)
        except DatabaseError as error:
            if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF not in UNREADABLE:
                raise


def _blank(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        held = [(key, orjson.loads(env)) for key, env in connection.execute("SELECT id, env FROM powers")]
        blank = [(orjson.dumps(dict.fromkeys(env, "")).decode(), key) for key, env in held if any(env.values())]
        if blank:
            connection.executemany("UPDATE powers SET env = ? WHERE id = ?", blank)
            connection.execute("VACUUM")  # nothing of what was there stays in pages that are free
