"""Pending writes to the secret store that belong to committed transactions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "pending_secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("staged", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_pending_secrets")),
        sqlite_with_rowid=False,
    )
