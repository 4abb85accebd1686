"""Single instance: one window per profile; a second start passes its request to it."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from app.services.system.start_requests import StartRequest, parse_start_request
from app.surfaces.local_socket import CONNECT_SECONDS, InstanceLock, SocketClient, UntrustedError, read_line

if TYPE_CHECKING:
    import socket

    from app.surfaces.local_socket import Door

NAME = "window"

ASK_SECONDS, ANSWER_SECONDS, BEGIN_SECONDS = 5.0, 2.0, 5.0
"""Time-outs in seconds: for the answer, for the rest of a message, for a starting window."""

TAKEN, ELSEWHERE, REFUSED = "taken", "elsewhere", "refused"
SCREENS = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")

OnStart = Callable[[StartRequest], bool]
"""Handles another start's request on a thread of its own; returns False if it could not."""


def screen_of(environment: Mapping[str, str] = os.environ) -> str:
    """Return the display of this process: windows of other displays cannot come to the front."""
    return "|".join(environment.get(name, "") for name in SCREENS)


@dataclass(slots=True)
class WindowLock:
    """Lock of a profile's window, with its listener; without file locks there is no listener."""

    instance_lock: InstanceLock
    server: socket.socket | None = None
    thread: threading.Thread | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_released: bool = False

    def listen(self, on_start: OnStart) -> None:
        """Start handling requests of other starts; returns at once. Call it after the first paint."""
        if self.instance_lock.handle is not None:
            self.thread = threading.Thread(target=self._serve, args=(on_start,), name="intentscope-starts", daemon=True)
            self.thread.start()

    def release(self) -> None:
        """Release the lock, so that the next start opens the profile's window."""
        with self.lock:
            self.is_released = True
            server, self.server = self.server, None
        if server is not None:
            _close_server(server)
        self.instance_lock.release(was_bound=server is not None)

    def _serve(self, on_start: OnStart) -> None:
        import secrets

        token = secrets.token_urlsafe(24)
        with contextlib.suppress(OSError):
            with self.lock:
                if self.is_released:
                    return
                self.server = server = self.instance_lock.bind(token)
            while True:
                connection, _ = server.accept()
                # One that sends nothing keeps no other start waiting.
                threading.Thread(target=self._reply, args=(connection, on_start), daemon=True).start()

    def _reply(self, connection: socket.socket, on_start: OnStart) -> None:
        with connection, contextlib.suppress(OSError):
            connection.sendall(f"{_answer(connection, self.instance_lock.door(connection), on_start)}\n".encode())


def acquire_window_lock(folder: Path) -> WindowLock | None:
    """Acquire the lock of this profile's window; None while another process holds it.

    Without file locks (another user's folder, some disks) the window opens anyway.
    """
    instance_lock = InstanceLock(folder, NAME)
    return WindowLock(instance_lock) if instance_lock.acquire() else None


def send_start_request(folder: Path, start: StartRequest, screen: str, *, longest: float = BEGIN_SECONDS) -> bool:
    """Send a start request to the profile's window; return False for a hung window."""
    message = {**start.document(), "screen": screen}
    begun = monotonic()
    while True:
        try:
            with contextlib.closing(SocketClient.to(folder, NAME, CONNECT_SECONDS)) as client:
                client.send(message)
                return client.words(ASK_SECONDS) == [TAKEN]
        except UntrustedError:
            return False
        except (OSError, ValueError):
            pass
        if monotonic() - begun >= longest:
            return False
        sleep(0.05)  # the window is starting: its address is written after the first paint


def _answer(connection: socket.socket, door: Door, on_start: OnStart) -> str:
    try:
        if door.is_challenged:
            connection.sendall(door.answer(read_line(connection, ANSWER_SECONDS)))
        found: Any = json.loads(read_line(connection, ANSWER_SECONDS))
        if not door.admits(found["token"]):
            return REFUSED
        start = parse_start_request(found)
        if found.get("screen") != screen_of():
            return ELSEWHERE
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return REFUSED
    return TAKEN if on_start(start) else REFUSED


def _close_server(server: socket.socket) -> None:
    """Shut down and close: closing alone would not wake the thread in `accept`."""
    import socket

    with contextlib.suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
    server.close()
