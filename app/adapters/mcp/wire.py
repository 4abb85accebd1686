"""What passes between the MCP client and a server: noted, bounded, made harmless, and every failure in words."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import mcp_types as mcp
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from app.adapters.mcp.answers import MOST_TOOLS, harmless_answer, harmless_page, tool_schemas
from app.domain.errors import PowerError
from app.domain.running import ToolSchema, WireMessage, shown

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


# ---- The last messages between this program and a server, bounded, with everything that looks like a secret masked.


KEPT = 200
"""So many messages are kept."""

KEPT_CHARACTERS = 4_000
"""So much of each."""

STDERR_CHARACTERS = 64_000
"""So much of the standard error."""

SHORTEST = 4
"""Shorter values of an environment ("1", "on") mask nothing: they stand everywhere."""

MASK = "•••"

TOKENS = re.compile(
    r"""
    (?P<before>"(?:[a-z_-]{0,40}(?:api_?-?key|token|secret|password|passwd|authorization|credential)[a-z_-]{0,40})"
       \s{0,4}:\s{0,4}")[^"\\]{1,4000}
    | (?P<scheme>\b(?:bearer|basic)\s)[a-z0-9._~+/=-]{8,4000}
    | (?P<user>://)[^\s/@"']{1,400}(?=@)
    | \b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|glpat|xox[abposr]|npm|hf|pypi|shpat|whsec)[-_][a-z0-9_-]{12,400}
    | \bgithub_pat_[a-z0-9_]{20,400}
    | \b(?:akia|asia)[a-z0-9]{16}\b
    | \beyj[a-z0-9_-]{8,2000}\.[a-z0-9_-]{4,4000}(?:\.[a-z0-9_-]{0,2000})?
    | (?<=[?&])(?P<name>(?:api_?key|key|token|access_token|auth|secret)=)[^&\s"']{4,400}
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What a token looks like: known prefixes, JSON fields and query words that tell, users in addresses."""


class WireLog:
    """Messages and standard error of one server. Times are ms since the start. Shows no value of `secrets`."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        plain = {value for value in secrets if len(value) >= SHORTEST}
        escaped = {json.dumps(value, ensure_ascii=ascii_)[1:-1] for value in plain for ascii_ in (True, False)}
        self._secrets = sorted(plain | escaped, key=len, reverse=True)
        self._longest = max(map(len, self._secrets), default=0)
        self._began = time.monotonic()
        self._kept: deque[tuple[WireMessage, int]] = deque(maxlen=KEPT)
        self._stderr = ""

    def note(self, text: str, *, sent: bool) -> None:
        """Keep one message."""
        # A secret that a cut would leave half of must be whole until it is masked.
        kept = text[: KEPT_CHARACTERS + self._longest]
        self._kept.append((WireMessage((time.monotonic() - self._began) * 1000, sent, kept), len(text)))

    def note_stderr(self, text: str) -> None:
        """Keep a piece of the standard error."""
        self._stderr = (self._stderr + text)[-(STDERR_CHARACTERS + self._longest) :]

    def masked(self, text: str) -> str:
        """A text without the secrets, and without what looks like one."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return TOKENS.sub(_mask, text)

    def exchanges(self) -> tuple[WireMessage, ...]:
        """What was kept, oldest first; masked only now, because few are ever looked at. May be called in any thread."""
        kept_now = tuple(self._kept)  # in one go: another thread may note one meanwhile
        return tuple(replace(kept, text=self._shown(kept.text, length)) for kept, length in kept_now)

    def _shown(self, text: str, length: int) -> str:
        cut = f"… ({length:,} characters)" if length > KEPT_CHARACTERS else ""
        return f"{self.masked(text)[:KEPT_CHARACTERS]}{cut}"

    def stderr(self) -> str:
        return self.masked(self._stderr)[-STDERR_CHARACTERS:]

    def last_line(self) -> str:
        """The last line of the standard error that says something; "" if none does."""
        lines = [line.strip() for line in self.stderr()[-4_000:].splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""


def _mask(found: re.Match[str]) -> str:
    kept = [found.group(name) for name in ("before", "scheme", "user", "name") if found.group(name)]
    return f"{kept[0] if kept else ''}{MASK}"


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


# --------------------------------------------------------------------------------------------------------------------
# What a power's server says of itself: who it is, which version of MCP it speaks, which tools it has

MOST_PAGES = 50


async def greeted(session: ClientSession, wire: Wire) -> tuple[str, str]:
    """Agree on what both can do: the server's name with its version, and the version of MCP; MCPError.

    Servers that know only the way without a handshake are asked that way. That one has no tools is noted on the wire.
    """
    try:
        hello: mcp.InitializeResult | mcp.DiscoverResult = await session.initialize()
    except MCPError as error:
        if error.code != mcp.UNSUPPORTED_PROTOCOL_VERSION:
            raise
        hello = await session.discover()
    about = session.server_info
    if hello.capabilities.tools is None:
        wire.notes["none"] = "It says that it offers no tools."
    name = shown(f"{about.name} {about.version}".strip(), 200) if about is not None else ""
    return name, session.protocol_version or ""


async def listed(session: ClientSession, wire: Wire) -> tuple[ToolSchema, ...]:
    """All its tools, page by page, up to a bound, which is noted on the wire; MCPError."""
    if "none" in wire.notes:
        return ()
    found: list[mcp.Tool] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        request = mcp.ListToolsRequest(params=mcp.PaginatedRequestParams(cursor=cursor))
        page = await session.send_request(request, mcp.ListToolsResult)
        found += page.tools
        if page.next_cursor in (None, cursor):
            return tool_schemas(found[:MOST_TOOLS])
        if len(found) >= MOST_TOOLS:
            break
        cursor = page.next_cursor
    most = f"{MOST_TOOLS:,} tools or {MOST_PAGES} pages"
    wire.notes["tools"] = f"Its list of tools is longer than {most}; the rest is left out."
    return tool_schemas(found[:MOST_TOOLS])
