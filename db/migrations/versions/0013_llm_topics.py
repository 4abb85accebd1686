"""Drop the topics of LLM answers: they are words of the query, whose text is not stored."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.drop_column("llm_answers", "topics")
