"""Local sockets between processes of one user: a lock file per profile and name, an address with a token in a private
file, and messages of one line of JSON.

A client has a fifth of a second in all, most of which Python's own modules took to import: so the client imports next
to none of them, and the server imports them where it starts to listen.
"""

from __future__ import annotations

import os
import sys
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
    from pathlib import Path

LONGEST_ADDRESS = 1_000
LONGEST_SOCKET = 100
"""The path of a socket may have 104 bytes on some systems."""

MOST_BYTES = 1 << 21
"""A message is not read beyond this."""

CONNECT_SECONDS = 5.0


class InstanceLock:
    """Lock file: the right to be the one process of a profile that serves under a name, such as "window".

    Its files lie in the profile: `NAME.lock` (the system's own lock, which never goes stale), `NAME.address` and
    `NAME.sock`.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.handle: int | None = None
        """None where files cannot be locked: the process works then, and serves nobody."""
        self._made: Path | None = None

    def acquire(self) -> bool:
        """Acquire the lock; False while another process holds it. A folder without locks leaves `handle` None."""
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

    def bind(self, token: str) -> socket.socket:
        """Bind a listening socket that only this user can reach, and publish its address in the profile; OSError."""
        import socket
        import tempfile
        from pathlib import Path

        if not hasattr(socket, "AF_UNIX"):  # Windows: the token alone keeps others out
            server = socket.create_server(("127.0.0.1", 0))
            place = str(server.getsockname()[1])
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
            place = str(path)
        _write_private(self.folder / f"{self.name}.address", f"{place}\n{token}\n")
        return server

    def is_held(self) -> bool:
        """Whether the held lock is still the profile's: a removed file may have been created again by another."""
        try:
            return self.handle is not None and os.path.samestat(
                os.fstat(self.handle), (self.folder / f"{self.name}.lock").stat()
            )
        except OSError:
            return False

    def release(self, *, was_bound: bool) -> None:
        """Release the lock; the files of a process that holds it already are left alone."""
        from contextlib import suppress

        if was_bound and self.is_held():
            for left in (f"{self.name}.address", f"{self.name}.sock"):
                with suppress(OSError):
                    (self.folder / left).unlink()
        if self._made is not None:
            from shutil import rmtree

            rmtree(self._made, ignore_errors=True)
        self._close()

    def _close(self) -> None:
        handle, self.handle = self.handle, None
        if handle is not None:
            os.close(handle)


def is_unlocked(folder: Path, name: str) -> bool:
    """Whether the lock is free and can be acquired."""
    instance_lock = InstanceLock(folder, name)
    found = instance_lock.acquire() and instance_lock.handle is not None
    instance_lock.release(was_bound=False)
    return found


def address_of(folder: Path | str, name: str) -> dict[str, str]:
    """The published address and token of the process of this name; OSError or ValueError where there is none."""
    with open(os.path.join(folder, f"{name}.address"), "rb") as stream:
        place, token, end = stream.read(LONGEST_ADDRESS).decode().split("\n")
    if end or not (place and token):
        raise ValueError("no address")
    return {"place": place, "token": token}


def connect(address: Mapping[str, str], seconds: float = CONNECT_SECONDS) -> socket.socket:
    """A connection to a published address; OSError."""
    import socket

    place = address["place"]
    if place.isdecimal():
        return socket.create_connection(("127.0.0.1", int(place)), timeout=seconds)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.settimeout(seconds)
    try:
        made.connect(place)
    except OSError:
        made.close()
        raise
    return made


def send_message(connection: socket.socket, message: Mapping[str, object]) -> None:
    """Send one message as one line; OSError."""
    connection.sendall(encode_message(message))


def read_line(connection: socket.socket, seconds: float) -> bytes:
    """Read one line; ValueError where it is too long or incomplete, OSError on a time-out."""
    found, ends = bytearray(), monotonic() + seconds
    while not found.endswith(b"\n"):
        connection.settimeout(max(0.01, ends - monotonic()))
        more = connection.recv(65_536)
        found += more
        if not more or len(found) > MOST_BYTES:
            raise ValueError("no whole message")
    return bytes(found[:-1])


ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in map(chr, range(32))} | {34: '\\"', 92: "\\\\"}
"""The JSON escapes of characters."""


def encode_message(message: object) -> bytes:
    """Encode a message as one line of JSON, as the standard library would; lone surrogates pass."""
    return _json(message).encode("utf-8", "surrogatepass") + b"\n"


def _json(value: object) -> str:
    if isinstance(value, str):
        return f'"{value.translate(ESCAPED)}"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_json(name)}: {_json(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_json, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return repr(value)
    raise TypeError("this is nothing of JSON")


class SocketClient:
    """Client of a local socket: sends bytes, reads lines of words and texts of known lengths. OSError."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._buffer = b""

    @classmethod
    def to(cls, address: Mapping[str, str], seconds: float) -> SocketClient:
        """Connect to whoever listens there."""
        if address["place"].isdecimal():
            return cls(connect(address, seconds))
        import _socket  # what `socket` puts around it takes as long to import as Python to begin

        made: socket.socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)  # type: ignore[assignment]
        made.settimeout(seconds)
        try:
            made.connect(address["place"])
        except OSError:
            made.close()
            raise
        return cls(made)

    def send(self, content: bytes) -> None:
        self._connection.sendall(content)

    def words(self, seconds: float) -> list[str]:
        """The words of the next line; ValueError where it is none."""
        ends = monotonic() + seconds
        while b"\n" not in self._buffer:
            self._receive(ends)
        line, _, self._buffer = self._buffer.partition(b"\n")
        found = line.decode("ascii").split(" ")
        if not found[0]:
            raise ValueError("no words")
        return found

    def text(self, length: int, seconds: float) -> str:
        """A text of so many bytes."""
        ends = monotonic() + seconds
        while len(self._buffer) < length:
            self._receive(ends)
        found, self._buffer = self._buffer[:length], self._buffer[length:]
        return found.decode("utf-8", "surrogatepass")

    def _receive(self, ends: float) -> None:
        self._connection.settimeout(max(0.01, ends - monotonic()))
        more = self._connection.recv(65_536)
        self._buffer += more
        if not more or len(self._buffer) > MOST_BYTES:
            raise ValueError("no whole message")

    def close(self) -> None:
        self._connection.close()


def default_profile_folder() -> str:
    """The folder of the default profile; like `default_profile`, which takes as long to import as Python to start."""
    if sys.platform != "linux":
        from app.services.system.start_requests import default_profile

        return str(default_profile())
    data = os.environ.get("XDG_DATA_HOME", "")
    return os.path.join(data if os.path.isabs(data) else os.path.expanduser("~/.local/share"), "intentscope", "default")


def _write_private(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    part.replace(path)


def _lock(handle: int) -> None:
    """Take the lock of an open file, or raise BlockingIOError; OSError where there are no locks."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
