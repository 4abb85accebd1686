"""Opening of a profile's library, its own or its team's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.adapters.store import opening
from app.adapters.store.library import SqlLibrary
from app.ports.datastore import CandidateSearch
from app.ports.store import Secrets


def open_candidate_search(library: SqlLibrary, secrets: Secrets) -> CandidateSearch | None:
    """Open the search on a team's server; None without a team."""
    if (team := library.team()) is None:
        return None
    from app.adapters.store.team.library import PASSWORD
    from app.adapters.store.team.search import SqlCandidates
    from app.adapters.store.team.server import Server

    return SqlCandidates(Server(team.address, secrets.get(PASSWORD)))


def open_library(folder: Path, secrets: Secrets, yield_to_typing: Callable[[], object] = lambda: None) -> SqlLibrary:
    """Open the library of this profile, its own or its team's; raises StoreError."""
    file = opening.prepare_file(folder)
    team = opening.team_of(file)
    if team is None:
        return SqlLibrary.open(folder, secrets, yield_to_typing)
    # The client of a server is only loaded for teams.
    from app.adapters.store.team.library import PASSWORD, TeamLibrary
    from app.adapters.store.team.server import Server

    word, address = team
    return TeamLibrary(file, secrets, yield_to_typing, server=Server(address, secrets.get(PASSWORD)), library=word)
