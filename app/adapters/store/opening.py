"""Preparation of a profile's library: check, back up, migrate, and tell once what changed."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import time
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import orjson
from sqlalchemy import URL, create_engine
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

from app import files
from app.adapters.secrets import has_key, secret_key
from app.adapters.store import connections, faults, ownership
from app.adapters.store.connections import KEY_FILE, KEYED, keying
from app.adapters.store.faults import BACKUPS, known_faults, known_files
from app.adapters.store.ownership import remove_abandoned
from app.domain.errors import StoreError
from app.domain.outside import LeftOut, left_out_lines, team_settings_sentence
from app.settings.layers import sort_settings
from db import upgrade as history
from db.migrations import revisions
from db.schema import TableRow


def add_notice(connection: sqlite3.Connection, sentence: str) -> None:
    """Store a sentence, unless empty."""
    if sentence:
        connection.execute("INSERT INTO notices (sentence) VALUES (?)", (sentence,))


def team_notice(connection: sqlite3.Connection) -> str:
    """Return the notice about settings that a team's server may have set; "" if none."""
    shared = "SELECT EXISTS (SELECT 1 FROM team) OR EXISTS (SELECT 1 FROM steps WHERE author IS NOT NULL)"
    if not connection.execute(shared).fetchone()[0]:
        return ""
    chosen = "SELECT DISTINCT r.key FROM setting_revisions r JOIN settings s ON s.key = r.key AND s.value = r.present"
    own = {key for (key,) in connection.execute(chosen)}
    found = sort_settings(dict(connection.execute("SELECT key, value FROM settings")))
    return team_settings_sentence({key: found.personal[key] for key in sorted(found.personal) if key not in own})


def outside_notice(file: Path, left_out: LeftOut) -> str:
    """Return the notice about a restored library from outside; "" if nothing was left out."""
    if not left_out:
        return ""
    return "\n".join((f"The library {file} was not made by this profile.", *left_out_lines(left_out)))


def take_notices(file: Path) -> list[str]:
    """Return the notices not yet shown, and delete them; [] if the library is read-only.

    SQLite would leave files beside it that are read-only too, and stay so.
    """
    if not os.access(file, os.W_OK):
        return []
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as connection,
    ):
        rows = connection.execute("SELECT sentence FROM notices ORDER BY id").fetchall()
        found = [sentence for (sentence,) in rows if isinstance(sentence, str)]
        if rows:
            with connection:
                connection.execute("DELETE FROM notices")
        return found
    return []


FILE = "library.db"
MARKED_FILE, MARKED, KEYED_SINCE = "library.marked", "0021", "0010"
"""File that notes that the library is marked; first revisions with a mark and with a key."""

KEPT_BACKUPS = 3
HEADER = b"SQLite format 3\0"
WAL_BYTE, WAL_MODE = 18, b"\2"
"""Position and value of the WAL mode in a SQLite file's header."""
LIBRARY = (FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal")
SMALL = ("settings.toml", "secrets.json", "calibration.json", "learned.npz", "routes.npz", "types.npz",
         "columns.json", "tables.json", "panes.json", "guide.json", connections.KEY_FILE, "recent.json",
         "updates.json", "look.json", "refits.json", MARKED_FILE)  # fmt: skip
OURS = frozenset({BACKUPS, "cache", "folders", "log", "secrets.lock", "learned.lock", *SMALL, *LIBRARY})
"""Entries of a profile folder whose mode may be narrowed; other folders are left alone."""

SEATS = re.compile(r"(?:window|hook|engine-\d+)\.(?:lock|sock|address)")
"""Files of a profile's running processes, of any version."""

PLAIN_INDEX = re.compile(r'CREATE (UNIQUE )?INDEX "?\w+"? ON "?\w+"? ?\("?\w+"?(, "?\w+"?)*\)')
"""Index over columns only, which computes nothing."""

DRAFTS = (".part", ".new")
"""Suffixes of unfinished small files."""


def prepare_file(folder: Path) -> Path:
    """Prepare the library file of this profile: created if missing, migrated, in WAL mode.

    Raises StoreError for every outside fault; a damaged, foreign, newer or locked file is not changed.
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
    """Create the folder with mode 0700, or narrow the mode of one that holds only a profile."""
    try:
        folder.mkdir(mode=0o700, parents=True)
    except (FileExistsError, NotADirectoryError) as error:
        if not folder.is_dir():
            found = "a link that leads nowhere" if folder.is_symlink() else "a file"
            raise faults.unreachable(folder, f"expected a folder, found {found}") from error
        _narrow(folder)
    except PermissionError as error:
        raise faults.read_only(folder.parent) from error
    except OSError as error:
        raise faults.unreachable(folder, error.strerror or str(error)) from error


def _narrow(folder: Path) -> None:
    if sys.platform == "win32":
        return
    with suppress(OSError):  # a folder that cannot be listed or changed is not ours, or is read-only
        if folder.stat().st_uid == os.getuid() and all(map(_is_ours, os.listdir(folder))):
            folder.chmod(0o700)
            mode = (folder / FILE).lstat().st_mode & 0o600  # a library that was made read-only stays so
            for name in LIBRARY:
                with suppress(FileNotFoundError):
                    _narrow_file(folder / name, mode)


def _narrow_file(file: Path, mode: int) -> None:
    """Change the mode without opening the file, as closing it would release SQLite's locks."""
    try:
        file.chmod(mode, follow_symlinks=False)
    except NotImplementedError:  # if /proc is missing, which the C library needs for it
        if not file.is_symlink():
            file.chmod(mode)


def _is_ours(name: str) -> bool:
    if name in OURS or SEATS.fullmatch(name):
        return True
    draft = name.removeprefix(".")
    is_draft = name.endswith(DRAFTS) and (draft.startswith((*SMALL, FILE)) or SEATS.match(draft) is not None)
    return is_draft or name.startswith(files.TEMPORARY)


def _make_private_file(file: Path) -> None:
    """Create the file for its owner only; SQLite would use other modes, also for its log."""
    with suppress(OSError):  # SQLite meets the same fault and reports it
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))


