"""Server of a running engine: a process with an open workbench answers prompt hooks and commands of one query."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from time import monotonic
from typing import Any

from app.domain.errors import KnownError
from app.domain.review.usage import UsageCounter
from app.services.core import Status
from app.services.workbench import Workbench
from app.surfaces.hook.budget import Answer, answer_with
from app.surfaces.hook.context import Context, contexts, in_words, prompt_of
from app.surfaces.hook.engine_client import (
    ANSWERED,
    BUSY,
    NAME,
    OTHER_SETTINGS,
    OTHER_VERSION,
    UNASKED,
    WAIT,
    is_query_command,
    setting_variables,
    version_stamp,
)
from app.surfaces.local_socket import CONNECT_SECONDS, MOST_BYTES, Door, InstanceLock, SocketClient
from app.surfaces.mcp.stdio import stop_on_signal

REFUSED, LEAVES, STAYS = "refused", "leaves", "stays"

READ_SECONDS = 2.0
"""The read time-out of a message."""

AGAIN_SECONDS, LEAVE_SECONDS = 0.1, 10.0
"""The interval and the longest time in which the lock is tried for after its holder was asked to shut down."""

RETAKE_SECONDS = 5.0
"""The interval in which a window tries for a lock that another one holds."""

HOOK_MARGIN_MS, LEAST_HOOK_MS = 200.0, 100.0
"""The part of a hook's budget that its own process needs, and the least that an engine gets."""

MOST_ON_WAY_MS, MOST_BUDGET_MS = 60_000.0, 600_000.0
"""The plausible time from a request to its reading, and the longest budget."""

BACKLOG = 1_024
"""The backlog of the listening socket; the next client is refused, and takes the engine for gone."""

MOST_PARALLEL = 4
"""So many prompts are answered in parallel: with a hundred under way none would be acknowledged in time."""

MOST_UNDER_WAY = 128
"""Number of prompts that are answered or wait; the next one is turned away at once."""

FIRST_SECONDS, NEWEST_SHARE = 0.05, 0.2
"""The time that a prompt is expected to take before one was answered, and the share of the newest in that time."""

BEAT_SECONDS, BEATS_MS = 1.0, 5_000.0
"""The interval of heartbeats while a command is answered, and how long each holds."""

Reply = dict[str, Any]

CommandRunner = Callable[[Workbench, Sequence[str]], Awaitable[Reply | None]]
"""Runs the words of a command: stdout, stderr and exit code; None where the client has to run it itself."""


async def no_commands(workbench: Workbench, words: Sequence[str]) -> Reply | None:
    """Null object: answers no command."""
    return None


class PromptQueue:
    """The prompts of an engine: some are answered, the others wait, and those that could not be answered in time are
    turned away at once."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(MOST_PARALLEL)
        self._under_way = 0
        self._seconds = FIRST_SECONDS

    def has_room(self, ms: float) -> bool:
        """Whether a prompt that has so long would be answered in time."""
        waits = self._under_way // MOST_PARALLEL * self._seconds
        return self._under_way < MOST_UNDER_WAY and waits * 1000.0 < ms

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Count a prompt from its acknowledgement to its answer."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place, and note how long it is taken."""
        async with self._places:
            began = monotonic()
            try:
                yield
            finally:
                self._seconds += NEWEST_SHARE * (monotonic() - began - self._seconds)


