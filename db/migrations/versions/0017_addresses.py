"""Remove passwords and keys from addresses in settings, their revisions and names of steps."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

_OF_HTTP = ("llm.url", "encoder.url", "updates.url", "route.qdrant")
_OF_USERS = ("route.postgresql", "route.neo4j", "route.graphiti", "route.redis")
_SECRET = re.compile(
    r"(?<=[?&#])(?:[^=&]*(?:password|passwd|passphrase|pwd|token|secret|auth|credential|"
    r"(?:api|access|private|client|server|account).?key)[^=&]*|key|pass|bearer|jwt|sig|signature)=[^&]*&?",
    re.IGNORECASE,
)


_SETTINGS = sa.table("settings", sa.column("key"), sa.column("value"))
_REVISIONS = sa.table("setting_revisions", *map(sa.column, ("step_id", "key", "held", "present")))
_STEPS = sa.table("steps", sa.column("id"), sa.column("subject"))


def upgrade() -> None:
    blank(op.get_bind())


def blank(connection: sa.Connection) -> None:
    """Remove them from a library of any revision, such as a backup."""
    tables = sa.inspect(connection).get_table_names()
    keys = (*_OF_HTTP, *_OF_USERS)
    held_now = sa.select(_SETTINGS).where(_SETTINGS.c.key.in_(keys))
    for key, value in connection.execute(held_now).all() if "settings" in tables else ():
        told = _without_secrets(key, value)
        connection.execute(_SETTINGS.update().where(_SETTINGS.c.key == key).values(value=told))
    held_before = sa.select(_REVISIONS).where(_REVISIONS.c.key.in_(keys))
    for step, key, *values in connection.execute(held_before).all() if "setting_revisions" in tables else ():
        held, present = (value and _without_secrets(key, value) for value in values)
        this = (_REVISIONS.c.step_id == step) & (_REVISIONS.c.key == key)
        connection.execute(_REVISIONS.update().where(this).values(held=held, present=present))
        for value, told in zip(values, (held, present), strict=True):
            if value != told:
                subject = sa.func.replace(_STEPS.c.subject, value, told)
                connection.execute(_STEPS.update().where(_STEPS.c.id == step).values(subject=subject))


def _without_secrets(key: str, address: str) -> str:
    """Return the address without its secrets: the user part for HTTP, the password otherwise."""
    scheme, mark, rest = address.rpartition("://") if "://" in address else ("", "", address)
    users, at, server = rest.rpartition("@")
    if at:
        rest = server if key in _OF_HTTP else f"{users.partition(':')[0]}@{server}"
    return f"{scheme}{mark}{_SECRET.sub('', rest)}".rstrip("?&#")
