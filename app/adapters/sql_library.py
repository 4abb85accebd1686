"""The library of one profile, in a SQLite file that other instances may have open too."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection, delete, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters import (
    sql_cases,
    sql_connections,
    sql_embeddings,
    sql_memories,
    sql_opening,
    sql_powers,
    sql_rules,
)
from app.adapters.sql_adding import cleaned
from app.adapters.sql_faults import known_faults
from app.domain.case import Case, Task
from app.domain.library import Memory, Power
from app.domain.rule import Rule
from app.ports import Change, Provenance
from db.schema import CaseRow, EmbeddingRow, MemoryRow, PowerRow, RuleRow, SettingRow, TriggerRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.ports import Vectors

COUNTED = (MemoryRow, PowerRow, TriggerRow, RuleRow, CaseRow, EmbeddingRow)

T = TypeVar("T")


class SqlLibrary:
    """A Library in `library.db` of a profile folder.

    All writes run on one thread with one connection, each call in one transaction that takes the write lock at once;
    the caller waits. Reads have connections of their own and see one moment in time each. An iterable that is handed
    to a write is consumed on the writer's thread, so it may read from this library but not write to it.
    """

    def __init__(self, file: Path) -> None:
        """Use a file that is ready; `open` makes it so."""
        self.file = file
        self._reading = sql_connections.engine(file, "BEGIN", sql_connections.READING)
        self._writing = sql_connections.engine(file, "BEGIN IMMEDIATE", sql_connections.WRITING)
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="library-writer")
        self._connection: Connection | None = None

    @classmethod
    def open(cls, folder: Path) -> SqlLibrary:
        """The library of this profile folder, made or migrated where needed; StoreError if it cannot be used."""
        return cls(sql_opening.opened(folder))

    def memories(self) -> list[Memory]:
        """All memories, oldest first."""
        return self._read(sql_memories.selected)

    def powers(self) -> list[Power]:
        """All powers, oldest first."""
        return self._read(sql_powers.selected)

    def rules(self) -> list[Rule]:
        """All rules, pack by pack, each in its order."""
        return self._read(sql_rules.selected)

    def cases(self, task: Task | None = None) -> list[Case]:
        """All cases, or those of one task, oldest first."""
        where = None if task is None else CaseRow.task == task.value
        return self._read(lambda connection: sql_cases.selected(connection, where))

    def add_memories(self, memories: Iterable[Memory]) -> Change:
        """Store memories; `restating` says what becomes of those that are there already."""
        return self._write(lambda connection: sql_memories.add(connection, memories))

    def add_powers(self, powers: Iterable[Power]) -> Change:
        """Store powers; `restating` says what becomes of those that are there already."""
        return self._write(lambda connection: sql_powers.add(connection, powers))

    def put_memory(self, memory: Memory) -> Memory:
        """Store one memory exactly as it is, under its key (also one that was removed) or a new one."""
        return self._write(lambda connection: sql_memories.put(connection, memory))

    def remove_memory(self, key: int) -> None:
        """Forget the memory and its triggers; nothing happens if there is none of this key."""
        self._write(lambda connection: sql_memories.remove(connection, key))

    def put_rules(self, rules: Iterable[Rule]) -> Change:
        """Store rules by id."""
        return self._write(lambda connection: sql_rules.put(connection, rules))

    def add_cases(self, cases: Iterable[Case]) -> Change:
        """Store cases; one with the task and text of a stored one replaces what that expected."""
        return self._write(lambda connection: sql_cases.add(connection, cases))

    def remove_cases(self, cases: Iterable[Case]) -> None:
        """Forget the cases of these tasks and texts."""
        self._write(lambda connection: sql_cases.remove(connection, cases))

    def embeddings(self, provenance: Provenance, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Read-only vectors of shape (dimension,), for those of the texts that have one."""
        return self._read(lambda connection: sql_embeddings.selected(connection, provenance, texts))

    def put_embeddings(self, provenance: Provenance, texts: Sequence[str], vectors: Vectors) -> None:
        """Store vectors of shape (len(texts), dimension); ValueError for another shape."""
        self._write(lambda connection: sql_embeddings.put(connection, provenance, texts, vectors))

    def setting_values(self) -> dict[str, str]:
        """Dotted key to value as text."""
        rows = select(SettingRow.key, SettingRow.value).order_by(SettingRow.key)
        return self._read(lambda connection: {row.key: row.value for row in connection.execute(rows)})

    def put_setting(self, key: str, value: str | None) -> None:
        """Keep a setting, or with None forget it."""
        if value is None:
            self._write(lambda connection: connection.execute(delete(SettingRow).where(SettingRow.key == key)))
            return
        statement = upsert(SettingRow).values(key=cleaned(key), value=cleaned(value))
        statement = statement.on_conflict_do_update(
            index_elements=[SettingRow.key], set_={"value": cleaned(value), "updated": func.current_timestamp()}
        )
        self._write(lambda connection: connection.execute(statement))

    def counts(self) -> Mapping[str, int]:
        """Rows by table word."""
        columns = (select(func.count()).select_from(row).scalar_subquery().label(row.__tablename__) for row in COUNTED)
        return self._read(lambda connection: dict(connection.execute(select(*columns)).one()._mapping))

    def data_version(self) -> int:
        """A number that changes when somebody else has written: another instance, not this one."""
        return self._on_writer(self._foreign_writes)

    def close(self) -> None:
        """Wait for the writer, then let go of the file; a second call does nothing."""
        self._writer.shutdown(wait=True)
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._reading.dispose()
        self._writing.dispose()

    def _read(self, work: Callable[[Connection], T]) -> T:
        with known_faults(self.file), self._reading.begin() as connection:
            return work(connection)

    def _write(self, work: Callable[[Connection], T]) -> T:
        def in_transaction() -> T:
            connection = self._writers_connection()
            with connection.begin():
                return work(connection)

        return self._on_writer(in_transaction)

    def _on_writer(self, work: Callable[[], T]) -> T:
        with known_faults(self.file):
            return self._writer.submit(work).result()

    def _writers_connection(self) -> Connection:
        if self._connection is None:
            self._connection = self._writing.connect()
        return self._connection

    def _foreign_writes(self) -> int:
        # Asked on the writer's own connection, whose writes do not count, and outside of any transaction.
        driver = self._writers_connection().connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        (number,) = driver.execute("PRAGMA data_version").fetchone()
        return int(number)
