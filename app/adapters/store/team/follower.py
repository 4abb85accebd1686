"""Follower of a team's library: receives changes, and knows whether the server answers."""

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
"""Time without news after which the server is polled."""

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 20.0
"""First and longest pause before a retry; it doubles each time."""

OPENING_SECONDS = 3.0
"""Time to wait for others' changes on opening; then the last state is shown."""


class Follower:
    """Supervisor: a thread with its own connection, which is reopened until `close`."""

    def __init__(self, server: Server, library: str, catch_up: Callable[[], object]) -> None:
        """Make a follower; its thread calls `catch_up` to apply changes; raises StoreError."""
        self._server, self._channel, self._catch_up = server, channel(library), catch_up
        self.fault: StoreError | None = None
        """Reason that no changes arrive: no answer, or not the team's library any more."""
        self.heard = ""
        """Last time that nothing was missed (UTC, "2026-11-22 04:26")."""
        self.role: Role | None = None
        """This account's role at the last contact with the server."""
        self.turns = 0
        """Number of times the server was lost or found."""
        self._tried, self._is_closed = Event(), False
        self._ear, self._mouth = socket.socketpair()
        self._thread = Thread(target=self._run, name="team-follower", daemon=True)

    def start(self) -> None:
        """Start, and wait briefly for the first result."""
        self._thread.start()
        self._tried.wait(OPENING_SECONDS)

    def refuse(self) -> None:
        """Raise the present fault, TeamGoneError or StoreError, and retry at once."""
        if (fault := self.fault) is not None:
            self._mouth.send(b".")
            raise TeamGoneError(fault.reason) if isinstance(fault, TeamGoneError) else StoreError(str(fault))

    def close(self) -> None:
        """End the thread; idempotent."""
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
        """Wait for news, the end of the thread, or the time-out."""
        heard = [self._ear] if connection is None else [self._ear, connection.fileno()]
        if self._ear in select.select(heard, [], [], seconds)[0]:
            self._ear.recv(64)
        if connection is not None:
            with suppress(StopIteration):
                for _ in connection.notifies(timeout=0):
                    pass
