"""Team library on a PostgreSQL server: tables, lock, and exchange of changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC
from itertools import chain, islice
from typing import Any
from uuid import uuid4

import orjson
from sqlalchemy import JSON, Connection, Engine, Table, create_engine, delete, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from app.adapters.store.connections import _json, chunks
from app.adapters.store.team import faults
from app.adapters.store.team.wire import (
    KEYS_GIVEN,
    KINDS,
    Batch,
    Key,
    Row,
    batches,
    checked,
    named,
    pages,
    read_key,
    spelled,
)
from app.adapters.store.values import MOST_NUMBER
from app.domain.library import Role, TeamChange
from app.settings.layers import MOST
from db import upgrade as history
from db.schema import MemoryRow
from db.team import CHANGES, LIBRARY, SETTINGS, TABLES, TOUCHED, VERSION_TABLE

CONNECT_SECONDS = 5
LOCK_MS, STATEMENT_MS, IDLE_MS = 5_000, 20_000, 300_000
"""Time-outs in ms: of the lock, of a statement, and of a silent client in a transaction."""

MOST_TOUCHED = 5_000_000
"""Maximum number of changed items that are applied."""

GIVEN = frozenset(KEYS_GIVEN)
MIGRATION_LOCK = 0x696E74656E74  # "intent"
"""Advisory lock of a client that migrates the tables."""


@dataclass(frozen=True, slots=True)
class State:
    """State of a library on a server: last change, last step number, last keys by table.

    `author` is this client's account.
    """

    library: str
    head: int
    number: int
    keys: Mapping[str, int]
    author: str


class Server:
    """Server of a team's library. Calls may block for seconds; raises StoreError, TeamGoneError."""

    def __init__(self, address: str, password: str | None = None) -> None:
        """Set the server by libpq address (postgresql://user@host/database?sslmode=verify-full).

        The address has no password; without `password`, PGPASSWORD or the file .pgpass is used.
        """
        self.address = address
        self._password = password
        with faults.known_faults():
            self._engine: Engine = create_engine("postgresql+psycopg://", creator=self.connected, poolclass=NullPool)
        self._connection: Connection | None = None
        self._account = ""

    def connected(self) -> Any:
        """Open a new connection of the driver, with time-outs."""
        import psycopg
        from psycopg.types.json import set_json_loads

        from app.adapters.store.team.driver import connect

        limits = {"lock": LOCK_MS, "statement": STATEMENT_MS, "idle_in_transaction_session": IDLE_MS}
        waits = " ".join(f"-c {what}_timeout={longest}" for what, longest in limits.items())
        try:
            info = psycopg.conninfo.conninfo_to_dict(self.address)
        except psycopg.ProgrammingError as error:
            raise faults.no_address(self.address) from error
        options = f"{info.get('options', '')} {waits}".strip()
        connection = connect(
            self.address, self._password, CONNECT_SECONDS, options=options, application_name="intentscope"
        )
        set_json_loads(orjson.loads, connection)  # an engine does not set this on connections made outside
        self._account = connection.info.user
        return connection

    def account(self) -> str:
        return self._account

    # ---- Transactions

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a transaction on the persistent connection, committed at the end unless already."""
        with faults.known_faults(self.account):
            import psycopg

            try:
                connection = self._open_connection()
                begun = connection.begin()
                try:
                    yield connection
                except BaseException:
                    begun.close()
                    raise
                if begun.is_active:
                    begun.commit()
            except (DBAPIError, psycopg.Error) as error:
                if faults.is_gone(error):
                    self.let_go()
                raise

    @contextmanager
    def snapshot(self) -> Iterator[tuple[Connection, State]]:
        """Open a consistent snapshot for reading."""
        with self.transaction() as connection:
            connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
            yield connection, state_of(connection)

    @contextmanager
    def change(self) -> Iterator[tuple[Connection, State]]:
        """Open a transaction with the exclusive lock; raises StoreBusyError if it is held too long."""
        with self.transaction() as connection:
            yield connection, state_of(connection, locked=True)

    def commit(self, connection: Connection, change: str) -> None:
        """Commit a change; if the answer is lost, the log shows whether it was made.

        Raises TeamGoneError if the log cannot be read: a committed change is later received like another's.
        """
        begun = connection.get_transaction()
        assert begun is not None, "a change is under way"
        try:
            begun.commit()
        except DBAPIError as error:
            if not faults.is_gone(error):
                raise
            self.let_go()
            with self.change() as (again, _):  # waits until the lost transaction has ended
                if not is_logged(again, change):
                    raise

    def close(self) -> None:
        self.let_go()
        self._engine.dispose()

    def let_go(self) -> None:
        """Drop the connection, so that the next call reconnects."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(DBAPIError):
                connection.invalidate()
                connection.close()

    def _open_connection(self) -> Connection:
        if self._connection is None or self._connection.closed or self._connection.invalidated:
            with faults.reading():
                connection = self._engine.connect()
                with connection.begin():
                    prepare(connection)
            self._connection = connection
        return self._connection


