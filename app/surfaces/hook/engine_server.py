"""Server of a running engine: an open workbench answers prompt hooks and query commands."""

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
from app.domain.history import UsageCounter
from app.services.status import Status
from app.services.workbench import Workbench
from app.surfaces.hook.budget import Answer, answer_with, event_in
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
"""Time-out of reading a message, in seconds."""

AGAIN_SECONDS, LEAVE_SECONDS = 0.1, 10.0
"""Interval and limit in seconds of lock attempts after its holder was asked to shut down."""

RETAKE_SECONDS = 5.0
"""Interval in seconds at which a window tries to acquire a lock held by another one."""

HOOK_MARGIN_MS, LEAST_HOOK_MS = 200.0, 100.0
"""Part of a hook's budget that its process needs, and the least an engine gets, in ms."""

MOST_ON_WAY_MS = MOST_BUDGET_MS = 60_000.0
"""Plausible time from request to reading, and longest budget, in ms."""

BACKLOG = 1_024
"""Backlog of the listening socket; further clients are refused, and see no engine."""

MOST_PARALLEL = 4
"""Number of prompts answered in parallel: with a hundred none would be acknowledged in time."""

MOST_UNDER_WAY = 128
"""Limit of prompts answered or waiting; further ones are refused at once."""

FIRST_SECONDS, NEWEST_SHARE = 0.05, 0.2
"""Expected seconds per prompt before the first, and weight of the newest in the average."""

BEAT_SECONDS, BEATS_MS = 1.0, 5_000.0
"""Interval in seconds of heartbeats during a command, and validity of each in ms."""

Reply = dict[str, Any]

CommandRunner = Callable[[Workbench, Sequence[str]], Awaitable[Reply | None]]
"""Runs the words of a command: stdout, stderr and exit code; None if the client has to."""


async def no_commands(workbench: Workbench, words: Sequence[str]) -> Reply | None:
    """Null object: answers no command."""
    return None


