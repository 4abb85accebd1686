"""Journal entry of one write: states of items as JSON text, text index; the team's membership."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, Select, delete, func, insert, select, text, update

from app.adapters.store.connections import KEYS_AT_ONCE, array, chunks
from app.adapters.store.damage import check, decoding
from app.domain.case import Case, Task
from app.domain.intent import Rule, RulePurpose
from app.domain.journal import Edit, Item, ItemKind, Step, counted, kind_of
from app.domain.library import Membership, Memory, Power, Tool, Transport
from db.schema import StepRow, TeamRow, digest

COLUMNS: dict[ItemKind, tuple[str, ...]] = {
    ItemKind.MEMORY: (
        "external_id", "intent", "response", "namespace", "tags", "success", "usage", "paused", "source",
        "right", "valid_from", "valid_to", "replaces", "created", "updated",
    ),
    ItemKind.POWER: (
        "name", "description", "steering", "keywords", "examples", "command", "args", "env", "url", "paused",
        "approved", "created", "updated",
    ),
    ItemKind.RULE: (
        "external_id", "label", "pattern", "unless", "pack", "position", "weight", "confidence", "purpose", "enabled",
        "created", "updated",
    ),
    ItemKind.CASE: ("task", "text", "expected", "unwanted", "created", "updated"),
}  # fmt: skip
"""Columns in a state: all but key and version, which the journal has, with both dates last."""

FIELDS = {"external_id": "id", "env": "named"}
"""Fields of items whose column has another name; rows hold no values of an environment."""

LISTS = frozenset({"tags", "replaces", "keywords", "examples", "args", "env", "expected", "unwanted"})
"""Columns that already hold JSON."""

LATER: dict[str, Any] = {"unwanted": [], "right": 0, "valid_from": "", "valid_to": "", "replaces": []}
"""Defaults of columns missing in older states."""

NAMES = frozenset({"external_id", "name"})
"""Unique columns, which prevent overwriting rows one by one."""

NUMBERS = frozenset({"success", "weight", "confidence"})
"""Float columns, which SQLite's JSON would round to 15 digits."""

PARTS = {
    ItemKind.MEMORY: "SELECT text AS part FROM triggers WHERE memory_id = i.id ORDER BY position",
    ItemKind.POWER: "SELECT json_array(name, description) AS part FROM tools WHERE power_id = i.id ORDER BY position",
}
"""SQL of an item's parts in their own table, in order."""


def _field(column: str) -> str:
    if column in LISTS:
        return f"'{column}', json(i.{column})"
    if column in NUMBERS:
        return f"'{column}', json(exactly(i.{column}))"
    return f"'{column}', i.{column}"


def state_of(kind: ItemKind) -> str:
    """Return the SQL expression for the state of row `i` of this kind's table."""
    fields = [_field(column) for column in COLUMNS[kind]]
    if kind in PARTS:
        part = "json(part)" if kind is ItemKind.POWER else "part"
        fields.append(f"'parts', json((SELECT json_group_array({part}) FROM ({PARTS[kind]})))")
    return f"json_object({', '.join(fields)})"


def item_of(kind: ItemKind, key: int, version: int, state: str) -> Item:
    """Parse a state into its item; raises RowError."""
    with decoding("recorded states"):
        held = orjson.loads(state)
        return _item_of(kind, key, version, held, held["parts"] if kind in PARTS else ())


def items_in(
    connection: Connection,
    kind: ItemKind,
    rows: Select[*tuple[Any, ...]],
    parts: Select[*tuple[Any, ...]] | None = None,
) -> list[Any]:
    """Return the items of these rows, with their parts by owner; raises RowError."""
    with decoding(kind.plural):
        held: defaultdict[int, list[Any]] = defaultdict(list)
        for owner, *part in () if parts is None else connection.execute(parts):
            held[owner].append(part)
        found = [
            _item_of(kind, row["id"], row["version"], row, held[row["id"]])
            for row in connection.execute(rows).mappings()
        ]
        for item in found:
            check(item)
        return found


