"""Reading and writing a copy of a team's library: a write is the team's before it is here, or it is nowhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from app.adapters.store import connections
from app.adapters.store.access import SqlAccess
from app.adapters.store.faults import joined_since
from app.adapters.store.team import replica
from app.adapters.store.team.server import Server, State, push
from app.adapters.store.writing.membership import membership, move_head

T = TypeVar("T")


class TeamAccess(SqlAccess):
    """SqlAccess whose shared writes go to a server first: the lock there orders the writes of all clients, and each is
    made on what all others made before it.

    1. Lock the library on the server; take over what others have changed.
    2. Do the work here, in a transaction that is not committed yet. Its versions and names are checked as ever.
    3. Tell the server what the work touched, and commit there; then here. A program that ends between the two finds
       its own change on the server, as if another had made it.
    """

    def __init__(self, file: Path, server: Server, yield_to_typing: Callable[[], object] = lambda: None) -> None:
        super().__init__(file, yield_to_typing)
        self._server = server
        # What others changed is written by a connection of its own, so that it is seen as theirs.
        self._following = connections.engine(file, "BEGIN IMMEDIATE", connections.WRITING)
        connections.yielding_to_typing(self._following, yield_to_typing)
        self.refuse: Callable[[], None] = lambda: None
        """Raises TeamGoneError where it is known that the server does not answer: nobody waits to find out again."""

    def share(self, work: Callable[[Connection], T]) -> T:
        """What the work returns, once it is the team's and here; nothing is changed if it raises. TeamGoneError where
        the server does not answer."""
        self.refuse()
        return self._on_writer(lambda: self._share(work))

    def catch_up(self) -> bool:
        """Take over what others have changed; whether there was anything. StoreError."""

        def follow() -> bool:
            with self._server.snapshot() as (server, state):
                return self._catch_up(server, state)

        return self._on_writer(follow)

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
        if self._found() != self._opened:
            raise self._gone()
        return done

    def _catch_up(self, server: Connection, state: State) -> bool:
        with self._following.begin() as local:
            self._check_member(local)
            return replica.catch_up(local, server, state)

    def _check_member(self, connection: Connection) -> None:
        if membership(connection) is None:
            raise joined_since(self.file)
