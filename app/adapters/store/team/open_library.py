"""The library of a profile, whether that is its own or its team's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.store import opening
from app.adapters.store.library import SqlLibrary
from app.domain.library import Membership
from app.ports.candidates import CandidateSearch
from app.ports.store import Secrets

if TYPE_CHECKING:
    from app.adapters.store.team.server import Server


def open_candidate_search(library: SqlLibrary, secrets: Secrets, servers: str) -> CandidateSearch | None:
    """What searches a team's library on its server, or on those of these addresses, parted by spaces; None for one that
    is in no team."""
    if (team := library.team()) is None:
        return None
    from app.adapters.store.team.search import SqlCandidates

    return SqlCandidates(*servers_of(team, secrets, servers))


def servers_of(team: Membership, secrets: Secrets, servers: str) -> tuple[Server, list[Server]]:
    """The server of a team's library, and those of what is searched, where these are others. They are asked with the
    same password."""
    from app.adapters.store.team.library import PASSWORD
    from app.adapters.store.team.server import Server

    password = secrets.get(PASSWORD)
    parts = [Server(address, password, holds_library=False) for address in servers.split()]
    return Server(team.address, password), parts


def open_library(folder: Path, secrets: Secrets, yield_to_typing: Callable[[], object] = lambda: None) -> SqlLibrary:
    """The library of this profile folder, its own or its team's; StoreError if it cannot be used."""
    file = opening.prepare_file(folder)
    team = opening.team_of(file)
    if team is None:
        return SqlLibrary.open(folder, secrets, yield_to_typing)
    # What speaks to a server is only loaded by those who have one.
    from app.adapters.store.team.library import PASSWORD, TeamLibrary
    from app.adapters.store.team.server import Server

    word, address = team
    return TeamLibrary(file, secrets, yield_to_typing, server=Server(address, secrets.get(PASSWORD)), library=word)
