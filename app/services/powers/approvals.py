"""Persistent state of powers: approvals, listed tools, call counts, memory use."""

from __future__ import annotations

import asyncio
import difflib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from app.domain.errors import KnownError, StoreError
from app.domain.journal import Edit
from app.domain.library import Power, Tool, Transport
from app.domain.running import Launch, RunRecord, RunState, ToolSchema, approval_text
from app.ports.store import Library, PowerRuns
from app.services.core import Core
from app.services.engine.typing_priority import Background
from app.services.library.journal import WINDOW, Journal
from app.services.powers.run import Run

NEAR_NAMES = 3

SERVER = "server"
"""Source of a step that stores a server's list of tools."""

PINNED = ":"
"""Separator between the digest of the written command and that of the resolved program."""


@dataclass(frozen=True, slots=True)
class PowerRecord:
    """A stored power with the record of its runs."""

    power: Power
    record: RunRecord

    @property
    def key(self) -> int:
        assert self.power.key is not None, "what is stored has a key"
        return self.power.key

    @property
    def is_current(self) -> bool:
        """True if the approval covers the stored command line or address."""
        said = self.record.approved.partition(PINNED)[0]
        return self.power.approved and said == approval_digest(self.power.transport)

    @property
    def is_pinned(self) -> bool:
        """True if the approval names the resolved program; older approvals do not."""
        return PINNED in self.record.approved

    def is_approved(self, launch: Launch) -> bool:
        """Check if the approval covers the program that would run now.

        A program that cannot be found now was not replaced. An older approval holds if no variable affects which
        program runs: it accepted the user's own PATH.
        """
        if not self.is_current or launch.fault:
            return self.is_current
        if not self.is_pinned:
            return not launch.steering
        return self.record.approved == pinned_digest(self.power.transport, launch)

    @property
    def tools(self) -> tuple[ToolSchema, ...]:
        """Tools that the server listed last, otherwise those written for the power."""
        return self.record.tools or tuple(ToolSchema(tool.name, tool.description) for tool in self.power.tools)


@dataclass(frozen=True, slots=True)
class Consent:
    """Approval request: the `text` to read ("" for nothing), and its status.

    `digest` covers everything approved, including values that the text hides.
    """

    text: str
    digest: str
    is_given: bool


class PowerRecords:
    """The gateway's access to the library. Every call raises StoreError if it is unusable."""

    def __init__(self, core: Core, journal: Journal) -> None:
        self._core, self._journal = core, journal

    async def find(self, name: str) -> PowerRecord:
        """Return the power of this name; raises KnownError with similar names if there is none."""

        def look(library: Library) -> PowerRecord | list[str]:
            powers = library.powers()
            found = next((power for power in powers if power.name == name), None)
            if found is not None:
                return PowerRecord(found, library.run_records().get(found.key or 0, RunRecord()))
            folded = {power.name.casefold(): power.name for power in powers}
            near = difflib.get_close_matches(name[:200].casefold(), folded, NEAR_NAMES, 0.5)
            return [folded[each] for each in near]

        found = await self._core.in_store(look)
        if isinstance(found, PowerRecord):
            return found
        near = f" Near it: {', '.join(f'“{each}”' for each in found)}." if found else ""
        raise KnownError(f"No power is named “{name[:200]}”.{near}")

    async def every(self) -> dict[str, PowerRecord]:
        def look(library: Library) -> dict[str, PowerRecord]:
            records = library.run_records()
            return {p.name: PowerRecord(p, records.get(p.key or 0, RunRecord())) for p in library.powers()}

        return await self._core.in_store(look)

    async def environment(self, power: Power) -> dict[str, str]:
        return await self._core.in_store(lambda library: library.environment(power))

    async def approve(self, found: PowerRecord, launch: Launch, source: str = WINDOW) -> None:
        """Store the approval of a power and its resolved program; a journal step if it is new."""
        power = found.power
        text = pinned_digest(power.transport, launch)
        # The digest is stored first: until the second write nothing is approved.
        await self._core.in_store(lambda library: library.record_run(found.key, approved=text))
        if not power.approved:
            await self._journal.do(Edit("approved", f"“{power.name}”", source), [replace(power, approved=True)])

    async def keep_tools(
        self, key: int, tools: Sequence[ToolSchema], seen: Mapping[str, str] | None = None, activations: int = 0
    ) -> None:
        """Store a server's tools, the digests of the tools that were seen, and count activations."""
        await self._core.in_store(
            lambda library: library.record_run(key, tools=tools, seen=seen, activations=activations)
        )

    async def count_calls(self, calls: Mapping[int, int]) -> None:
        def count(library: PowerRuns) -> None:
            for key, number in calls.items():
                library.record_run(key, calls=number)

        await self._core.in_store(count)

    async def take_tools(self, found: PowerRecord, source: str = WINDOW) -> bool:
        """Store the listed tools as the power's, as a journal step; False if they are already."""
        listed = _scored(found.record.tools)
        if not listed:
            raise KnownError(f"“{found.power.name}” has listed no tools yet: activate it first.")
        return await self._score_tools(found.power, listed, source)

    async def take_new_tools(self, found: PowerRecord, tools: Sequence[ToolSchema]) -> bool:
        """Store tools that a server lists for the first time, or changed, as a journal step.

        False for user-written tools, which stay, and for a list whose step was undone.
        """
        before, listed = _scored(found.record.tools), _scored(tools)
        if not listed or listed == before or found.power.tools not in ((), before):
            return False
        return await self._score_tools(found.power, listed, SERVER)

    async def _score_tools(self, power: Power, listed: tuple[Tool, ...], source: str) -> bool:
        if listed == power.tools:
            return False
        edit = Edit("took", f"the tools of “{power.name}” from its server", source)
        return await self._journal.do(edit, [replace(power, tools=listed)]) is not None


