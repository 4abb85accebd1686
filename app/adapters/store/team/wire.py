"""Exchange format between a copy and a team's server: items by kind, with all their rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Column, ColumnElement, Connection, Select, Table, func, select, tuple_
from sqlalchemy.exc import InvalidRequestError

from app.adapters.store.connections import chunks
from app.adapters.store.damage import decoding
from app.adapters.store.faults import RowError
from app.adapters.store.team import faults
from app.adapters.store.values import is_loaded, unapproved_state
from app.domain.journal import ItemKind
from db.schema import TableRow

Row = dict[str, Any]

Key = int | bytes | tuple[bytes, bytes]
"""Identity of an item, equal in all copies."""


class Sharing(NamedTuple):
    """Storage of a kind: its table, key columns, and the table and owner column of its parts."""

    table: str
    names: tuple[str, ...] = ("id",)
    parts: str = ""
    owner: str = ""


KINDS: dict[str, Sharing] = {
    "step": Sharing("steps", parts="revisions", owner="step_id"),
    "memory": Sharing("memories", parts="triggers", owner="memory_id"),
    "power": Sharing("powers", parts="tools", owner="power_id"),
    "rule": Sharing("rules"),
    "case": Sharing("cases"),
    "difference": Sharing("differences", ("one", "other")),
    "untaught": Sharing("untaught_routes", ("digest",)),
}
"""Kinds, steps first: deleting an undone step deletes its differences."""

KEYS_GIVEN = ("memories", "powers", "rules", "cases")
"""Tables with assigned keys, which are never reused."""


def spelled(key: Key) -> str:
    """Format a key as text, as SQLite does."""
    if isinstance(key, tuple):
        return "".join(part.hex().upper() for part in key)
    return key.hex().upper() if isinstance(key, bytes) else str(key)


def read_key(kind: str, text: str) -> Key:
    names = KINDS[kind].names
    if names == ("id",):
        return int(text)
    digests = bytes.fromhex(text)
    return digests if len(names) == 1 else (digests[: len(digests) // 2], digests[len(digests) // 2 :])


def key_of(kind: str, row: Row) -> Key:
    values = tuple(row[name] for name in KINDS[kind].names)
    return values[0] if len(values) == 1 else values


def named(kind: str, tables: Mapping[str, Table], keys: Sequence[Key]) -> ColumnElement[bool]:
    """Make the condition for these items, some hundred at a time."""
    sharing = KINDS[kind]
    columns: list[Column[Any]] = [tables[sharing.table].c[name] for name in sharing.names]
    # Differences are filtered by their first half in SQL, then by the second.
    if len(columns) == 1:
        return columns[0].in_(keys)
    halves = [key for key in keys if isinstance(key, tuple)]
    return columns[0].in_([one for one, _ in halves]) & columns[1].in_([other for _, other in halves])


AT_ONCE = 500
"""Number of items per statement: SQLite allows 32,766 parameters, PostgreSQL 65,535."""


PAGE = 5_000
"""Number of rows per page of a large result."""


MOST_PARTS = 1_000_000
"""Maximum number of parts, such as triggers, of AT_ONCE items."""


class Batch(NamedTuple):
    """Batch of one kind: requested keys, and existing rows; more rows follow without keys."""

    kind: str
    keys: Sequence[Key]
    rows: Sequence[Row] = ()
    parts: Sequence[Row] = ()


def batches(
    connection: Connection, tables: Mapping[str, Table], wanted: Iterable[tuple[str, Iterable[Key]]]
) -> Iterator[Batch]:
    """Yield the present items of these keys by kind; raises RowError for damaged ones."""
    for kind, keys in wanted:
        sharing = KINDS[kind]
        for some in chunks(keys, AT_ONCE):
            asked = set(some)
            table = tables[sharing.table]
            rows = _rows(connection, select(table).where(named(kind, tables, some)), table)
            yield Batch(kind, some, [row for row in rows if key_of(kind, row) in asked])
            if sharing.parts:
                table = tables[sharing.parts]
                theirs = select(table).where(table.c[sharing.owner].in_(some))
                count = 0
                for parts in pages(connection, theirs, table):
                    count += len(parts)
                    if count > MOST_PARTS:
                        raise faults.odd(f"more {table.name} than {AT_ONCE} things have")
                    yield Batch(kind, (), parts=parts)


def whole(connection: Connection, tables: Mapping[str, Table]) -> Iterator[Batch]:
    """Yield all shared rows of the library in key order; raises RowError."""
    for kind, sharing in KINDS.items():
        for rows in pages(connection, _shared(tables, sharing.table), tables[sharing.table]):
            yield Batch(kind, [key_of(kind, row) for row in rows], rows)
        if sharing.parts:
            for parts in pages(connection, _shared(tables, sharing.parts), tables[sharing.parts]):
                yield Batch(kind, (), parts=parts)


def size(connection: Connection, tables: Mapping[str, Table]) -> int:
    """Return the number of rows of `whole`."""
    names = [name for sharing in KINDS.values() for name in (sharing.table, sharing.parts) if name]
    asked = (select(func.count()).select_from(_shared(tables, name).subquery()) for name in names)
    return sum(connection.scalar(one) or 0 for one in asked)


def _shared(tables: Mapping[str, Table], name: str) -> Select[Any]:
    """Select the shared rows of a table, without the user's own steps."""
    steps, table = tables["steps"], tables[name]
    if name == "steps":
        return select(table).where(steps.c.author.is_not(None))
    if name == "revisions":
        return select(table).where(table.c.step_id.in_(select(steps.c.id).where(steps.c.author.is_not(None))))
    return select(table)


