"""Team's library on a real server, one per process; its library is emptied for each test."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from app.adapters.secrets import FileSecrets
from app.adapters.store.entries import become_member
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team.library import TeamLibrary
from app.adapters.store.team.open_library import open_library
from app.adapters.store.team.server import Server
from app.ports.store import Library
from db.team import LIBRARY, SEARCH, SERVER
from tests.store_servers import postgres_server

PEOPLE = (
    *(f"CREATE ROLE {person} LOGIN" for person in ("anna", "bernd", "rita", "nobody")),
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO anna, bernd",
    "REVOKE INSERT, UPDATE, DELETE ON changes FROM bernd",
    "GRANT INSERT (seq, id, things) ON changes TO bernd",
    "GRANT SELECT ON ALL TABLES IN SCHEMA public TO rita",
)
"""Accounts: two that may edit, one that may read, and one without rights."""


class Team:
    """Library of one team, and its members."""

    def __init__(self, address: str) -> None:
        self.postgres = address
        self.address = f"{address.replace('/postgres?', '/team?')}"
        self.server = Server(self.address)
        self.opened: list[SqlLibrary] = []
        with self.server.transaction() as connection:
            for statement in PEOPLE:
                connection.exec_driver_sql(statement)

    def empty(self) -> None:
        with self.server.transaction() as connection:
            for table in SERVER.tables.values():
                if table is not LIBRARY:
                    connection.execute(delete(table))
            connection.execute(update(LIBRARY).values(head=0, number=0, keys={}))
            SEARCH.drop_all(connection)

    def secrets(self, folder: Path) -> FileSecrets:
        return FileSecrets(folder / "secrets.json")

    def address_of(self, person: str) -> str:
        """Return the address of the library for one account."""
        return self.address.replace("//postgres@", f"//{person}@")

    def member(self, folder: Path, person: str = "postgres") -> TeamLibrary:
        """Return the library of a new profile that joined while the team's was empty."""
        address = self.address_of(person)
        with closing(SqlLibrary.open(folder, self.secrets(folder))) as library, self.server.snapshot() as (_, state):
            library._access.write(lambda local: become_member(local, state.library, address, person, 0))
        return self.open(folder)

    def open(self, folder: Path) -> TeamLibrary:
        library = open_library(folder, self.secrets(folder))
        assert isinstance(library, TeamLibrary)
        self.opened.append(library)
        return library

    @contextmanager
    def unreachable(self) -> Iterator[None]:
        """Reject all connections in this block, and end the present ones."""
        import psycopg

        self.server.let_go()
        with psycopg.connect(self.postgres, autocommit=True) as connection:
            connection.execute("ALTER DATABASE team ALLOW_CONNECTIONS false")
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'team'")
            try:
                yield
            finally:
                connection.execute("ALTER DATABASE team ALLOW_CONNECTIONS true")

    def close(self) -> None:
        for library in self.opened:
            library.close()
        self.opened.clear()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with postgres_server() as address:
        yield address


@pytest.fixture(scope="session")
def whole_team(postgres: str) -> Iterator[Team]:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE team")
    team = Team(postgres)
    yield team
    team.server.close()


@pytest.fixture
def team(whole_team: Team) -> Iterator[Team]:
    whole_team.empty()
    yield whole_team
    whole_team.close()


LIBRARIES: dict[str, Callable[[pytest.FixtureRequest, Path], Library]] = {
    "sql": lambda _, folder: SqlLibrary.open(folder),
    "team": lambda request, folder: request.getfixturevalue("team").member(folder),
}
"""Kinds of libraries to test."""


@pytest.fixture(params=list(LIBRARIES), name="library")
def every_library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    made = LIBRARIES[request.param](request, tmp_path / "profile")
    yield made
    made.close()


ALONE = pytest.mark.parametrize("library", ["sql"], indirect=True)
"""Kinds of libraries for properties of data that a team does not share."""
