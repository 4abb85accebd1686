"""Follows a team's library: hears of changes as they are made, and says whether the server answers."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from threading import Event, Thread
from typing import Any

from app.adapters.store.team import faults
from app.adapters.store.team.faults import TeamGoneError
from app.adapters.store.team.server import Server, channel, role_of
from app.domain.errors import StoreError
from app.domain.library import Role

HEARTBEAT_SECONDS = 20.0
"""So long a silence is before the server is asked whether anything was missed."""

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 20.0
"""How long after a fault the server is tried again, twice as long each time."""

OPENING_SECONDS = 3.0
"""A library waits so long, while it is opened, for what others have changed; then it is as it was seen last."""


class Follower:
    """Supervisor: a thread with a connection of its own, made anew for as long as it is not closed."""

    def __init__(self, server: Server, library: str, catch_up: Callable[[], object]) -> None:
        """`catch_up` takes over what was changed; StoreError. It is called from the thread."""
        self._server, self._channel, self._catch_up = server, channel(library), catch_up
        self.fault: StoreError | None = None
        """Why nothing is heard just now: nobody answers, or who does is not, or not any more, the team's library."""
        self.heard = ""
        """When it was known last that nothing was missed (UTC, "2026-11-22 04:26")."""
        self.role: Role | None = None
        """What this account may do, as the server said when it was reached last."""
        self.turns = 0
        """Counts how often the server was lost or found."""
        self._tried, self._is_closed = Event(), False
        self._ear, self._mouth = socket.socketpair()
        self._thread = Thread(target=self._run, name="team-follower", daemon=True)

    def start(self) -> None:
        """Begin, and wait a moment for the first news."""
        self._thread.start()
        self._tried.wait(OPENING_SECONDS)

    def refuse(self) -> None:
        """StoreError where nothing was heard last, TeamGoneError where nobody answered; it is tried again at once."""
        if (fault := self.fault) is not None:
            self._mouth.send(b".")
            raise TeamGoneError(fault.reason) if isinstance(fault, TeamGoneError) else StoreError(str(fault))

    def close(self) -> None:
        """End the thread; a second call does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        self._mouth.send(b".")
        self._thread.join()
        self._ear.close()
        self._mouth.close()

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._is_closed:
            try:
                with faults.known_faults(self._server.account), closing(self._server.connected()) as connection:
                    connection.autocommit = True
                    connection.execute(f'LISTEN "{self._channel}"')
                    self.role = role_of(connection)
                    while not self._is_closed:
                        self._catch_up()
                        self._note(None)
                        pause = FIRST_PAUSE
                        self._wait(HEARTBEAT_SECONDS, connection)
            except StoreError as error:
                self._note(error)
                self._tried.set()
                if not self._is_closed:
                    self._wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _note(self, fault: StoreError | None) -> None:
        if (fault is None) != (self.fault is None):
            self.turns += 1
        self.fault = fault
        if fault is None:
            self.heard = f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
        self._tried.set()

    def _wait(self, seconds: float, connection: Any = None) -> None:
        """Until there is news, the thread is to end, or so long."""
        heard = [self._ear] if connection is None else [self._ear, connection.fileno()]
        if self._ear in select.select(heard, [], [], seconds)[0]:
            self._ear.recv(64)
        if connection is not None:
            with suppress(StopIteration):
                for _ in connection.notifies(timeout=0):
                    pass
