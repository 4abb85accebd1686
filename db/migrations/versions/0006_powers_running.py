"""Powers remember the command that was approved, what their server last told, and how often they were used."""

from __future__ import annotations

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
