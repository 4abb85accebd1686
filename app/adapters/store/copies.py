"""Copies of a library that a person asks for: made while it is used, and put back in its place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from app.adapters.store import faults, opening
from app.adapters.store.connections import KEY_FILE
from app.adapters.store.faults import BACKUPS, known_faults
from app.adapters.store.opening import FILE
from app.domain.errors import StoreError
from app.domain.language import say

KEPT = "kept-*.db"
"""What copies are called that a person asked for; those from before a migration go after a while, these never."""


def kept(folder: Path) -> Sequence[Path]:
    """The copies in this profile's folder of backups, the newest first."""
    return sorted((folder.absolute() / BACKUPS).glob(KEPT), reverse=True)


def back_up(folder: Path, target: Path | None = None) -> Path:
    """Copy the library whole, by SQLite's own means, so that others may write meanwhile; where it is. StoreError."""
    file = opening.opened(folder)
    if target is None:
        target = file.parent / BACKUPS / f"kept-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
        with _reachable(target.parent):
            target.parent.mkdir(mode=0o700, exist_ok=True)
    target = target.absolute()
    if target.exists() and target.samefile(file):
        raise StoreError(say("{file} is the library itself: name another file.", file=target))
    unfinished = target.with_name(f"{target.name}.part")
    with _reachable(target.parent), known_faults(file):
        try:
            opening.copied(file, unfinished)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    return target


def restore(folder: Path, source: Path) -> Path:
    """Put a copy in the library's place, after one was made of what is there now; where that is. An older copy is
    brought to today's shape first, apart. StoreError, and then nothing is changed."""
    source = source.absolute()
    with TemporaryDirectory(prefix="intentscope-") as made:
        fresh = Path(made) / FILE
        with _reachable(source), known_faults(source):
            opening.check_copy(source)
            shutil.copyfile(source, fresh)
        key = folder / KEY_FILE
        if key.exists():
            shutil.copyfile(key, fresh.with_name(KEY_FILE))
        whole = opening.opened(fresh.parent)
        before = back_up(folder)
        file = opening.opened(folder)
        with (
            known_faults(file),
            closing(opening.connected(whole, "ro")) as taken,
            closing(opening.connected(file, "rw")) as target,
        ):
            taken.backup(target)
    return before


@contextmanager
def _reachable(path: Path) -> Iterator[None]:
    """Say what of a path cannot be reached; StoreError."""
    try:
        yield
    except OSError as error:
        raise faults.unreachable(path, error.strerror or str(error)) from error
