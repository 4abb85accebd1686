"""Settings that were chosen as a step: what they were before, so that the step is taken back and done again."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection

from app.adapters.store.writing import settings
from app.adapters.store.writing.adding import cleaned
from app.domain.errors import KnownError
from app.domain.journal import Deed, Step


def put(connection: Connection, deed: Deed, changes: Mapping[str, str | None]) -> int | None:
    """Choose settings as one step, whose number this is; None, and no step, if all of them are so already."""
    (now, _), wanted = settings.selected(connection), cleaned(changes)
    fresh = {key: value for key, value in wanted.items() if now.get(key) != value}
    if not fresh:
        return None
    connection.exec_driver_sql("DELETE FROM steps WHERE undone > 0")
    number = connection.exec_driver_sql(
        "INSERT INTO steps (verb, subject, count, source) VALUES (?, ?, ?, ?) RETURNING id",
        (deed.verb, deed.subject, len(fresh), deed.source),
    ).scalar_one()
    settings.put(connection, fresh)
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
        raise KnownError(chosen_anew(step, word, dict(map(tuple, rows))))
    settings.put(connection, held(connection, step))
    connection.exec_driver_sql(
        "UPDATE setting_revisions SET held = present, present = held WHERE step_id = ?", (step.id,)
    )


def chosen_anew(step: Step, word: str, present: Mapping[str, str | None]) -> str:
    """Why a step stays as it is, and what brings it back in reach; `present` is what its settings should be."""
    key, value = next(iter(present.items()))
    back = f"Choose {value} for it" if value is not None else "Reset it"
    return f"“{step.sentence}” cannot be {word}, because {key} was chosen anew since. {back} first to do so."
