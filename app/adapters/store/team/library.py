"""Library of a team: a copy that follows a server; writes are committed there first."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, TypeVar

from sqlalchemy import Connection

from app.adapters.store import connections
from app.adapters.store.connections import SqlAccess
from app.adapters.store.entries import membership, move_head
from app.adapters.store.faults import joined_since
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team import faults, replica
from app.adapters.store.team.faults import TeamGoneError
from app.adapters.store.team.server import Server, State, channel, push, role_of
from app.adapters.store.team.wire import LOCAL, batches, sent
from app.domain.errors import StoreError
from app.domain.journal import ItemKind
from app.domain.library import Membership, Role
from app.ports.store import Secrets

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


T = TypeVar("T")


class TeamAccess(SqlAccess):
    """SqlAccess with shared writes on a server, whose lock orders all clients' writes.

    1. Lock the library on the server; apply the changes of others.
    2. Do the work here, in an open transaction, with the usual checks of versions and names.
    3. Send the changes to the server, and commit there; then here. A program that ends in between receives its own
       change like another's.
    """

    def __init__(self, file: Path, server: Server, yield_to_typing: Callable[[], object] = lambda: None) -> None:
        super().__init__(file, yield_to_typing)
        self._server = server
        # Changes of others use their own connection, so that they count as foreign writes.
        self._following = connections.engine(file, "BEGIN IMMEDIATE", connections.WRITING)
        connections.yielding_to_typing(self._following, yield_to_typing)
        self._telling = Lock()
        self._head: int | None = None
        """Last change whose application is known; None before the first query."""
        self._touched: set[int] | None = None
        """Memories changed since the last query; None if unknown."""
        self.refuse: Callable[[], None] = lambda: None
        """Callback that raises TeamGoneError, without waiting, if the server is unreachable."""

    def share(self, work: Callable[[Connection], T]) -> T:
        """Run and commit work on the server and here; nothing changes if it raises.

        Raises TeamGoneError.
        """
        self.refuse()
        return self._on_writer(lambda: self._share(work))

    def catch_up(self) -> None:
        """Apply the changes of others. Raises StoreError."""

        def follow() -> None:
            with self._server.snapshot() as (server, state):
                self._catch_up(server, state)

        self._on_writer(follow)

    def changed_memories(self) -> list[int] | None:
        """Return the keys of memories changed since the last call; None if unknown.

        Raises StoreError.
        """
        mine = self.read(membership)
        with self._telling:
            touched, self._touched = self._touched, set()
            if mine is None or mine.head != self._head:
                self._head = None if mine is None else mine.head
                return None
            return None if touched is None else sorted(touched)

    def close(self) -> None:
        super().close()
        self._following.dispose()
        self._server.close()

    def _share(self, work: Callable[[Connection], T]) -> T:
        with self._server.change() as (server, state):
            self._catch_up(server, state)
            connection = self._writers_connection()
            with self._syncing(True), connection.begin():
                self._check_member(connection)
                replica.watch(connection)
                number = replica.begin_step(connection, state)
                done = work(connection)
                replica.end_step(connection, number)
                if touched := replica.touched(connection):
                    own = (sent(each, state.author) for each in batches(connection, LOCAL, touched))
                    change = push(server, state, own, number, replica.last_keys(connection))
                    move_head(connection, state.head + 1)
                    self._server.commit(server, change)
                    self._head = state.head + 1
        if self._found() != self._opened:
            raise self._gone()
        return done

    def _catch_up(self, server: Connection, state: State) -> None:
        with self._following.begin() as local:
            before = self._check_member(local).head
            taken = replica.catch_up(local, server, state)
        with self._telling:
            if before != self._head:
                self._touched = None
            elif self._touched is not None:
                memories = (keys for kind, keys in taken if kind == ItemKind.MEMORY.value)
                self._touched.update(key for keys in memories for key in keys if isinstance(key, int))
            self._head = state.head

    def _check_member(self, connection: Connection) -> Membership:
        if (mine := membership(connection)) is None:
            raise joined_since(self.file)
        return mine


PASSWORD = "team:password"
"""Name of the secret with the server's password."""


class TeamLibrary(SqlLibrary):
    """SqlLibrary that follows a server: reads are local, changes go to the server first.

    While the server does not answer, the last state can be read, and `refusal` gives its time.
    """

    def __init__(
        self,
        file: Path,
        secrets: Secrets | None = None,
        yield_to_typing: Callable[[], object] = lambda: None,
        *,
        server: Server,
        library: str,
    ) -> None:
        self._team = TeamAccess(file, server, yield_to_typing)
        super().__init__(file, secrets, yield_to_typing, access=self._team)
        self._follower = Follower(server, library, self._team.catch_up)
        self._team.refuse = self._follower.refuse
        self._follower.start()
        self._writes.finish()

    @property
    def refusal(self) -> str:  # type: ignore[override]
        fault = self._follower.fault
        if fault is None:
            return ""
        if not isinstance(fault, TeamGoneError):
            return str(fault)
        mine = self.team()
        return (
            "The team's library cannot be reached: nothing can be changed, and all is as it was "
            f"at {self._follower.heard or ('' if mine is None else mine.seen)} (UTC). ({fault.reason})"
        )

    def team(self) -> Membership | None:
        mine = super().team()
        return None if mine is None else replace(mine, role=self._follower.role)

    def data_version(self) -> int:
        """Return a number that changes on foreign writes, and when the server is lost or found."""
        return super().data_version() + (self._follower.turns << 32)

    def changed_memories(self) -> Sequence[int] | None:
        return self._team.changed_memories()

    def close(self) -> None:
        self._follower.close()
        super().close()
