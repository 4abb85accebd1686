"""Query digests keyed with a secret of the profile, so that texts cannot be guessed."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.execute("UPDATE queries SET digest = keyed(digest)")
    op.execute("UPDATE route_decisions SET digest = keyed(digest)")
