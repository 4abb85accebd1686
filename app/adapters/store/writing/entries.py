"""Journal entry of one write (number, previous states, text index), and the team's membership."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, func, insert, select, text, update

from app.adapters.store.connections import KEYS_AT_ONCE, array, chunks
from app.adapters.store.writing.states import state_of
from app.domain.journal import Edit, Step, ThingKind, counted
from app.domain.library import Membership
from db.schema import StepRow, TeamRow


def membership(connection: Connection) -> Membership | None:
    """Return the membership; None for an own library."""
    row = connection.execute(select(TeamRow)).first()
    if row is None:
        return None
    return Membership(row.library, row.address, row.author, row.head, f"{row.seen:%Y-%m-%d %H:%M}")


def become_member(connection: Connection, library: str, address: str, author: str, head: int) -> None:
    """Make the library a copy of a team's."""
    connection.execute(insert(TeamRow).values(id=1, library=library, address=address, author=author, head=head))


def move_head(connection: Connection, head: int) -> None:
    """Record the last change in the copy, and the time."""
    connection.execute(update(TeamRow).values(head=head, seen=func.current_timestamp()))


def leave(connection: Connection) -> None:
    """Make the library an own one, with its content."""
    connection.execute(update(StepRow).where(StepRow.author == "").values(author=None))
    connection.execute(delete(TeamRow))


class JournalEntry:
    """Write in progress; its number is the version of all that it writes, and is never reused.

    Without an edit it leaves no step: neither it nor earlier steps on its items can be undone.
    """

    def __init__(self, connection: Connection, edit: Edit | None) -> None:
        self.connection = connection
        self._edit = edit
        self.source = edit.source if edit is not None else ""
        asked = edit or Edit("")
        self.number: int = connection.execute(
            text(
                "INSERT INTO steps (verb, subject, count, source, author) "
                "VALUES (:verb, :subject, 0, :source, (SELECT '' FROM team)) RETURNING id"
            ),
            {"verb": asked.verb, "subject": asked.subject, "source": asked.source},
        ).scalar_one()

    def changing(self, kind: ThingKind, keys: Sequence[int], *, texts: bool = True) -> None:
        """Record items about to change, first states kept; `texts`: indexed texts may change."""
        self._record(kind, keys)
        if texts:
            forget(self.connection, kind, keys)

    def adding(self, kind: ThingKind, keys: Iterable[int]) -> None:
        """Record items that are about to be added."""
        if self._edit is None:
            return
        insert = f"INSERT OR IGNORE INTO revisions (step_id, kind, item_id, present) VALUES (?, '{kind}', ?, ?)"
        for chunk in chunks(keys, KEYS_AT_ONCE):
            self.connection.exec_driver_sql(insert, [(self.number, key, self.number) for key in chunk])

    def written(self, kind: ThingKind, keys: Iterable[int]) -> None:
        """Index items that have been written."""
        learn(self.connection, kind, keys)

    def delete(self, kind: ThingKind, keys: Iterable[int]) -> None:
        """Delete items; missing ones are skipped."""
        for chunk in chunks(keys, KEYS_AT_ONCE):
            wanted = f"FROM {kind.plural} WHERE id IN (SELECT value FROM json_each(?))"
            present = [key for (key,) in self.connection.exec_driver_sql(f"SELECT id {wanted}", (array(chunk),))]
            self.changing(kind, present)
            self.connection.exec_driver_sql(f"DELETE {wanted}", (array(present),))
            self.connection.exec_driver_sql(
                f"UPDATE revisions SET present = NULL WHERE step_id = ? AND kind = '{kind}' "
                "AND item_id IN (SELECT value FROM json_each(?))",
                (self.number, array(present)),
            )

    def close(self) -> Step | None:
        """Finish: count the items and drop undone steps; None, without a step, if unchanged."""
        mine = (self.number,)
        kinds = self.connection.exec_driver_sql(
            "SELECT kind, count(*) FROM revisions WHERE step_id = ? GROUP BY kind", mine
        ).all()
        if self._edit is None or not kinds:
            self.connection.exec_driver_sql("DELETE FROM steps WHERE id = ?", mine)
            return None
        drop_undone(self.connection)
        kinds = sorted(kinds, key=lambda row: list(ThingKind).index(row[0]))
        *others, last = (counted(ThingKind(kind), count) for kind, count in kinds)
        subject = self._edit.subject or " and ".join(filter(None, (", ".join(others), last)))
        count = sum(count for _, count in kinds)
        at = self.connection.exec_driver_sql(
            "UPDATE steps SET subject = ?, count = ? WHERE id = ? RETURNING at", (subject, count, *mine)
        ).scalar_one()
        return Step(self.number, str(at)[:19], self._edit.verb, subject, count, self.source)

    def _record(self, kind: ThingKind, keys: Sequence[int]) -> None:
        if self._edit is None:
            return
        insert = (
            "INSERT OR IGNORE INTO revisions (step_id, kind, item_id, state, held, present) "
            f"SELECT ?, '{kind}', i.id, {state_of(kind)}, i.version, ? "
            f"FROM {kind.plural} i WHERE i.id IN (SELECT value FROM json_each(?))"
        )
        for chunk in chunks(keys, KEYS_AT_ONCE):
            self.connection.exec_driver_sql(insert, (self.number, self.number, array(chunk)))


def drop_undone(connection: Connection, *, shared: bool = True) -> None:
    """Delete the undone steps after a new one: own ones, and shared ones only if `shared`."""
    mine = "coalesce(author, '') = ''" if shared else "author IS NULL"
    connection.exec_driver_sql(f"DELETE FROM steps WHERE undone > 0 AND {mine}")


# ---- Text index over memories, updated in the same transaction. It stores no texts, so a memory's former texts must
# be given to delete it.


TEXTS = (
    "m.id, (SELECT group_concat(t.text, char(10)) FROM triggers t WHERE t.memory_id = m.id), "
    "m.external_id, m.intent, m.tags, m.response "
    "FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))"
)
"""SQL of a memory's indexed texts, triggers in order of position."""

COLUMNS = "rowid, triggers, name, label, tags, response"


def learn(connection: Connection, kind: ThingKind, keys: Iterable[int]) -> None:
    """Index the present texts of memories; other kinds are not indexed."""
    _write_index(connection, kind, keys, f"INSERT INTO found ({COLUMNS}) SELECT {TEXTS}")


def forget(connection: Connection, kind: ThingKind, keys: Iterable[int]) -> None:
    """Remove memories from the index, before their texts change."""
    _write_index(connection, kind, keys, f"INSERT INTO found (found, {COLUMNS}) SELECT 'delete', {TEXTS}")


def match_of(words: Sequence[str]) -> str:
    """Make an index query for memories with each word as a prefix, without operators."""
    return " ".join('"' + word.replace('"', '""') + '"*' for word in words)


def words_of(text: str) -> tuple[list[str], list[str]]:
    """Split typed text into words of the index, and words without a letter or digit."""
    words = text.replace("\0", " ").encode(errors="replace").decode().split()
    indexed = [word for word in words if any(map(str.isalnum, word))]
    return indexed, [word for word in words if word not in indexed]


def _write_index(connection: Connection, kind: ThingKind, keys: Iterable[int], statement: str) -> None:
    if kind is not ThingKind.MEMORY:
        return
    for chunk in chunks(keys, KEYS_AT_ONCE):
        connection.exec_driver_sql(statement, (array(chunk),))