def prepare(connection: Connection) -> None:
    """Create or migrate the tables, one client at a time, all or nothing.

    Raises StoreError if newer.
    """
    if _is_behind(connection):
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
        if _is_behind(connection):  # another client may have done it meanwhile
            history.upgrade_team(connection)


def _is_behind(connection: Connection) -> bool:
    if connection.scalar(text("SELECT to_regclass(:name)"), {"name": VERSION_TABLE}) is None:
        return True
    version = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    if version is None:
        raise faults.odd("no version of its tables")
    return _is_old(str(version))


def _is_old(version: str) -> bool:
    if version not in history.TEAM_REVISIONS:
        raise faults.newer(version)
    return version != history.TEAM_REVISIONS[-1]


@faults.reading()
def state_of(connection: Connection, *, locked: bool = False) -> State:
    """Return the state of the library; raises StoreError if it was migrated meanwhile."""
    version = text(f"(SELECT version_num FROM {VERSION_TABLE}) AS version, session_user AS author")
    asked = select(LIBRARY, version)
    rows = connection.execute(asked.with_for_update(of=LIBRARY) if locked else asked).all()
    if len(rows) != 1:
        raise faults.odd(f"{len(rows)} libraries instead of one")
    (row,) = rows
    if _is_old(row.version):
        raise faults.older()
    keys: dict[Any, Any] = row.keys if isinstance(row.keys, dict) else {"": None}
    numbers = (row.head, row.number, *keys.values())  # later numbers continue from these
    if not (all(type(number) is int and 0 <= number <= MOST_NUMBER for number in numbers) and keys.keys() <= GIVEN):
        raise faults.odd("numbers that are none")
    return State(str(row.id), row.head, row.number, keys, row.author)


# ---- Sending a change, and receiving changes.


def push(connection: Connection, state: State, batches: Iterable[Batch], number: int, keys: Mapping[str, int]) -> str:
    """Send items as the change after this state; return the change's id.

    Other clients are notified by the commit, which the caller makes.
    """
    head, things, change = state.head + 1, 0, uuid4().hex
    for batch in batches:
        things += len(batch.keys) if batch.kind != "step" else 0
        _put(connection, batch, is_empty=not state.head)
        if batch.keys:
            connection.execute(TOUCH, {"kind": batch.kind, "seq": head, "keys": list(map(spelled, batch.keys))})
    connection.execute(insert(CHANGES).values(seq=head, id=change, things=things))
    now = {name: max(state.keys.get(name, 0), key) for name, key in keys.items()}
    connection.execute(update(LIBRARY).values(head=head, number=max(number, state.number), keys=now))
    connection.execute(
        text("SELECT pg_notify(:channel, :head)"), {"channel": channel(state.library), "head": str(head)}
    )
    return change