def _check_access(folder: Path, file: Path) -> None:
    if not os.access(folder, os.R_OK | os.X_OK):
        raise faults.unreachable(folder, "you may not read it")
    if not os.access(folder, os.W_OK):  # WAL puts two files beside the library
        raise faults.read_only(folder)
    if file.is_dir():
        raise faults.unreachable(file, "expected a file, found a folder")
    if file.exists() and not file.is_file():  # opening a pipe would wait for a writer
        raise faults.unreachable(file, "expected a file, found a pipe or a device")
    if file.exists() and not os.access(file, os.R_OK | os.W_OK):
        raise faults.read_only(file)


def _version_on_disk(file: Path) -> str | None:
    """Return the revision of the file, None if empty, without changing it."""
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
        # If nobody has it open: read without creating the files beside it.
        try:
            return _version_by(file, "ro&immutable=1")
        except (sqlite3.Error, StoreError):
            if not log.exists():
                raise
            # It was opened meanwhile and may be written: read again as a normal reader.
    try:
        return _version_by(file, "ro")
    except sqlite3.OperationalError as error:
        # A killed writer leaves a journal, which only a writing connection may roll back.
        if error.sqlite_errorcode not in (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_RECOVERY):
            raise
    return _version_by(file, "rw")


def _version_by(file: Path, mode: str) -> str | None:
    with closing(connect(file, mode)) as connection:
        return version(connection, file)


def team_of(file: Path) -> tuple[str, str] | None:
    """Return the identity and address of the team library that this copies; None if own."""
    with known_faults(file), closing(connect(file, "ro")) as connection:
        row = connection.execute("SELECT library, address FROM team").fetchone()
    return None if row is None else (str(row[0]), str(row[1]))


def version(connection: sqlite3.Connection, file: Path) -> str | None:
    """Return the revision, None for an empty file.

    Raises StoreError for another program's file, a newer one, or one with foreign SQL.
    """
    held = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    if not held:
        return None
    if "alembic_version" not in {name for _, name, _ in held}:
        raise faults.foreign(file)
    if odd := [f"{kind} {name}" for kind, name, sql in held if not _is_harmless(kind, name, sql)]:
        raise faults.odd_sql(file, odd)
    found = [revision for (revision,) in connection.execute("SELECT version_num FROM alembic_version")]
    if len(found) != 1 or not isinstance(found[0], str) or not found[0].isprintable():
        raise faults.damaged(file)
    if found[0] not in history.REVISIONS:
        raise faults.newer(file, found[0])
    return found[0]


