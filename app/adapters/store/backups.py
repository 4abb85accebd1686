"""Backups of a library made on request while it is open; `restoring` restores them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from app import files
from app.adapters.store import opening
from app.adapters.store.faults import BACKUPS, known_faults
from app.adapters.store.opening import FILE
from app.domain.errors import StoreError

KEPT = "kept-*.db"
"""Names of backups made on request; unlike those before migrations, they are never deleted."""


def backups_of(folder: Path) -> Sequence[Path]:
    """Return the backups in this profile's folder, newest first."""
    return sorted((folder.absolute() / BACKUPS).glob(KEPT), reverse=True)


def back_up(folder: Path, target: Path | None = None) -> Path:
    """Back up the library with SQLite's backup API, during writes; return the file.

    Raises StoreError.
    """
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
