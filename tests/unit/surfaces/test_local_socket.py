"""Tests of local sockets: a client sends nothing before its own user's process is verified."""

import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.surfaces import local_socket
from app.surfaces.local_socket import InstanceLock, SocketClient, UntrustedError, address_of, read_line
from tests.waiting import PATIENCE

NAME = "engine-2"
TOKEN = "known-to-both"
SECRET = {"prompt": "my password is hunter2"}

Answer = Callable[[socket.socket, InstanceLock], None]


class Listener:
    """Process that listens under a profile's lock, with everything it receives."""

    def __init__(self, folder: Path, answer: Answer) -> None:
        self.lock, self._answer = InstanceLock(folder, NAME), answer
        self.received = b""
        self.accepted = 0
        assert self.lock.acquire()
        self.server = self.lock.bind(TOKEN)
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.accepted += 1
            with connection:
                connection.settimeout(PATIENCE)
                try:
                    self._answer(connection, self.lock)
                    while more := connection.recv(65_536):
                        self.received += more
                except (OSError, ValueError):
                    pass

    def close(self) -> None:
        self.server.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self.server.close()
        self.lock.release(was_bound=True)


def says_nothing(connection: socket.socket, lock: InstanceLock) -> None: ...


def greets(connection: socket.socket, lock: InstanceLock) -> None:
    """Prove the token to the client."""
    connection.sendall(lock.door(connection).answer(read_line(connection, 5.0)))


@contextmanager
def listening(folder: Path, answer: Answer = says_nothing) -> Iterator[Listener]:
    found = Listener(folder, answer)
    try:
        yield found
    finally:
        found.close()


def send(folder: Path) -> None:
    with closing(SocketClient.to(folder, NAME, 5.0)) as client:
        client.send(SECRET)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.mark.parametrize("name", ["p", "a" * 120, "ü" * 100, "a" * 200])
@pytest.mark.parametrize("handles", [local_socket.OWN_HANDLES, "/nowhere"])
def test_that_the_socket_lies_in_the_profile_whatever_its_path(
    tmp_path: Path, name: str, handles: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_socket, "OWN_HANDLES", handles)
    folder = tmp_path / name
    with listening(folder) as listener:
        assert stat.S_ISSOCK((folder / f"{NAME}.sock").stat().st_mode)
        send(folder)
    assert b"hunter2" in listener.received
    assert {path.name for path in folder.iterdir()} == {f"{NAME}.lock"}
    links = Path("/tmp").glob("intentscope-*")
    assert not [link for link in links if link.is_symlink() and link.readlink() == folder], "no link is left"


def test_that_a_relative_profile_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with listening(Path("p")) as listener:
        send(Path("p"))
    assert b"hunter2" in listener.received


def test_that_the_address_cannot_lead_out_of_the_profile(profile: Path, tmp_path: Path) -> None:
    with listening(tmp_path / "other") as other, listening(profile) as own:
        (profile / f"{NAME}.address").write_text(f"{address_of(tmp_path / 'other', NAME)['place']}\ntoken\n")
        send(profile)
    assert (other.accepted, b"hunter2" in own.received) == (0, True)


Spoil = Callable[[Path, pytest.MonkeyPatch], object]

