"""What Alembic runs on a team's server: on the caller's connection, in the caller's transaction."""

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
