"""Keyword rules, in rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select, update

from app.adapters.sql_adding import add_all, next_key
from app.domain.rule import Rule, RulePurpose
from app.ports import Change
from db.schema import RuleRow


class RuleShelf:
    """The stored rules of the ids that a chunk holds."""

    def __init__(self) -> None:
        self._by_id: dict[str, tuple[int, Rule]] = {}

    def fetch(self, connection: Connection, chunk: Sequence[Rule]) -> None:
        stored = _selected(connection, RuleRow.external_id.in_({rule.id for rule in chunk}))
        self._by_id = {rule.id: (key, rule) for key, rule in stored}

    def find(self, newcomer: Rule) -> tuple[int, Rule] | None:
        return self._by_id.get(newcomer.id)

    def hold(self, key: int, thing: Rule) -> None:
        self._by_id[thing.id] = key, thing

    def write(self, connection: Connection, new: Mapping[int, Rule], changed: Mapping[int, Rule]) -> None:
        if new:
            connection.execute(insert(RuleRow), [{"id": key, **_row(rule)} for key, rule in new.items()])
        if changed:
            connection.execute(
                update(RuleRow).where(RuleRow.id == bindparam("key")),
                [{"key": key, **_row(rule)} for key, rule in changed.items()],
            )


def put(connection: Connection, rules: Iterable[Rule]) -> Change:
    return add_all(connection, rules, RuleShelf(), lambda _, newcomer: newcomer, next_key(connection, RuleRow.id))


def selected(connection: Connection) -> list[Rule]:
    """All rules, pack by pack, each in its order."""
    return [rule for _, rule in _selected(connection)]


def _selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[tuple[int, Rule]]:
    rows = select(RuleRow.__table__).order_by(RuleRow.pack, RuleRow.position, RuleRow.id)
    if where is not None:
        rows = rows.where(where)
    return [
        (
            row.id,
            Rule(
                id=row.external_id,
                label=row.label,
                pattern=row.pattern,
                pack=row.pack,
                position=row.position,
                weight=row.weight,
                confidence=row.confidence,
                unless=row.unless,
                purpose=RulePurpose(row.purpose),
                enabled=row.enabled,
            ),
        )
        for row in connection.execute(rows)
    ]


def _row(rule: Rule) -> dict[str, Any]:
    return {
        "external_id": rule.id,
        "label": rule.label,
        "pattern": rule.pattern,
        "unless": rule.unless,
        "pack": rule.pack,
        "position": rule.position,
        "weight": rule.weight,
        "confidence": rule.confidence,
        "purpose": rule.purpose.value,
        "enabled": rule.enabled,
    }
