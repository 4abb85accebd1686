"""Library of one profile, in a SQLite file that other instances may open as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, func, select

from app.adapters.secrets import FileSecrets
from app.adapters.store import journal, opening
from app.adapters.store.connections import SqlAccess, among, reading
from app.adapters.store.damage import sound
from app.adapters.store.entries import end_membership, membership
from app.adapters.store.faults import RowError
from app.adapters.store.pending_secrets import pending, secret_name, value_of
from app.adapters.store.rows import items as sql_items
from app.adapters.store.rows import powers as sql_powers
from app.adapters.store.rows import search
from app.adapters.store.rows.evaluations import SqlEvaluationRuns, SqlLlmAnswers, SqlVectors
from app.adapters.store.rows.history import SqlHistory
from app.adapters.store.rows.items import CaseRepository, MemoryRepository, RuleRepository
from app.adapters.store.rows.powers import PowerRepository, SqlRuns
from app.adapters.store.rows.routes import SqlRoutes
from app.adapters.store.rows.usage import SqlUsageCounts
from app.adapters.store.writes import Repository, SqlWrites, Stored, Work, cleaned
from app.domain.case import Case, Task
from app.domain.errors import StoreError
from app.domain.filters import MemoryEdit, touched
from app.domain.intent import Rule
from app.domain.journal import Edit, Item, ItemKey, Written, kind_of
from app.domain.library import Membership, Memory, Power
from app.ports.store import DistinctPair, Secrets, WriteResult
from db.schema import CaseRow, EmbeddingRow, MemoryRow, PowerRow, RuleRow, TriggerRow

COUNTED = (MemoryRow, PowerRow, TriggerRow, RuleRow, CaseRow, EmbeddingRow)


class SqlLibrary(SqlHistory, SqlRuns, SqlVectors):
    """Library in `library.db` of a profile folder.

    Every call waits for its transaction. An iterable passed to a write is consumed on the writer's thread, so it
    may read from this library but not write to it.
    """

    refusal = ""
    """Reason that nothing can be changed; "" if writable."""

    def __init__(
        self,
        file: Path,
        secrets: Secrets | None = None,
        yield_to_typing: Callable[[], object] = lambda: None,
        *,
        access: SqlAccess | None = None,
    ) -> None:
        """Use a prepared file; see `open`. Without `secrets` they are stored in a file beside it.

        `yield_to_typing` is called during large writes, and may block. With an `access` everything goes through
        that.
        """
        self.file = file
        self._secrets = secrets or FileSecrets(file.with_name("secrets.json"))
        access = access or SqlAccess(file, yield_to_typing)
        super().__init__(access, SqlWrites(access, self._secrets))
        self.routes = SqlRoutes(access)
        self.llm_answers = SqlLlmAnswers(access)
        self.evaluation_runs = SqlEvaluationRuns(access)
        self.usage_counts = SqlUsageCounts(access)

    @classmethod
    def open(
        cls, folder: Path, secrets: Secrets | None = None, yield_to_typing: Callable[[], object] = lambda: None
    ) -> Self:
        """Open the library of this profile, created or migrated if needed; raises StoreError."""
        library = cls(opening.prepare_file(folder), secrets, yield_to_typing)
        with suppress(RowError):  # reported when the powers are read
            if library._access.read(sql_powers.has_secrets):
                library._access.write(library._move_secrets)
        library._writes.finish()
        return library

    def _move_secrets(self, connection: Connection) -> None:
        """Move secrets of older versions out of the rows, after deleting them from the backups."""
        sql_powers.move_secrets(connection, self._secrets)
        opening.blank_secrets(self.file.parent)

    # ---- Reads

    def memories(self) -> list[Memory]:
        """Return all memories, oldest first."""
        return self._sound(MemoryRepository)

    def powers(self) -> list[Power]:
        """Return all powers, oldest first, without the values of their environments."""
        return self._sound(PowerRepository)

    def rules(self) -> list[Rule]:
        """Return all rules, by pack and position."""
        return self._sound(RuleRepository)

    def cases(self, task: Task | None = None) -> list[Case]:
        """Return all cases, or those of one task, oldest first."""
        return self._sound(CaseRepository, None if task is None else CaseRow.task == task.value)

    def damaged(self) -> Mapping[str, Sequence[int | str]]:
        return {kind: keys for kind, keys in self._damaged.items() if keys}

    def _sound(self, repository: type[Repository[Stored]], where: ColumnElement[bool] | None = None) -> list[Stored]:
        selected, key = repository.selected, repository.row.id
        found, damaged = self._access.read(lambda connection: sound(connection, selected, key, where))
        self._damaged[repository.kind.plural] = damaged
        return found

    find_memories = reading(search.memory_keys)
    find_cases = reading(search.case_keys)
    memories_by_key = reading(search.memories_of)
    cases_by_key = reading(search.cases_of)
    cases_among = reading(sql_items.cases_among)
    facets = reading(search.facets)
    intents = reading(search.intents)

    def counts(self) -> Mapping[str, int]:
        columns = (select(func.count()).select_from(row).scalar_subquery().label(row.__tablename__) for row in COUNTED)
        return self._access.read(lambda connection: dict(connection.execute(select(*columns)).one()._mapping))

    # ---- Additions, matched by identity

    def add(self, kind: str, items: Iterable[Any], edit: Edit | None = None) -> WriteResult:
        return self.add_kinds([(kind, items)], edit)[0]

    def add_kinds(self, kinds: Sequence[tuple[str, Iterable[Any]]], edit: Edit | None = None) -> list[WriteResult]:
        return self._writes.write(
            edit, lambda entry, secrets: [sql_items.add(entry, kind, things, secrets) for kind, things in kinds]
        )[0]

    # ---- Journal

    def change(
        self, edit: Edit, items: Iterable[Item] = (), gone: Iterable[ItemKey] = (), *, anyway: bool = False
    ) -> Written | None:
        """Store items exactly and delete others in one step; None if unchanged. Raises StaleError."""
        items = list(items)
        stored = {(kind_of(item), item.key) for item in items}
        gone = [key for key in gone if key not in stored]
        return self._do(edit, lambda entry, secrets: sql_items.change(entry, items, gone, secrets, anyway=anyway), gone)

    def edit_memories(self, edit: Edit, keys: Iterable[int], change: MemoryEdit) -> Written | None:
        return self._do(edit, lambda entry, _: sql_items.edit(entry, keys, cleaned(change)))

    def count_edited(self, keys: Iterable[int], edit: MemoryEdit) -> int:
        where = among(MemoryRow.id, keys)
        return self._access.read(lambda connection: len(touched(edit, MemoryRepository.selected(connection, where))))

    def undo(self, step: int | None = None) -> Written | None:
        return self._access.share(lambda connection: journal.undo(connection, step))

    def redo(self) -> Written | None:
        return self._access.share(journal.redo)

    steps = reading(journal.steps)
    history = reading(sql_items.history)
    binned = reading(sql_items.binned)
    distinct_pairs = reading(sql_items.selected_distinct_pairs)
    settings_of_step = reading(journal.settings_of_step)

    def put_back(self, edit: Edit, keys: Iterable[ItemKey]) -> Written | None:
        """Restore deleted items under their keys in one step; None if none is in the bin."""
        return self._do(edit, lambda entry, secrets: sql_items.put_back_binned(entry, keys, secrets))

    def empty_bin(self) -> None:
        self._writes.forget(sql_items.empty)

    def prune(self, days: int) -> None:
        self._writes.forget(lambda connection: sql_items.prune(connection, days), shared=False)

    def put_distinct_pairs(self, edit: Edit, pairs: Iterable[DistinctPair]) -> Written | None:
        return self._writes.dropping_undone(lambda connection: sql_items.put(connection, cleaned(edit), pairs))

    # ---- Others

    def environment(self, power: Power) -> dict[str, str]:
        assert power.key is not None, "only what is stored has values"
        waiting = self._access.read(pending)
        key = power.key
        return {
            name: reference or value_of(self._secrets, waiting, secret_name(key, name)) or ""
            for name, reference in power.transport.named.items()
        }

    def secrets_place(self) -> str:
        return self._secrets.place

    def secrets_fault(self) -> str | None:
        given = ((power.key or 0, power.transport.named) for power in self.powers())
        names = [secret_name(key, name) for key, env in given for name, reference in env.items() if not reference]
        if not names or not self._secrets.is_fallback:  # the keyring is only accessed if there are secrets
            return None
        try:
            return self._secrets.place if any(map(self._secrets.get, names)) else None
        except StoreError as error:
            return str(error)

    def setting_values(self) -> dict[str, str]:
        found, self._damaged["settings"] = self._access.read(journal.selected)
        return found

    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        self._access.write(lambda connection: journal.put(connection, changes), lasting=True)

    def choose_settings(self, edit: Edit, changes: Mapping[str, str | None]) -> int | None:
        named = cleaned(edit)
        return self._writes.dropping_undone(lambda connection: journal.choose(connection, named, changes), shared=False)

    def team(self) -> Membership | None:
        return self._access.read(membership)

    def leave_team(self) -> None:
        """Make this an own library, with its content."""
        self._access.write(end_membership, lasting=True)

    def data_version(self) -> int:
        return self._access.data_version()

    def changed_memories(self) -> Sequence[int] | None:
        """Return None: changes of a file by others are not known by key."""
        return None

    def close(self) -> None:
        """Wait for the writer, then close the file; idempotent."""
        self._access.close()

    def _do(self, edit: Edit | None, work: Work[Sequence[Item] | None], gone: Sequence[ItemKey] = ()) -> Written | None:
        items, step = self._writes.write(edit, work)
        return None if step is None else Written(step, items or (), gone)