def pages(connection: Connection, asked: Select[Any], table: Table) -> Iterator[list[Row]]:
    """Yield pages by keyset pagination."""
    keys = list(table.primary_key.columns)
    page = asked
    while rows := _rows(connection, page.order_by(*keys).limit(PAGE), table):
        yield rows
        if len(rows) < PAGE:
            return
        page = asked.where(tuple_(*keys) > tuple_(*(rows[-1][key.name] for key in keys)))


def _rows(connection: Connection, asked: Select[Any], table: Table) -> list[Row]:
    names = [str(column.name) for column in table.columns]  # plain strings, unlike SQLAlchemy's names
    with decoding(table.name):
        return [dict(zip(names, row, strict=True)) for row in connection.execute(asked)]


LOCAL: Mapping[str, Table] = TableRow.metadata.tables


# ---- Values that a server cannot hold, and those that stay local.


ESCAPE = "\ue000"
"""Private-use escape character.

With a digit it encodes itself, or NUL, which PostgreSQL cannot hold.
"""


def sent(batch: Batch, author: str) -> Batch:
    """Convert items to the server's form: own steps get the author, approvals are removed."""
    rows = [_escaped(row) for row in batch.rows]
    parts = [_escaped(row) for row in batch.parts]
    for row in rows:
        if batch.kind == "step":
            row["author"] = row["author"] or author
        elif batch.kind == "power":
            row["approved"] = False
    for part in parts:
        if part.get("kind") == ItemKind.POWER and part["state"]:
            with decoding("recorded states"):
                held = orjson.loads(part["state"])
                if held["approved"]:
                    part["state"] = orjson.dumps(held | {"approved": 0}).decode()
    return batch._replace(rows=rows, parts=parts)


def received(batch: Batch, author: str) -> Batch:
    """Convert items to the copy's form."""
    rows = [_plain(row) for row in batch.rows]
    for row in rows if batch.kind == "step" else ():
        row["author"] = "" if row["author"] == author else row["author"]
    return batch._replace(rows=rows, parts=[_plain(row) for row in batch.parts])


def checked(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Validate a server's items and remove approvals; raises StoreError for invalid values.

    Whoever may write there cannot approve for others.
    """
    try:
        for batch in batches:
            yield _checked(batch)
    except (RowError, InvalidRequestError) as error:
        raise faults.odd("values that are none") from error


def _checked(batch: Batch) -> Batch:
    sharing = KINDS[batch.kind]
    rows, parts = ([_escaped(_plain(row)) for row in some] for some in (batch.rows, batch.parts))
    batch = batch._replace(rows=rows, parts=parts)  # other programs do not escape
    _check(batch.rows, LOCAL[sharing.table])
    if batch.parts:
        _check(batch.parts, LOCAL[sharing.parts])
    if batch.kind == "power":
        return batch._replace(rows=[row | {"approved": False} for row in batch.rows])
    if batch.kind == "step":
        states = [unapproved_state(part["kind"], part["state"]) for part in batch.parts]
        parts = [part | {"state": state} for part, state in zip(batch.parts, states, strict=True)]
        return batch._replace(parts=parts)
    return batch


def _check(rows: Sequence[Row], table: Table) -> None:
    for column in table.columns:
        if not all(is_loaded(column, row[column.name]) for row in rows):
            raise faults.odd(f"a value that is none among its {table.name} ({column.name})")


def _escaped(row: Row) -> Row:
    return {name: _escape(value) for name, value in row.items()}


def _plain(row: Row) -> Row:
    return {name: _unescape(value) for name, value in row.items()}


def _escape(value: Any) -> Any:
    if not isinstance(value, str) or (value.isascii() and "\0" not in value):
        return value
    return value.replace(ESCAPE, f"{ESCAPE}1").replace("\0", f"{ESCAPE}0")


def _unescape(value: Any) -> Any:
    if not isinstance(value, str) or value.isascii():
        return value
    return value.replace(f"{ESCAPE}0", "\0").replace(f"{ESCAPE}1", ESCAPE)


# ---- Comparison of two sides


class Checksum:
    """Number of rows and a digest of them, independent of order."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def of(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the batches, adding each to the checksum."""
        for batch in batches:
            self.add(batch)
            yield batch

    def add(self, batch: Batch) -> None:
        for row in (*batch.rows, *batch.parts):
            self.rows += 1
            content = orjson.dumps([batch.kind, row], option=orjson.OPT_SORT_KEYS, default=_printable)
            self._sum += int.from_bytes(hashlib.sha256(content).digest(), "big")

    @property
    def digest(self) -> str:
        return f"{self._sum % 2**256:064x}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Checksum) and (self.rows, self.digest) == (other.rows, other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)


def _printable(value: object) -> str:
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else repr(value)
