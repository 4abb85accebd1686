"""One window a profile: whoever starts it again hands over what was asked, and the window that is open shows it."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from app.services.system.starts import Start, start_of

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    import socket

LOCK, ADDRESS, SOCKET = "window.lock", "window.json", "window.sock"
"""In the profile. The lock is the system's own: it goes with the process, however that ends, and never goes stale."""

LONGEST_ADDRESS = 1_000
LONGEST_SOCKET = 100
"""The path of a socket may have 104 bytes on some systems."""

MOST_BYTES = 1 << 21
"""A message is not read beyond this."""

ASK_SECONDS, ANSWER_SECONDS, BEGIN_SECONDS = 5.0, 2.0, 5.0
"""How long an answer is waited for, the rest of a message, and the address of a window that is just starting."""

TAKEN, ELSEWHERE, REFUSED = "taken", "elsewhere", "refused"
SCREENS = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")

Take = Callable[[Start], bool]
"""Shows what another start asks for; whether it could. Called on the claim's own thread."""


def screen_of(environment: Mapping[str, str] = os.environ) -> str:
    """Where windows of this process are shown: a window on another screen cannot come to the front here."""
    return "|".join(environment.get(name, "") for name in SCREENS)


@dataclass(slots=True)
class Claim:
    """The right to be a profile's window. Without a lock (`handle` is None) the window works and is not asked."""

    folder: Path
    handle: int | None = None
    server: socket.socket | None = None
    made: Path | None = None
    thread: threading.Thread | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_released: bool = False

    def listen(self, take: Take) -> None:
        """Begin to take what other starts hand over; returns at once, and is not called before the first paint."""
        if self.handle is not None:
            self.thread = threading.Thread(target=self._serve, args=(take,), name="intentscope-starts", daemon=True)
            self.thread.start()

    def release(self) -> None:
        """Let the next start be the profile's window."""
        with self.lock:
            self.is_released = True
            server, self.server = self.server, None
        if server is not None:
            _shut(server)
            for left in (self.folder / ADDRESS, self.folder / SOCKET):
                with contextlib.suppress(OSError):
                    left.unlink()
        if self.made is not None:
            rmtree(self.made, ignore_errors=True)
        handle, self.handle = self.handle, None
        if handle is not None:
            os.close(handle)

    def _serve(self, take: Take) -> None:
        import secrets

        token = secrets.token_urlsafe(24)
        with contextlib.suppress(OSError):
            server, address = self._bound()
            with self.lock:
                if self.is_released:
                    server.close()
                    return
                self.server = server
            _write_private(self.folder / ADDRESS, json.dumps({**address, "token": token}))
            while True:
                connection, _ = server.accept()
                with connection, contextlib.suppress(OSError):
                    connection.sendall(f"{_answer(connection, token, take)}\n".encode())

    def _bound(self) -> tuple[socket.socket, dict[str, object]]:
        """A listening socket that only this person can reach, and how to reach it; OSError."""
        import socket
        import tempfile

        if not hasattr(socket, "AF_UNIX"):  # Windows: the token alone keeps others out
            server = socket.create_server(("127.0.0.1", 0))
            return server, {"port": server.getsockname()[1]}
        path = self.folder.absolute() / SOCKET
        if len(os.fsencode(path)) > LONGEST_SOCKET:
            self.made = Path(tempfile.mkdtemp(prefix="intentscope-"))
            path = self.made / SOCKET
        path.unlink(missing_ok=True)  # nobody's, for the lock is ours
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(str(path))
        path.chmod(0o600)
        server.listen(8)
        return server, {"path": str(path)}


def claim(folder: Path) -> Claim | None:
    """The right to be this profile's window; None while another process has it.

    Where nothing can be locked (a folder of somebody else's, a disk without locks) the window opens all the same.
    """
    handle = None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        _lock(handle)
    except BlockingIOError:
        assert handle is not None, "only the lock is taken"
        os.close(handle)
        return None
    except OSError:
        if handle is not None:
            os.close(handle)
        return Claim(folder)
    return Claim(folder, handle)


def hand_over(folder: Path, start: Start, screen: str, *, longest: float = BEGIN_SECONDS) -> bool:
    """Have the profile's window show what was asked; whether it does. A window that does not answer is left alone."""
    message = {**start.document(), "screen": screen}
    begun = monotonic()
    while True:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            address = _address_in(folder)
            with contextlib.closing(_connected(address)) as connection:
                connection.sendall(json.dumps({**message, "token": address["token"]}).encode() + b"\n")
                return _line(connection, ASK_SECONDS).decode("ascii") == TAKEN
        if monotonic() - begun >= longest:
            return False
        sleep(0.05)  # it is just starting: its address is written after the first paint


def _answer(connection: socket.socket, token: str, take: Take) -> str:
    import hmac

    try:
        found: Any = json.loads(_line(connection, ANSWER_SECONDS))
        if not hmac.compare_digest(str(found["token"]).encode(), token.encode()):
            return REFUSED
        start = start_of(found)
        if found.get("screen") != screen_of():
            return ELSEWHERE
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return REFUSED
    return TAKEN if take(start) else REFUSED


def _line(connection: socket.socket, seconds: float) -> bytes:
    """All up to the end of the line; ValueError where there is too much, OSError where it does not come in time."""
    found, ends = bytearray(), monotonic() + seconds
    while not found.endswith(b"\n"):
        connection.settimeout(max(0.01, ends - monotonic()))
        more = connection.recv(65_536)
        found += more
        if not more or len(found) > MOST_BYTES:
            raise ValueError("no whole message")
    return bytes(found[:-1])


def _address_in(folder: Path) -> dict[str, object]:
    """Where the profile's window listens; OSError or ValueError where nobody said so."""
    with (folder / ADDRESS).open(encoding="utf-8") as stream:
        found = json.loads(stream.read(LONGEST_ADDRESS))
    if not isinstance(found, dict):
        raise ValueError("no address")
    return found


def _connected(address: Mapping[str, object]) -> socket.socket:
    import socket

    port, path = address.get("port"), address.get("path")
    if isinstance(port, int):
        return socket.create_connection(("127.0.0.1", port), timeout=ASK_SECONDS)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.settimeout(ASK_SECONDS)
    try:
        made.connect(str(path))
    except OSError:
        made.close()
        raise
    return made


def _shut(server: socket.socket) -> None:
    """Close it, which alone would not wake the thread that waits for a call."""
    import socket

    with contextlib.suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
    server.close()


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
