"""Copies of a library that a person asks for, made while it is used; `restoring` puts one back."""

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
"""What copies are called that a person asked for; those from before a migration go after a while, these never."""


def backups_of(folder: Path) -> Sequence[Path]:
    """The copies in this profile's folder of backups, the newest first."""
    return sorted((folder.absolute() / BACKUPS).glob(KEPT), reverse=True)


def back_up(folder: Path, target: Path | None = None) -> Path:
    """Copy the library whole, by SQLite's own means, so that others may write meanwhile; where it is. StoreError."""
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
        # Where others could exchange what SQLite is about to open, it is made in the profile.
        near = file.parent if target.parent == own or files.is_shared(target.parent) else target.parent
        with files.TemporaryFolder(near) as place:
            opening.copy_library(file, place / FILE)
            opening.seal_copy(place / FILE, key)
            files.move(place / FILE, target)
    return target.absolute()


def move_aside(folder: Path) -> Path:
    """Move a damaged library, and what lies beside it, among the copies; where it is. StoreError."""
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
    """Say of the file of a copy why it cannot be read or written; StoreError."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"{path} cannot be used ({why}): name another file.") from error
