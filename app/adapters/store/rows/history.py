"""What items were, which of them were deleted, and how long that is kept."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection

from app.adapters.store.chunks import array
from app.adapters.store.damage import decoding, halved
from app.adapters.store.rows.items import by_keys, check_names, identity
from app.adapters.store.writing.entries import Entry
from app.adapters.store.writing.journal import STEP_COLUMNS, step_of
from app.adapters.store.writing.pending_secrets import PendingSecrets
from app.adapters.store.writing.states import TABLES, item_of, put_back, without_revived_approval
from app.domain.errors import StoreError
from app.domain.journal import Binned, Item, ItemKey, Revision, Step, ThingKind, name_of

STEP_WIDTH = len(STEP_COLUMNS.split(","))

NEWEST_FIRST = "ORDER BY r.step_id DESC"

DELETED = (
    "FROM revisions r JOIN steps s ON s.id = r.step_id WHERE s.undone = 0 AND r.present IS NULL AND r.state NOT NULL"
)


LIVED = (
    "(SELECT min(datetime('now'), coalesce(datetime(max(at), '+1 day'), '0001-01-01')) "
    "FROM (SELECT at FROM steps UNION ALL SELECT at FROM queries) WHERE at <= datetime('now', '-1 day'))"
)
"""The time until which the library has been lived in: a day after the newest step or query of before yesterday, or now.

