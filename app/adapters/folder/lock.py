"""One at a time at a library's folder: threads and programs that read or write its files wait for each other."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from app.domain.errors import KnownError

if sys.platform != "win32":
    import fcntl

WAIT_SECONDS = 30.0
"""So long another program may take; to read or save a large library takes some seconds."""

ASKED_SECONDS = 0.02

_here = RLock()
_held: set[Path] = set()


@contextmanager
def turn(folder: Path) -> Iterator[None]:
    """Be the only one at this folder meanwhile; may be nested on one thread. KnownError where others take too long.

    Between programs the folder itself is locked, which leaves nothing behind in it; where a system or a disk locks no
    folders, as on Windows, only the threads of this program wait for each other.
    """
    place = folder.resolve()
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
            time.sleep(ASKED_SECONDS)
