"""Rows of labelled queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select, update

from app.adapters.store.connections import chunks
from app.adapters.store.damage import check, decoding
from app.adapters.store.writing.entries import JournalEntry
from app.adapters.store.writing.writes import add_all, next_key
from app.domain.case import Case, Task
from app.domain.journal import ThingKind
from app.ports.store import Change
from db.schema import CaseRow, digest


class CaseRepository:
    """Stored cases for the texts of a chunk, identified by task and text."""

    def __init__(self) -> None:
        self._by_text: dict[tuple[Task, str], tuple[int, Case]] = {}

    def fetch(self, connection: Connection, chunk: Sequence[Case]) -> None:
        stored = selected(connection, CaseRow.digest.in_({digest(case.text) for case in chunk}))
        self._by_text = {(case.task, case.text): (case.key, case) for case in stored if case.key is not None}

    def find(self, incoming: Case) -> tuple[int, Case] | None:
        return self._by_text.get((incoming.task, incoming.text))

    def hold(self, key: int, thing: Case) -> None:
        self._by_text[thing.task, thing.text] = key, replace(thing, key=key)

    def merged(self, stored: Case, incoming: Case) -> Case:
        """Merge; excluded answers are kept unless the new case names or expects others."""
        kept = tuple(name for name in stored.unwanted if name not in incoming.expected)
        return replace(incoming, unwanted=incoming.unwanted or kept, key=stored.key, version=stored.version)

    def write(self, entry: JournalEntry, new: Mapping[int, Case], changed: Mapping[int, Case]) -> None:
        if changed:
            entry.changing(ThingKind.CASE, list(changed))
            entry.connection.execute(
                update(CaseRow).where(CaseRow.id == bindparam("key")),
                [{"key": key, **_row(case, entry)} for key, case in changed.items()],
            )
        if new:
            entry.adding(ThingKind.CASE, new)
            entry.connection.execute(insert(CaseRow), [{"id": key, **_row(c, entry)} for key, c in new.items()])


def add(entry: JournalEntry, cases: Iterable[Case]) -> Change:
    """Store cases; an equal task and text replaces the expectation of a stored one."""
    return add_all(entry, cases, CaseRepository(), next_key(entry.connection, CaseRow.id))


def among(connection: Connection, texts: Iterable[str]) -> frozenset[str]:
    """Return the texts that are a case's query; found by task and digest, which share an index."""
    wanted, found = frozenset(texts), set[str]()
    every = CaseRow.task.in_([task.value for task in Task])
    for chunk in chunks(wanted):
        held = select(CaseRow.text).where(every, CaseRow.digest.in_([digest(text) for text in chunk]))
        found.update(connection.scalars(held))
    return wanted & found


def selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Case]:
    """Return the cases, or those of a condition, in key order; raises RowError."""
    with decoding("cases"):
        found = _selected(connection, where)
        for one in found:
            check(one)
        return found


def _selected(connection: Connection, where: ColumnElement[bool] | None) -> list[Case]:
    columns = (CaseRow.id, CaseRow.task, CaseRow.text, CaseRow.expected, CaseRow.version, CaseRow.unwanted)
    rows = select(*columns).order_by(CaseRow.id)
    if where is not None:
        rows = rows.where(where)
    return [
        Case(text, tuple(expected), Task(task), key, version, tuple(unwanted))
        for key, task, text, expected, version, unwanted in connection.execute(rows)
    ]


def _row(case: Case, entry: JournalEntry) -> dict[str, Any]:
    return {
        "task": case.task.value,
        "text": case.text,
        "digest": digest(case.text),
        "expected": case.expected,
        "unwanted": case.unwanted,
        "version": entry.number,
    }
