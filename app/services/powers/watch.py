"""What is noted of powers while they run: the tools they tell, how often they are called, what memory they take."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

from app.domain.errors import KnownError, StoreError
from app.domain.running import RunState, ToolSchema
from app.services.engine.typing_priority import Background
from app.services.powers.approvals import PowerRecords, changed_tools, fingerprints
from app.services.powers.run import Run

MEASURE_SECONDS = 5.0
"""How often the memory of servers is looked at."""

COUNT_SECONDS = 60.0
"""How often calls are counted into the library: each write makes other programs look at it."""


class Watch:
    """Watches the runs of one gateway, by name, and keeps in their records what they tell."""

    def __init__(self, records: PowerRecords, runs: Mapping[str, Run], background: Background) -> None:
        self._records, self._runs, self._background = records, runs, background
        self._calls: Counter[int] = Counter()
        self._looking: asyncio.Task[None] | None = None
        self.keeping = asyncio.Lock()
        """Held while what a server lists is kept, or said to have been seen."""

    # ---- tools

    def note_tools(self, run: Run) -> None:
        """A server has listed its tools. Returns at once."""
        self._background.start(self._keep_tools(run, run.tools, activations=int(not run.counted)))
        run.counted = True

    async def _keep_tools(self, run: Run, tools: tuple[ToolSchema, ...], activations: int) -> None:
        """Keep what a server lists; the first that it ever listed is what later changes are measured by."""
        async with self.keeping:
            try:
                found = await self._records.find(run.power.name)
                seen, now = found.record.seen, await asyncio.to_thread(fingerprints, tools)
                first = now if seen is None else None
                await self._records.keep_tools(found.key, tools, first, activations)
            except KnownError:
                return  # gone meanwhile, or the desk tells of it
            run.show(changed=changed_tools(now, seen))

    async def saw_tools(self, name: str) -> None:
        """A person has seen the tools as they are now; KnownError for a name that is unknown."""
        async with self.keeping:  # what a server lists meanwhile was not seen
            found = await self._records.find(name)
            tools = found.record.tools
            await self._records.keep_tools(found.key, tools, await asyncio.to_thread(fingerprints, tools))
            if name in self._runs:
                self._runs[name].show(changed=())

    # ---- calls and memory

    def note_call(self, run: Run) -> None:
        """A tool of a server is called. Returns at once."""
        self._calls[run.power.key or 0] += 1

    def begin(self) -> None:
        """Look after the runs, unless somebody does. Returns at once."""
        if self._looking is None or self._looking.done():
            self._looking = self._background.start(self._look_after())

    async def _look_after(self) -> None:
        """While anything runs: measure it, and count its calls now and then."""
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
        """Count the calls so far into the library; where it cannot be written, the next time."""
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