class PromptQueue:
    """Queue of an engine's prompts: some are answered, others wait, late ones are refused."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(MOST_PARALLEL)
        self._under_way = 0
        self._seconds = FIRST_SECONDS

    def has_room(self, ms: float) -> bool:
        """Check if a prompt with this time limit would be answered in time."""
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
        """Wait for a slot, and measure how long it is used."""
        async with self._places:
            began = monotonic()
            try:
                yield
            finally:
                self._seconds += NEWEST_SHARE * (monotonic() - began - self._seconds)


@dataclass
class EngineServer:
    """Answers a profile's hooks and (by `run_command`) commands, while its workbench is open.

    With `yields_lock` it shuts down, through `on_leave`, at the request of a window or server of the profile.
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
        """Start serving once the library is open, until the workbench is closed."""
        self.workbench.status_changed.subscribe(self._on_status)

    def _on_status(self, status: Status) -> None:
        if status.is_open and not self._is_begun:
            self._is_begun = True
            self.workbench.in_background(self._run())

    async def _run(self) -> None:
        instance_lock = InstanceLock(self.folder, NAME)
        while not await self._acquired(instance_lock):  # noqa: ASYNC110 - nobody tells when another process ends
            await asyncio.sleep(RETAKE_SECONDS)
        if instance_lock.handle is not None:  # there are file locks
            await self.listen(instance_lock)

    async def _acquired(self, instance_lock: InstanceLock) -> bool:
        """Acquire the lock, also from an engine that yields it; return True on success."""
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
        answers: set[asyncio.Task[None]] = set()
        try:
            own_stamp()  # now: a newer version may be installed before the first prompt
            bound = instance_lock.bind(token)
            bound.setblocking(False)

            async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                given: list[Context] = []
                with contextlib.suppress(OSError):
                    door = instance_lock.door(writer.get_extra_info("socket"))
                    await _send(writer, await self._reply(reader, writer, door, given))
                    for last in given[-1:]:  # after the answer, so that nobody waits for storage
                        self.workbench.history.note_prompt(last.inspection, last.surfaced)

            def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                task = asyncio.create_task(answer(reader, writer))
                answers.add(task)
                task.add_done_callback(answers.discard)
                task.add_done_callback(lambda _: writer.close())  # also if cancelled before it started

            server = await asyncio.start_server(accept, sock=bound, limit=MOST_BYTES, backlog=BACKLOG)
            try:
                await self._is_outdated.wait()
            finally:
                with contextlib.suppress(NotImplementedError):  # Windows has no readers
                    asyncio.get_running_loop().remove_reader(bound)
                await asyncio.sleep(0)  # a closed server would leave open what it has just accepted
                server.close()
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
        """Acknowledge and answer a prompt, unless it could not be answered in time."""
        if not self._queue.has_room(ms):
            self.workbench.usage.count(UsageCounter.HOOKS, "late")
            return {"outcome": BUSY}
        with self._queue.waiting():
            await _send_wait(writer, ms + HOOK_MARGIN_MS / 2)
            return await self._answer_prompt(prompt_input, ms, given)

    def _time_for(self, message: Mapping[str, Any]) -> float:
        """Return the time in ms for a hook's request; raises KeyError, TypeError or ValueError."""
        budget = float(message.get("budget_ms", self.workbench.settings.serve.hook_budget_ms))
        on_way = monotonic() * 1000.0 - float(message.get("sent_ms", "nan"))
        spent = max(0.0, float(message["spent_ms"])) + (on_way if 0.0 <= on_way <= MOST_ON_WAY_MS else 0.0)
        return max(LEAST_HOOK_MS, min(budget, MOST_BUDGET_MS) - spent - HOOK_MARGIN_MS)

    def _yield_to_newer_version(self) -> None:
        self._is_outdated.set()
        if self.yields_lock:
            self.on_leave()

    async def _answer_prompt(self, prompt_input: bytes, ms: float, given: list[Context]) -> Reply:
        """Return the hook's output: the best context within `ms`; append every context to `given`."""
        answer, fault = Answer(), ""
        try:
            prompt = prompt_of(io.BytesIO(prompt_input))
            async with asyncio.timeout(ms / 1000.0), self._queue.place():
                await self.workbench.typing_priority.turn()
                async for context in contexts(self.workbench, prompt):
                    given.append(context)
                    answer.context, answer.lacks = context.text, context.lacks
        except TimeoutError:
            fault = f"the hook's time budget ran out: {answer.lacks}."
        except KnownError as error:
            answer.lacks, fault = "", in_words(error)
        outcome = "late" if answer.lacks and fault else "injected" if answer.context else "nothing"
        self.workbench.usage.count(UsageCounter.HOOKS, outcome)
        err = f"intentscope: {fault}\n" if fault else ""
        return {"outcome": ANSWERED, "out": answer_with(answer.context, event_in(prompt_input)), "err": err, "code": 0}

    async def _answer_command(self, given: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Reply:
        """Run a query command with heartbeats; a client that disconnects cancels it."""
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
    """Acknowledge a request, with the time limit of the answer."""
    writer.write(f"{WAIT} {ms:.0f}\n".encode())
    await writer.drain()


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> None:
    """Send a reply as a line with the lengths of stdout and stderr, which follow."""
    if reply["outcome"] == ANSWERED:
        out, err = (str(reply[part]).encode("utf-8", "surrogatepass") for part in ("out", "err"))
        writer.write(f"{ANSWERED} {reply['code']} {len(out)} {len(err)}\n".encode() + out + err)
    else:
        writer.write(f"{reply['outcome']}\n".encode())
    await writer.drain()


_STAMP: list[list[object]] = []


def own_stamp() -> list[object]:
    """Return the version stamp from the start of serving; the files may be newer by now."""
    if not _STAMP:
        _STAMP.append(version_stamp())
    return _STAMP[0]


def request_shutdown(folder: Path | str) -> bool:
    """Ask the engine of a profile to shut down; return True if it does, or has just ended."""
    try:
        with contextlib.closing(SocketClient.to(folder, NAME, CONNECT_SECONDS)) as client:
            client.send({"leave": True})
            return client.words(READ_SECONDS) == [LEAVES]
    except (FileNotFoundError, ConnectionRefusedError):
        return True
    except (OSError, ValueError):
        return False


# ---- Engine process without a window: started by the hook, ends when idle.

IDLE_CHECK_SECONDS = 10.0
"""Interval in seconds of checks if the engine is still needed."""


async def serve_until_idle(
    make_workbench: Callable[[], Workbench], instance_lock: InstanceLock, run_command: CommandRunner = no_commands
) -> None:
    """Serve a profile's hooks and commands under its held lock, until idle or stopped.

    It ends when idle for the configured time, when a window or server takes over, on a signal, when the settings
    disable it, or when the profile is gone. Returns at once if disabled or if the library cannot be opened.
    """
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
