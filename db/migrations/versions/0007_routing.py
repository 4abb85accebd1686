"""Routing: a cache of LLM answers, a log of decisions, and cases excluded from training."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "route_cache",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("reasoning", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_route_cache")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_route_cache_at"), "route_cache", ["at"], unique=False)
    op.create_table(
        "route_decisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=False),
        sa.Column("databases", sa.JSON(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("rule_confidence", sa.Float(), nullable=False),
        sa.Column("rule_intent", sa.Text(), nullable=False),
        sa.Column("llm_intent", sa.Text(), nullable=False),
        sa.Column("reasoning", sa.Text(), nullable=False),
        sa.Column("ms", sa.Float(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("llm", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_route_decisions")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_route_decisions_at"), "route_decisions", ["at"], unique=False)
    op.create_index(op.f("ix_route_decisions_digest"), "route_decisions", ["digest"], unique=False)
    op.create_table(
        "untaught_routes",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_untaught_routes")),
        sqlite_with_rowid=False,
    )
