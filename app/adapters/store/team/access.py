"""Reading and writing a copy of a team's library: a write is the team's before it is here, or it is nowhere."""

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
        self._telling = Lock()
        self._head: int | None = None
        """The change up to which is known who took over what; None before anybody asked."""
        self._touched: set[int] | None = None
        """The memories that were taken over since somebody asked last; None where that is not known."""
        self.refuse: Callable[[], None] = lambda: None
        """Raises TeamGoneError where it is known that the server does not answer: nobody waits to find out again."""

    def share(self, work: Callable[[Connection], T]) -> T:
        """What the work returns, once it is the team's and here; nothing is changed if it raises. TeamGoneError where
        the server does not answer."""
        self.refuse()
        return self._on_writer(lambda: self._share(work))

    def catch_up(self) -> None:
        """Take over what others have changed. StoreError."""

        def follow() -> None:
            with self._server.snapshot() as (server, state):
                self._catch_up(server, state)

        self._on_writer(follow)

    def changed_memories(self) -> list[int] | None:
        """The keys of the memories that were taken over since this was asked last; None where another program did that,
        or nobody asked before. StoreError."""
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
