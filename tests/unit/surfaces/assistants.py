"""Assistant workbench over the seed library, with powers that do not really run, for tests."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.bootstrap import make_workbench
from app.domain.errors import KnownError
from app.domain.history import Access, Source
from app.domain.inspection import Inspection
from app.domain.library import Answer, Power
from app.domain.running import Activation, PowerRun, RunState, ToolResult, ToolSchema
from app.ports.power import Progress
from app.services.events import Event
from app.settings.model import Choices
from app.surfaces.mcp.assistant_workbench import AssistantWorkbench

TOOLS = (
    ToolSchema("query", "Run a query.", input_schema={"type": "object", "properties": {"sql": {"type": "string"}}}),
    ToolSchema("drop table!", "A name that no client takes."),
)


ANSWER = ToolResult(({"type": "text", "text": "42"},), {"answer": 42})


@dataclass
class PretendedPowers:
    """Powers that start immediately if approved, and echo their input."""

    approved: set[str] = field(default_factory=set)
    tools: Mapping[str, tuple[ToolSchema, ...]] = field(default_factory=dict)
    answer: ToolResult = ANSWER
    known: set[str] | None = None
    run_changed: Event[PowerRun] = field(default_factory=Event)
    running: dict[str, PowerRun] = field(default_factory=dict)
    turns: int = 0
    calls: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    hold: asyncio.Event | None = None

    def runs(self) -> Mapping[str, PowerRun]:
        return self.running

    async def activate(self, name: str) -> Activation:
        if self.known is not None and name not in self.known:
            raise KnownError(f"No power is named “{name}”.")
        power = Power(name, steering="Be brief.")
        if name not in self.approved:
            return Activation(power, started=False, tools=TOOLS, reason="It is not approved.")
        self._become(PowerRun(name, RunState.RUNNING, tools=self.tools.get(name, TOOLS)))
        return Activation(power, started=True, tools=self.tools.get(name, TOOLS))

    async def deactivate(self, name: str) -> None:
        if name in self.running:
            self._become(PowerRun(name, RunState.STOPPED))

    def _become(self, run: PowerRun) -> None:
        self.running[run.power] = run
        self.run_changed.notify(run)

    async def call(
        self, power: str, tool: str, arguments: Mapping[str, Any], *, progress: Progress | None = None
    ) -> ToolResult:
        self.calls.append((power, tool, arguments))
        if progress is not None:
            await progress(1.0, 2.0, "half")
        if self.hold is not None:
            try:
                await self.hold.wait()
            except asyncio.CancelledError:
                self.cancelled.append(tool)
                raise
        return self.answer

    async def approvals(self) -> frozenset[str]:
        return frozenset(self.approved)

    async def steering(self, name: str) -> str:
        return "Be brief."

    def begin_turn(self) -> None:
        self.turns += 1


@dataclass
class Noted:
    asked: list[tuple[str, Source]] = field(default_factory=list)
    chosen: list[tuple[str, str]] = field(default_factory=list)
    told: list[Access] = field(default_factory=list)
    first: list[str] = field(default_factory=list)

    def note(
        self, inspection: Inspection, source: Source = Source.MCP, accesses: Sequence[Access] = (), **of: Any
    ) -> None:
        self.first += [of["first"].answer.name] if of.get("first") else []
        self.asked.append((inspection.query.text, source))
        self.told += accesses

    def note_chosen(self, inspection: Inspection, answer: Answer, source: Source) -> None:
        self.chosen.append((inspection.query.text, answer.name))


@asynccontextmanager
async def received(
    profile: Path, powers: PretendedPowers | None = None, past: Noted | None = None, pairs: tuple[str, ...] = ()
) -> AsyncIterator[AssistantWorkbench]:
    workbench = make_workbench(Choices(profile, pairs=pairs))
    async with AssistantWorkbench(workbench, powers or PretendedPowers(), past or Noted()) as assistants:
        yield assistants
