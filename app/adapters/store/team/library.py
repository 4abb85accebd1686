"""A team's library as one of its people has it: whole on this machine, changed with all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from app.adapters.store.library import SqlLibrary
from app.adapters.store.team.access import TeamAccess
from app.adapters.store.team.faults import TeamGoneError
from app.adapters.store.team.follower import Follower
from app.adapters.store.team.server import Server
from app.domain.library import Membership
from app.ports.store import Secrets

PASSWORD = "team:password"
"""What the server's password is kept under among the secrets."""


class TeamLibrary(SqlLibrary):
    """SqlLibrary that follows a server: all is read here, and what is changed is changed there first.

    While the server does not answer it is read as it was seen last, and `refusal` says since when.
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
        """Why nothing that is held here can be changed; "" where it can."""
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
        """The team's library that this one is a copy of, and what the server lets this person do there."""
        mine = super().team()
        return None if mine is None else replace(mine, role=self._follower.role)

    def data_version(self) -> int:
        """A number that changes when somebody else has written, and when the server is lost or found."""
        return super().data_version() + (self._follower.turns << 32)

    def changed_memories(self) -> Sequence[int] | None:
        """The keys of the memories that the team has changed since this was asked last; None where another program of
        this machine took them over."""
        return self._team.changed_memories()

    def close(self) -> None:
        self._follower.close()
        super().close()
