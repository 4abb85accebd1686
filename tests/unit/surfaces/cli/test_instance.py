"""Tests of one window per profile: a second start is handed over, and nobody is locked out."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.services.system.start_requests import StartRequest
from app.surfaces.cli import instance
from app.surfaces.cli.instance import WindowLock, acquire_window_lock, screen_of, send_start_request
from app.surfaces.local_socket import MOST_BYTES, SocketClient, address_of
from tests.build import some
from tests.waiting import PATIENCE

ADDRESS, LOCK, SOCKET = "window.address", "window.lock", "window.sock"

START = StartRequest("why does it fail", (Path("/tmp/a.csv"),))


class Window:
    def __init__(self, folder: Path, *, takes: bool = True) -> None:
        self.folder, self.came, self.takes = folder, list[StartRequest](), takes
        found = some(acquire_window_lock(folder))
        self.acquire_window_lock: WindowLock = found

    def listen(self) -> Window:
        self.acquire_window_lock.listen(self._take)
        deadline = threading.Event()
        while not (self.folder / ADDRESS).exists() and not deadline.wait(0.01):
            pass
        return self

    def _take(self, start: StartRequest) -> bool:
        self.came.append(start)
        return self.takes


Opened = Callable[..., Window]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    windows: list[Window] = []

    def open_(folder: Path = tmp_path / "profile", *, takes: bool = True) -> Window:
        windows.append(Window(folder, takes=takes))
        return windows[-1]

    yield open_
    for window in windows:
        window.acquire_window_lock.release()


def test_that_the_second_start_hands_over_and_the_first_takes_it(opened: Opened) -> None:
    window = opened().listen()
    assert acquire_window_lock(window.folder) is None
    with contextlib.ExitStack() as idle:
        for _ in range(20):
            idle.callback(SocketClient.to(window.folder, instance.NAME, PATIENCE).close)
        assert send_start_request(window.folder, START, screen_of())
    assert window.came == [START]


def test_that_two_profiles_are_two_windows(opened: Opened, tmp_path: Path) -> None:
    one, two = opened(tmp_path / "one").listen(), opened(tmp_path / "two").listen()
    assert send_start_request(two.folder, START, screen_of())
    assert (one.came, two.came) == ([], [START])


def test_that_nothing_is_left_after_the_end_and_the_next_start_is_the_window(opened: Opened) -> None:
    window = opened().listen()
    window.acquire_window_lock.release()
    assert {path.name for path in window.folder.iterdir()} == {LOCK}
    again = opened(window.folder).listen()
    assert send_start_request(window.folder, START, screen_of())
    assert again.came == [START]


def test_that_only_the_owner_reaches_the_window(opened: Opened) -> None:
    window = opened().listen()
    rights = {path.name: stat.S_IMODE(path.stat().st_mode) for path in window.folder.iterdir()}
    assert set(rights.values()) == {0o600}
    assert {LOCK, ADDRESS, SOCKET} == set(rights)
    assert stat.S_IMODE(window.folder.stat().st_mode) == 0o700


def test_that_a_killed_window_locks_nobody_out(opened: Opened, tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    program = (
        "import sys, os, pathlib; from app.surfaces.cli.instance import acquire_window_lock\n"
        "found = acquire_window_lock(pathlib.Path(sys.argv[1])); found.listen(lambda start: True)\n"
        "while not (found.instance_lock.folder / 'window.address').exists(): pass\n"
        "print('up', flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", program, str(folder)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[4]) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"up\n"
        assert acquire_window_lock(folder) is None
        first.kill()
    assert (folder / ADDRESS).exists()
    assert (folder / SOCKET).exists()
    window = opened(folder).listen()
    deadline = threading.Event()
    while not send_start_request(folder, START, screen_of(), longest=0.0) and not deadline.wait(0.01):
        pass  # until the new address replaces the old one
    assert window.came[-1] == START


def test_that_a_window_that_does_not_take_it_leaves_the_start_its_own(opened: Opened) -> None:
    window = opened(takes=False).listen()
    assert not send_start_request(window.folder, START, screen_of())


def test_that_a_window_on_another_screen_is_left_alone(opened: Opened) -> None:
    window = opened().listen()
    assert not send_start_request(window.folder, START, "xcb||:77")
    assert window.came == []


def test_that_nothing_is_handed_to_a_window_that_may_be_somebody_elses(opened: Opened) -> None:
    window = opened().listen()
    window.folder.chmod(0o777)
    assert not send_start_request(window.folder, START, screen_of(), longest=1e9), "at once"
    window.folder.chmod(0o700)
    assert window.came == []


def test_that_a_window_that_is_silent_is_given_up(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    window = opened()
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(window.folder / SOCKET))
        mute.listen()
        (window.folder / SOCKET).chmod(0o600)
        (window.folder / ADDRESS).write_text(f"{window.folder / SOCKET}\nt\n")
        (window.folder / ADDRESS).chmod(0o600)
        monkeypatch.setattr(instance, "ASK_SECONDS", 0.05)
        assert not send_start_request(window.folder, START, screen_of(), longest=0.0)


@pytest.mark.parametrize(
    "address", ["", "[]", "{}", '{"path": 3, "token": "t"}', '{"port": 1, "token": "t"}', "[" * 9999]
)
def test_that_a_damaged_address_is_no_window(tmp_path: Path, address: str) -> None:
    (tmp_path / ADDRESS).write_text(address)
    assert not send_start_request(tmp_path, START, screen_of(), longest=0.0)


def test_that_a_folder_that_cannot_be_locked_opens_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    found = some(acquire_window_lock(tmp_path / "file"))
    found.listen(lambda _: True)
    assert found.thread is None
    found.release()
    (tmp_path / LOCK).mkdir()
    assert acquire_window_lock(tmp_path) is not None


def raw(window: Window, message: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as made:
        made.settimeout(PATIENCE)
        made.connect(str(window.folder / SOCKET))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            made.sendall(message)
            return made.recv(100)
        return b"refused\n"


def test_that_nothing_is_taken_on_trust(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    window = opened().listen()
    token = address_of(window.folder, instance.NAME)["token"]
    good = {**START.document(), "screen": screen_of(), "token": token}
    bad = [
        b"\n",
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b'{"token": null}\n',
        json.dumps({**good, "token": "wrong"}).encode() + b"\n",
        json.dumps({**good, "token": "\udc80"}).encode() + b"\n",
        json.dumps({**good, "files": ["not/whole"]}).encode() + b"\n",
        json.dumps({**good, "query": 7}).encode() + b"\n",
        b"x" * (MOST_BYTES + 10),
    ]
    for message in bad:
        assert raw(window, message) in (b"refused\n", b"")
    monkeypatch.setattr(instance, "ANSWER_SECONDS", 0.05)
    assert raw(window, b"a message that never ends") == b"refused\n"
    assert window.came == []
    monkeypatch.setattr(instance, "ANSWER_SECONDS", 2.0)
    assert raw(window, json.dumps(good).encode() + b"\n") == b"taken\n"


def test_that_a_screen_is_told_by_its_names() -> None:
    assert screen_of({"DISPLAY": ":1"}) != screen_of({"DISPLAY": ":2"})
    assert screen_of({}) == "||"
    assert screen_of() == screen_of(os.environ)
