"""Local sockets between processes of one user: lock, address and token files per profile.

Messages are lines of JSON. The socket is in the profile's folder, whatever the length of its path. A client sends
nothing before it has verified that the server belongs to its own user: by the peer's credentials, or on Windows by a
proof that the server knows the token.

A client has 0.2 s in total, most of which Python's imports take: the client imports next to nothing, and the server
imports modules when it starts to listen.
"""

from __future__ import annotations

import os
import sys
from time import monotonic, sleep, time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping
    from pathlib import Path

LONGEST_ADDRESS = 1_000
LONGEST_SOCKET = 100
"""Maximum length of a socket's path in bytes; some systems allow 104."""

OWN_HANDLES = "/proc/self/fd"
"""Folder of a process's open files, on systems that allow paths through it."""

MOST_BYTES = 1 << 21
"""Maximum length of a message, in bytes."""

CONNECT_SECONDS = 5.0

NOT_ELSEWHERE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags to open a file of a profile: a link is refused, and a pipe blocks nobody."""


class InstanceLock:
    """Lock file: the right to be a profile's only process with a name, such as "window".

    Files in the profile: `NAME.lock` (a system lock, which never goes stale), `NAME.address` and `NAME.sock`.
    """

    def __init__(self, folder: Path | str, name: str) -> None:
        self.folder, self.name = folder, name
        self.handle: int | None = None
        """Descriptor; None without file locks: the process then works, but serves nobody."""
        self.place = self.token = ""
        """Published address, once bound."""

    def acquire(self) -> bool:
        """Acquire the lock; False while another process holds it. Without locks `handle` stays None."""
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            self.handle = os.open(self._file("lock"), os.O_RDWR | os.O_CREAT | NOT_ELSEWHERE, 0o600)
            _lock(self.handle)
        except BlockingIOError:
            self._close()
            return False
        except OSError:
            self._close()
        return True

    def bind(self, token: str) -> socket.socket:
        """Bind a listening socket for this user only, and publish its address; raises OSError."""
        import socket
        from contextlib import suppress
        from pathlib import Path

        from app.files import write_private

        server: socket.socket
        if not hasattr(socket, "AF_UNIX"):  # Windows
            server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            if sys.platform == "win32":  # otherwise another process may listen on the same port
                server.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            server.bind(("127.0.0.1", 0))
            server.listen(128)
            self.place = str(server.getsockname()[1])
        else:
            self.place = os.path.abspath(self._file("sock"))
            with suppress(FileNotFoundError):
                os.unlink(self.place)  # abandoned, since this process holds the lock
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            _at_short_path(str(self.folder), os.path.basename(self.place), server.bind)
            os.chmod(self.place, 0o600)
            server.listen(128)
        self.token = token
        write_private(Path(self._file("address")), f"{self.place}\n{token}\n".encode(), waits=False)
        return server

    def door(self, connection: socket.socket) -> Door:
        """Return the server's side of an accepted connection."""
        return Door(connection, self.place, self.token)

    def is_held(self) -> bool:
        """Check that the lock file was not removed and created again by another process."""
        try:
            return self.handle is not None and os.path.samestat(os.fstat(self.handle), os.stat(self._file("lock")))
        except OSError:
            return False

    def note_start(self) -> None:
        """Note in the held lock file that a process of this name starts now."""
        if self.handle is not None:
            os.lseek(self.handle, 0, os.SEEK_SET)
            os.write(self.handle, b"1")  # the file's modification time counts

    def release(self, *, was_bound: bool = False) -> None:
        """Release the lock; files of another process that holds it already are left alone."""
        from contextlib import suppress

        if was_bound and self.is_held():
            for left in ("address", "sock"):
                with suppress(OSError):
                    os.unlink(self._file(left))
        self._close()

    def _file(self, kind: str) -> str:
        return os.path.join(self.folder, f"{self.name}.{kind}")

    def _close(self) -> None:
        handle, self.handle = self.handle, None
        if handle is not None:
            os.close(handle)


def is_unlocked(folder: Path | str, name: str) -> bool:
    instance_lock = InstanceLock(folder, name)
    found = instance_lock.acquire() and instance_lock.handle is not None
    instance_lock.release(was_bound=False)
    return found


def acquire_patiently(instance_lock: InstanceLock) -> bool:
    """Acquire a lock that others may briefly hold to test it."""
    for _ in range(LOOKS):
        if instance_lock.acquire():
            return True
        sleep(LOOK_SECONDS)
    return False


LOOKS, LOOK_SECONDS = 10, 0.02

SOON_SECONDS, START_SECONDS = 3.0, 15.0
"""Seconds from the start of a process to its lock, and to its listening, on slow machines."""


