"""Decisions of a query by step: undoing a step restores the decision before it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.execute("DROP TRIGGER forget_decisions")
    op.create_table(
        "decisions",
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("step_id", sa.Integer(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("query_id", "step_id", name=op.f("pk_decisions")),
        sa.ForeignKeyConstraint(
            ["query_id"], ["queries.id"], name=op.f("fk_decisions_query_id_queries"), ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO decisions (query_id, step_id, decision) "
        "SELECT id, step_id, decision FROM queries WHERE decision IS NOT NULL AND step_id IS NOT NULL"
    )
    op.create_index(op.f("ix_decisions_step_id"), "decisions", ["step_id"], unique=False)
    op.drop_index(op.f("ix_queries_step_id"), "queries")
    op.drop_column("queries", "decision")
    op.drop_column("queries", "step_id")
    # Expired steps are deleted and their decisions stay; those of undone steps are deleted too.
    op.execute(
        """CREATE TRIGGER forget_decisions BEFORE DELETE ON steps WHEN old.undone > 0
           BEGIN DELETE FROM decisions WHERE step_id = old.id; END"""
    )
    # A decision is void once the query has another answer that is in doubt.
    op.execute(
        """CREATE TRIGGER outdate_decisions AFTER UPDATE OF type, kind, answer ON queries
           WHEN new.doubts != '' AND (new.type IS NOT old.type OR new.kind IS NOT old.kind
           OR new.answer IS NOT old.answer)
           BEGIN DELETE FROM decisions WHERE query_id = new.id; END"""
    )
