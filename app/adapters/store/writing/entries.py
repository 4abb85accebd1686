"""One write as the journal sees it: its number, what was there before, and the full-text index kept with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, text

from app.adapters.store.connections import KEYS_AT_ONCE, array, chunks
from app.adapters.store.writing.states import TABLES, state_of
from app.domain.journal import Edit, Step, ThingKind, counted


class JournalEntry:
    """A write under way. Its number is the version of all that it writes, and is never given twice.

    Without an edit the write leaves no step: it cannot be taken back, and neither can earlier steps on its items.
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
        """Announce that these items are about to change; `texts` says whether searched texts do.

        What this entry has recorded of an item stays: it was there before.
        """
        self._record(kind, keys)
        if texts:
            forget(self.connection, kind, keys)

    def adding(self, kind: ThingKind, keys: Iterable[int]) -> None:
        """Items are about to be there that are not there now."""
        if self._edit is None:
            return
        insert = f"INSERT OR IGNORE INTO revisions (step_id, kind, item_id, present) VALUES (?, '{kind}', ?, ?)"
        for chunk in chunks(keys, KEYS_AT_ONCE):
            self.connection.exec_driver_sql(insert, [(self.number, key, self.number) for key in chunk])

    def written(self, kind: ThingKind, keys: Iterable[int]) -> None:
        """Record that these items have been written, and index them."""
        learn(self.connection, kind, keys)

    def delete(self, kind: ThingKind, keys: Iterable[int]) -> None:
        """Take items out; those that are absent are passed over."""
        for chunk in chunks(keys, KEYS_AT_ONCE):
            wanted = f"FROM {TABLES[kind]} WHERE id IN (SELECT value FROM json_each(?))"
            present = [key for (key,) in self.connection.exec_driver_sql(f"SELECT id {wanted}", (array(chunk),))]
            self.changing(kind, present)
            self.connection.exec_driver_sql(f"DELETE {wanted}", (array(present),))
            self.connection.exec_driver_sql(
                f"UPDATE revisions SET present = NULL WHERE step_id = ? AND kind = '{kind}' "
                "AND item_id IN (SELECT value FROM json_each(?))",
                (self.number, array(present)),
            )

    def close(self) -> Step | None:
        """Count what was touched, and forget what was undone; None, and no step, if nothing was or nobody asked."""
        mine = (self.number,)
        kinds = self.connection.exec_driver_sql(
            "SELECT kind, count(*) FROM revisions WHERE step_id = ? GROUP BY kind ORDER BY kind", mine
        ).all()
        if self._edit is None or not kinds:
            self.connection.exec_driver_sql("DELETE FROM steps WHERE id = ?", mine)
            return None
        drop_undone(self.connection)
        subject = self._edit.subject or " and ".join(counted(ThingKind(kind), count) for kind, count in kinds)
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
            f"FROM {TABLES[kind]} i WHERE i.id IN (SELECT value FROM json_each(?))"
        )
        for chunk in chunks(keys, KEYS_AT_ONCE):
            self.connection.exec_driver_sql(insert, (self.number, self.number, array(chunk)))


def drop_undone(connection: Connection, *, shared: bool = True) -> None:
    """Forget the undone steps, which something else was done after: one's own, and of those that a team shares only
    where the team is told."""
    mine = "coalesce(author, '') = ''" if shared else "author IS NULL"
    connection.exec_driver_sql(f"DELETE FROM steps WHERE undone > 0 AND {mine}")


# ---- The full-text index over memories, kept in the same transaction as they are.
#
# It holds no texts of its own, so it must be told them again, as they were, before a memory is changed or taken out.


TEXTS = (
    "m.id, (SELECT group_concat(t.text, char(10)) FROM triggers t WHERE t.memory_id = m.id), "
    "m.external_id, m.intent, m.tags, m.response "
    "FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))"
)
"""What is indexed of a memory; the order of triggers is that of their table's key."""

COLUMNS = "rowid, triggers, name, label, tags, response"


def learn(connection: Connection, kind: ThingKind, keys: Iterable[int]) -> None:
    """Index these memories as they are now; other kinds are not indexed."""
    _tell(connection, kind, keys, f"INSERT INTO found ({COLUMNS}) SELECT {TEXTS}")


def forget(connection: Connection, kind: ThingKind, keys: Iterable[int]) -> None:
    """Take these memories out of the index while they are still as they were indexed."""
    _tell(connection, kind, keys, f"INSERT INTO found (found, {COLUMNS}) SELECT 'delete', {TEXTS}")


def match_of(words: Sequence[str]) -> str:
    """A query of the index for memories in which each word begins some word; nothing in it is an operator."""
    return " ".join('"' + word.replace('"', '""') + '"*' for word in words)


def words_of(text: str) -> tuple[list[str], list[str]]:
    """The words of what a person typed: those that the index knows, and those without a letter or digit."""
    words = text.replace("\0", " ").encode(errors="replace").decode().split()
    indexed = [word for word in words if any(map(str.isalnum, word))]
    return indexed, [word for word in words if word not in indexed]


def _tell(connection: Connection, kind: ThingKind, keys: Iterable[int], statement: str) -> None:
    if kind is not ThingKind.MEMORY:
        return
    for chunk in chunks(keys, KEYS_AT_ONCE):
        connection.exec_driver_sql(statement, (array(chunk),))
