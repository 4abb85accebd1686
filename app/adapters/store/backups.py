"""Copies of a library that a person asks for: made while it is used, and put back in its place."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from errno import EISDIR
from pathlib import Path

from app import files
from app.adapters.store import faults, opening
from app.adapters.store.connections import KEY_FILE
from app.adapters.store.faults import BACKUPS, known_faults, known_files
from app.adapters.store.opening import FILE
from app.domain.errors import StoreError

KEPT = "kept-*.db"
"""What copies are called that a person asked for; those from before a migration go after a while, these never."""


MOST_TRIES = 5
"""So often a copy is made again because somebody wrote meanwhile."""


def backups_of(folder: Path) -> Sequence[Path]:
    """The copies in this profile's folder of backups, the newest first."""
    return sorted((folder.absolute() / BACKUPS).glob(KEPT), reverse=True)


def back_up(folder: Path, target: Path | None = None) -> Path:
    """Copy the library whole, by SQLite's own means, so that others may write meanwhile; where it is. StoreError."""
    file = opening.prepare_file(folder)
    own = file.parent / BACKUPS
    if target is None:
        target = own / f"kept-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
        with _usable(own):
            own.mkdir(mode=0o700, exist_ok=True)
    if target.exists() and target.samefile(file):
        raise StoreError(f"{target} is the library itself: name another file.")
    real, profile = (Path(os.path.realpath(path)) for path in (target, file.parent))
    if real.parent != Path(os.path.realpath(own)) and real.is_relative_to(profile):
        raise StoreError(f"{target} lies among the profile's own files: name a file elsewhere.")
    with _usable(target), known_faults(file):
        files.check(target)
        # Where others could exchange what SQLite is about to open, it is made in the profile.
        near = file.parent if target.parent == own or files.is_shared(target.parent) else target.parent
        with files.TemporaryFolder(near) as place:
            opening.copy_library(file, place / FILE)
            files.move(place / FILE, target)
    return target.absolute()


def restore(folder: Path, source: Path) -> Path:
    """Put a copy in the library's place, after one was made of what is there now; where that is. A library that is
    damaged is moved there as it is. An older copy is brought to today's shape first, apart. StoreError, and then
    nothing is changed."""
    source = source.absolute()
    opening.make_private(folder)
    with known_files(folder / FILE), files.TemporaryFolder(folder) as made:
        fresh = made / FILE
        with _usable(source), known_faults(source):
            _take(source, fresh)
        key = folder / KEY_FILE
        if key.exists():
            files.write_private(fresh.with_name(KEY_FILE), key.read_bytes())
        whole = opening.prepare_file(fresh.parent)
        with known_faults(whole), closing(opening.connect(whole, "rw")) as copy:
            copy.execute("DELETE FROM team")  # a copy that was made in a team is of nobody's any more
            copy.execute("UPDATE steps SET author = NULL WHERE author = ''")
        try:
            return _replaced(folder, whole, back_up)
        except faults.DamagedError:
            return _replaced(folder, whole, _moved)


def _take(source: Path, fresh: Path) -> None:
    """Copy what is to be restored, with what still stands in the log beside it; OSError, sqlite3.Error, StoreError."""
    if source.is_dir():
        raise IsADirectoryError(EISDIR, "a file is needed")
    log = source.with_name(f"{source.name}-wal")
    if log.exists() and log.stat().st_size:
        opening.copy_library(source, fresh)
    else:
        opening.check_copy(source)
        shutil.copyfile(source, fresh)
    opening.check_copy(fresh)


def _replaced(folder: Path, whole: Path, keep: Callable[[Path], Path]) -> Path:
    """Have the library be this one, after what it was is kept; where. StoreError."""
    if keep is back_up and opening.team_of(opening.prepare_file(folder)) is not None:
        raise StoreError(
            "The library is a team's, whose server keeps what everybody has: “intentscope team --leave” first."
        )
    before = keep(folder)
    file = opening.prepare_file(folder)
    with (
        known_faults(file),
        closing(opening.connect(whole, "ro")) as taken,
        closing(opening.connect(file, "rw")) as target,
    ):
        if keep is back_up:
            for _ in range(MOST_TRIES):  # what another program stores after the copy was begun would be in neither
                seen = _written(target)
                again = keep(folder)
                before.unlink()
                before = again
                if _written(target) == seen:
                    break
        taken.backup(target)
    return before


def _written(connection: sqlite3.Connection) -> int:
    """A number that is another once another program has written."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def _moved(folder: Path) -> Path:
    """Move a damaged library, and what lies beside it, among the copies; where it is. StoreError."""
    file = folder.absolute() / FILE
    target = file.parent / BACKUPS / f"damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
    with _usable(target):
        target.parent.mkdir(mode=0o700, exist_ok=True)
        for end in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                file.with_name(f"{FILE}{end}").rename(target.with_name(f"{target.name}{end}"))
    return target


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    """Say of the file of a copy why it cannot be read or written; StoreError."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"{path} cannot be used ({why}): name another file.") from error
