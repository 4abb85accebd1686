"""Injections: memories considered for an assistant's context, their use counts and feedback."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("memories", sa.Column("right", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "injections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("memory_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("cut", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_injections")),
        sa.ForeignKeyConstraint(
            ["query_id"], ["queries.id"], name=op.f("fk_injections_query_id_queries"), ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_injections_query_id"), "injections", ["query_id"], unique=False)
    op.create_index(op.f("ix_injections_memory_id"), "injections", ["memory_id"], unique=False)
    op.create_table(
        "uses",
        sa.Column("memory_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("last", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("memory_id", name=op.f("pk_uses")),
    )
