"""Powers and their tools, in rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, insert, select, update

from app.adapters.restating import restated_power
from app.adapters.sql_adding import add_all, chunks, next_key
from app.domain.library import Power, Tool, Transport
from app.ports import Change
from db.schema import PowerRow, ToolRow


class PowerShelf:
    """The stored powers of the names that a chunk holds."""

    def __init__(self) -> None:
        self._by_name: dict[str, tuple[int, Power]] = {}

    def fetch(self, connection: Connection, chunk: Sequence[Power]) -> None:
        stored = selected(connection, PowerRow.name.in_({power.name for power in chunk}))
        self._by_name = {power.name: (power.key, power) for power in stored if power.key is not None}

    def find(self, newcomer: Power) -> tuple[int, Power] | None:
        return self._by_name.get(newcomer.name)

    def hold(self, key: int, thing: Power) -> None:
        self._by_name[thing.name] = key, replace(thing, key=key)

    def write(self, connection: Connection, new: Mapping[int, Power], changed: Mapping[int, Power]) -> None:
        if new:
            connection.execute(insert(PowerRow), [{"id": key, **_row(power)} for key, power in new.items()])
        if changed:
            connection.execute(
                update(PowerRow).where(PowerRow.id == bindparam("key")),
                [{"key": key, **_row(power)} for key, power in changed.items()],
            )
            for keys in chunks(changed):
                connection.execute(delete(ToolRow).where(ToolRow.power_id.in_(keys)))
        tools = [row for key, power in (*new.items(), *changed.items()) for row in _tool_rows(key, power)]
        if tools:
            connection.execute(insert(ToolRow), tools)


def add(connection: Connection, powers: Iterable[Power]) -> Change:
    return add_all(connection, powers, PowerShelf(), restated_power, next_key(connection, PowerRow.id))


def selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Power]:
    """The powers, all or those that the condition selects, in the order of their keys."""
    rows = select(PowerRow.__table__).order_by(PowerRow.id)
    described = select(ToolRow.power_id, ToolRow.name, ToolRow.description)
    described = described.order_by(ToolRow.power_id, ToolRow.position)
    if where is not None:
        rows = rows.where(where)
        described = described.where(ToolRow.power_id.in_(select(PowerRow.id).where(where)))
    tools: defaultdict[int, list[Tool]] = defaultdict(list)
    for owner, name, description in connection.execute(described):
        tools[owner].append(Tool(name, description))
    return [
        Power(
            name=row.name,
            description=row.description,
            keywords=tuple(row.keywords),
            steering=row.steering,
            tools=tuple(tools[row.id]),
            examples=tuple(row.examples),
            transport=Transport(row.command, tuple(row.args), row.env, row.url),
            paused=row.paused,
            approved=row.approved,
            key=row.id,
        )
        for row in connection.execute(rows)
    ]


def _row(power: Power) -> dict[str, Any]:
    return {
        "name": power.name,
        "description": power.description,
        "steering": power.steering,
        "keywords": power.keywords,
        "examples": power.examples,
        "command": power.transport.command,
        "args": power.transport.args,
        "env": dict(power.transport.env),
        "url": power.transport.url,
        "paused": power.paused,
        "approved": power.approved,
    }


def _tool_rows(key: int, power: Power) -> list[dict[str, Any]]:
    return [
        {"power_id": key, "position": position, "name": tool.name, "description": tool.description}
        for position, tool in enumerate(power.tools)
    ]