def row_of(item: Item, version: int) -> dict[str, Any]:
    """Return the columns of an item's row without key, dates and parts."""
    row: dict[str, Any] = {"version": version}
    for name in COLUMNS[kind_of(item)][:-2]:
        holder = item.transport if isinstance(item, Power) and name in TRANSPORT else item
        row[name] = getattr(holder, FIELDS.get(name, name))
    return row | {"digest": digest(item.text)} if isinstance(item, Case) else row


def insert_parts(connection: Connection, kind: ItemKind, items: Mapping[int, Item]) -> None:
    """Insert the triggers of memories, or the tools of powers, by key."""
    parts: list[tuple[Any, ...]] = []
    for key, item in items.items():
        if isinstance(item, Memory):
            parts += _parts(kind, key, item.triggers)
        elif isinstance(item, Power):
            parts += _parts(kind, key, [(tool.name, tool.description) for tool in item.tools])
    if parts:
        connection.exec_driver_sql(INSERT_PARTS[kind], parts)


def _item_of(kind: ItemKind, key: int, version: int, held: Mapping[Any, Any], parts: Iterable[Any]) -> Item:
    match kind:
        case ItemKind.MEMORY:
            return Memory(
                tuple(parts), held["response"], held["intent"], held["namespace"], _listed(held["tags"]),
                held["external_id"], held["success"], held["usage"], bool(held["paused"]), key, held["source"], version,
                held.get("right", 0), held.get("valid_from", ""), held.get("valid_to", ""),
                _listed(held.get("replaces", [])),
            )  # fmt: skip
        case ItemKind.POWER:
            transport = Transport(held["command"], _listed(held["args"]), held["env"], held["url"])
            tools = tuple(Tool(name, description) for name, description in parts)
            return Power(
                held["name"], held["description"], _listed(held["keywords"]), held["steering"], tools,
                _listed(held["examples"]), transport, bool(held["paused"]), bool(held["approved"]), key, version,
            )  # fmt: skip
        case ItemKind.RULE:
            return Rule(
                held["external_id"], held["label"], held["pattern"], held["pack"], held["position"], held["weight"],
                held["confidence"], held["unless"], RulePurpose(held["purpose"]), bool(held["enabled"]), key, version,
            )  # fmt: skip
        case ItemKind.CASE:
            unwanted = _listed(held.get("unwanted", []))
            return Case(held["text"], _listed(held["expected"]), Task(held["task"]), key, version, unwanted)


def _listed(value: list[str]) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError(value)  # JSON of another kind, whose keys or characters are no list
    return tuple(value)


def put_back(connection: Connection, kind: ItemKind, states: Iterable[tuple[int, int, str]]) -> None:
    """Insert rows for absent keys, (key, version, state) each."""
    columns = COLUMNS[kind]
    extra = ("digest",) if kind is ItemKind.CASE else ()
    names = ("id", "version", *columns, *extra)
    row = f"INSERT INTO {kind.plural} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    for chunk in chunks(states):
        rows: list[tuple[Any, ...]] = []
        parts: list[tuple[Any, ...]] = []
        for key, version, state in chunk:
            held = LATER | orjson.loads(state)
            rows.append((key, version, *_values(held, columns), *(digest(held["text"]) for _ in extra)))
            parts += _parts(kind, key, held["parts"] if kind in PARTS else ())
        connection.exec_driver_sql(row, rows)
        if parts:
            connection.exec_driver_sql(INSERT_PARTS[kind], parts)


TRANSPORT = ("command", "args", "env", "url")


def without_revived_approval(kind: ItemKind, state: str, now: str | None) -> str:
    """Return the state to restore over `now`, without reviving an approval (S5.5).

    Values of environments have no history, so the approval may have been given for others. It stays only if it
    holds now, for the same transport.
    """
    if kind is not ItemKind.POWER:
        return state
    held = orjson.loads(state)
    if not (held["approved"] and held["env"]):
        return state
    present: dict[str, Any] = {} if now is None else orjson.loads(now)
    if present.get("approved") and all(present[name] == held[name] for name in TRANSPORT):
        return state
    return orjson.dumps(held | {"approved": 0}).decode()


