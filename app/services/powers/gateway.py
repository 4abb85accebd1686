"""Gateway to running powers: started on request, and only if approved (S5.4, S5.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app.domain.errors import KnownError, PowerError, StoreError
from app.domain.library import Power, Transport
from app.domain.references import is_reference, references_in
from app.domain.running import (
    NO_LAUNCH,
    Activation,
    Launch,
    PowerRun,
    RunRecord,
    RunState,
    ToolResult,
    ValueFrom,
    WireMessage,
    approval_text,
)
from app.ports.power import PowerRunner, Progress, ServerStart
from app.services.core import Core
from app.services.engine.typing_priority import Background
from app.services.events import Event
from app.services.library.journal import WINDOW, Journal
from app.services.powers.approvals import Consent, PowerRecord, PowerRecords, Watch, digest, pinned_digest
from app.services.powers.run import Run, RunListener

CLOSING_SECONDS = 2.0
"""Time-out of closing all servers together, in seconds."""

TEXT_ALONE = "It has no server to start: follow its text, which is in `steering`."
NO_RUNNER = "Powers cannot be started here."


class Gateway:
    """`workbench.gateway`, on the workbench's loop; methods raise KnownError for unknown names.

    Only `activate` starts a server; typing, inspecting, evaluating, benchmarks and replays never call it.
    """

    def __init__(
        self, core: Core, journal: Journal, make_runner: Callable[[], PowerRunner] | None, now_ms: Callable[[], float]
    ) -> None:
        self._core, self._make_runner, self._now_ms = core, make_runner, now_ms
        self._runner: PowerRunner | None = None
        self._records = PowerRecords(core, journal)
        self._runs: dict[str, Run] = {}
        self._background = Background()
        self._watch = Watch(
            self._records, self._runs, self._background, lambda: core.engine.settings.powers.score_listed_tools
        )
        self._deciding = asyncio.Lock()
        self._is_closed = False
        self.run_changed = Event[PowerRun]()
        """Called after the state of a run has changed."""

    # ---- runs

    def runs(self) -> Mapping[str, PowerRun]:
        """Return the state of every power that was started, by name, also stopped and failed ones."""
        return {name: run.now for name, run in self._runs.items()}

    async def activate(self, name: str) -> Activation:
        """Start a power's server, unless it runs, and list its tools.

        `started` is False, with a reason and the stored tools, if the power is paused, not approved (`needs_approval`
        is the text to approve), has no transport, or its server fails. A power that is only a text starts nothing and
        needs no approval. Raises KnownError for an unknown name, with similar ones.
        """
        began = self._now_ms()
        async with self._deciding:
            found = await self._records.find(name)
            if found.power.is_text and not found.power.paused:
                return Activation(found.power, False, reason=TEXT_ALONE, gives_text=True)
            reason, asked = self._hindrance(found), ""
            transport, launch = found.power.transport, NO_LAUNCH
            if not reason:
                transport = await self._with_values(found)
                launch = await self._launch(transport)
                reason, asked = self._consent(found, launch)
            refused = Activation(found.power, False, found.tools, reason, asked)
            if reason:
                return refused
            try:
                if not found.is_pinned:
                    await self._records.approve(found, launch)
                run = await self._run_of(found, transport, launch)
            except KnownError as error:
                return replace(refused, reason=str(error))
            waiting = asyncio.create_task(run.start())
            await asyncio.sleep(0)  # from here on it counts as running
        self._watch.begin()
        try:
            await waiting
        except PowerError as error:
            return replace(refused, reason=str(error), ms=self._now_ms() - began)
        async with self._watch.keeping:
            run.show(idle_turns=0)  # its tools are stored by now
        return Activation(found.power, True, run.tools, ms=self._now_ms() - began)

    async def _with_values(self, found: PowerRecord) -> Transport:
        environment = await self._records.environment(found.power)
        return replace(found.power.transport, env=environment)

    async def _launch(self, transport: Transport) -> Launch:
        """Resolve the command of a power; NO_LAUNCH for an address or without a runner."""
        runner = await self._runner_or_new() if transport.command else None
        return NO_LAUNCH if runner is None else await asyncio.to_thread(runner.launch, transport)

    def _hindrance(self, found: PowerRecord) -> str | None:
        """Return why a power cannot be started even if approved; "" if it can."""
        power = found.power
        if self._make_runner is None or self._is_closed:
            return NO_RUNNER
        if power.paused:
            return f"“{power.name}” is paused: let it go on first."
        if not approval_text(power.transport):
            return f"“{power.name}” has neither a command nor an address: give it one on its page."
        return None

    def _consent(self, found: PowerRecord, launch: Launch) -> tuple[str | None, str]:
        """Return why a power may not be started without approval, and the text to approve."""
        power = found.power
        asked = approval_text(power.transport, launch)
        if not found.is_current:
            return (f"“{power.name}” is not approved: a person has to approve its command line or address."), asked
        if not found.is_approved(launch):
            return (
                f"“{power.name}” is not approved: its command is unchanged, but it runs another program or script "
                "now, or with other values. A person has to approve that."
            ), asked
        return launch.fault or None, ""

    async def _run_of(self, found: PowerRecord, transport: Transport, launch: Launch) -> Run:
        """Return the current run of an approved power, or make room; raises KnownError."""
        power = found.power
        held = self._runs.get(power.name)
        is_same = held is not None and (held.power.transport, held.order.launch) == (power.transport, launch)
        if held is not None and held.is_on and is_same:
            return held
        if held is not None and held.is_on:
            await held.stop("It was started again, because its command line or address, or its program, has changed.")
        await self._make_room(power.name)
        limits = self._core.engine.settings.powers
        order = ServerStart(power.name, transport, limits.start_timeout_ms, limits.call_timeout_ms, launch)
        runner = await self._runner_or_new()
        assert runner is not None, "without it there is a hindrance"
        watch = self._watch
        listener = RunListener(lambda run: self.run_changed.notify(run.now), watch.note_tools, watch.note_call)
        run = Run(power, order, runner, self._now_ms, listener)
        self._runs[power.name] = run
        return run

    async def _runner_or_new(self) -> PowerRunner | None:
        if self._runner is None and self._make_runner is not None:
            self._runner = await asyncio.to_thread(self._make_runner)  # imports the client's libraries
        return self._runner

    async def _make_room(self, name: str) -> None:
        """Stop the least recently used power at the limit; raises PowerError if all are busy."""
        most = self._core.engine.settings.powers.most_running
        on = [run for run in self._runs.values() if run.is_on]
        if len(on) < most:
            return
        idle = [run for run in on if not run.busy and run.now.state is RunState.RUNNING]
        if not idle:
            raise PowerError(f"{most} powers run already and all are at work: stop one, or raise powers.most_running.")
        oldest = max(idle, key=lambda run: run.now.idle_turns)
        await oldest.stop(f"It was stopped to make room for “{name}”: powers.most_running is {most}.")

    async def deactivate(self, name: str) -> None:
        """Stop a power's server and its child processes; no effect if it does not run."""
        run = self._runs.get(name)
        if run is None:
            await self._records.find(name)
            return
        await run.stop()
        await self._watch.count_calls()

    async def call(
        self, power: str, tool: str, arguments: Mapping[str, Any], *, progress: Progress | None = None
    ) -> ToolResult:
        """Call a tool of a running power.

        Raises KnownError if stopped, without that tool, or timed out.
        """
        run = self._runs.get(power)
        if run is None:
            await self._records.find(power)
            raise PowerError(f"“{power}” does not run: activate it first.")
        if run.is_on and tool not in (names := [each.name for each in run.tools]):
            some = ", ".join(f"“{each}”" for each in names[:10])
            raise PowerError(f"“{power}” has no tool “{tool[:200]}”. It has {some or 'none'}.")
        return await run.call(tool, arguments, progress)

    def begin_turn(self) -> None:
        """Count a query: powers that were idle for the configured number of turns are stopped."""
        most = self._core.engine.settings.powers.idle_turns
        for run in self._runs.values():
            if run.now.state is RunState.RUNNING and not run.busy:
                run.show(idle_turns=run.now.idle_turns + 1)
                if most and run.now.idle_turns >= most:
                    self._background.start(self._stop_idle(run))

    async def _stop_idle(self, run: Run) -> None:
        if not run.busy and run.now.idle_turns:
            turns = run.now.idle_turns
            await run.stop(f"It was stopped after {turns} queries without use (powers.idle_turns).")

    async def stop_all(self) -> None:
        """Stop every server, within about two seconds."""
        stops = [asyncio.create_task(run.stop()) for run in self._runs.values() if run.is_on]
        if stops:
            await asyncio.wait(stops, timeout=CLOSING_SECONDS)
        await self._watch.count_calls()

    async def close(self) -> None:
        """Stop every server, and refuse new starts."""
        self._is_closed = True
        await self.stop_all()
        await self._background.stop()

    # ---- approval

    async def approve(self, name: str, command_line: str, *, source: str = WINDOW) -> None:
        """Approve exactly this text, `Activation.needs_approval`.

        A journal step, unless the power is already approved; undoing it withdraws the approval. Raises KnownError if it
        has changed.
        """
        found = await self._records.find(name)
        launch = await self._launch(await self._with_values(found))
        text = approval_text(found.power.transport, launch)
        if not text or command_line != text:
            raise KnownError(f"The command line or address of “{name}” has changed: review it again.")
        if not (found.is_pinned and found.is_approved(launch)):
            await self._records.approve(found, launch, source)

    async def consent(self, name: str) -> Consent:
        """Return the approval request, with a digest for approval elsewhere; raises KnownError."""
        found = await self._records.find(name)
        launch = await self._launch(await self._with_values(found))
        text = approval_text(found.power.transport, launch)
        return Consent(text, digest(pinned_digest(found.power.transport, launch)), found.is_approved(launch))

    async def approval_text(self, name: str) -> str:
        """Return the text to approve: program and influences, command line or address, environment."""
        found = await self._records.find(name)
        return approval_text(found.power.transport, await self._launch(await self._with_values(found)))

    async def needs_new_approval(self, name: str) -> bool:
        """Check if the written command is approved, but not the program it resolves to now."""
        found = await self._records.find(name)
        return found.is_current and not await self._is_approved(found)

    async def _is_approved(self, found: PowerRecord) -> bool:
        return found.is_current and found.is_approved(await self._launch(await self._with_values(found)))

    async def values_from(self, power: Power) -> Mapping[str, ValueFrom]:
        """Return the source of each variable or header of a power; empty headers are not sent.

        Variables used only in arguments or the address are included. Raises StoreError if stored values cannot be read.
        """
        transport = power.transport
        texts = (transport.command or "", *transport.args, transport.url or "")
        needed = {one.name: [one.name] for text in texts for one in references_in(text)}
        if not needed and not transport.env:
            return {}
        kept = await self._records.environment(power)
        for name, value in kept.items():
            if value and not is_reference(value, name):
                needed.pop(name, None)
            elif transport.command or value:
                needed[name] = [one.name for one in references_in(value)] or [name]
        runner = await self._runner_or_new()
        own = {  # without a runner the worst is assumed
            name for name, all_of in needed.items() if runner is None or all(map(runner.inherits, all_of))
        }
        unset = {name: ValueFrom.OWN if name in own else ValueFrom.NOWHERE for name in (*kept, *needed)}
        return unset | {
            name: ValueFrom.STORED for name, value in kept.items() if value and not is_reference(value, name)
        }

    async def is_approved(self, name: str) -> bool:
        """Check if `activate` would start the power without an approval request."""
        return await self._is_approved(await self._records.find(name))

    async def approvals(self) -> frozenset[str]:
        """Return the names of the approved powers."""
        return frozenset(
            [name for name, each in (await self._records.every()).items() if await self._is_approved(each)]
        )

    async def take_tools(self, name: str, *, source: str = WINDOW) -> bool:
        """Score queries against the tools that the server listed last; a journal step.

        False if they are scored already; raises KnownError if none were listed yet.
        """
        return await self._records.take_tools(await self._records.find(name), source)

    async def saw_tools(self, name: str) -> None:
        """Mark the present tools as seen: `PowerRun.changed` lists later changes only."""
        await self._watch.saw_tools(name)

    # ---- information

    async def records(self) -> Mapping[str, RunRecord]:
        """Return the stored records of runs by power name; powers that never ran are absent."""
        await self._watch.count_calls()
        return {name: each.record for name, each in (await self._records.every()).items() if each.record != RunRecord()}

    def stderr(self, name: str) -> str:
        """Return the end of the server's stderr, also after its exit; secrets are masked.

        Callable from any thread, like `exchanges`: masking takes up to 0.1 s.
        """
        return self._runs[name].stderr() if name in self._runs else ""

    def exchanges(self, name: str) -> tuple[WireMessage, ...]:
        """Return the last messages on the wire, oldest first, also after the exit; secrets masked."""
        return self._runs[name].exchanges() if name in self._runs else ()

    async def steering(self, name: str) -> str:
        """Return the user's instructions to assistants that use this power; may be empty."""
        return (await self._records.find(name)).power.steering

    # ---- internals

    def library_changed(self) -> None:
        """Stop powers that were deleted, paused, changed, or lost their approval in the library."""
        if any(run.is_on for run in self._runs.values()) and not self._is_closed:
            self._background.start(self._stop_unwanted())

    async def _stop_unwanted(self) -> None:
        try:
            stored = await self._records.every()
        except StoreError:
            return  # reported in the status; approved powers continue
        for name, run in list(self._runs.items()):
            reason = _unwanted(run, stored.get(name))
            if run.is_on and reason:
                await run.stop(f"It was stopped, because {reason}.")


def _unwanted(run: Run, stored: PowerRecord | None) -> str:
    """Return why a running power must be stopped; "" if it may run."""
    if stored is None:
        return "it is not in the library any more"
    if stored.power.transport != run.power.transport:
        return "its command line or address has changed"
    if stored.power.paused:
        return "it is paused"
    return "" if stored.is_current else "it is not approved any more"
