"""A running engine: whoever holds a profile's workbench open listens in the profile, for prompt hooks and for commands
of one query."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import io
import json
import os
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from app.domain.errors import KnownError
from app.domain.language import spoken
from app.domain.review.use import UsageCounter
from app.services.core import Status
from app.services.workbench import Workbench
from app.surfaces.hook.asking import (
    ANSWERED,
    NAME,
    OTHER_LANGUAGE,
    OTHER_SETTINGS,
    OTHER_VERSION,
    UNASKED,
    WAIT,
    is_quick,
    stamp,
    variables,
)
from app.surfaces.hook.budget import Answer, answer_with
from app.surfaces.hook.context import Context, contexts, in_words, prompt_of
from app.surfaces.local_socket import MOST_BYTES, Seat, address_of, connected, line, send

REFUSED, LEAVES, STAYS = "refused", "leaves", "stays"

HEARD_SECONDS = 2.0
"""A message that takes longer to arrive is not waited for."""

AGAIN_SECONDS, LEAVE_SECONDS = 0.1, 10.0
"""So often the seat is tried for, and so long, after its holder was asked to leave."""

RETAKE_SECONDS = 5.0
"""So often a window looks for a seat that another one has; it ends some day."""

HOOK_SPARED_MS, LEAST_HOOK_MS = 200.0, 100.0
"""What of a hook's budget is left for its process to begin, to hear the answer and to write it; and what an engine has
at least."""

MOST_WAITING = 1_024
"""So many may be at the door at once; the next finds it shut, and takes the engine for gone."""

AT_ONCE = 4
"""So many prompts are answered at a time: with a hundred under way nobody hears in time that its own was heard."""

BEAT_SECONDS, BEATS_MS = 1.0, 5_000.0
"""So often an engine says that it still works on a command, and so long that holds."""

Reply = dict[str, Any]

AnswerWords = Callable[[Workbench, Sequence[str]], Awaitable[Reply | None]]
"""Answers the words of a command: what goes out, what is told beside it, and the exit code; None where the process of
the command has to do that itself."""


async def no_words(workbench: Workbench, words: Sequence[str]) -> Reply | None:
    """Answer no command."""
    return None


@dataclass
class RunningEngine:
    """Answers the hooks of a profile, and by `answer_words` its commands, while its workbench is open.

    One that `gives_way` leaves when a window or server of the same profile asks it to, through `on_leave`; `on_ask`
    hears of each prompt. Once another version asks, any lets the seat go, for an engine of that version.
    """

    workbench: Workbench
    folder: Path
    answer_words: AnswerWords = no_words
    gives_way: bool = False
    on_leave: Callable[[], object] = lambda: None
    on_ask: Callable[[], object] = lambda: None
    _is_begun: bool = False
    _is_outdated: asyncio.Event = field(default_factory=asyncio.Event)
    _at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    def follow(self) -> None:
        """Begin once the library is open; what is under way ends when the workbench is closed."""
        self.workbench.status_changed.subscribe(self._on_status)

    def _on_status(self, status: Status) -> None:
        if status.is_open and not self._is_begun:
            self._is_begun = True
            self.workbench.in_background(self._run())

    async def _run(self) -> None:
        seat = Seat(self.folder, NAME)
        while not await self._taken(seat):  # noqa: ASYNC110 - nobody tells when another process ends
            await asyncio.sleep(RETAKE_SECONDS)
        if seat.handle is not None:  # there are locks
            await self.listen(seat)

    async def _taken(self, seat: Seat) -> bool:
        """Take the seat, from an engine that gives way too; whether it could be had."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + LEAVE_SECONDS
        while not seat.take():
            if not await asyncio.to_thread(asked_to_leave, self.folder) or loop.time() > ends:
                return False
            await asyncio.sleep(AGAIN_SECONDS)
        return True

    async def listen(self, seat: Seat) -> None:
        """Answer from this seat until cancelled."""
        token, bound = token_urlsafe(24), None
        try:
            stamp_of_this_process()  # now: a newer version may be installed before the first prompt comes
            bound = seat.bound(token)
            bound.setblocking(False)

            async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                given: list[Context] = []
                with contextlib.suppress(OSError):
                    await _say(writer, await self._replied(reader, writer, token, given))
                    for last in given[-1:]:  # only now, so that nobody waits for what is kept
                        self.workbench.history.note_prompt(last.inspection, last.surfaced)
                writer.close()

            async with await asyncio.start_server(answer, sock=bound, limit=MOST_BYTES, backlog=MOST_WAITING):
                await self._is_outdated.wait()
        except OSError as error:
            print(f"intentscope: prompt hooks cannot ask this engine: {error.strerror or error}.", file=sys.stderr)
        finally:
            seat.leave(was_bound=bound is not None)

    async def _replied(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str, given: list[Context]
    ) -> Reply:
        if not is_own(writer.get_extra_info("socket")):
            return {"outcome": REFUSED}
        try:
            async with asyncio.timeout(HEARD_SECONDS):
                message: Any = json.loads(await reader.readline())
            if not hmac.compare_digest(str(message["token"]).encode(), token.encode()):
                return {"outcome": REFUSED}
            if message.get("leave"):
                if self.gives_way:
                    self.on_leave()
                return {"outcome": LEAVES if self.gives_way else STAYS}
            if message["stamp"] != stamp_of_this_process():
                self._leave_to_newer()
                return {"outcome": OTHER_VERSION}
            if message["variables"] != variables():
                return {"outcome": OTHER_SETTINGS}
            if "words" in message:
                return await self._commanded(message["words"], str(message["language"]), reader, writer)
            asked, spent = str(message["input"]), float(message["spent_ms"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError, TimeoutError):
            return {"outcome": REFUSED}
        self.on_ask()
        ms = max(LEAST_HOOK_MS, self.workbench.settings.serve.hook_budget_ms - max(0.0, spent) - HOOK_SPARED_MS)
        await _wait(writer, ms + HOOK_SPARED_MS / 2)
        return await self._answered(asked, ms, given)

    def _leave_to_newer(self) -> None:
        self._is_outdated.set()
        if self.gives_way:
            self.on_leave()

    async def _answered(self, asked: str, ms: float, given: list[Context]) -> Reply:
        """What the hook writes: the best context that this time is enough for, the last of those that are `given`."""
        answer, trouble = Answer(), ""
        try:
            prompt = prompt_of(io.BytesIO(asked.encode("utf-8", "surrogateescape")))
            async with asyncio.timeout(ms / 1000.0), self._at_once:
                await self.workbench.typing_priority.turn()
                async for context in contexts(self.workbench, prompt):
                    given.append(context)
                    answer.context, answer.lacks = context.text, context.lacks
        except TimeoutError:
            trouble = f"the time of the hook is over: {answer.lacks}."
        except KnownError as error:
            answer.lacks, trouble = "", in_words(error)
        outcome = "late" if answer.lacks and trouble else "injected" if answer.context else "nothing"
        self.workbench.use.count(UsageCounter.HOOKS, outcome)
        err = f"intentscope: {trouble}\n" if trouble else ""
        return {"outcome": ANSWERED, "out": answer_with(answer.context), "err": err, "code": 0}

    async def _commanded(
        self, given: Any, language: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Reply:
        """What a command of one query writes; whoever asked hears meanwhile that it is being answered, and who goes is
        not answered to the end."""
        words = [str(word) for word in given]
        if not is_quick(words):
            return {"outcome": REFUSED}
        if language != spoken().code:
            return {"outcome": OTHER_LANGUAGE}
        self.on_ask()
        working = asyncio.ensure_future(self._worked(words))
        gone = asyncio.ensure_future(reader.read(1))
        try:
            while not working.done() and not gone.done():
                await _wait(writer, BEATS_MS)
                await asyncio.wait([working, gone], timeout=BEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            found = working.result() if working.done() else None
        finally:
            working.cancel()
            gone.cancel()
        return {"outcome": UNASKED} if found is None else {"outcome": ANSWERED, **found}

    async def _worked(self, words: Sequence[str]) -> Reply | None:
        await self.workbench.typing_priority.turn()
        return await self.answer_words(self.workbench, words)


async def _wait(writer: asyncio.StreamWriter, ms: float) -> None:
    """Say that it was heard, and how long the answer may take."""
    writer.write(f"{WAIT} {ms:.0f}\n".encode())
    await writer.drain()


async def _say(writer: asyncio.StreamWriter, reply: Reply) -> None:
    """The reply as one line, and after an answer what goes out and what is told beside it, by their lengths: whoever
    asks reads that without a parser."""
    if reply["outcome"] == ANSWERED:
        out, err = (str(reply[part]).encode("utf-8", "surrogatepass") for part in ("out", "err"))
        writer.write(f"{ANSWERED} {reply['code']} {len(out)} {len(err)}\n".encode() + out + err)
    else:
        writer.write(f"{reply['outcome']}\n".encode())
    await writer.drain()


_STAMP: list[list[object]] = []


def stamp_of_this_process() -> list[object]:
    """The installation as it was when this process first said so; its files may be newer by now."""
    if not _STAMP:
        _STAMP.append(stamp())
    return _STAMP[0]


def asked_to_leave(folder: Path) -> bool:
    """Ask the engine of a profile to leave; whether it does, or has just left."""
    try:
        address = address_of(folder, NAME)
        with connected(address) as connection:
            send(connection, {"token": address["token"], "leave": True})
            return line(connection, HEARD_SECONDS) == LEAVES.encode()
    except (FileNotFoundError, ConnectionRefusedError):
        return True
    except (OSError, ValueError):
        return False


def is_own(connection: Any) -> bool:
    """If the peer is a process of the same user, where the system says whose it is; the token is asked for besides."""
    if connection is None or not hasattr(socket, "SO_PEERCRED") or connection.family != socket.AF_UNIX:
        return True
    _, user, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    return bool(user == os.getuid())
