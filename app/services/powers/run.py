"""Supervisor of one power's server: starts it, restarts it after exits, and stops it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.domain.errors import PowerError
from app.domain.library import Power
from app.domain.running import PowerRun, RunState, ToolResult, ToolSchema, WireMessage
from app.ports.power import Load, PowerRunner, Progress, RunningPower, ServerStart

PAUSES = (0.5, 2.0, 5.0)
"""Delays in seconds before each restart of a server that exited; then it has failed."""

STEADY_MS = 60_000.0
"""Running time in ms after which a server is stable: its earlier exits no longer count."""


STOP_SECONDS = 3.0
"""Time-out of stopping a server, in seconds; its process supervisor kills it afterwards."""


@dataclass(frozen=True, slots=True)
class RunListener:
    """Callbacks of a run: `changed` on each state, `tools` after a listing, `used` on each call."""

    changed: Callable[[Run], None]
    tools: Callable[[Run], None]
    used: Callable[[Run], None]


class Run:
    """The server of one power; `now` is its state. Methods run on the loop and do not block."""

    def __init__(
        self, power: Power, order: ServerStart, runner: PowerRunner, now_ms: Callable[[], float], listener: RunListener
    ) -> None:
        self.power, self.order = power, order
        self._runner, self._now_ms, self._listener = runner, now_ms, listener
        self._server: RunningPower | None = None
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[None] | None = None
        self.busy = 0
        """Number of calls in progress."""
        self.counted = False
        """True if the current activation has been counted."""
        self.now = PowerRun(power.name)

    # ---- life cycle

    @property
    def is_on(self) -> bool:
        return self.now.state in (RunState.STARTING, RunState.RUNNING, RunState.RESTARTING)

    async def start(self) -> None:
        """Wait until the server runs; raises PowerError. Cancelling does not stop the start."""
        if self._ready is None or not self.is_on:
            self._ready = asyncio.get_running_loop().create_future()
            self._ready.add_done_callback(_retrieve_result)
            self.counted = False
            self.show(state=RunState.STARTING, sentence="", restarts=0, idle_turns=0)
            self._task = asyncio.create_task(self._live(self._ready))
        await asyncio.shield(self._ready)

    async def stop(self, sentence: str = "") -> None:
        """Stop the server within a few seconds; `sentence` is the reason, if not by request."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait((task,), timeout=STOP_SECONDS)
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(PowerError(f"“{self.power.name}” was stopped while it started."))
        self.show(state=RunState.STOPPED, sentence=sentence, pid=None, memory_bytes=None, cpu_percent=None)

    async def _live(self, ready: asyncio.Future[None]) -> None:
        """Restart loop: start, wait for the exit, start again, until it exits too often."""
        ends = 0
        while True:
            try:
                lasted, sentence = await self._run_once(ready)
            except PowerError as error:
                lasted, sentence = 0.0, str(error)
            ends = 1 if lasted >= STEADY_MS else ends + 1
            if not ready.done():
                ready.set_exception(PowerError(sentence))
                break
            if ends > len(PAUSES):
                sentence = f"{sentence} It ended {ends} times, so it is not restarted automatically: activate it again."
                break
            self.show(state=RunState.RESTARTING, sentence=f"{sentence} It is started again.", pid=None)
            await asyncio.sleep(PAUSES[ends - 1])
            self.show(restarts=self.now.restarts + 1)
        self.show(state=RunState.FAILED, sentence=sentence, pid=None, memory_bytes=None, cpu_percent=None)

    async def _run_once(self, ready: asyncio.Future[None]) -> tuple[float, str]:
        """Run the server until it exits; return the duration in ms, and the reason."""
        began = self._now_ms()
        server = await self._runner.start(self.order, self._on_tools_listed)
        try:
            self._server = server
            self.show(
                state=RunState.RUNNING,
                server=server.server,
                protocol=server.protocol,
                pid=server.pid,
                started_ms=self._now_ms() - began,
            )
            self._on_tools_listed()
            if not ready.done():
                ready.set_result(None)
            running_since = self._now_ms()
            sentence = await server.wait_ended()
            return self._now_ms() - running_since, sentence
        finally:
            await server.stop()

    def _on_tools_listed(self) -> None:
        if self._server is not None:
            self.show(tools=self._server.tools, sentence=self._server.warnings)
            self._listener.tools(self)

    # ---- calls

    @property
    def tools(self) -> tuple[ToolSchema, ...]:
        return self.now.tools

    async def call(self, tool: str, arguments: Mapping[str, Any], progress: Progress | None) -> ToolResult:
        """Call a tool of a running server; raises PowerError."""
        server = self._server
        if server is None or self.now.state is not RunState.RUNNING:
            raise PowerError(f"“{self.power.name}” does not run: {self.now.sentence or 'activate it first.'}")
        self.busy += 1
        self.show(calls=self.now.calls + 1, idle_turns=0)
        self._listener.used(self)
        try:
            return await server.call(tool, arguments, progress)
        finally:
            self.busy -= 1
            if self.now.state is RunState.RUNNING:
                self.show(sentence=server.warnings)

    def show(self, **changes: Any) -> None:
        """Update the state and notify."""
        now = replace(self.now, **changes)
        if now != self.now:
            self.now = now
            self._listener.changed(self)

    def load(self) -> Load | None:
        """Return memory and CPU use; may block for some ms."""
        return None if self._server is None else self._server.load()

    def stderr(self) -> str:
        return "" if self._server is None else self._server.stderr()

    def exchanges(self) -> tuple[WireMessage, ...]:
        return () if self._server is None else self._server.exchanges()


def _retrieve_result(ready: asyncio.Future[None]) -> None:
    """Retrieve the result of a start that may have no waiter any more."""
    if not ready.cancelled():
        ready.exception()
