"""Access to a copy of a team's library: writes are committed on the server first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar

from sqlalchemy import Connection

from app.adapters.store import connections
from app.adapters.store.access import SqlAccess
from app.adapters.store.faults import joined_since
from app.adapters.store.team import replica
from app.adapters.store.team.server import Server, State, push
from app.adapters.store.writing.membership import membership, move_head
from app.domain.journal import ThingKind
from app.domain.library import Membership

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
        """Callback that raises TeamGoneError if the server is known to be unreachable.

        It does not wait.
        """

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
            told, self._touched = self._touched, set()
            if mine is None or mine.head != self._head:
                self._head = None if mine is None else mine.head
                return None
            return None if told is None else sorted(told)

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
                    told = replica.told(connection, touched, state.author)
                    change = push(server, state, told, number, replica.keys_given(connection))
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
                memories = (keys for kind, keys in taken if kind == ThingKind.MEMORY.value)
                self._touched.update(key for keys in memories for key in keys if isinstance(key, int))
            self._head = state.head

    def _check_member(self, connection: Connection) -> Membership:
        if (mine := membership(connection)) is None:
            raise joined_since(self.file)
        return mine