What is kept for so many days is kept for so many before this, not before now. So a clock that is set far ahead makes
nothing old, and neither does what is done on the day when it is.
"""


def history(connection: Connection, kind: ThingKind, key: int) -> list[Revision]:
    """What the steps that still stand did to one item, newest first, back to where what is recorded is damaged."""
    revisions = "FROM revisions r JOIN steps s ON s.id = r.step_id WHERE s.undone = 0 AND r.kind = ? AND r.item_id = ?"

    def read(some: Sequence[int] | None) -> list[tuple[Step, Item | None]]:
        among, values = ("", ()) if some is None else ("AND s.id IN (SELECT value FROM json_each(?))", (array(some),))
        with decoding("recorded states"):
            rows = connection.exec_driver_sql(
                f"SELECT {STEP_COLUMNS}, r.held, r.state {revisions} {among} {NEWEST_FIRST}", (kind.value, key, *values)
            )
            return [(step_of(row), _state_of(kind, key, *row[STEP_WIDTH:])) for row in rows]

    def numbers() -> list[int]:
        rows = connection.exec_driver_sql(f"SELECT r.step_id {revisions} {NEWEST_FIRST}", (kind.value, key))
        return list(rows.scalars())

    found, damaged = halved(read, numbers)
    after: Item | None = by_keys(connection, kind, [key]).get(key)
    past: list[Revision] = []
    for step, before in found:
        if step.id < max(damaged, default=0):
            break
        past.append(Revision(step, before, after))
        after = before
    return past


def _state_of(kind: ThingKind, key: int, held: int, state: str | None) -> Item | None:
    return None if state is None else item_of(kind, key, held, state)


def binned(connection: Connection) -> list[Binned]:
    """What is deleted and can be put back, last deleted first; what is damaged cannot."""

    def read(kind: ThingKind, some: Sequence[int] | None) -> list[Binned]:
        with decoding("recorded states"):
            rows = _deleted_of(connection, kind, f"{STEP_COLUMNS}, r.item_id, r.held, r.state", some)
            return [Binned(step_of(row[1:]), kind, item_of(kind, *row[1 + STEP_WIDTH :])) for row in rows]

    found: list[Binned] = []
    for kind in ThingKind:
        keys = partial(_keys_deleted, connection, kind)
        found += halved(partial(read, kind), keys)[0]
    return sorted(found, key=lambda each: -each.step.id)


def put_back_binned(entry: Entry, keys: Iterable[ItemKey], secrets: PendingSecrets) -> list[Item]:
    """Put deleted items back as they were, under their keys; those that are not in the bin are passed over.

    StoreError where something else has the same name or text by now, or two of them have. A power whose environment
    has names waits for its approval again (S5.5).
    """
    wanted = set(keys)
    found = [(kind, *row) for kind, row in _deleted(entry.connection, "r.item_id, r.state")]
    items: list[Item] = []
    for kind in ThingKind:
        states = {
            key: without_revived_approval(kind, state, None)
            for other, key, state in found
            if other is kind and (kind, key) in wanted
        }
        restored = [item_of(kind, key, entry.number, state) for key, state in states.items()]
        check_names(entry.connection, kind, restored, secrets)
        _check_twins(kind, restored)
        entry.adding(kind, states)
        put_back(entry.connection, kind, ((key, entry.number, state) for key, state in states.items()))
        entry.written(kind, states)
        items += restored
    return items


def _check_twins(kind: ThingKind, items: Sequence[Item]) -> None:
    """StoreError if two of them have the same name or text."""
    seen: set[Hashable] = set()
    for item in items:
        own = identity(item)
        if own is not None and own in seen:
            raise StoreError(
                f"More than one deleted {kind.value} is called “{name_of(item)}”: restore only one of them."
            )
        seen.add(own)


def empty(connection: Connection) -> None:
    """Forget for good what is deleted, and all that was ever recorded of it; what is told apart stays so."""
    doomed = [(kind, *row) for kind, row in _deleted(connection, "r.item_id")]
    for kind in ThingKind:
        keys = [key for other, key, *_ in doomed if other is kind]
        connection.exec_driver_sql(
            f"DELETE FROM revisions WHERE kind = '{kind}' AND item_id IN (SELECT value FROM json_each(?))",
            (array(keys),),
        )
    connection.exec_driver_sql(
        "DELETE FROM steps WHERE id NOT IN (SELECT step_id FROM revisions UNION SELECT step_id FROM differences "
        "UNION SELECT step_id FROM setting_revisions UNION SELECT step_id FROM queries WHERE step_id IS NOT NULL)"
    )


def prune(connection: Connection, days: int) -> None:
    """Forget the steps of more than so many days ago.

    A step counts as old only if all before it do, so that a clock that was set back makes nothing old too early, and
    nothing does by a clock that is far ahead of what was done last. With 0 days all are forgotten.
    """
    now = LIVED if days else "'now'"
    connection.exec_driver_sql(
        "DELETE FROM steps WHERE id < coalesce("
        f"(SELECT min(id) FROM steps WHERE at > datetime({now}, ?)), (SELECT max(id) + 1 FROM steps))",
        (f"-{days} days",),
    )


def _deleted(connection: Connection, columns: str) -> list[tuple[ThingKind, Sequence[Any]]]:
    """For every deleted item, once, these columns of the revision that deleted it last."""
    found = [(kind, row) for kind in ThingKind for row in _deleted_of(connection, kind, columns)]
    return [(kind, row[1:]) for kind, row in sorted(found, key=lambda each: -each[1][0])]


def _deleted_of(
    connection: Connection, kind: ThingKind, columns: str, some: Sequence[int] | None = None
) -> Iterable[Sequence[Any]]:
    """The last revisions of deleted items of one kind, all or some, unordered: the number of the step, the columns."""
    among, values = ("", ()) if some is None else ("AND r.item_id IN (SELECT value FROM json_each(?))", (array(some),))
    return connection.exec_driver_sql(
        f"SELECT max(r.step_id), {columns} {DELETED} AND r.kind = '{kind}' "
        f"AND r.item_id NOT IN (SELECT id FROM {TABLES[kind]}) {among} GROUP BY r.item_id",
        values,
    )


def _keys_deleted(connection: Connection, kind: ThingKind) -> list[int]:
    return [key for _, key in _deleted_of(connection, kind, "r.item_id")]
