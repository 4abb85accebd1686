"""Steps and their changes, including settings: list, undo, redo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, LargeBinary, cast, delete, func, select, text
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.exc import IntegrityError

from app.adapters.store import entries
from app.adapters.store.connections import KEYS_AT_ONCE, array, chunks
from app.adapters.store.damage import decoding, expect, halved
from app.adapters.store.entries import PARTS, item_of, put_back, state_of, without_revived_approval, write_over
from app.adapters.store.writes import cleaned
from app.domain.errors import KnownError
from app.domain.journal import Edit, Item, ItemKey, ItemKind, Step, Written
from db.schema import SettingRow

STEP_COLUMNS = "s.id, s.at, s.verb, s.subject, s.count, s.source, s.undone, s.author"

MINE = "coalesce(s.author, '') = ''"
"""SQL condition for own steps; others' steps are undone by number only."""


WORDS = {"intent": "i.intent", "tags": "json(i.tags)", "response": "i.response"}
"""Indexed texts beside id and triggers: name in a state, and present value."""

State = tuple[int, int, str]
"""Item's key and version, and the state to restore."""


def step_of(row: Sequence[Any]) -> Step:
    """Parse the step of a row with STEP_COLUMNS, times cut to seconds. Raises RowError."""
    number, at, verb, subject, count, source, undone, author = row[:8]
    with decoding("steps"):
        expect((verb, subject, source, author or ""), (count, undone))
    return Step(number, str(at)[:19], verb, subject, count, source, bool(undone), author or "")


def undo(connection: Connection, number: int | None = None) -> Written | None:
    """Undo a step, or the last one in force; None if there is none. Raises KnownError."""
    step = _standing(connection, number)
    if step is None:
        return None
    written = _swap(connection, step, "undone")
    connection.execute(
        text("UPDATE steps SET undone = (SELECT max(undone) + 1 FROM steps) WHERE id = :id"), {"id": step.id}
    )
    return written


def redo(connection: Connection) -> Written | None:
    """Redo the last undone step; None if there is none. Raises KnownError."""
    step = _undone(connection)
    if step is None:
        return None
    written = _swap(connection, step, "redone")
    connection.execute(text("UPDATE steps SET undone = 0 WHERE id = :id"), {"id": step.id})
    return written


def steps(connection: Connection, most: int = 200, by: str | None = None) -> list[Step]:
    """Return the newest steps, without damaged ones, optionally of one author; "" for the user."""
    whose = "" if by is None else "WHERE coalesce(author, '') = ?"
    newest = f"SELECT id FROM steps {whose} ORDER BY id DESC LIMIT ?"
    asked: tuple[Any, ...] = (most,) if by is None else (by, most)

    def read(some: Sequence[int] | None) -> list[Step]:
        among, values = (newest, asked) if some is None else ("SELECT value FROM json_each(?)", (array(some),))
        with decoding("steps"):
            rows = connection.exec_driver_sql(
                f"SELECT {STEP_COLUMNS} FROM steps s WHERE s.id IN ({among}) ORDER BY s.id DESC", values
            )
            return [step_of(row) for row in rows]

    return halved(read, lambda: list(connection.exec_driver_sql(newest, asked).scalars()))[0]


def settings_of_step(connection: Connection, step: int | None = None, *, redo: bool = False) -> dict[str, str | None]:
    """Return the settings that `undo` or `redo` of this step would store."""
    found = _undone(connection) if redo else _standing(connection, step)
    return {} if found is None else held(connection, found)


def _standing(connection: Connection, number: int | None) -> Step | None:
    which = f"s.undone = 0 AND {MINE} ORDER BY s.id DESC" if number is None else "s.undone = 0 AND s.id = :number"
    return _one(connection, which, number)


def _undone(connection: Connection) -> Step | None:
    return _one(connection, f"s.undone > 0 AND {MINE} ORDER BY s.undone DESC", None)


