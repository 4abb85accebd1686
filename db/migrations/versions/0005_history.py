"""Query history: source, outcome, and pending decisions of each query."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    # The first table of this name was never written to.
    op.drop_table("queries")
    op.create_table(
        "queries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("sought", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(), server_default=sa.text("CURRENT_TIMESTAMP"), nullable=False),
        sa.Column("times", sa.Integer(), server_default="1", nullable=False),
        sa.Column("type", sa.Text(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("answer_confidence", sa.Float(), nullable=False),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("settled_ms", sa.Float(), nullable=True),
        sa.Column("doubts", sa.Text(), server_default="", nullable=False),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("step_id", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queries")),
        sa.UniqueConstraint("digest", "source", name=op.f("uq_queries_digest_source")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_queries_at"), "queries", ["at"], unique=False)
    op.create_index(op.f("ix_queries_step_id"), "queries", ["step_id"], unique=False)
    op.create_table(
        "traces",
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["query_id"], ["queries.id"], name=op.f("fk_traces_query_id_queries"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("query_id", name=op.f("pk_traces")),
    )
    # Expired steps are deleted and their decisions stay; those of undone steps are deleted too.
    op.execute(
        """CREATE TRIGGER forget_decisions BEFORE DELETE ON steps WHEN old.undone > 0
           BEGIN UPDATE queries SET decision = NULL, step_id = NULL WHERE step_id = old.id; END"""
    )
