"""Changes of settings as steps that can be undone and redone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "setting_revisions",
        sa.Column("step_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("held", sa.Text(), nullable=True),
        sa.Column("present", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["step_id"], ["steps.id"], name=op.f("fk_setting_revisions_step_id_steps"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("step_id", "key", name=op.f("pk_setting_revisions")),
        sqlite_with_rowid=False,
    )
