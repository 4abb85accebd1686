"""Settings that were chosen in this profile, in rows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, LargeBinary, cast, delete, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store.writing.adding import cleaned
from db.schema import SettingRow


def selected(connection: Connection) -> tuple[dict[str, str], list[str]]:
    """Dotted key to value as text, and the keys whose values are none."""
    rows = select(SettingRow.key, cast(SettingRow.value, LargeBinary)).order_by(SettingRow.key)
    found: dict[str, str] = {}
    damaged: list[str] = []
    for key, value in connection.execute(rows):
        try:
            found[key] = value.decode()
        except UnicodeDecodeError:
            damaged.append(key)
    return found, damaged


def put(connection: Connection, changes: Mapping[str, str | None]) -> None:
    """Keep settings, and forget those whose value is None."""
    for key, value in cleaned(changes).items():
        if value is None:
            connection.execute(delete(SettingRow).where(SettingRow.key == key))
            continue
        statement = upsert(SettingRow).values(key=key, value=value)
        now = {"value": value, "updated": func.current_timestamp()}
        connection.execute(statement.on_conflict_do_update(index_elements=[SettingRow.key], set_=now))