def _one(connection: Connection, which: str, number: int | None) -> Step | None:
    row = connection.execute(
        text(f"SELECT {STEP_COLUMNS} FROM steps s WHERE {which} LIMIT 1"), {} if number is None else {"number": number}
    ).first()
    return None if row is None else step_of(row)


def _swap(connection: Connection, step: Step, word: str) -> Written:
    """Swap every item and setting of a step with the state in its revision."""
    swap(connection, step, word)
    items: list[Item] = []
    gone: list[ItemKey] = []
    kinds = connection.exec_driver_sql("SELECT DISTINCT kind FROM revisions WHERE step_id = ?", (step.id,)).all()
    for kind in sorted(ItemKind(name) for (name,) in kinds):
        _check_unchanged(connection, step, kind, word)
        try:
            with decoding("recorded states"):
                keys, back = _exchange(connection, step.id, kind)
        except IntegrityError as error:
            raise KnownError(
                f"“{step.sentence}” cannot be {word}, because another item has the same name or "
                "text now: rename that item, and try again."
            ) from error
        items += [item_of(kind, key, version, state) for key, version, state in back]
        gone += [(kind, key) for key in keys]
    return Written(step, items, gone)


def _exchange(connection: Connection, step: int, kind: ItemKind) -> tuple[list[int], list[State]]:
    """Swap states and revisions; return deleted keys and restored states.

    Rows are overwritten where possible, and the text index is only updated for changed texts.
    """
    table, mine = kind.plural, f"step_id = ? AND kind = '{kind}'"
    now = f"(SELECT {state_of(kind)} FROM {table} i WHERE i.id = item_id)" if kind is ItemKind.POWER else "NULL"
    held = {
        key: None if state is None else (key, version or 0, without_revived_approval(kind, state, present))
        for key, version, state, present in connection.exec_driver_sql(
            f"SELECT item_id, held, state, {now} FROM revisions WHERE {mine}", (step,)
        )
    }
    staying = _staying(connection, step) if kind is ItemKind.MEMORY else {}
    gone_keys = [key for key in held if not staying.get(key)]
    leaving = [key for key in held if key not in staying]
    entries.forget(connection, kind, gone_keys)
    connection.exec_driver_sql(
        "UPDATE revisions SET held = present, present = held, "
        f"state = (SELECT {state_of(kind)} FROM {table} i WHERE i.id = item_id) WHERE {mine}",
        (step,),
    )
    for chunk in chunks(leaving, KEYS_AT_ONCE):
        connection.exec_driver_sql(f"DELETE FROM {table} WHERE id IN (SELECT value FROM json_each(?))", (array(chunk),))
    back = [state for state in held.values() if state is not None]
    put_back(connection, kind, [state for state in back if state[0] not in staying])
    write_over(connection, kind, [state for state in back if state[0] in staying])
    entries.learn(connection, kind, gone_keys)
    return [key for key, state in held.items() if state is None], back


def _staying(connection: Connection, step: int) -> dict[int, bool]:
    """Return the memories with unchanged id and triggers, and whether their texts are equal."""
    same_words = " AND ".join(f"{_json_field(name)} IS {now}" for name, now in WORDS.items())
    rows = connection.exec_driver_sql(
        f"SELECT i.id, {same_words} FROM revisions r JOIN memories i ON i.id = r.item_id "
        f"WHERE r.step_id = ? AND r.kind = '{ItemKind.MEMORY}' AND {_json_field('external_id')} IS i.external_id "
        f"AND {_json_field('parts')} = (SELECT json_group_array(part) FROM ({PARTS[ItemKind.MEMORY]}))",
        (step,),
    )
    return {key: bool(is_same) for key, is_same in rows}


def _json_field(name: str) -> str:
    return f"json_extract(r.state, '$.{name}')"


def author_of(connection: Connection, kind: ItemKind, key: int) -> str:
    """Return the team member who last changed an item; "" for the user or if unknown."""
    found = connection.exec_driver_sql(
        "SELECT s.author FROM revisions r JOIN steps s ON s.id = r.step_id "
        "WHERE r.kind = ? AND r.item_id = ? AND s.undone = 0 ORDER BY s.id DESC LIMIT 1",
        (kind.value, key),
    ).scalar()
    return str(found or "")