SPOILT: dict[str, tuple[Spoil, str]] = {
    "folder that all may write to": (lambda folder, _: folder.chmod(0o777), "other users may write to the folder"),
    "folder that a group may write to": (lambda folder, _: folder.chmod(0o770), "other users may write to the folder"),
    "socket that all may reach": (lambda folder, _: (folder / f"{NAME}.sock").chmod(0o666), "is open to others"),
    "address that others may read": (lambda folder, _: (folder / f"{NAME}.address").chmod(0o644), "is open to others"),
    "another user's files": (lambda _, patch: patch.setattr(os, "geteuid", lambda: os.getuid() + 1), "another user"),
    "another user's process": (lambda _, to: to.setattr(local_socket, "peer_user", lambda _: -1), "process answers"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_that_nothing_is_sent_where_somebody_else_may_listen(
    profile: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil, told = SPOILT[name]
    with listening(profile) as listener:
        with monkeypatch.context() as patch:
            spoil(profile, patch)
            with pytest.raises(UntrustedError, match=told):
                send(profile)
        profile.chmod(0o700)
    assert listener.received == b""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("part", ["", f"{NAME}.sock", f"{NAME}.address"])
def test_that_what_another_user_made_is_not_connected_to(profile: Path, part: str) -> None:
    with listening(profile) as listener:
        os.chown(profile / part, 65_534, 65_534)
        with pytest.raises(UntrustedError, match="belongs to another user"):
            send(profile)
    assert (listener.accepted, listener.received) == (0, b"")


def test_that_an_address_that_is_a_link_is_not_followed(profile: Path, tmp_path: Path) -> None:
    with listening(profile) as listener:
        (profile / f"{NAME}.address").rename(tmp_path / "elsewhere")
        (profile / f"{NAME}.address").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(OSError, match="symbolic"):
            send(profile)
    assert listener.accepted == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_that_a_pipe_as_address_holds_nobody_up_and_a_link_as_lock_is_left_alone(profile: Path, tmp_path: Path) -> None:
    profile.mkdir(mode=0o700)
    os.mkfifo(profile / f"{NAME}.address", 0o600)
    with pytest.raises(FileNotFoundError):
        send(profile)
    (tmp_path / "mine").write_text("2")
    (profile / f"{NAME}.lock").symlink_to(tmp_path / "mine")
    lock = InstanceLock(profile, NAME)
    lock.acquire()
    lock.note_start()
    lock.release()
    assert (tmp_path / "mine").read_text() == "2"


def test_that_the_address_that_a_crash_left_is_no_process(profile: Path) -> None:
    lock = InstanceLock(profile, NAME)
    assert lock.acquire()
    lock.bind("token").close()
    with pytest.raises(ConnectionRefusedError):
        send(profile)
    (profile / f"{NAME}.sock").unlink()
    with pytest.raises(FileNotFoundError):
        send(profile)
    lock.release(was_bound=True)


# ---- Systems that do not identify the process at the other end


@pytest.fixture(params=["port", "socket"])
def mute_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "port":
        monkeypatch.delattr(socket, "AF_UNIX")
    monkeypatch.setattr(local_socket, "TELLS_PEERS", False)


@pytest.mark.usefixtures("mute_system")
def test_that_a_server_that_proves_the_token_gets_the_message_and_never_the_token(profile: Path) -> None:
    with listening(profile, greets) as listener:
        send(profile)
    assert b"hunter2" in listener.received
    assert b'"token"' in listener.received
    assert TOKEN.encode() not in listener.received


def echoes(connection: socket.socket, lock: InstanceLock) -> None:
    """Echo the client's own words."""
    connection.sendall(read_line(connection, 5.0).removeprefix(b"hello ") + b" " + b"0" * 64 + b"\n")


def guesses(connection: socket.socket, lock: InstanceLock) -> None:
    """Prove another token, like a process that replaced a crashed one."""
    lock.token = "guess"
    greets(connection, lock)


def relays_elsewhere(connection: socket.socket, lock: InstanceLock) -> None:
    """Send the proof of a process at another place, like a proxy."""
    lock.place += "1"
    greets(connection, lock)


def acknowledges(connection: socket.socket, lock: InstanceLock) -> None:
    connection.sendall(b"wait 100\n")


def is_binary(connection: socket.socket, lock: InstanceLock) -> None:
    connection.sendall(b"\xff\xfe \x80\n")


@pytest.mark.usefixtures("mute_system")
@pytest.mark.parametrize("answer", [echoes, guesses, relays_elsewhere, acknowledges, is_binary])
def test_that_a_server_that_proves_nothing_gets_no_message(profile: Path, answer: Answer) -> None:
    with listening(profile, answer) as listener, pytest.raises(UntrustedError, match="does not know its token"):
        send(profile)
    assert b"hunter2" not in listener.received
    assert b"token" not in listener.received


@pytest.mark.usefixtures("mute_system")
def test_that_a_client_without_a_proof_is_not_admitted(profile: Path) -> None:
    with listening(profile) as listener:
        with socket.socket(socket.AF_INET) as connection:
            door = listener.lock.door(connection)
        assert door.is_challenged
        with pytest.raises(ValueError, match="challenge"):
            door.answer(b'{"token": "token"}')
        door.answer(b"hello " + b"0" * 32)
        assert not door.admits(TOKEN)
