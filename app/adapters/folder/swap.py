"""Many files of a folder changed as one, and one program or thread at a time at them.

What breaks off half-way is finished by the next save of the profile that began it, and by nobody else: a folder comes
from elsewhere, and what it says of itself is no reason to change it.
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
"""Where new files stand until all of them are written; only while a library is saved."""

ORDER = "order.json"
"""What is to be put where and what goes; once it is there, the new files are the library."""

LIBRARY_FILES = re.compile(r"library\.toml|(?:memories|powers|rules)/[^\0\\:]+\.toml|cases/[^\0\\:]+\.jsonl")
"""The files that are ever written or taken away."""


class PendingSaves(Protocol):
    """What a profile knows of its own saves that are not finished: the token of the order of each."""

    def pending(self, folder: Path) -> str: ...
    def begin(self, folder: Path, token: str) -> None: ...
    def end(self, folder: Path) -> None: ...


class NoPendingSaves:
    """Null object of a folder without a profile: saves that break off are not rolled forward."""

    def pending(self, folder: Path) -> str:
        return ""

    def begin(self, folder: Path, token: str) -> None: ...
    def end(self, folder: Path) -> None: ...


def swap(folder: Path, put: Mapping[str, bytes], gone: Iterable[str], pending: PendingSaves) -> None:
    """Write these files of a library's folder and take others away: all of it, or nothing; OSError, FormatError."""
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
    """Forget a save of which nothing has been put in place."""
    shutil.rmtree(staging, ignore_errors=True)
    with suppress(OSError):  # the token of an order that is not there finishes nothing
        pending.end(folder)


def refuse_unfinished(folder: Path) -> None:
    """FormatError where a save has broken off half-way: what stands in the folder then is of two libraries."""
    if os.path.lexists(folder / STAGING / ORDER):
        raise FormatError(
            f"{folder} holds a save that broke off half-way, so it is not read: save to it again "
            "with the profile that began it, which finishes it. If no profile here began one, delete "
            f"“{STAGING}” in it."
        )


def recover(folder: Path, pending: PendingSaves) -> None:
    """Put in place what this profile wrote but did not put in place, as when the power went; forget what was half
    written. FormatError, and nothing is changed, for what somebody else began."""
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
    """What tells the content of a file from any other."""
    return blake2b(content, digest_size=16).hexdigest()


def _put_in_place(folder: Path, order: bytes) -> None:
    """What an order of this profile says; a file that is not as it was written then is left where it is."""
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
    """What stands in an ordinary file of a size that is written here; None for any other and for none."""
    if file.is_symlink() or not file.is_file() or file.stat().st_size > MAX_WHOLE_BYTES:
        return None
    return file.read_bytes()


def _place(folder: Path, name: object) -> Path:
    """The file of this name; FormatError for one that would lie elsewhere, as through a link."""
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
    with suppress(OSError):  # it is not empty
        while place != folder:
            place.rmdir()
            place = place.parent


# ---- One at a time at a library's folder: threads and programs that read or write its files wait for each other.


if sys.platform != "win32":
    import fcntl

WAIT_SECONDS = 30.0
"""So long another program may take; to read or save a large library takes some seconds."""

RETRY_SECONDS = 0.02

_here = RLock()
_held: set[Path] = set()


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Be the only one at this folder meanwhile; may be nested on one thread. KnownError where others take too long.

    Between programs the folder itself is locked, which leaves nothing behind in it; where a system or a disk locks no
    folders, as on Windows, only the threads of this program wait for each other.
    """
    place = Path(os.path.realpath(folder))  # unlike Path.resolve it raises nothing at links in a circle
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
        """The open folder, locked until it is closed; None where folders cannot be locked."""
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
