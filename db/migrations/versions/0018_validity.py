"""Validity periods of memories, and the memories that each one replaces."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    with op.batch_alter_table("memories") as batch:
        for name, kind, default in (
            ("valid_from", sa.Text, ""),
            ("valid_to", sa.Text, ""),
            ("replaces", sa.JSON, "[]"),
        ):
            batch.add_column(sa.Column(name, kind(), server_default=default, nullable=False))
