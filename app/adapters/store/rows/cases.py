"""Rows of labelled queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, Connection, select

from app.adapters.store.connections import chunks
from app.adapters.store.writing.states import items_in
from app.adapters.store.writing.writes import Repository
from app.domain.case import Case, Task
from app.domain.journal import ThingKind
from db.schema import CaseRow, digest


class CaseRepository(Repository[Case]):
    """Stored cases for the texts of a chunk; an equal task and text replaces the expectation."""

    kind, row = ThingKind.CASE, CaseRow

    def stored(self, connection: Connection, chunk: Sequence[Case]) -> list[Case]:
        return selected(connection, CaseRow.digest.in_({digest(case.text) for case in chunk}))

    def merged(self, stored: Case, incoming: Case) -> Case:
        """Merge; excluded answers are kept unless the new case names or expects others."""
        kept = tuple(name for name in stored.unwanted if name not in incoming.expected)
        return super().merged(stored, replace(incoming, unwanted=incoming.unwanted or kept))


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
    columns = (CaseRow.id, CaseRow.task, CaseRow.text, CaseRow.expected, CaseRow.version, CaseRow.unwanted)
    rows = select(*columns).order_by(CaseRow.id)
    return items_in(connection, ThingKind.CASE, rows if where is None else rows.where(where))
