"""The history of queries learns where a query came from, what was made of it, and what is to be decided."""

from __future__ import annotations

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
