"""Alembic environment of a team's server: runs on the caller's connection and transaction."""

from __future__ import annotations

from alembic import context

from db.team import SERVER, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SERVER,
    version_table=VERSION_TABLE,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
