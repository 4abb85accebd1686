"""Cache of the LLM's answers in evaluations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "llm_answers",
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("distribution", sa.JSON(), nullable=True),
        sa.Column("ms", sa.Float(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("asked", "digest", "run", name=op.f("pk_llm_answers")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_llm_answers_at"), "llm_answers", ["at"], unique=False)