@dataclass
class EngineServer:
    """Answers the hooks of a profile, and by `run_command` its commands, while its workbench is open.

    With `yields_lock` it shuts down, through `on_leave`, when a window or server of the profile requests it.
    `on_request` is called for each request. A request of another version makes any server release the lock.
    """

    workbench: Workbench
    folder: Path | str
    run_command: CommandRunner = no_commands
    yields_lock: bool = False
    on_leave: Callable[[], object] = lambda: None
    on_request: Callable[[], object] = lambda: None
    _is_begun: bool = False
    _is_outdated: asyncio.Event = field(default_factory=asyncio.Event)
    _queue: PromptQueue = field(default_factory=PromptQueue)

    def follow(self) -> None:
        """Start serving once the library is open; it ends when the workbench is closed."""
        self.workbench.status_changed.subscribe(self._on_status)

    def _on_status(self, status: Status) -> None:
        if status.is_open and not self._is_begun:
            self._is_begun = True
            self.workbench.in_background(self._run())

    async def _run(self) -> None:
        instance_lock = InstanceLock(self.folder, NAME)
        while not await self._acquired(instance_lock):  # noqa: ASYNC110 - nobody tells when another process ends
            await asyncio.sleep(RETAKE_SECONDS)
        if instance_lock.handle is not None:  # there are locks
            await self.listen(instance_lock)

    async def _acquired(self, instance_lock: InstanceLock) -> bool:
        """Acquire the lock, also from an engine that yields it; whether that succeeded."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + LEAVE_SECONDS
        while not instance_lock.acquire():
            if not await asyncio.to_thread(request_shutdown, self.folder) or loop.time() > ends:
                return False
            await asyncio.sleep(AGAIN_SECONDS)
        return True

    async def listen(self, instance_lock: InstanceLock) -> None:
        """Serve under this lock until cancelled."""
        token, bound = token_urlsafe(24), None
        try:
            own_stamp()  # now: a newer version may be installed before the first prompt comes
            bound = instance_lock.bind(token)
            bound.setblocking(False)

            async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                given: list[Context] = []
                with contextlib.suppress(OSError):
                    door = instance_lock.door(writer.get_extra_info("socket"))
                    await _send(writer, await self._reply(reader, writer, door, given))
                    for last in given[-1:]:  # only now, so that nobody waits for what is kept
                        self.workbench.history.note_prompt(last.inspection, last.surfaced)
                writer.close()

            async with await asyncio.start_server(answer, sock=bound, limit=MOST_BYTES, backlog=BACKLOG):
                await self._is_outdated.wait()
        except OSError as error:
            print(f"intentscope: prompt hooks cannot ask this engine: {error.strerror or error}.", file=sys.stderr)
        finally:
            instance_lock.release(was_bound=bound is not None)

    async def _reply(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, door: Door, given: list[Context]
    ) -> Reply:
        if not door.is_own_user:
            return {"outcome": REFUSED}
        try:
            async with asyncio.timeout(READ_SECONDS):
                if door.is_challenged:
                    writer.write(door.answer(await reader.readline()))
                message: Any = json.loads(await reader.readline())
            if not door.admits(message["token"]):
                return {"outcome": REFUSED}
            if message.get("leave"):
                if self.yields_lock:
                    self.on_leave()
                return {"outcome": LEAVES if self.yields_lock else STAYS}
            if message["stamp"] != own_stamp():
                self._yield_to_newer_version()
                return {"outcome": OTHER_VERSION}
            if message["variables"] != setting_variables():
                return {"outcome": OTHER_SETTINGS}
            if "words" in message:
                return await self._answer_command(message["words"], reader, writer)
            prompt_input = str(message["input"]).encode("utf-8", "surrogateescape")
            ms = self._time_for(message)
        except (OSError, ValueError, KeyError, TypeError, RecursionError, TimeoutError):
            return {"outcome": REFUSED}
        self.on_request()
        return await self._answer_in_turn(prompt_input, ms, given, writer)

    async def _answer_in_turn(
        self, prompt_input: bytes, ms: float, given: list[Context], writer: asyncio.StreamWriter
    ) -> Reply:
        """Acknowledge a prompt and answer it, unless more are waiting than can be answered in time."""
        if not self._queue.has_room(ms):
            self.workbench.usage.count(UsageCounter.HOOKS, "late")
            return {"outcome": BUSY}
        with self._queue.waiting():
            await _send_wait(writer, ms + HOOK_MARGIN_MS / 2)
            return await self._answer_prompt(prompt_input, ms, given)

    def _time_for(self, message: Mapping[str, Any]) -> float:
        """The time in ms for the answer to a hook's request; KeyError, TypeError or ValueError if it says none."""
        budget = float(message.get("budget_ms", self.workbench.settings.serve.hook_budget_ms))
        on_way = monotonic() * 1000.0 - float(message.get("sent_ms", "nan"))
        spent = max(0.0, float(message["spent_ms"])) + (on_way if 0.0 <= on_way <= MOST_ON_WAY_MS else 0.0)
        return max(LEAST_HOOK_MS, min(budget, MOST_BUDGET_MS) - spent - HOOK_MARGIN_MS)

    def _yield_to_newer_version(self) -> None:
        self._is_outdated.set()
        if self.yields_lock:
            self.on_leave()

    async def _answer_prompt(self, prompt_input: bytes, ms: float, given: list[Context]) -> Reply:
        """The hook's output: the best context within `ms`; every context is appended to `given`."""
        answer, fault = Answer(), ""
        try:
            prompt = prompt_of(io.BytesIO(prompt_input))
            async with asyncio.timeout(ms / 1000.0), self._queue.place():
                await self.workbench.typing_priority.turn()
                async for context in contexts(self.workbench, prompt):
                    given.append(context)
                    answer.context, answer.lacks = context.text, context.lacks
        except TimeoutError:
            fault = f"the time of the hook is over: {answer.lacks}."
        except KnownError as error:
            answer.lacks, fault = "", in_words(error)
        outcome = "late" if answer.lacks and fault else "injected" if answer.context else "nothing"
        self.workbench.usage.count(UsageCounter.HOOKS, outcome)
        err = f"intentscope: {fault}\n" if fault else ""
        return {"outcome": ANSWERED, "out": answer_with(answer.context), "err": err, "code": 0}

    async def _answer_command(self, given: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Reply:
        """Run a command of one query with heartbeats meanwhile; a client that disconnects cancels it."""
        words = [str(word) for word in given]
        if not is_query_command(words):
            return {"outcome": REFUSED}
        self.on_request()
        working = asyncio.ensure_future(self._command_result(words))
        gone = asyncio.ensure_future(reader.read(1))
        try:
            while not working.done() and not gone.done():
                await _send_wait(writer, BEATS_MS)
                await asyncio.wait([working, gone], timeout=BEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            found = working.result() if working.done() else None
        finally:
            working.cancel()
            gone.cancel()
        return {"outcome": UNASKED} if found is None else {"outcome": ANSWERED, **found}

    async def _command_result(self, words: Sequence[str]) -> Reply | None:
        await self.workbench.typing_priority.turn()
        return await self.run_command(self.workbench, words)


async def _send_wait(writer: asyncio.StreamWriter, ms: float) -> None:
    """Acknowledge a request, with the time that the answer may take."""
    writer.write(f"{WAIT} {ms:.0f}\n".encode())
    await writer.drain()


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> None:
    """Send a reply as one line, followed by stdout and stderr, whose lengths it gives: a client needs no parser."""
    if reply["outcome"] == ANSWERED:
        out, err = (str(reply[part]).encode("utf-8", "surrogatepass") for part in ("out", "err"))
        writer.write(f"{ANSWERED} {reply['code']} {len(out)} {len(err)}\n".encode() + out + err)
    else:
        writer.write(f"{reply['outcome']}\n".encode())
    await writer.drain()


_STAMP: list[list[object]] = []


def own_stamp() -> list[object]:
    """The version stamp of when this process started to serve; its files may be newer by now."""
    if not _STAMP:
        _STAMP.append(version_stamp())
    return _STAMP[0]


def request_shutdown(folder: Path | str) -> bool:
    """Ask the engine of a profile to shut down; whether it does, or has just ended."""
    try:
        with contextlib.closing(SocketClient.to(folder, NAME, CONNECT_SECONDS)) as client:
            client.send({"leave": True})
            return client.words(READ_SECONDS) == [LEAVES]
    except (FileNotFoundError, ConnectionRefusedError):
        return True
    except (OSError, ValueError):
        return False


# ---- An engine process without a window: started by the hook, ends when it is idle.

IDLE_CHECK_SECONDS = 10.0
"""The interval in which the engine checks whether it is still wanted."""


async def serve_until_idle(
    make_workbench: Callable[[], Workbench], instance_lock: InstanceLock, run_command: CommandRunner = no_commands
) -> None:
    """Serve the hooks and commands of a profile under its lock, which is held, until it is idle for as long as the
    settings say, a window or a server takes over, a signal comes, the settings want no engine any more, or the profile
    is gone. Returns at once where they want none, or the library cannot be opened."""
    loop = asyncio.get_running_loop()
    with stop_on_signal() as stop:
        last_request = loop.time()
        workbench = make_workbench()

        def note_request() -> None:
            nonlocal last_request
            last_request = loop.time()

        engine = EngineServer(
            workbench, instance_lock.folder, run_command, yields_lock=True, on_leave=stop.set, on_request=note_request
        )

        def is_wanted() -> bool:
            return workbench.settings.serve.keep_engine and instance_lock.is_held()

        await workbench.open()
        if not (workbench.status().is_open and is_wanted()):
            await workbench.close()
            instance_lock.release(was_bound=False)
            return
        answering = asyncio.create_task(engine.listen(instance_lock))
        try:
            while not (stop.is_set() or answering.done()):
                left = last_request + workbench.settings.serve.idle_minutes * 60.0 - loop.time()
                if left <= 0.0 or not is_wanted():
                    break
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), min(left, IDLE_CHECK_SECONDS))
        finally:
            answering.cancel()
            await asyncio.wait([answering])
            await workbench.close()
