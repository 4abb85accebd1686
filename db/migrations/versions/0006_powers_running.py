"""Runs of powers: approved command, tools last listed by the server, and use counts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("power_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("approved", sa.Text(), server_default="", nullable=False),
        sa.Column("told", sa.Text(), server_default="[]", nullable=False),
        sa.Column("seen", sa.Text(), nullable=True),
        sa.Column("activations", sa.Integer(), server_default="0", nullable=False),
        sa.Column("calls", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_used", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("power_id", name=op.f("pk_runs")),
    )
    # Every way to withdraw an approval (edit, import, undo) also clears the approved command.
    op.execute(
        """CREATE TRIGGER withdraw_approval AFTER UPDATE ON powers WHEN new.approved = 0
           BEGIN UPDATE runs SET approved = '' WHERE power_id = new.id; END"""
    )
    op.execute(
        """CREATE TRIGGER withdraw_approval_put_back AFTER INSERT ON powers WHEN new.approved = 0
           BEGIN UPDATE runs SET approved = '' WHERE power_id = new.id; END"""
    )