def _is_harmless(kind: str, name: str, sql: str | None) -> bool:
    """Return whether a part of the schema is this program's, or never runs."""
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
    """Migrate the file to the present revision in one transaction; other programs wait.

    BEGIN IMMEDIATE blocks other writers but not readers such as the backup.
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
            if driver.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise faults.damaged(file)
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
            if found is None or found < MARKED:
                add_notice(driver, team_notice(driver) if found else _lost_notice(file))


def _lost_notice(file: Path) -> str:
    """Return the notice about a new library in the place of one that was lost; "" in a new profile."""
    way = f"“intentscope restore FILE” brings a copy back; {file.parent / BACKUPS} may hold some"
    lost = f"The library {file} was missing or empty, so a new one was begun: {way}."
    return lost if file.with_name(MARKED_FILE).exists() else ""


def _was_own(driver: sqlite3.Connection, file: Path, found: str, key: bytes, *, had_key: bool) -> bool:
    """Return whether a library of an earlier revision is this profile's own.

    Without a mark it is, unless it is older than the profile's marked library, or the key that libraries of its
    revision have is missing.
    """
    if ownership.is_marked(driver):
        return ownership.is_own(driver, key) or ownership.is_sealed(driver, key)
    return not file.with_name(MARKED_FILE).exists() and (had_key or found < KEYED_SINCE)


def _make_own(file: Path) -> None:
    """Remove from an outside library in this place everything that only its owner decides."""
    key = make_key(file.parent)
    with closing(connect(file, "rw")) as connection:
        if ownership.is_own(connection, key):
            _note_marked(file)
            return
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("BEGIN IMMEDIATE")
        if not ownership.is_own(connection, key):
            if not ownership.is_sealed(connection, key):
                add_notice(connection, outside_notice(file, ownership.disown(connection)))
            ownership.claim(connection, key)
        connection.execute("COMMIT")
    _note_marked(file)


def _note_marked(file: Path) -> None:
    """Note beside the library that it is marked; unmarked ones are then from outside."""
    note = file.with_name(MARKED_FILE)
    if not note.exists():
        with known_files(file):
            files.write_private(note, b"")


def key_of(folder: Path) -> bytes | None:
    """Return the secret of this profile, None if there is none; raises StoreError."""
    with known_files(file := folder.absolute() / FILE):
        return secret_key(key) if has_key(key := file.with_name(KEY_FILE)) else None


def make_key(folder: Path) -> bytes:
    """Return the secret of this profile, created with the profile if missing; raises StoreError."""
    make_private(folder.absolute())
    with known_files(file := folder.absolute() / FILE):
        return secret_key(file.with_name(KEY_FILE))


def _back_up(file: Path, found: str) -> Path:
    """Back up the library atomically into `backups`; keep three copies; return the file."""
    folder = file.parent / BACKUPS
    name = f"library-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{found}.db"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        with files.TemporaryFolder(file.parent) as place:
            copy_library(file, place / FILE)
            files.move(place / FILE, folder / name)
        others = sorted(set(folder.glob("library-*.db")) - {folder / name})  # maybe of a clock that was ahead
        for old in others[: 1 - KEPT_BACKUPS]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise faults.unreachable(folder, error.strerror or str(error)) from error
    return folder / name


def seal_copy(copy: Path, key: bytes) -> None:
    """Seal a copy of this profile's own library, if readable; raises sqlite3.Error."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        try:
            ownership.seal(connection, key)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in UNREADABLE:
                raise
            with suppress(sqlite3.DatabaseError):
                connection.execute("DELETE FROM ownership")


def copy_library(file: Path, target: Path) -> None:
    """Copy the library into one private file without files beside it.

    Raises OSError, sqlite3.Error.
    """
    _make_private_file(target)
    is_alone = not (os.access(file.parent, os.W_OK) or file.with_name(f"{FILE}-wal").exists())  # no place for -shm
    with closing(connect(file, "ro" + "&immutable=1" * is_alone)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")


def _use_wal(file: Path) -> None:
    """Switch to write-ahead logging, with the exclusive access that SQLite does not await."""
    deadline = time.monotonic() + connections.BUSY_TIMEOUT_MS / 1000
    with closing(connect(file, "rw")) as connection:
        while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                return  # a file system without support keeps its mode
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(0.02)


def connect(file: Path, mode: str) -> sqlite3.Connection:
    """Open an existing file with the sqlite3 module, in one of its modes."""
    return sqlite3.connect(
        f"{file.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=connections.BUSY_TIMEOUT_MS / 1000
    )


# ---- Backups before migrations, without the secrets of that time.


DIGESTED = (
    "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c "
    "WHERE t.name IN ('queries', 'route_decisions') AND c.name = 'digest'"
)
"""Tables with digests of queries; the oldest libraries have none."""

UNREADABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def blank_secrets(folder: Path) -> None:
    """Delete the values of environments from this profile's backups, and make them private.

    Unreadable backups are left unchanged.
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
    """Key the digests of queries in this library's backups: plain ones allow guessing texts.

    Unreadable backups are left unchanged.
    """
    with known_files(file):
        keyed = keying(secret_key(file.with_name(KEY_FILE)))
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
    """Delete passwords and keys from addresses in the settings of this library's backups.

    Unreadable backups are left unchanged.
    """
    for copy in sorted((file.parent / BACKUPS).glob("library-*.db")):
        engine = create_engine(URL.create("sqlite", database=str(copy)), poolclass=NullPool)
        try:
            with engine.begin() as connection:
                connection.exec_driver_sql("PRAGMA secure_delete=ON")
                revisions.blank_addresses(connection)
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
            connection.execute("VACUUM")  # no trace remains in free pages
