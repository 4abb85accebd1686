"""Configuration behind each routing decision, and the rollout of candidate settings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    with op.batch_alter_table("route_decisions") as batch:
        batch.add_column(sa.Column("configuration", sa.Text(), server_default="", nullable=False))
    op.create_table(
        "route_rollouts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("share", sa.Integer(), nullable=False),
        sa.Column("candidate", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_route_rollouts")),
        sqlite_autoincrement=True,
    )