def is_starting(folder: Path | str, name: str) -> bool:
    """Check if a process of this name was started just now, and has not ended since."""
    try:
        found = os.stat(os.path.join(folder, f"{name}.lock"))
    except OSError:
        return False
    age = time() - found.st_mtime if found.st_size else START_SECONDS  # empty: never started
    return 0.0 <= age < SOON_SECONDS or (0.0 <= age < START_SECONDS and not is_unlocked(folder, name))


def address_of(folder: Path | str, name: str) -> dict[str, str]:
    """Return the published address and token of the process of this name; raises OSError."""
    found = os.open(os.path.join(folder, f"{name}.address"), os.O_RDONLY | NOT_ELSEWHERE)
    with open(found, "rb") as stream:
        _check_private(os.fstat(found), f"the file {name}.address")
        lines = stream.read(LONGEST_ADDRESS).decode("utf-8", "replace").split("\n")
    if len(lines) != 3 or lines[2] or not (lines[0] and lines[1]):
        raise FileNotFoundError("no address")
    return {"place": lines[0], "token": lines[1]}


def read_line(connection: socket.socket, seconds: float) -> bytes:
    """Read one line; raises ValueError if too long or incomplete, OSError on a time-out."""
    found, ends = bytearray(), monotonic() + seconds
    while not found.endswith(b"\n"):
        connection.settimeout(max(0.01, ends - monotonic()))
        more = connection.recv(65_536)
        found += more
        if not more or len(found) > MOST_BYTES:
            raise ValueError("no whole message")
    return bytes(found[:-1])


ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in map(chr, range(32))} | {34: '\\"', 92: "\\\\"}
"""JSON escapes of characters."""


def encode_message(message: object) -> bytes:
    """Encode a message as one line of JSON, like the standard library; allows lone surrogates."""
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
    """Client of a local socket: sends messages, reads lines of words and sized texts.

    Raises OSError.
    """

    def __init__(self, connection: socket.socket, token: str) -> None:
        self._connection = connection
        self._token = token
        self._buffer = b""

    @classmethod
    def to(cls, folder: Path | str, name: str, seconds: float) -> SocketClient:
        """Connect to the process of this name, after verifying that it belongs to this user.

        Raises UntrustedError if it does not; OSError if there is none.
        """
        address = address_of(folder, name)
        place, ends = address["place"], monotonic() + seconds
        connection = _connect_to_port(place, seconds) if place.isdecimal() else _connect_in(str(folder), name, seconds)
        client = cls(connection, address["token"])
        try:
            if place.isdecimal() or not TELLS_PEERS:
                client._challenge(place, ends)
            elif peer_user(connection) != os.geteuid():
                raise UntrustedError("another user's process answers at its address")
        except OSError:
            client.close()
            raise
        return client

    def _challenge(self, place: str, ends: float) -> None:
        """Let the server prove that it knows the token; then a proof replaces the token."""
        mine = os.urandom(16).hex()
        try:
            self._connection.sendall(f"{HELLO} {mine}\n".encode())
            theirs, proof = self.words(max(0.01, ends - monotonic()))
        except ValueError:
            raise UntrustedError(NO_PROOF) from None
        if not _is_same(proof, _proof(self._token, "server", place, mine, theirs)):
            raise UntrustedError(NO_PROOF)
        self._token = _proof(self._token, "client", place, mine, theirs)

    def send(self, message: Mapping[str, object]) -> None:
        """Send one message, with the token, as one line."""
        self._connection.sendall(encode_message({"token": self._token, **message}))

    def words(self, seconds: float) -> list[str]:
        """Return the words of the next line; raises ValueError if there is none."""
        ends = monotonic() + seconds
        while b"\n" not in self._buffer:
            self._receive(ends)
        line, _, self._buffer = self._buffer.partition(b"\n")
        found = line.decode("ascii").split(" ")
        if not found[0]:
            raise ValueError("no words")
        return found

    def text(self, length: int, seconds: float) -> str:
        """Read a text of this many bytes."""
        ends = monotonic() + seconds
        while len(self._buffer) < length:
            self._receive(ends)
        found, self._buffer = self._buffer[:length], self._buffer[length:]
        return found.decode("utf-8", "surrogatepass")

    def _receive(self, ends: float) -> None:
        self._connection.settimeout(max(0.01, ends - monotonic()))
        try:
            more = self._connection.recv(65_536)
        except TimeoutError:
            raise TimeoutError("no answer in time") from None
        self._buffer += more
        if not more or len(self._buffer) > MOST_BYTES:
            raise ValueError("no whole message")

    def close(self) -> None:
        self._connection.close()


# ---- Verification of the peer

