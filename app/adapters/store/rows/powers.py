"""Rows of powers with their tools, and of their runs: approvals, listed tools, usage."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store.connections import SqlAccess, among
from app.adapters.store.damage import decoding, expect, halved
from app.adapters.store.entries import JournalEntry, items_in
from app.adapters.store.pending_secrets import secret_name
from app.adapters.store.writes import Repository, merged_power, next_key
from app.domain.documents import fields_of
from app.domain.journal import ItemKind
from app.domain.library import Power, Transport
from app.domain.references import in_braces, is_reference
from app.domain.running import RunRecord, ToolSchema
from app.ports.store import Secrets
from db.schema import PowerRow, RunRow, ToolRow


class PowerRepository(Repository[Power]):
    """Stored powers, in key order; the values of environments go to the secrets."""

    kind, row, unique, owners = ItemKind.POWER, PowerRow, "name", (ToolRow.power_id,)

    @staticmethod
    def selected(connection: Connection, where: ColumnElement[bool] | None = None) -> list[Power]:
        rows = select(PowerRow.__table__).order_by(PowerRow.id)
        tools = select(ToolRow.power_id, ToolRow.name, ToolRow.description).order_by(ToolRow.power_id, ToolRow.position)
        if where is not None:
            rows = rows.where(where)
            tools = tools.where(ToolRow.power_id.in_(select(PowerRow.id).where(where)))
        return items_in(connection, ItemKind.POWER, rows, tools)

    def updatable(self, chunk: Sequence[Power]) -> ColumnElement[bool]:
        return PowerRow.name.in_({power.name for power in chunk})

    def merged(self, stored: Power, incoming: Power) -> Power:
        """Merge; a secret that differs from the stored one makes another transport."""
        assert stored.key is not None, "what is stored has a key"
        key, held = stored.key, stored.transport.env
        fresh = {
            name: value
            for name, value in secrets_of(incoming.transport.env).items()
            if value != self._secrets.get(secret_name(key, name))
        }
        replaced = [name for name, value in incoming.transport.named.items() if value and held.get(name) == ""]
        self._secrets.forget(secret_name(key, name) for name in replaced)
        power = merged_power(_without_values(stored), _without_values(incoming))
        env = {**power.transport.env, **fresh}
        transport = replace(power.transport, env=env)
        return replace(power, transport=transport, approved=power.approved and not fresh)

    def write(self, entry: JournalEntry, new: Mapping[int, Power], changed: Mapping[int, Power]) -> None:
        first_free = next_key(entry.connection, PowerRow.id)
        for key, power in new.items():
            if key >= first_free:  # an unused key: any stored value belongs to nobody
                self._secrets.forget(secret_name(key, name) for name in power.transport.env)
        for key, power in (*new.items(), *changed.items()):
            for name, value in secrets_of(power.transport.env).items():
                self._secrets.put(secret_name(key, name), value)
        super().write(entry, new, changed)


def secrets_of(env: Mapping[str, str]) -> dict[str, str]:
    """Return the values that are secrets, by name: neither empty nor references."""
    return {name: value for name, value in env.items() if value and not is_reference(value, name)}


def has_secrets(connection: Connection) -> bool:
    """Return whether the rows hold values of environments, as written by older versions."""
    with decoding("powers"):
        return any(map(secrets_of, connection.scalars(select(PowerRow.env))))


def move_secrets(connection: Connection, secrets: Secrets) -> None:
    """Move the values of older versions from the rows to the secret store.

    A bare variable (`$X`) in a row was stored as a reference, and becomes one in braces.
    """
    rows = [row for row in connection.execute(select(PowerRow.id, PowerRow.env)) if secrets_of(row.env)]
    held = [(key, {name: in_braces(value) for name, value in env.items()}) for key, env in rows]
    secrets.change({secret_name(key, name): value for key, env in held for name, value in secrets_of(env).items()})
    for key, env in held:
        connection.execute(update(PowerRow).where(PowerRow.id == key).values(env=Transport(env=env).named))


def _without_values(power: Power) -> Power:
    return replace(power, transport=replace(power.transport, env=power.transport.named))


# ---- Runs of powers: approvals, listed tools, usage.


TOOL_FIELDS = ("name", "description", "title", "input_schema", "output_schema")


class SqlRuns:
    """Runs of powers in the library's file; every call waits for its transaction."""

    _access: SqlAccess
    _damaged: dict[str, Sequence[int | str]]

    def run_records(self) -> Mapping[int, RunRecord]:
        """Return the run records by power key; a damaged row counts as missing and not approved."""
        found, self._damaged["runs"] = self._access.read(selected_runs)
        return found

    def record_run(
        self,
        key: int,
        *,
        approved: str | None = None,
        tools: Sequence[ToolSchema] | None = None,
        seen: Mapping[str, str] | None = None,
        activations: int = 0,
        calls: int = 0,
    ) -> None:
        """Store the given values, and add the counts."""
        values = {
            "approved": approved,
            "told": None if tools is None else json.dumps([fields_of(tool, *TOOL_FIELDS) for tool in tools]),
            "seen": None if seen is None else json.dumps(dict(seen)),
        }
        given = {name: value for name, value in values.items() if value is not None}
        self._access.write(lambda connection: put(connection, key, given, activations, calls))


def selected_runs(connection: Connection) -> tuple[dict[int, RunRecord], list[int]]:
    """Return the run records, and the keys of powers with a damaged one."""
    rows, keys = select(RunRow.__table__), select(RunRow.power_id)

    def read(some: Sequence[int] | None) -> list[tuple[int, RunRecord]]:
        with decoding("runs"):
            found = connection.execute(rows if some is None else rows.where(among(RunRow.power_id, some)))
            return [(row.power_id, _record(row)) for row in found]

    found, damaged = halved(read, lambda: connection.scalars(keys).all())
    return dict(found), damaged


def _record(row: Any) -> RunRecord:
    seen = {} if row.seen is None else json.loads(row.seen)
    tools = tuple(ToolSchema(**tool) for tool in json.loads(row.told))
    expect((row.approved, *seen, *seen.values()), (row.activations, row.calls))
    expect(text for tool in tools for text in (tool.name, tool.description, tool.title))
    return RunRecord(
        approved=row.approved,
        tools=tools,
        seen=None if row.seen is None else seen,
        activations=row.activations,
        calls=row.calls,
        last_used=None if row.last_used is None else str(row.last_used)[:19],
    )


def put(connection: Connection, key: int, given: Mapping[str, Any], activations: int, calls: int) -> None:
    """Write the given values of one power's runs; a use sets the time of the last use."""
    counted: dict[str, Any] = {"activations": activations, "calls": calls}
    used = {"last_used": func.current_timestamp()} if activations or calls else {}
    more = {"activations": RunRow.activations + activations, "calls": RunRow.calls + calls}
    statement = upsert(RunRow).values(power_id=key, **given, **counted, **used)
    connection.execute(
        statement.on_conflict_do_update(index_elements=[RunRow.power_id], set_={**given, **more, **used})
    )
