"""Upgrade of a library to the newest revision.

Alembic is imported only when there is something to upgrade, since most starts need nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Column, MetaData, PrimaryKeyConstraint, String, Table, insert, select, update

from db.migrations import Migration, revisions, team
from db.schema import TableRow

if TYPE_CHECKING:
    from sqlalchemy import Connection

REVISIONS = tuple(revisions.MIGRATIONS)
"""Revisions of a library, oldest first; a file of another one was written by a newer program."""

HEAD = REVISIONS[-1]

TRIGGERS = frozenset(" ".join(made.split()) for made in revisions.TRIGGERS)
"""Triggers made by the migrations of all revisions, each in one line."""

TEAM_REVISIONS = tuple(team.MIGRATIONS)
"""Revisions of a team's library on a server, which has migrations of its own."""


def upgrade(connection: Connection, revision: str | None = None) -> None:
    """Upgrade the library to a revision, by default the newest, in the caller's transaction.

    Foreign keys must be off: batch mode drops and renames tables, which would cascade. The connection must have the
    function `keyed`, which turns a plain digest into one keyed with the profile's secret and leaves a keyed one as it
    is.
    """
    _migrate(connection, revisions.MIGRATIONS, revision or HEAD, "alembic_version", TableRow.metadata)


def upgrade_team(connection: Connection) -> None:
    """Upgrade the tables of a team's library, on a connection to its server."""
    from db.team import SERVER, VERSION_TABLE  # with the dialect of PostgreSQL, which few starts need

    _migrate(connection, team.MIGRATIONS, TEAM_REVISIONS[-1], VERSION_TABLE, SERVER)


def _migrate(
    connection: Connection, migrations: Mapping[str, Migration], revision: str, version_table: str, names: MetaData
) -> None:
    """Run the migrations after the stored revision, up to this one; constraints are named as in `names`."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    version = Column("version_num", String(32), nullable=False)
    stored = Table(version_table, MetaData(), version, PrimaryKeyConstraint(version, name=f"{version_table}_pkc"))
    stored.create(connection, checkfirst=True)
    found = connection.scalar(select(version))
    op = Operations(MigrationContext.configure(connection, opts={"target_metadata": names}))
    for number, migrate in migrations.items():
        if (found or "") < number <= revision:
            migrate(op)
    connection.execute(insert(stored) if found is None else update(stored), {"version_num": max(found or "", revision)})
