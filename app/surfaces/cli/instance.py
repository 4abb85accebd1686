"""One window a profile: whoever starts it again hands over what was asked, and the window that is open shows it."""

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

from app.services.system.starts import Start, start_of
from app.surfaces.local_socket import Seat, address_of, connected, line, send

if TYPE_CHECKING:
    import socket

NAME = "window"

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
    """The right to be a profile's window. Where nothing can be locked the window works and is not asked."""

    seat: Seat
    server: socket.socket | None = None
    thread: threading.Thread | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_released: bool = False

    def listen(self, take: Take) -> None:
        """Begin to take what other starts hand over; returns at once, and is not called before the first paint."""
        if self.seat.handle is not None:
            self.thread = threading.Thread(target=self._serve, args=(take,), name="intentscope-starts", daemon=True)
            self.thread.start()

    def release(self) -> None:
        """Let the next start be the profile's window."""
        with self.lock:
            self.is_released = True
            server, self.server = self.server, None
        if server is not None:
            _shut(server)
        self.seat.leave(was_bound=server is not None)

    def _serve(self, take: Take) -> None:
        import secrets

        token = secrets.token_urlsafe(24)
        with contextlib.suppress(OSError):
            with self.lock:
                if self.is_released:
                    return
                self.server = server = self.seat.bound(token)
            while True:
                connection, _ = server.accept()
                with connection, contextlib.suppress(OSError):
                    connection.sendall(f"{_answer(connection, token, take)}\n".encode())


def claim(folder: Path) -> Claim | None:
    """The right to be this profile's window; None while another process has it.

    Where nothing can be locked (a folder of somebody else's, a disk without locks) the window opens all the same.
    """
    seat = Seat(folder, NAME)
    return Claim(seat) if seat.take() else None


def hand_over(folder: Path, start: Start, screen: str, *, longest: float = BEGIN_SECONDS) -> bool:
    """Have the profile's window show what was asked; whether it does. A window that does not answer is left alone."""
    message = {**start.document(), "screen": screen}
    begun = monotonic()
    while True:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            address = address_of(folder, NAME)
            with contextlib.closing(connected(address)) as connection:
                send(connection, {**message, "token": address["token"]})
                return line(connection, ASK_SECONDS).decode("ascii") == TAKEN
        if monotonic() - begun >= longest:
            return False
        sleep(0.05)  # it is just starting: its address is written after the first paint


def _answer(connection: socket.socket, token: str, take: Take) -> str:
    import hmac

    try:
        found: Any = json.loads(line(connection, ANSWER_SECONDS))
        if not hmac.compare_digest(str(found["token"]).encode(), token.encode()):
            return REFUSED
        start = start_of(found)
        if found.get("screen") != screen_of():
            return ELSEWHERE
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return REFUSED
    return TAKEN if take(start) else REFUSED


def _shut(server: socket.socket) -> None:
    """Close it, which alone would not wake the thread that waits for a call."""
    import socket

    with contextlib.suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
    server.close()