def _put(connection: Connection, batch: Batch, *, is_empty: bool) -> None:
    sharing = KINDS[batch.kind]
    table, parts = TABLES[sharing.table], TABLES.get(sharing.parts)
    for keys in () if is_empty else chunks(batch.keys):
        connection.execute(delete(table).where(named(batch.kind, TABLES, keys)))
        if parts is not None:
            connection.execute(delete(parts).where(parts.c[sharing.owner].in_(keys)))
    _copy(connection, table, batch.rows)
    if parts is not None:
        _copy(connection, parts, batch.parts)


def _copy(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Add rows by COPY, in one round trip."""
    if not rows:
        return
    quote = connection.dialect.identifier_preparer.quote
    columns = [(column.name, isinstance(column.type, JSON)) for column in table.columns]
    names = ", ".join(quote(name) for name, _ in columns)
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {quote(table.name)} ({names}) FROM STDIN") as copied:
        for row in rows:
            copied.write_row([_json(row[name]) if is_json else row[name] for name, is_json in columns])


TOUCH = text(
    "INSERT INTO touched (kind, key, seq) SELECT :kind, key, :seq FROM unnest(CAST(:keys AS text[])) AS key "
    "ON CONFLICT (kind, key) DO UPDATE SET seq = excluded.seq"
)


def keep_settings(connection: Connection, chosen: Mapping[str, str]) -> None:
    """Store the settings for profiles that join."""
    _copy(connection, SETTINGS, [{"key": key, "value": value} for key, value in chosen.items()])


@faults.reading()
def settings_of(connection: Connection) -> dict[str, str]:
    """Return the settings for profiles that join, unvalidated."""
    rows = connection.execute(select(SETTINGS).limit(MOST + 1))
    return {row.key: row.value for row in rows if isinstance(row.key, str) and isinstance(row.value, str)}


def is_logged(connection: Connection, change: str) -> bool:
    """Return whether a change is in the log, after a connection lost at commit."""
    return connection.scalar(select(CHANGES.c.seq).where(CHANGES.c.id == change)) is not None


@faults.reading()
def log(connection: Connection, most: int) -> list[TeamChange]:
    """Return the newest entries of the log, newest first."""
    rows = connection.execute(select(CHANGES).order_by(CHANGES.c.seq.desc()).limit(most))
    return [TeamChange(row.seq, f"{row.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}", row.author, row.things) for row in rows]


@faults.reading()
def touched_since(connection: Connection, head: int) -> list[tuple[str, list[Key]]]:
    """Return the keys changed after this change, by kind."""
    found: dict[str, list[Key]] = {kind: [] for kind in KINDS}
    since = TOUCHED.c.seq > head
    count = connection.scalar(select(func.count()).select_from(TOUCHED).where(since)) or 0
    if count > MOST_TOUCHED:
        raise faults.odd(f"{count:,} changes, more than any library has things")
    rows = chain.from_iterable(pages(connection, select(TOUCHED).where(since), TOUCHED))
    for row in islice(rows, count):
        try:
            found[row["kind"]].append(read_key(row["kind"], row["key"]))
        except (LookupError, TypeError, ValueError) as error:
            raise faults.odd("a change to something that there is not") from error
    return [(kind, sorted(keys)) for kind, keys in found.items() if keys]


def things(connection: Connection, wanted: Iterable[tuple[str, Iterable[Key]]]) -> Iterator[Batch]:
    """Yield the items of these keys, validated; raises StoreError."""
    return checked(batches(connection, TABLES, wanted))


RIGHTS = f"""
    SELECT pg_has_role(relowner, 'MEMBER'), has_table_privilege(oid, 'INSERT')
        AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')
    FROM pg_class WHERE oid = to_regclass('{MemoryRow.__tablename__}')
"""
"""Statement for an account's rights: owner of the tables, and permission to change memories."""


@faults.reading()
def role_of(connection: Any) -> Role:
    is_owner, may_write = connection.execute(RIGHTS).fetchone() or (False, False)
    return Role.OWNER if is_owner else Role.EDITOR if may_write else Role.READER


def channel(library: str) -> str:
    return f"intentscope_{library}"