def _check_unchanged(connection: Connection, step: Step, kind: ItemKind, word: str) -> None:
    """Refuse to swap items that were changed since."""
    changed = connection.exec_driver_sql(
        f"SELECT r.item_id FROM revisions r LEFT JOIN {kind.plural} i ON i.id = r.item_id "
        f"WHERE r.step_id = ? AND r.kind = '{kind}' AND i.version IS NOT r.present LIMIT 1",
        (step.id,),
    ).scalar()
    if changed is not None:
        if author := author_of(connection, kind, changed):
            raise KnownError(
                f"“{step.sentence}” cannot be {word}, because {author} changed the same item "
                "since: open its history and restore what you need from there."
            )
        raise KnownError(
            f"“{step.sentence}” cannot be {word}, because the same item was changed again "
            "since: open its history and restore what you need from there."
        )


# ---- Settings of this profile, in rows and as undoable steps.


def selected(connection: Connection) -> tuple[dict[str, str], list[str]]:
    """Return the settings by dotted key, and the keys of damaged values."""
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
    """Store settings, and delete those whose value is None."""
    for key, value in cleaned(changes).items():
        if value is None:
            connection.execute(delete(SettingRow).where(SettingRow.key == key))
            continue
        statement = upsert(SettingRow).values(key=key, value=value)
        now = {"value": value, "updated": func.current_timestamp()}
        connection.execute(statement.on_conflict_do_update(index_elements=[SettingRow.key], set_=now))


# ---- Settings as steps, with the previous values


def choose(connection: Connection, edit: Edit, changes: Mapping[str, str | None]) -> int | None:
    """Store settings as one step; return its number, or None if nothing changes."""
    (now, _), wanted = selected(connection), cleaned(changes)
    fresh = {key: value for key, value in wanted.items() if now.get(key) != value}
    if not fresh:
        return None
    entries.drop_undone(connection, shared=False)
    number = connection.exec_driver_sql(
        "INSERT INTO steps (verb, subject, count, source) VALUES (?, ?, ?, ?) RETURNING id",
        (edit.verb, edit.subject, len(fresh), edit.source),
    ).scalar_one()
    put(connection, fresh)
    connection.exec_driver_sql(
        "INSERT INTO setting_revisions (step_id, key, held, present) VALUES (?, ?, ?, ?)",
        [(number, key, now.get(key), value) for key, value in fresh.items()],
    )
    return int(number)


def held(connection: Connection, step: Step) -> dict[str, str | None]:
    """Return the settings after an undo or redo of a step; None: not stored."""
    rows = connection.exec_driver_sql("SELECT key, held FROM setting_revisions WHERE step_id = ?", (step.id,))
    return dict(map(tuple, rows))


def swap(connection: Connection, step: Step, word: str) -> None:
    """Swap the settings of a step with its revisions.

    Raises KnownError if one was set again since.
    """
    rows = connection.exec_driver_sql(
        "SELECT r.key, r.present FROM setting_revisions r LEFT JOIN settings s ON s.key = r.key "
        "WHERE r.step_id = ? AND s.value IS NOT r.present ORDER BY r.key",
        (step.id,),
    ).all()
    if rows:
        raise KnownError(_why_not_undoable(step, word, dict(map(tuple, rows))))
    put(connection, held(connection, step))
    connection.exec_driver_sql(
        "UPDATE setting_revisions SET held = present, present = held WHERE step_id = ?", (step.id,)
    )


def _why_not_undoable(step: Step, word: str, present: Mapping[str, str | None]) -> str:
    """Explain why a step cannot be undone, and how to enable it; `present` are expected values."""
    key, value = next(iter(present.items()))
    back = f"Set it to {value}" if value is not None else "Reset it"
    return f"“{step.sentence}” cannot be {word}, because {key} was set again since. {back} first."
