"""Alembic environment: runs on the caller's connection and transaction, in batch mode."""

from __future__ import annotations

from alembic import context

from db.schema import TableRow

context.configure(
    connection=context.config.attributes["connection"], target_metadata=TableRow.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
