"""What is kept of powers' runs: what was approved, which tools were listed, how often they were used."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.adapters.store.access import SqlAccess
from app.adapters.store.chunks import among
from app.adapters.store.damage import decoding, expect, halved
from app.domain.running import RunRecord, ToolSchema
from db.schema import RunRow


class SqlRuns:
    """Runs of powers in the library's file; every call waits for its transaction."""

    _access: SqlAccess
    _damaged: dict[str, Sequence[int | str]]

    def run_records(self) -> Mapping[int, RunRecord]:
        """By the key of the power: what is kept of its runs; of a damaged row nothing is, and no approval with it."""
        found, self._damaged["runs"] = self._access.read(selected)
        return found

    def note_run(
        self,
        key: int,
        *,
        approved: str | None = None,
        tools: Sequence[ToolSchema] | None = None,
        seen: Mapping[str, str] | None = None,
        activations: int = 0,
        calls: int = 0,
    ) -> None:
        """Change what is given, count on what is counted."""
        values = {
            "approved": approved,
            "told": None if tools is None else json.dumps([_state(tool) for tool in tools]),
            "seen": None if seen is None else json.dumps(dict(seen)),
        }
        given = {name: value for name, value in values.items() if value is not None}
        self._access.write(lambda connection: put(connection, key, given, activations, calls))


def selected(connection: Connection) -> tuple[dict[int, RunRecord], list[int]]:
    """What is kept, and the keys of powers of which it is damaged."""
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
    """Write what is given of one power's runs; a use makes now the time of the last."""
    counted: dict[str, Any] = {"activations": activations, "calls": calls}
    used = {"last_used": func.current_timestamp()} if activations or calls else {}
    more = {"activations": RunRow.activations + activations, "calls": RunRow.calls + calls}
    statement = upsert(RunRow).values(power_id=key, **given, **counted, **used)
    connection.execute(
        statement.on_conflict_do_update(index_elements=[RunRow.power_id], set_={**given, **more, **used})
    )


def _state(tool: ToolSchema) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "title": tool.title,
        "input_schema": dict(tool.input_schema),
        "output_schema": None if tool.output_schema is None else dict(tool.output_schema),
    }
