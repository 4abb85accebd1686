"""Topics of an answer of the LLM are words of the text, which is not kept with it."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("llm_answers", "topics")