def write_over(connection: Connection, kind: ItemKind, states: Iterable[tuple[int, int, str]]) -> None:
    """Overwrite existing rows with states of the same name and parts.

    Each state is (key, version, state).
    """
    columns = [name for name in COLUMNS[kind] if name not in NAMES]
    row = f"UPDATE {kind.plural} SET version = ?, {', '.join(f'{name} = ?' for name in columns)} WHERE id = ?"
    for chunk in chunks(states):
        held = ((key, version, LATER | orjson.loads(state)) for key, version, state in chunk)
        connection.exec_driver_sql(row, [(version, *_values(state, columns), key) for key, version, state in held])


def _values(held: Mapping[str, Any], columns: Iterable[str]) -> list[Any]:
    return [orjson.dumps(held[name]).decode() if name in LISTS else held[name] for name in columns]


INSERT_PARTS = {
    ItemKind.MEMORY: "INSERT INTO triggers (memory_id, position, text, digest) VALUES (?, ?, ?, ?)",
    ItemKind.POWER: "INSERT INTO tools (power_id, position, name, description) VALUES (?, ?, ?, ?)",
}


def _parts(kind: ItemKind, key: int, parts: Sequence[Any]) -> list[tuple[Any, ...]]:
    if kind is ItemKind.MEMORY:
        return [(key, position, text, digest(text)) for position, text in enumerate(parts)]
    return [(key, position, *tool) for position, tool in enumerate(parts)]


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


def end_membership(connection: Connection) -> None:
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

    def changing(self, kind: ItemKind, keys: Sequence[int], *, texts: bool = True) -> None:
        """Record items about to change, first states kept; `texts`: indexed texts may change."""
        self._record(kind, keys)
        if texts:
            forget(self.connection, kind, keys)

    def adding(self, kind: ItemKind, keys: Iterable[int]) -> None:
        """Record items that are about to be added."""
        if self._edit is None:
            return
        insert = f"INSERT OR IGNORE INTO revisions (step_id, kind, item_id, present) VALUES (?, '{kind}', ?, ?)"
        for chunk in chunks(keys, KEYS_AT_ONCE):
            self.connection.exec_driver_sql(insert, [(self.number, key, self.number) for key in chunk])

    def written(self, kind: ItemKind, keys: Iterable[int]) -> None:
        """Index items that have been written."""
        learn(self.connection, kind, keys)

    def delete(self, kind: ItemKind, keys: Iterable[int]) -> None:
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
        kinds = sorted(kinds, key=lambda row: list(ItemKind).index(row[0]))
        *others, last = (counted(ItemKind(kind), count) for kind, count in kinds)
        subject = self._edit.subject or " and ".join(filter(None, (", ".join(others), last)))
        count = sum(count for _, count in kinds)
        at = self.connection.exec_driver_sql(
            "UPDATE steps SET subject = ?, count = ? WHERE id = ? RETURNING at", (subject, count, *mine)
        ).scalar_one()
        return Step(self.number, str(at)[:19], self._edit.verb, subject, count, self.source)

    def _record(self, kind: ItemKind, keys: Sequence[int]) -> None:
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

INDEXED = "rowid, triggers, name, label, tags, response"


def learn(connection: Connection, kind: ItemKind, keys: Iterable[int]) -> None:
    """Index the present texts of memories; other kinds are not indexed."""
    _write_index(connection, kind, keys, f"INSERT INTO found ({INDEXED}) SELECT {TEXTS}")


def forget(connection: Connection, kind: ItemKind, keys: Iterable[int]) -> None:
    """Remove memories from the index, before their texts change."""
    _write_index(connection, kind, keys, f"INSERT INTO found (found, {INDEXED}) SELECT 'delete', {TEXTS}")


def match_of(words: Sequence[str]) -> str:
    """Make an index query for memories with each word as a prefix, without operators."""
    return " ".join('"' + word.replace('"', '""') + '"*' for word in words)


def words_of(text: str) -> tuple[list[str], list[str]]:
    """Split typed text into words of the index, and words without a letter or digit."""
    words = text.replace("\0", " ").encode(errors="replace").decode().split()
    indexed = [word for word in words if any(map(str.isalnum, word))]
    return indexed, [word for word in words if word not in indexed]


def _write_index(connection: Connection, kind: ItemKind, keys: Iterable[int], statement: str) -> None:
    if kind is not ItemKind.MEMORY:
        return
    for chunk in chunks(keys, KEYS_AT_ONCE):
        connection.exec_driver_sql(statement, (array(chunk),))
