"""Cases with answers that must not come first."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("cases", sa.Column("unwanted", sa.JSON(), server_default="[]", nullable=False))
