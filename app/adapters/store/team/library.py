"""Team library on a member's machine: a full copy, changed together with the server."""

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
        """Reason that nothing can be changed; "" if writable."""
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
        """Return the team library that this copies, with the user's role."""
        mine = super().team()
        return None if mine is None else replace(mine, role=self._follower.role)

    def data_version(self) -> int:
        """Return a number that changes on foreign writes, and when the server is lost or found."""
        return super().data_version() + (self._follower.turns << 32)

    def changed_memories(self) -> Sequence[int] | None:
        """Return the keys of memories changed by the team since the last call; None if unknown."""
        return self._team.changed_memories()

    def close(self) -> None:
        self._follower.close()
        super().close()
