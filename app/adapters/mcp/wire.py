"""What passes between the MCP client and a server: noted, bounded, made harmless, and every failure in words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import mcp_types as mcp
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from app.adapters.mcp.answers import MOST_TOOLS, harmless_answer, harmless_page
from app.adapters.mcp.wire_log import WireLog
from app.domain.errors import PowerError
from app.domain.running import shown

MESSAGE_BYTES = 4_000_000
"""A longer message is left out, and what it answered fails: parsing it would hold up everything else."""

MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 500.0, 2_000.0
BYTES_A_SECOND, BYTES_AT_ONCE = 20_000_000.0, 40_000_000.0
"""A server that talks faster is listened to at this pace, so that it takes no more than its share of the loop."""

PASSED_ON = {"notifications/progress", "notifications/cancelled", "notifications/tools/list_changed"}
"""The notifications that the client is to see; log messages and the rest are noted and go no further."""

COST_OF_OTHERS = 0.1
"""What a notification that goes no further counts as, beside one that does."""

FLOODED_SECONDS = 0.5
"""A server that was made to wait for so long in all is said to flood."""

DECLINED = {
    "sampling/createMessage": "to have a language model write something",
    "elicitation/create": "to ask the person something",
    "roots/list": "which folders it may work in",
}
"""What servers may ask of a client, and this one declines: it never said that it could."""

TOO_LONG = -32099
"""The code of the error that stands for an answer that was left out."""

Incoming = SessionMessage | Exception


class Pace:
    """Lets so much pass at once, and then so much a second."""

    def __init__(self, a_second: float, at_once: float) -> None:
        self._a_second, self._at_once = a_second, at_once
        self._left, self._at = at_once, time.monotonic()
        self.waited = 0.0
        """So many seconds were waited in all."""

    async def spend(self, amount: float) -> None:
        """Wait until so much more may pass."""
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._at) * self._a_second) - amount
        self._at = now
        if self._left < 0:
            self.waited += -self._left / self._a_second
            await anyio.sleep(-self._left / self._a_second)
        else:
            await anyio.lowlevel.checkpoint()  # others come to their turn after every message


class Wire:
    """One connection as it is seen from outside: what is waited for, what is odd, what was said."""

    def __init__(self, power: str, log: WireLog) -> None:
        self.power, self.log = power, log
        self.pending: dict[mcp.RequestId, str] = {}
        """The methods of requests that have no answer yet."""
        self.notes: dict[str, str] = {}
        """What is odd, by what it is about, in sentences."""
        self.closed = asyncio.Event()
        """Set once nothing will come any more."""
        self._messages = Pace(MESSAGES_A_SECOND, MESSAGES_AT_ONCE)

    def sent(self, message: mcp.JSONRPCMessage) -> str:
        """Take notice of a message to the server; its text."""
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        self.log.note(text, sent=True)
        if isinstance(message, mcp.JSONRPCRequest):
            self.pending[message.id] = message.method
        elif isinstance(message, mcp.JSONRPCNotification) and message.method == "notifications/cancelled":
            self.pending.pop((message.params or {}).get("requestId", ""), None)
        return text

    async def heard(self, message: mcp.JSONRPCMessage, text: str) -> bool:
        """Take notice of a message from the server, at a bounded pace; whether the client is to see it."""
        is_passed_on = not isinstance(message, mcp.JSONRPCNotification) or message.method in PASSED_ON
        await self._messages.spend(1 if is_passed_on else COST_OF_OTHERS)
        if self._messages.waited > FLOODED_SECONDS:
            self.notes["flood"] = "It sends so many messages that they are only read at a slower pace."
        self.log.note(text, sent=False)
        match message:
            case mcp.JSONRPCResponse():
                self._answered(self.pending.pop(message.id, ""), message.result)
            case mcp.JSONRPCError():
                self.pending.pop(message.id or "", None)
            case mcp.JSONRPCRequest():
                if message.method in DECLINED:
                    asked = f"It asked {DECLINED[message.method]} ({message.method}), which was declined."
                    self.notes[message.method] = asked
            case mcp.JSONRPCNotification():
                pass
        return is_passed_on

    def _answered(self, method: str, result: dict[str, Any]) -> None:
        """Make an answer what the client can read, in place."""
        if method == "tools/list" and harmless_page(result):
            self.notes["tools"] = f"A page of its tools is longer than {MOST_TOOLS:,}; the rest is left out."
        elif method == "tools/call":
            harmless_answer(result)

    def left_out(self, size: str) -> list[SessionMessage]:
        """Errors in the place of an answer that was too long to be read: nobody can tell which it was."""
        self.notes["long"] = f"It sent a message of {size}, which was left out: {MESSAGE_BYTES:,} bytes are the most."
        error = mcp.ErrorData(
            code=TOO_LONG,
            message=f"it answered with {size}; {MESSAGE_BYTES:,} bytes are the most",
        )
        failed = [SessionMessage(mcp.JSONRPCError(jsonrpc="2.0", id=number, error=error)) for number in self.pending]
        self.pending.clear()
        return failed

    def parsed(self, line: str) -> mcp.JSONRPCMessage | None:
        """The message that a line is; None if it is none."""
        try:
            return mcp.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            return None


QUEUED = 64
"""So many messages wait for a server that does not read, before who sends them has to wait too."""


class Ends:
    """The two streams between a client and its wire: each side has an end of both."""

    def __init__(self) -> None:
        self.to_client, self.read = anyio.create_memory_object_stream[Incoming](0)
        self.write, self.from_client = anyio.create_memory_object_stream[SessionMessage](QUEUED)

    def close(self) -> None:
        """Close all four, so that none is missed when it is collected."""
        for end in (self.to_client, self.read, self.write, self.from_client):
            end.close()


@asynccontextmanager
async def tapped(
    wire: Wire, reads: Any, writes: Any
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
    """The streams of another transport, with the wire between them and the client."""
    ends = Ends()

    async def inward() -> None:
        async for item in reads:
            if not isinstance(item, SessionMessage):
                continue
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            if await wire.heard(item.message, text):
                await ends.to_client.send(item)

    async def outward() -> None:
        async for item in ends.from_client:
            wire.sent(item.message)
            await writes.send(item)

    async with anyio.create_task_group() as group:
        group.start_soon(_pumping, inward, wire, ends)
        group.start_soon(_pumping, outward, wire, ends)
        try:
            yield ends.read, ends.write
        finally:
            group.cancel_scope.cancel()
            ends.close()


async def _pumping(pump: Callable[[], Awaitable[None]], wire: Wire, ends: Ends) -> None:
    """Run a pump until its stream closes, on either side; then nothing will come any more."""
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await pump()
    wire.closed.set()
    ends.close()


# ---- What a server, or the way to it, can make the MCP client raise, and how that is reported.


CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
UNANSWERED = (httpx2.HTTPError, httpx2.StreamError, OSError)
FAULTS = (PowerError, MCPError, ValidationError, RuntimeError, ValueError, *UNANSWERED, *CLOSED)
"""What a server, or the way to it, can make the client raise."""


MOST_SAID = 20_000
"""So much of what an error says is looked through."""


def sentence_of(error: BaseException, masked: Callable[[str], str] = str) -> str:
    """What an error says, in a line without a full stop; what is `masked` is so before it is cut."""
    if isinstance(error, ValidationError):
        return f"{error.error_count()} parts of it are not what they should be"
    said = error.message if isinstance(error, MCPError) else str(error)
    return shown(masked(said[:MOST_SAID])).rstrip(".") or type(error).__name__


def first(group: BaseExceptionGroup[Any]) -> BaseException:
    """The first error in a group that is none itself."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
