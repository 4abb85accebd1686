"""Differences: pairs marked "not a duplicate", which are not reported as similar again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "differences",
        sa.Column("one", sa.LargeBinary(), nullable=False),
        sa.Column("other", sa.LargeBinary(), nullable=False),
        sa.Column("step_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("one", "other", name=op.f("pk_differences")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_differences_step_id"), "differences", ["step_id"], unique=False)
    # Expired steps are deleted and their differences stay; those of undone steps are deleted too.
    op.execute(
        """CREATE TRIGGER forget_differences BEFORE DELETE ON steps WHEN old.undone > 0
           BEGIN DELETE FROM differences WHERE step_id = old.id; END"""
    )
