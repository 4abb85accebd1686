"""A process that others of the same person can ask, one for each profile and name: a lock that goes with the process,
an address with a token in a private file, and messages of one line each.

Only the standard library is imported, for some of those who ask have a fifth of a second in all.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    import socket

LONGEST_ADDRESS = 1_000
LONGEST_SOCKET = 100
"""The path of a socket may have 104 bytes on some systems."""

MOST_BYTES = 1 << 21
"""A message is not read beyond this."""

CONNECT_SECONDS = 5.0


class Seat:
    """The right to be the one process of a profile that is asked by a name, such as "window".

    Its files lie in the profile: `NAME.lock` (the system's own lock, which never goes stale), `NAME.json`, `NAME.sock`.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.handle: int | None = None
        """None where nothing can be locked: the process works then, and is not asked."""
        self._made: Path | None = None

    def take(self) -> bool:
        """Take the seat; False while another process has it. A folder without locks leaves `handle` None."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.handle = os.open(self.folder / f"{self.name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
            _lock(self.handle)
        except BlockingIOError:
            self._close()
            return False
        except OSError:
            self._close()
        return True

    def bound(self, token: str) -> socket.socket:
        """A listening socket that only this person can reach, and whose address stands in the profile; OSError."""
        import socket
        import tempfile

        if not hasattr(socket, "AF_UNIX"):  # Windows: the token alone keeps others out
            server = socket.create_server(("127.0.0.1", 0))
            address: dict[str, object] = {"port": server.getsockname()[1]}
        else:
            path = self.folder.absolute() / f"{self.name}.sock"
            if len(os.fsencode(path)) > LONGEST_SOCKET:
                self._made = Path(tempfile.mkdtemp(prefix="intentscope-"))
                path = self._made / f"{self.name}.sock"
            path.unlink(missing_ok=True)  # nobody's, for the lock is ours
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            server.bind(str(path))
            path.chmod(0o600)
            server.listen(128)
            address = {"path": str(path)}
        _write_private(self.folder / f"{self.name}.json", json.dumps({**address, "token": token}))
        return server

    def is_here(self) -> bool:
        """If the lock that is held is still the profile's: one that was removed may have been made anew by another."""
        try:
            return self.handle is not None and os.path.samestat(
                os.fstat(self.handle), (self.folder / f"{self.name}.lock").stat()
            )
        except OSError:
            return False

    def leave(self, *, was_bound: bool) -> None:
        """Let another process have the seat; the files of one that has it already are left alone."""
        if was_bound and self.is_here():
            for left in (f"{self.name}.json", f"{self.name}.sock"):
                with contextlib.suppress(OSError):
                    (self.folder / left).unlink()
        if self._made is not None:
            from shutil import rmtree

            rmtree(self._made, ignore_errors=True)
        self._close()

    def _close(self) -> None:
        handle, self.handle = self.handle, None
        if handle is not None:
            os.close(handle)


def is_free(folder: Path, name: str) -> bool:
    """If nobody has the seat, and it can be had."""
    seat = Seat(folder, name)
    found = seat.take() and seat.handle is not None
    seat.leave(was_bound=False)
    return found


def address_of(folder: Path, name: str) -> dict[str, object]:
    """Where the process of this name listens; OSError or ValueError where nobody said so."""
    with (folder / f"{name}.json").open(encoding="utf-8") as stream:
        found = json.loads(stream.read(LONGEST_ADDRESS))
    if not isinstance(found, dict):
        raise ValueError("no address")
    return found


def connected(address: Mapping[str, object], seconds: float = CONNECT_SECONDS) -> socket.socket:
    """A connection to whoever listens there; OSError."""
    import socket

    port, path = address.get("port"), address.get("path")
    if isinstance(port, int):
        return socket.create_connection(("127.0.0.1", port), timeout=seconds)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.settimeout(seconds)
    try:
        made.connect(str(path))
    except OSError:
        made.close()
        raise
    return made


def send(connection: socket.socket, message: Mapping[str, object]) -> None:
    """One message, which is one line; OSError."""
    connection.sendall(json.dumps(message).encode() + b"\n")


def line(connection: socket.socket, seconds: float) -> bytes:
    """All up to the end of the line; ValueError where there is too much, OSError where it does not come in time."""
    found, ends = bytearray(), monotonic() + seconds
    while not found.endswith(b"\n"):
        connection.settimeout(max(0.01, ends - monotonic()))
        more = connection.recv(65_536)
        found += more
        if not more or len(found) > MOST_BYTES:
            raise ValueError("no whole message")
    return bytes(found[:-1])


def _write_private(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    part.replace(path)


if sys.platform == "win32":

    def _lock(handle: int) -> None:
        """Take the lock of an open file, or raise BlockingIOError."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
else:

    def _lock(handle: int) -> None:
        """Take the lock of an open file, or raise BlockingIOError; OSError where there are no locks."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
