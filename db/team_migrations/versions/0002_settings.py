"""Library settings at the time the library was moved to the server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "settings", sa.Column("key", sa.Text(), primary_key=True), sa.Column("value", sa.Text(), nullable=False)
    )
