"""Settings that were chosen in this profile, in rows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store.writing.adding import cleaned
from db.schema import SettingRow


def selected(connection: Connection) -> dict[str, str]:
    """Dotted key to value as text."""
    rows = select(SettingRow.key, SettingRow.value).order_by(SettingRow.key)
    return {row.key: row.value for row in connection.execute(rows)}


def put(connection: Connection, changes: Mapping[str, str | None]) -> None:
    """Keep settings, and forget those whose value is None."""
    for key, value in cleaned(changes).items():
        if value is None:
            connection.execute(delete(SettingRow).where(SettingRow.key == key))
            continue
        statement = upsert(SettingRow).values(key=key, value=value)
        now = {"value": value, "updated": func.current_timestamp()}
        connection.execute(statement.on_conflict_do_update(index_elements=[SettingRow.key], set_=now))
