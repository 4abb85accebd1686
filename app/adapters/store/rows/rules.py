"""Rows of keyword rules."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, select

from app.adapters.store.writing.states import items_in
from app.adapters.store.writing.writes import Repository
from app.domain.intent import Rule
from app.domain.journal import ThingKind
from db.schema import RuleRow


class RuleRepository(Repository[Rule]):
    """Stored rules with the ids of a chunk."""

    kind, row = ThingKind.RULE, RuleRow

    def stored(self, connection: Connection, chunk: Sequence[Rule]) -> list[Rule]:
        return selected(connection, RuleRow.external_id.in_({rule.id for rule in chunk}))


def selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Rule]:
    """Return the rules, or those of a condition, by pack and position; raises RowError."""
    rows = select(RuleRow.__table__).order_by(RuleRow.pack, RuleRow.position, RuleRow.id)
    return items_in(connection, ThingKind.RULE, rows if where is None else rows.where(where))
