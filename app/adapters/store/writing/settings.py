"""Settings that were chosen in this profile, in rows, and as steps that are taken back and done again."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, LargeBinary, cast, delete, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store.writing.adding import cleaned
from app.domain.errors import KnownError
from app.domain.journal import Deed, Step
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


# --------------------------------------------------------------------------------------------------------------------
# Chosen as a step: what each setting was before is held beside it


def choose(connection: Connection, deed: Deed, changes: Mapping[str, str | None]) -> int | None:
    """Choose settings as one step, whose number this is; None, and no step, if all of them are so already."""
    (now, _), wanted = selected(connection), cleaned(changes)
    fresh = {key: value for key, value in wanted.items() if now.get(key) != value}
    if not fresh:
        return None
    connection.exec_driver_sql("DELETE FROM steps WHERE undone > 0")
    number = connection.exec_driver_sql(
        "INSERT INTO steps (verb, subject, count, source) VALUES (?, ?, ?, ?) RETURNING id",
        (deed.verb, deed.subject, len(fresh), deed.source),
    ).scalar_one()
    put(connection, fresh)
    connection.exec_driver_sql(
        "INSERT INTO setting_revisions (step_id, key, held, present) VALUES (?, ?, ?, ?)",
        [(number, key, now.get(key), value) for key, value in fresh.items()],
    )
    return int(number)


def held(connection: Connection, step: Step) -> dict[str, str | None]:
    """What the settings of a step would be once it is taken back, or done again; None: chosen nowhere."""
    rows = connection.exec_driver_sql("SELECT key, held FROM setting_revisions WHERE step_id = ?", (step.id,))
    return dict(map(tuple, rows))


def swap(connection: Connection, step: Step, word: str) -> None:
    """Let the settings of a step change places with what is held of them; KnownError if one was chosen anew since."""
    rows = connection.exec_driver_sql(
        "SELECT r.key, r.present FROM setting_revisions r LEFT JOIN settings s ON s.key = r.key "
        "WHERE r.step_id = ? AND s.value IS NOT r.present ORDER BY r.key",
        (step.id,),
    ).all()
    if rows:
        raise KnownError(_chosen_anew(step, word, dict(map(tuple, rows))))
    put(connection, held(connection, step))
    connection.exec_driver_sql(
        "UPDATE setting_revisions SET held = present, present = held WHERE step_id = ?", (step.id,)
    )


def _chosen_anew(step: Step, word: str, present: Mapping[str, str | None]) -> str:
    """Why a step stays as it is, and what brings it back in reach; `present` is what its settings should be."""
    key, value = next(iter(present.items()))
    back = f"Choose {value} for it" if value is not None else "Reset it"
    return f"“{step.sentence}” cannot be {word}, because {key} was chosen anew since. {back} first to do so."
