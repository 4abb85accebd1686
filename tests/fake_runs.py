"""Run records of powers in a dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.domain.library import Power
from app.domain.running import RunRecord, ToolSchema

NOW = "2026-11-22 04:26:21"


class MemoryRuns:
    """Run records by power key."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: dict[int, RunRecord] = {}

    def run_records(self) -> Mapping[int, RunRecord]:
        return dict(self._runs)

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
        kept = self._runs.get(key, RunRecord())
        self._runs[key] = RunRecord(
            approved=kept.approved if approved is None else approved,
            tools=kept.tools if tools is None else tuple(tools),
            seen=kept.seen if seen is None else dict(seen),
            activations=kept.activations + activations,
            calls=kept.calls + calls,
            last_used=NOW if activations or calls else kept.last_used,
        )

    def _withdraw(self, key: int | None, item: object) -> None:
        """Delete the approved digest of a power written without approval."""
        if isinstance(item, Power) and not item.approved and key in self._runs:
            self._runs[key] = replace(self._runs[key], approved="")
