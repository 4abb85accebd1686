"""A write to the library with its step and its secrets: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import TypeVar

from sqlalchemy import Connection

from app.adapters.store.access import SqlAccess
from app.adapters.store.writing.adding import cleaned
from app.adapters.store.writing.entries import Entry
from app.adapters.store.writing.pending_secrets import (
    STAGED,
    PendingSecrets,
    forgetting,
    forgetting_undone,
    pending,
    settle,
)
from app.domain.errors import StoreError
from app.domain.journal import Deed, Step
from app.ports.store.taught import Secrets

T = TypeVar("T")

Work = Callable[[Entry, PendingSecrets], T]
"""What a deed does to the items; it says what becomes of secrets, which are safe before it is committed."""


class SqlWrites:
    """Writes whose secrets come with their commit, and stay as they are without it; StoreError."""

    def __init__(self, access: SqlAccess, secrets: Secrets) -> None:
        self._access = access
        self._secrets = secrets

    def write(self, deed: Deed | None, work: Work[T]) -> tuple[T, Step | None]:
        """What the work returns, and the step that it is: None without a deed, or where it changed nothing."""

        def write(connection: Connection, secrets: PendingSecrets) -> tuple[T, Step | None]:
            entry = Entry(connection, cleaned(deed))
            done = work(entry, secrets)
            with forgetting_undone(connection, secrets):
                return done, entry.close()

        return self._settling(write)

    def dropping_undone(self, work: Callable[[Connection], T]) -> T:
        """What the work returns, which may let go of steps that are undone."""

        def write(connection: Connection, secrets: PendingSecrets) -> T:
            with forgetting_undone(connection, secrets):
                return work(connection)

        return self._settling(write)

    def forget(self, work: Callable[[Connection], None]) -> None:
        """Let the work forget items for good, and their secrets with them."""

        def forget(connection: Connection, secrets: PendingSecrets) -> None:
            with forgetting(connection, secrets):
                work(connection)

        self._settling(forget, strictly=True)

    def finish(self) -> None:
        """Do what writes have left to do to secrets, here or in a program that ended too early.

        What cannot be done now is tried again with the next such write and the next start; it reads as if it were done.
        """
        with suppress(StoreError):
            waiting = self._access.read(pending)
            if waiting or self._secrets.strays(STAGED):
                self._settle()

    def _settle(self) -> None:
        self._access.write(lambda connection: settle(connection, self._secrets), lasting=True)

    def _settling(self, work: Callable[[Connection, PendingSecrets], T], *, strictly: bool = False) -> T:
        made: list[PendingSecrets] = []

        def staging(connection: Connection) -> tuple[T, bool]:
            secrets = PendingSecrets(self._secrets, connection)
            made.append(secrets)
            return work(connection, secrets), secrets.stage(connection)

        is_committed = False
        try:
            done, is_open = self._access.write(staging, lasting=True)
            is_committed = True
        finally:
            if made and not is_committed:
                made[0].take_back()
        if is_open:
            with nullcontext() if strictly else suppress(StoreError):
                self._settle()
        return done