def _scored(tools: Sequence[ToolSchema]) -> tuple[Tool, ...]:
    return tuple(Tool(tool.name, tool.description) for tool in tools)


def approval_digest(transport: Transport) -> str:
    """Return the digest of an approved transport; it differs for address and equal command."""
    kind = "command" if transport.command else "address" if transport.url else "nothing"
    return digest(f"{kind} {approval_text(transport)}")


def pinned_digest(transport: Transport, launch: Launch) -> str:
    """Return the digest of an approved transport with the program and scripts that would run here."""
    found = json.dumps([launch.program, launch.real, sorted(launch.steering.items()), *sorted(launch.scripts.items())])
    return f"{approval_digest(transport)}{PINNED}{digest(found)}"


def digest(text: str) -> str:
    """Return the SHA-256 in hexadecimal."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def fingerprints(tools: Sequence[ToolSchema]) -> dict[str, str]:
    """Return digests of tools by name, over all they declare. May block for 0.5 s."""
    return {
        tool.name: digest(
            json.dumps([tool.title, tool.description, tool.input_schema, tool.output_schema], sort_keys=True)
        )
        for tool in tools
    }


def changed_tools(now: Mapping[str, str], seen: Mapping[str, str] | None) -> tuple[str, ...]:
    """Return the tools that are new or changed since the user saw them; none if none were seen."""
    if seen is None:
        return ()
    return tuple(name for name, mark in now.items() if seen.get(name) != mark)


# ---- Records of running powers: listed tools, call counts, memory use.


MEASURE_SECONDS = 5.0
"""Interval of measuring the memory of servers, in seconds."""

COUNT_SECONDS = 60.0
"""Interval of storing call counts, in seconds: each write wakes other programs."""


class Watch:
    """Watches the runs of one gateway, and stores their tools and counts."""

    def __init__(
        self, records: PowerRecords, runs: Mapping[str, Run], background: Background, takes_tools: Callable[[], bool]
    ) -> None:
        self._records, self._runs, self._background = records, runs, background
        self._takes_tools = takes_tools
        self._calls: Counter[int] = Counter()
        self._looking: asyncio.Task[None] | None = None
        self.keeping = asyncio.Lock()
        """Held while listed tools are stored or marked as seen."""

    # ---- tools

    def note_tools(self, run: Run) -> None:
        """Store the tools that a server listed. Returns at once."""
        self._background.start(self._keep_tools(run, run.tools, activations=int(not run.counted)))
        run.counted = True

    async def _keep_tools(self, run: Run, tools: tuple[ToolSchema, ...], activations: int) -> None:
        """Store a server's tools, and score queries against them if enabled.

        The first list counts as seen; later changes are compared with it.
        """
        async with self.keeping:
            try:
                found = await self._records.find(run.power.name)
                seen, now = found.record.seen, await asyncio.to_thread(fingerprints, tools)
                first = now if seen is None else None
                if self._takes_tools():
                    await self._records.take_new_tools(found, tools)
                await self._records.keep_tools(found.key, tools, first, activations)
            except KnownError:
                return  # deleted meanwhile, or reported in the status
            run.show(changed=changed_tools(now, seen))

    async def saw_tools(self, name: str) -> None:
        """Mark the present tools as seen by the user; raises KnownError for an unknown name."""
        async with self.keeping:  # tools listed meanwhile were not seen
            found = await self._records.find(name)
            tools = found.record.tools
            await self._records.keep_tools(found.key, tools, await asyncio.to_thread(fingerprints, tools))
            if name in self._runs:
                self._runs[name].show(changed=())

    # ---- calls and memory

    def note_call(self, run: Run) -> None:
        """Count a tool call. Returns at once."""
        self._calls[run.power.key or 0] += 1

    def begin(self) -> None:
        """Start the periodic measurement, unless it runs. Returns at once."""
        if self._looking is None or self._looking.done():
            self._looking = self._background.start(self._measure_runs())

    async def _measure_runs(self) -> None:
        """Measure memory and store call counts periodically, while any server runs."""
        since = 0.0
        while any(run.is_on for run in self._runs.values()):
            await asyncio.sleep(MEASURE_SECONDS)
            since += MEASURE_SECONDS
            for run in list(self._runs.values()):
                await _measure(run)
            if since >= COUNT_SECONDS:
                since = 0.0
                await self.count_calls()

    async def count_calls(self) -> None:
        """Store the pending call counts; on failure they are retried."""
        calls, self._calls = self._calls, Counter()
        if calls:
            try:
                await self._records.count_calls(calls)
            except StoreError:
                self._calls += calls


async def _measure(run: Run) -> None:
    if run.now.state is not RunState.RUNNING:
        return
    load = await asyncio.to_thread(run.load)
    if load is not None and run.now.state is RunState.RUNNING:
        run.show(memory_bytes=load.memory_bytes, cpu_percent=round(load.cpu_percent, 1))
