"""Atomic change of many files in a folder, by one program or thread at a time.

An interrupted change is completed only by the next save of the same profile: a folder may come from elsewhere, and
its content must not trigger changes.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from threading import RLock
from typing import Protocol

import orjson

from app.adapters.formats.syntax.text import MAX_WHOLE_BYTES
from app.domain.errors import FormatError, KnownError

STAGING = ".intentscope-saving"
"""Folder of new files until all are written."""

ORDER = "order.json"
"""File with the moves and deletions; once it exists, the new files are the library."""

LIBRARY_FILES = re.compile(r"library\.toml|(?:memories|powers|rules)/[^\0\\:]+\.toml|cases/[^\0\\:]+\.jsonl")
"""Paths of files that may be written or deleted."""


class PendingSaves(Protocol):
    """Records of a profile's unfinished saves, by the token of their order."""

    def pending(self, folder: Path) -> str: ...
    def begin(self, folder: Path, token: str) -> None: ...
    def end(self, folder: Path) -> None: ...


class NoPendingSaves:
    """Null object for a folder without a profile: interrupted saves are not completed."""

    def pending(self, folder: Path) -> str:
        return ""

    def begin(self, folder: Path, token: str) -> None: ...
    def end(self, folder: Path) -> None: ...


def swap(folder: Path, put: Mapping[str, bytes], gone: Iterable[str], pending: PendingSaves) -> None:
    """Write and delete files of a library's folder, all or nothing; raises OSError, FormatError."""
    recover(folder, pending)
    staging = folder / STAGING
    with ExitStack() as undo:
        undo.callback(_discard_staged, staging, folder, pending)
        staging.mkdir()
        for number, content in enumerate(put.values()):
            _write(staging / str(number), content)
        order = orjson.dumps({"put": {name: digest(content) for name, content in put.items()}, "gone": sorted(gone)})
        for name in (*put, *gone):
            _place(folder, name)
        _write(staging / "draft", order)
        pending.begin(folder, digest(order))
        (staging / "draft").replace(staging / ORDER)
        undo.pop_all()
    _put_in_place(folder, order)
    pending.end(folder)


def _discard_staged(staging: Path, folder: Path, pending: PendingSaves) -> None:
    """Delete a save that has not changed anything."""
    shutil.rmtree(staging, ignore_errors=True)
    with suppress(OSError):  # the token of a missing order has no effect
        pending.end(folder)


def refuse_unfinished(folder: Path) -> None:
    """Raise FormatError for an interrupted save: the folder holds parts of two libraries."""
    if os.path.lexists(folder / STAGING / ORDER):
        raise FormatError(
            f"{folder} holds a save that broke off half-way, so it is not read: save to it again "
            "with the profile that began it, which finishes it. If no profile here began one, delete "
            f"“{STAGING}” in it."
        )


def recover(folder: Path, pending: PendingSaves) -> None:
    """Complete this profile's interrupted save, or delete an incomplete one.

    Raises FormatError, without a change, for a save of another profile.
    """
    staging = folder / STAGING
    if staging.is_symlink() or not staging.is_dir():
        return
    if os.path.lexists(staging / ORDER):
        order = _bounded(staging / ORDER)
        if order is None or digest(order) != pending.pending(folder):
            raise FormatError(
                f"{folder} holds a save that broke off half-way and that this profile did not begin, "
                f"so nothing was changed: save to it with the profile that did, or delete “{STAGING}” "
                "in it."
            )
        _put_in_place(folder, order)
    else:
        shutil.rmtree(staging)
    pending.end(folder)


def digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _put_in_place(folder: Path, order: bytes) -> None:
    """Execute an order of this profile; a file that has changed since is not moved."""
    staging = folder / STAGING
    order_read = orjson.loads(order)
    for number, (name, print_) in enumerate(order_read["put"].items()):
        target, written = _place(folder, name), _bounded(staging / str(number))
        if written is not None and digest(written) == print_:
            target.parent.mkdir(parents=True, exist_ok=True)
            (staging / str(number)).replace(target)
    for name in order_read["gone"]:
        target = _place(folder, name)
        target.unlink(missing_ok=True)
        _remove_empty(folder, target.parent)
    shutil.rmtree(staging)


def _bounded(file: Path) -> bytes | None:
    """Read a regular file of limited size; None for others and missing ones."""
    if file.is_symlink() or not file.is_file() or file.stat().st_size > MAX_WHOLE_BYTES:
        return None
    return file.read_bytes()


def _place(folder: Path, name: object) -> Path:
    """Return the file of this name; raises FormatError if it is outside, as through a link."""
    parts = PurePosixPath(str(name)).parts
    if not isinstance(name, str) or not LIBRARY_FILES.fullmatch(name) or ".." in parts:
        raise FormatError(f"“{str(name)[:100]}” is not a file of a library, so nothing was written.")
    for depth in range(1, len(parts)):
        if folder.joinpath(*parts[:depth]).is_symlink():
            raise FormatError(f"{folder.joinpath(*parts[:depth])} is a link to another folder, so nothing was written.")
    return folder.joinpath(*parts)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _remove_empty(folder: Path, place: Path) -> None:
    with suppress(OSError):  # not empty
        while place != folder:
            place.rmdir()
            place = place.parent


# ---- Exclusive access to a library's folder among threads and programs.


if sys.platform != "win32":
    import fcntl

WAIT_SECONDS = 30.0
"""Maximum time to wait for another program in seconds."""

RETRY_SECONDS = 0.02

_here = RLock()
_held: set[Path] = set()


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Lock this folder; reentrant on one thread. Raises KnownError after a time-out.

    Between programs the folder itself is locked, which leaves no file behind; where folders cannot be locked, as on
    Windows, only this program's threads exclude each other.
    """
    place = Path(os.path.realpath(folder))  # unlike Path.resolve it accepts circular links
    with _here:
        if place in _held or not place.is_dir():
            yield
            return
        handle = _locked(place)
        _held.add(place)
        try:
            yield
        finally:
            _held.discard(place)
            if handle is not None:
                os.close(handle)


if sys.platform == "win32":

    def _locked(place: Path) -> int | None:
        return None

else:

    def _locked(place: Path) -> int | None:
        """Open and lock the folder until it is closed; None if folders cannot be locked."""
        handle = os.open(place, os.O_RDONLY)
        until = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                    os.close(handle)
                    return None
            if time.monotonic() > until:
                os.close(handle)
                raise KnownError(f"Another program is at work in {place}, so nothing was done: try again later.")
            time.sleep(RETRY_SECONDS)
