"""What passes between the MCP client and a server: noted, bounded, made harmless, and every failure in words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
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

from app.adapters.mcp.answers import harmless_answer, harmless_greeting, harmless_page
from app.adapters.mcp.reading import (
    broken_id,
    documents_in,
    failed,
    is_broken_answer,
    mended,
    request_number,
    typed,
)
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

TOO_LONG, UNREADABLE = -32099, -32098
"""The codes of errors that stand for an answer that was left out, and for one that could not be read."""

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
        self.offered = ""
        """The version of MCP that was offered last."""
        self._latest = 0
        """The largest number given to a request."""
        self._notified = 0
        """Notifications sent to which the server has not replied; it should not, but some do."""
        self._pace = Pace(MESSAGES_A_SECOND, MESSAGES_AT_ONCE)

    def sent(self, message: mcp.JSONRPCMessage) -> str:
        """Take notice of a message to the server; its text."""
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        self.log.note(text, sent=True)
        if isinstance(message, mcp.JSONRPCRequest):
            self.pending[message.id] = message.method
            self._latest = max(self._latest, message.id if isinstance(message.id, int) else 0)
            if message.method == "initialize":
                self.offered = str((message.params or {}).get("protocolVersion", ""))
        elif isinstance(message, mcp.JSONRPCNotification):
            self._notified += 1
            if message.method == "notifications/cancelled":
                self.pending.pop((message.params or {}).get("requestId", ""), None)
        return text

    async def heard(self, message: mcp.JSONRPCMessage, text: str) -> bool:
        """Take notice of a message from the server, at a bounded pace; whether the client is to see it.

        `text` is as it came; "" for a message that was made here.
        """
        is_passed_on = not isinstance(message, mcp.JSONRPCNotification) or message.method in PASSED_ON
        await self._pace.spend(1 if is_passed_on else COST_OF_OTHERS)
        if self._pace.waited > FLOODED_SECONDS:
            self.notes["flood"] = "It sends so many messages that they are only read at a slower pace."
        if text:
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
        if method == "initialize":
            harmless_greeting(result, self.offered)
        elif method == "tools/list":
            if lost := harmless_page(result):
                self.notes["tools"] = lost
        elif method == "tools/call":
            harmless_answer(result)

    # ---- what a text from the server holds

    def read(self, text: str, asked: mcp.RequestId | None = None) -> tuple[list[mcp.JSONRPCMessage], str]:
        """The messages in a text, and the start of one whose end is missing.

        An answer whose id says nothing, or that cannot be read, becomes one, or an error, for the request `asked`, else
        for all that wait: nobody waits for what has come.
        """
        try:
            message = mcp.jsonrpc_message_adapter.validate_json(text.strip("\ufeff\r\n\t "), by_name=False)
        except ValueError:
            return self._mended(text, asked)
        if isinstance(message, mcp.JSONRPCRequest | mcp.JSONRPCNotification):
            is_request = isinstance(message, mcp.JSONRPCNotification) and '"id"' in text
            return self._mended(text, asked) if is_request else ([message], "")  # an id such as 1.0 was not seen
        if isinstance(message, mcp.JSONRPCError):
            is_reply = message.error.code == mcp.METHOD_NOT_FOUND
        else:
            is_reply = not message.result
        numbers = self._recipients(message.id, asked, may_be_reply=is_reply)
        if isinstance(message, mcp.JSONRPCResponse) and (len(numbers) > 1 or None in numbers):
            return self._unassigned(numbers), ""
        return [message.model_copy(update={"id": number}) for number in numbers], ""

    def unreadable(self, text: str, fault: str, asked: mcp.RequestId | None = None) -> list[mcp.JSONRPCMessage]:
        """Errors in the place of an answer that is no JSON; none if it was no answer."""
        if not is_broken_answer(text):
            return []
        said = f"its answer is no valid JSON: {shown(fault)}"
        return [
            failed(number, UNREADABLE, said) for number in self._recipients(broken_id(text), asked, may_be_reply=False)
        ]

    def _mended(self, text: str, asked: mcp.RequestId | None) -> tuple[list[mcp.JSONRPCMessage], str]:
        documents = documents_in(text)
        messages: list[mcp.JSONRPCMessage] = []
        for document in documents.found:
            messages += self._messages(document, asked, is_embedded=documents.is_embedded)
        if documents.is_cut and not documents.is_embedded:
            return messages, documents.rest
        return messages + self.unreadable(documents.rest, documents.fault, asked), ""

    def _messages(self, document: Any, asked: mcp.RequestId | None, *, is_embedded: bool) -> list[mcp.JSONRPCMessage]:
        """A document as a message, or as one for each request that it answers; none if it is no message."""
        message = mended(document)
        if message is None:
            return []
        given = document.get("id")
        is_certain = "jsonrpc" in document and not is_embedded  # else it may stand in a log
        if "method" in message:
            return _typed(message, [request_number(given)]) if is_certain else []
        if not is_certain and asked is None and request_number(given) not in self.pending:
            return []
        result = message.get("result")
        is_reply = not result and message.get("error", {}).get("code") in (None, mcp.METHOD_NOT_FOUND)
        numbers = self._recipients(given, asked, may_be_reply=is_reply)
        if "result" in message and (len(numbers) > 1 or None in numbers):
            return self._unassigned(numbers)
        if "result" in message and not isinstance(result, dict):
            is_list = any(self.pending.get(number or "") == "tools/list" for number in numbers)
            message["result"] = {} if result is None else {"tools" if is_list else "content": result}
        return _typed(message, numbers)

    def _recipients(self, given: Any, asked: mcp.RequestId | None, *, may_be_reply: bool) -> list[mcp.RequestId | None]:
        """The requests that an answer with this id is for; None alone for an answer that nobody waits for."""
        number = request_number(given)
        if asked is not None:
            return [asked]
        if number is not None and (number in self.pending or (isinstance(number, int) and 0 < number <= self._latest)):
            return [number]
        if may_be_reply and self._notified:
            self._notified -= 1
            return [None]
        return list(self.pending) or [None]

    def _unassigned(self, numbers: Iterable[mcp.RequestId | None]) -> list[mcp.JSONRPCMessage]:
        return [failed(number, UNREADABLE, "it answered without saying which call") for number in numbers]

    def left_out(self, size: str, asked: mcp.RequestId | None = None) -> list[mcp.JSONRPCMessage]:
        """Errors in the place of an answer that was too long to be read: without `asked`, nobody can tell which."""
        most = f"{MESSAGE_BYTES:,} bytes are the most"
        self.notes["long"] = f"It sent a message of {size}, which was left out: {most}."
        numbers = list(self.pending) if asked is None else [asked]
        return [failed(number, TOO_LONG, f"it answered with {size}; {most}") for number in numbers]

    async def pass_on(self, messages: Iterable[mcp.JSONRPCMessage], ends: Ends, text: str = "") -> None:
        """Messages from the server to the client; `text` is as they came, "" for what was made here."""
        for message in messages:
            if await self.heard(message, text):
                await ends.to_client.send(SessionMessage(message))

    def reopen(self) -> None:
        """Forget the connection before; another to the same server follows."""
        self.closed.clear()
        self.pending.clear()


def _typed(message: dict[str, Any], numbers: Iterable[mcp.RequestId | None]) -> list[mcp.JSONRPCMessage]:
    try:
        return [typed(message, number) for number in numbers]
    except ValueError:
        return [failed(each, UNREADABLE, "its answer is nested too deeply to be read") for each in numbers]


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
    wire: Wire, reads: Any, writes: Any, ends: Ends
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
    """The streams of another transport, with the wire between them and the client's `ends`."""

    async def inward() -> None:
        async for item in reads:
            if isinstance(item, SessionMessage):
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await wire.pass_on([item.message], ends, text)

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
        faults = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:3]]
        return shown(masked("; ".join(faults)))
    said = error.message if isinstance(error, MCPError) else str(error)
    return shown(masked(said[:MOST_SAID])).rstrip(".") or type(error).__name__


def is_closed(error: MCPError) -> bool:
    """Whether the connection ended before the answer; servers use the same code for errors of their own."""
    return (error.code, error.message) == (mcp.CONNECTION_CLOSED, "Connection closed")


def first(error: BaseException) -> BaseException:
    """The first error in a group that is none itself; any other error is that itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
