"""Secrets of powers that nothing can bring back any more, found as their last traces go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import orjson
from sqlalchemy import Connection

from app.adapters.store.writing.pending_secrets import PendingSecrets, secret_name

ANY_UNDONE = (
    "SELECT EXISTS (SELECT 1 FROM revisions r JOIN steps s ON s.id = r.step_id WHERE s.undone > 0 AND r.kind = 'power')"
)


@contextmanager
def forgetting(connection: Connection, secrets: PendingSecrets) -> Iterator[None]:
    """Forget the secrets of the powers that are neither stored nor recorded after this, and were before."""
    before = _names(connection)
    yield
    after = _names(connection)
    for key in before.keys() - after.keys():
        secrets.forget(secret_name(key, name) for name in before[key])


@contextmanager
def forgetting_undone(connection: Connection, secrets: PendingSecrets) -> Iterator[None]:
    """The same for a write that lets go of undone steps: most let go of no power, and look at none."""
    if connection.exec_driver_sql(ANY_UNDONE).scalar():
        with forgetting(connection, secrets):
            yield
    else:
        yield


def _names(connection: Connection) -> dict[int, set[str]]:
    """By key, what the environments of stored and recorded powers name."""
    found: dict[int, set[str]] = {}
    rows = connection.exec_driver_sql(
        "SELECT id, env FROM powers WHERE json_valid(env) UNION ALL "
        "SELECT item_id, json_extract(state, '$.env') FROM revisions WHERE kind = 'power' AND json_valid(state)"
    )
    for key, env in rows:
        found.setdefault(key, set()).update(orjson.loads(env) if env else ())
    return found
