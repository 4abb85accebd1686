"""Rows of keyword rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select, update

from app.adapters.store.damage import check, decoding
from app.adapters.store.writing.entries import JournalEntry
from app.adapters.store.writing.writes import add_all, next_key
from app.domain.intent import Rule, RulePurpose
from app.domain.journal import ThingKind
from app.ports.store import Change
from db.schema import RuleRow


class RuleRepository:
    """Stored rules with the ids of a chunk."""

    def __init__(self) -> None:
        self._by_id: dict[str, tuple[int, Rule]] = {}

    def fetch(self, connection: Connection, chunk: Sequence[Rule]) -> None:
        stored = selected(connection, RuleRow.external_id.in_({rule.id for rule in chunk}))
        self._by_id = {rule.id: (rule.key, rule) for rule in stored if rule.key is not None}

    def find(self, incoming: Rule) -> tuple[int, Rule] | None:
        return self._by_id.get(incoming.id)

    def hold(self, key: int, thing: Rule) -> None:
        self._by_id[thing.id] = key, replace(thing, key=key)

    def merged(self, stored: Rule, incoming: Rule) -> Rule:
        return replace(incoming, key=stored.key, version=stored.version)

    def write(self, entry: JournalEntry, new: Mapping[int, Rule], changed: Mapping[int, Rule]) -> None:
        if changed:
            entry.changing(ThingKind.RULE, list(changed))
            entry.connection.execute(
                update(RuleRow).where(RuleRow.id == bindparam("key")),
                [{"key": key, **_row(rule, entry)} for key, rule in changed.items()],
            )
        if new:
            entry.adding(ThingKind.RULE, new)
            entry.connection.execute(insert(RuleRow), [{"id": key, **_row(r, entry)} for key, r in new.items()])


def put(entry: JournalEntry, rules: Iterable[Rule]) -> Change:
    return add_all(entry, rules, RuleRepository(), next_key(entry.connection, RuleRow.id))


def selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Rule]:
    """Return the rules, or those of a condition, by pack and position; raises RowError."""
    with decoding("rules"):
        found = _selected(connection, where)
        for one in found:
            check(one)
        return found


def _selected(connection: Connection, where: ColumnElement[bool] | None) -> list[Rule]:
    rows = select(RuleRow.__table__).order_by(RuleRow.pack, RuleRow.position, RuleRow.id)
    if where is not None:
        rows = rows.where(where)
    return [
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
            key=row.id,
            version=row.version,
        )
        for row in connection.execute(rows)
    ]


def _row(rule: Rule, entry: JournalEntry) -> dict[str, Any]:
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
        "version": entry.number,
    }