HELLO = "hello"
NO_PROOF = "the process at its address does not know its token"

TELLS_PEERS = sys.platform in ("linux", "darwin") or sys.platform.startswith("freebsd")
"""True if the system tells the user at the other end of a Unix socket."""


class UntrustedError(OSError):
    """The process or file may belong to another user."""


class Door:
    """Server's side of a connection: checks the client's user and token."""

    def __init__(self, connection: socket.socket, place: str, token: str) -> None:
        self._place, self._expected = place, token
        is_port = place.isdecimal()
        self.is_challenged = is_port or not TELLS_PEERS
        """True if the client's first line asks for a proof, and its message has one."""
        self.is_own_user = is_port or not TELLS_PEERS or peer_user(connection) == os.geteuid()

    def answer(self, hello: bytes) -> bytes:
        """Return the proof for a client's first line, as a line; raises ValueError if it is invalid."""
        word, theirs = hello.decode("ascii").split()
        if word != HELLO or len(theirs) != 32:
            raise ValueError("no challenge")
        mine = os.urandom(16).hex()
        proof = _proof(self._expected, "server", self._place, theirs, mine)
        self._expected = _proof(self._expected, "client", self._place, theirs, mine)
        return f"{mine} {proof}\n".encode()

    def admits(self, token: object) -> bool:
        """Check that a message has the token, or the proof in its place."""
        return self.is_own_user and _is_same(str(token), self._expected)


def peer_user(connection: socket.socket) -> int:
    """Return the user ID of the process at the other end of a Unix socket."""
    import _socket

    if sys.platform == "linux":  # struct ucred: pid, uid, gid
        level, option = _socket.SOL_SOCKET, _socket.SO_PEERCRED
    else:  # struct xucred: version, uid, …
        level, option = 0, 1  # SOL_LOCAL, LOCAL_PEERCRED
    return int.from_bytes(connection.getsockopt(level, option, 128)[4:8], sys.byteorder)


def _proof(token: str, who: str, place: str, client: str, server: str) -> str:
    """Return the proof that `who` knows the token, for this place and both random numbers."""
    import hmac

    return hmac.digest(token.encode(), f"{who} {place} {client} {server}".encode(), "sha256").hex()


def _is_same(one: str, other: str) -> bool:
    import hmac

    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def _check_private(found: os.stat_result, what: str, forbidden: int = 0o077) -> None:
    """Raise UntrustedError if another user owns it, or others have one of these rights."""
    if os.name != "posix":
        return
    if found.st_uid != os.geteuid():
        raise UntrustedError(f"{what} belongs to another user")
    if found.st_mode & forbidden:
        raise UntrustedError(f"other users may write to {what}" if forbidden == 0o022 else f"{what} is open to others")


def _connect_to_port(place: str, seconds: float) -> socket.socket:
    import socket

    if len(place) > 5 or not 0 < int(place) < 65_536:
        raise FileNotFoundError("no port")
    return socket.create_connection(("127.0.0.1", int(place)), timeout=seconds)


def _connect_in(folder: str, name: str, seconds: float) -> socket.socket:
    """Connect to the socket in this folder, ignoring the place in its address."""
    import _socket  # importing `socket` takes as long as Python needs to start

    _check_private(os.stat(folder), "the folder of the profile", 0o022)
    _check_private(os.lstat(os.path.join(folder, f"{name}.sock")), f"the socket {name}.sock")
    made: socket.socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)  # type: ignore[assignment]
    made.settimeout(seconds)
    try:
        _at_short_path(folder, f"{name}.sock", made.connect)
    except OSError:
        made.close()
        raise
    return made


def _at_short_path(folder: str, name: str, use: Callable[[str], object]) -> None:
    """Call `use` with a path to this name that is short enough for a socket's address."""
    path = os.path.join(os.path.abspath(folder), name)
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        use(path)
    elif os.path.isdir(OWN_HANDLES):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            use(f"{OWN_HANDLES}/{handle}/{name}")
        finally:
            os.close(handle)
    else:
        link = f"/tmp/intentscope-{os.urandom(8).hex()}"
        os.symlink(os.path.abspath(folder), link)
        try:
            use(os.path.join(link, name))
        finally:
            os.unlink(link)


def default_profile_folder() -> str:
    """Return the default profile's folder like `default_profile`, without its slow import."""
    if sys.platform != "linux":
        from app.services.system.start_requests import default_profile

        return str(default_profile())
    data = os.environ.get("XDG_DATA_HOME", "")
    return os.path.join(data if os.path.isabs(data) else os.path.expanduser("~/.local/share"), "intentscope", "default")


def _lock(handle: int) -> None:
    """Lock an open file; raises BlockingIOError if locked, OSError without file locks."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
