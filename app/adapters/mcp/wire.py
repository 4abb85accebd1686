"""Connection between MCP client and server: limits, repairs, messages, and its log."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import mcp_types as mcp
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from app.adapters.mcp.answers import (
    MOST_DOCUMENTS,
    broken_id,
    documents_in,
    failed,
    harmless_answer,
    harmless_greeting,
    harmless_page,
    is_broken_answer,
    repaired_message,
    request_number,
    typed,
)
from app.domain.errors import PowerError
from app.domain.running import WireMessage, shown
from app.logs import without

MOST_LINES, MOST_OF_LINE = 200, 1_000
MOST_CHARACTERS = 400
MOST_FOLLOWING, MOST_BRACKETED = 4, 12
"""Maximum number of further lines of an error, and of a document."""

COLORS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?)")
"""Colours and titles that a program sends to a terminal."""

PREFIX = re.compile(r"^(?:npm (?:error|ERR!)|[\s|+×╰╭│├─▶>\u2716✗\u274c*]+)\s*")
"""Prefix of a line: npm's name, box lines, list marks."""

NOISE = re.compile(
    r"""
    at\s.+ | \.{3}\s\d+\s(?:more|common).* | File\s".*",\sline\s\d+.* | \[Previous\sline\srepeated.* | [~^\s]+
    | (?:node:|file:|/|[A-Z]:\\)\S*:\d+ | (?:During\shandling|The\sabove\sexception).* | .*Traceback\s\(most\srecent.*
    | (?:Node\.js|Bun|Deno)\s+v?\d.* | Emitted\s'error'\sevent.* | throw\s.* | triggerUncaught.* | Use\s`node\s--trace.*
    | A\scomplete\slog\sof\sthis\srun.* | (?:.*[/\\]_logs[/\\].*) | Note\sthat\syou\scan\salso\sinstall.*
    | (?:code|errno|syscall|path|spawnargs|requireStack|digest)(?::\s.*|\s\S+)
    | (?:for|see)\s(?:further|more)\s(?:information|details).* | (?:Run|Try|See|Use)\s['"`].*help.* | note:.*
    | (?:hint|help|usage|info):.* | (?:npm\s)?(?:warn(?:ing)?|notice)\b.* | \(.*\)\s\w*Warning:.* | \(Use\s`.*
    | goroutine\s\d+.* | exit\sstatus\s\d+ | main\.main\(\) | stack\sbacktrace:.* | \d+:\s+0x.* | -{2,}.*
    | Stack\strace: | \#\d+\s.* | thrown\sin\s.* | from\s/.*:\d+.* | [\[\](){},;'"]+ | \d{3} | (?:<\w+>|\w+)\s?=>.*
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Lines without a reason: stack frames, versions, log paths, hints."""

NAMED = re.compile(
    r"""
    (?:^|[\s:\]\[(>"])(?:[A-Za-z_$][\w.$]*)?(?:Error|Exception|Panic)(?:\s?[\[(][\w.\s]+[\])])?:
    | ^(?:[\w.-]+:\s)?(?:panic|fatal(?:\serror)?|error|caused\sby)(?:\[\w+\])?:\s | \bpanicked\sat\b
    | ^[45]\d\d\s[A-Z][\w\s]+\s-\s
    """,
    re.VERBOSE,
)
"""Line that names an error: "Error: …", "ValueError: …", "panic: …", "404 Not Found"."""

LIKELY = re.compile(
    r"""
    \b(?:error|err|exception|fatal|panic|cannot|can't|could\s?n[o']t|couldn't|unable|fail(?:ed|ure|s)?|denied|refused
    |required|missing|invalid|not\s(?:found|set|installed|recogni[sz]ed|supported|allowed|a\sdirectory)|no\s(?:such|matching)
    |must\s(?:be|set|provide)|unauthori[sz]ed|forbidden|unknown|unsupported|undefined|expired|in\suse|no\ssolution
    |E[A-Z]{4,12})\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
CALM = re.compile(
    r"^[\W\d_T:Z,.+-]*(?:INFO|DEBUG|TRACE|NOTICE|WARN(?:ING)?)\b|\"level\"\s*:\s*\"(?:info|debug)\"", re.IGNORECASE
)
"""Log line without an error."""


def reason_in(output: str) -> str:
    """Return the lines with the reason of the end, joined, or the last useful line, or ""."""
    rows = [line.rstrip()[:MOST_OF_LINE] for line in COLORS.sub("", output).splitlines()[-MOST_LINES:] if line.strip()]
    bare = [PREFIX.sub("", row) or row.strip() for row in rows]
    useful = [at for at, text in enumerate(bare) if NOISE.fullmatch(text) is None]
    if not useful:
        return shown(rows[-1].strip(), MOST_CHARACTERS) if rows else ""
    named = [at for at in useful if NAMED.search(bare[at]) and not CALM.search(bare[at])]
    likely = [at for at in useful if LIKELY.search(bare[at]) and not CALM.search(bare[at])]
    chosen = _cause(named, bare) if named else likely[-2:] or useful[-1:]
    lines: list[int] = []
    for at in chosen:
        lines += [at, *_following(at, bare, set(useful))]
    if not named and CALM.search(bare[useful[-1]]) is None:
        lines.append(useful[-1])
    return shown(" ".join(dict.fromkeys(bare[at] for at in lines)), MOST_CHARACTERS)


def _cause(named: list[int], bare: list[str]) -> list[int]:
    """Return the last named error with its cause, if stated."""
    last = named[-1]
    is_cause = re.match(r"(?:\[cause\]|caused by)", bare[last], re.IGNORECASE) is not None
    return named[-2:] if is_cause else [last]


def _following(at: int, bare: list[str], useful: set[int]) -> list[int]:
    """Return the lines that belong to an error: until noise, or the end of its brackets."""
    is_open = bare[at].endswith(("[", "{"))
    most = MOST_BRACKETED if is_open else MOST_FOLLOWING
    found: list[int] = []
    for after in range(at + 1, min(at + 1 + most, len(bare))):
        is_bracket = is_open and not bare[after].strip("[]{}(),;")
        if CALM.search(bare[after]) or not (is_bracket or after in useful):
            break
        found.append(after)
    return found


KEPT = 200
"""Maximum number of stored messages."""

KEPT_CHARACTERS = 4_000
"""Maximum number of characters per message."""

STDERR_CHARACTERS = 64_000
"""Maximum number of characters of the standard error."""

READ_CHARACTERS = 8_000
"""Number of characters of an output searched for a reason."""

SHORTEST, SHORTEST_KEY = 4, 8
"""Minimum lengths of a masked value, and of a key in an answer; "on" occurs everywhere."""

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
"""Patterns of tokens: known prefixes, JSON fields, query parameters, users in addresses."""


class WireLog:
    """Messages and standard error of one server, times in ms, without values of `secrets`."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        plain = {value for value in secrets if len(value) >= SHORTEST}
        escaped = {json.dumps(value, ensure_ascii=ascii_)[1:-1] for value in plain for ascii_ in (True, False)}
        self._secrets = sorted(plain | escaped, key=len, reverse=True)
        self._longest = max(map(len, self._secrets), default=0)
        self._began = time.monotonic()
        self._kept: deque[tuple[WireMessage, int]] = deque(maxlen=KEPT)
        self._stderr = self._printed = ""

    def note(self, text: str, *, sent: bool) -> None:
        # A secret at the cut must be complete until it is masked.
        kept = text[: KEPT_CHARACTERS + self._longest]
        self._kept.append((WireMessage((time.monotonic() - self._began) * 1000, sent, kept), len(text)))

    def note_stderr(self, text: str) -> None:
        self._stderr = (self._stderr + text)[-(STDERR_CHARACTERS + self._longest) :]

    def masked(self, text: str) -> str:
        """Mask the secrets and anything that looks like one."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return TOKENS.sub(_mask, text)

    def exchanges(self) -> tuple[WireMessage, ...]:
        """Return the stored messages, oldest first, masked on access. Thread-safe."""
        kept_now = tuple(self._kept)  # a copy: another thread may add one meanwhile
        return tuple(replace(kept, text=self._shown(kept.text, length)) for kept, length in kept_now)

    def _shown(self, text: str, length: int) -> str:
        cut = f"… ({length:,} characters)" if length > KEPT_CHARACTERS else ""
        return f"{self.masked(text)[:KEPT_CHARACTERS]}{cut}"

    def stderr(self) -> str:
        return self.masked(self._stderr)[-STDERR_CHARACTERS:]

    def note_printed(self, text: str) -> None:
        """Store a line of the standard output that is no message."""
        self._printed = f"{self._printed}{text}\n"[-(READ_CHARACTERS + self._longest) :]

    def last_line(self) -> str:
        """Return the last non-blank line of the standard error; "" if none."""
        output = COLORS.sub("", self.stderr()[-READ_CHARACTERS:])
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""

    def reason(self) -> str:
        """Return the lines of both outputs with the reason of the end; "" if none."""
        return reason_in(f"{self.masked(self._printed)[-READ_CHARACTERS:]}\n{self.stderr()[-READ_CHARACTERS:]}")


def _mask(found: re.Match[str]) -> str:
    kept = [found.group(name) for name in ("before", "scheme", "user", "name") if found.group(name)]
    return f"{kept[0] if kept else ''}{MASK}"


MESSAGE_BYTES = 4_000_000
"""Maximum size of a message in bytes; longer ones are dropped, and their request fails."""

MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 500.0, 2_000.0
BYTES_A_SECOND, BYTES_AT_ONCE = 20_000_000.0, 40_000_000.0
"""Reading pace of a talkative server, so that it cannot monopolise the loop."""

CANCELLED = "notifications/cancelled"
PASSED_ON = {"notifications/progress", "notifications/tools/list_changed"}
"""Notifications passed to the client; others are only logged."""

COST_OF_OTHERS = 0.1
"""Cost of a notification that is not passed on, relative to one that is."""

FLOODED_SECONDS = 0.5
"""Total delay in seconds from which on a server counts as flooding."""

DECLINED = {
    "sampling/createMessage": "to have a language model write something",
    "elicitation/create": "to ask the person something",
    "roots/list": "which folders it may work in",
}
"""Requests by servers that this client declines, as it never offered them."""

TOO_LONG, UNREADABLE = -32099, -32098
"""Error codes for an answer that was dropped, and one that was unreadable."""

Incoming = SessionMessage | Exception


class Pace:
    """Rate limiter with a burst allowance."""

    def __init__(self, a_second: float, at_once: float) -> None:
        self._a_second, self._at_once = a_second, at_once
        self._left, self._at = at_once, time.monotonic()
        self.waited = 0.0
        """Total delay in seconds."""

    async def spend(self, amount: float) -> None:
        """Wait until this amount is allowed."""
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._at) * self._a_second) - amount
        self._at = now
        if self._left < 0:
            self.waited += -self._left / self._a_second
            await anyio.sleep(-self._left / self._a_second)
        else:
            await anyio.lowlevel.checkpoint()  # lets other tasks run after every message


class Wire:
    """State of one connection: pending requests, anomalies, log."""

    def __init__(self, power: str, log: WireLog, keys: Iterable[str] = ()) -> None:
        """Set up the state; `keys` are sent, and masked in whatever the server says."""
        self.power, self.log = power, log
        self._keys = [key for key in keys if len(key) >= SHORTEST_KEY]
        self.pending: dict[mcp.RequestId, str] = {}
        """Methods of pending requests, by id."""
        self.notes: dict[str, str] = {}
        """Sentences on anomalies, by topic."""
        self.closed = asyncio.Event()
        """Set when nothing more can arrive."""
        self.offered = ""
        """Version of MCP offered last."""
        self._latest = 0
        """Largest id of a request."""
        self._notified = 0
        """Number of notifications that some servers may wrongly reply to."""
        self._server_ids: deque[mcp.RequestId] = deque(maxlen=64)
        self._pace = Pace(MESSAGES_A_SECOND, MESSAGES_AT_ONCE)

    def sent(self, message: mcp.JSONRPCMessage) -> str:
        """Record a message to the server; return its text."""
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        self.log.note(text, sent=True)
        if isinstance(message, mcp.JSONRPCRequest):
            self.pending[message.id] = message.method
            self._latest = max(self._latest, message.id if isinstance(message.id, int) else 0)
            if message.method == "initialize":
                self.offered = str((message.params or {}).get("protocolVersion", ""))
        elif isinstance(message, mcp.JSONRPCNotification):
            self._notified += 1
            if message.method == CANCELLED:
                self.pending.pop((message.params or {}).get("requestId", ""), None)
        return text

    async def heard(self, message: mcp.JSONRPCMessage, text: str) -> bool:
        """Record a message from the server, at a limited pace; return whether to pass it on.

        `text` is the original; "" for a message made here.
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
                self._server_ids.append(message.id)
                if message.method in DECLINED:
                    asked = f"It asked {DECLINED[message.method]} ({message.method}), which was declined."
                    self.notes[message.method] = asked
            case mcp.JSONRPCNotification():
                pass
        return is_passed_on

    def _answered(self, method: str, result: dict[str, Any]) -> None:
        """Make an answer readable for the client, in place."""
        if method == "initialize":
            harmless_greeting(result, self.offered)
        elif method == "tools/list":
            if lost := harmless_page(result):
                self.notes["tools"] = lost
        elif method == "tools/call":
            harmless_answer(result)

    # ---- Parsing of the server's texts

    def without_keys(self, text: str) -> str:
        return without(text, self._keys, MASK)

    def read(self, text: str, asked: mcp.RequestId | None = None) -> tuple[list[mcp.JSONRPCMessage], str]:
        """Return the messages in a text, and the start of an incomplete one.

        An answer without a usable id, or an unreadable one, goes to the request `asked`, else to all pending ones,
        so that none waits in vain.
        """
        try:
            message = mcp.jsonrpc_message_adapter.validate_json(text.strip("\ufeff\r\n\t "), by_name=False)
        except ValueError:
            return self._repaired(text, asked)
        if isinstance(message, mcp.JSONRPCRequest | mcp.JSONRPCNotification):
            is_request = isinstance(message, mcp.JSONRPCNotification) and '"id"' in text
            return (
                self._repaired(text, asked) if is_request else ([message], "")
            )  # an id such as 1.0 was not recognised
        if isinstance(message, mcp.JSONRPCError):
            is_reply = message.error.code == mcp.METHOD_NOT_FOUND
        else:
            is_reply = not message.result
        numbers = self._recipients(message.id, asked, may_be_reply=is_reply)
        if isinstance(message, mcp.JSONRPCResponse) and (len(numbers) > 1 or None in numbers):
            return self._unassigned(numbers), ""
        return [message.model_copy(update={"id": number}) for number in numbers], ""

    def unreadable(self, text: str, fault: str, asked: mcp.RequestId | None = None) -> list[mcp.JSONRPCMessage]:
        """Return errors in place of an answer in invalid JSON; none if it was no answer."""
        if not is_broken_answer(text):
            return []
        said = f"its answer is no valid JSON: {shown(fault)}"
        return [
            failed(number, UNREADABLE, said) for number in self._recipients(broken_id(text), asked, may_be_reply=False)
        ]

    def _repaired(self, text: str, asked: mcp.RequestId | None) -> tuple[list[mcp.JSONRPCMessage], str]:
        documents = documents_in(text)
        messages: list[mcp.JSONRPCMessage] = []
        for document in documents.found[:MOST_DOCUMENTS]:
            messages += self._messages(document, asked, is_embedded=documents.is_embedded)
        if documents.is_cut and not documents.is_embedded:
            return messages, documents.rest
        return messages + self.unreadable(documents.rest, documents.fault, asked), ""

    def _messages(self, document: Any, asked: mcp.RequestId | None, *, is_embedded: bool) -> list[mcp.JSONRPCMessage]:
        """Return a document as a message for each request it answers; none if it is no message."""
        message = repaired_message(document)
        if message is None:
            return []
        given = document.get("id")
        is_certain = "jsonrpc" in document and not is_embedded  # otherwise it may be part of a log
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
        """Return the requests that an answer with this id is for; [None] if nobody waits for it."""
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

    def _cancelled(self, params: Mapping[str, Any]) -> list[mcp.JSONRPCMessage]:
        """Return an error for a pending request that the server cancels, although only its sender may."""
        number, reason = request_number(params.get("requestId")), params.get("reason")
        if number not in self.pending or number in self._server_ids:
            return []
        said = f": {shown(reason)}" if isinstance(reason, str) and reason else ""
        return [failed(number, UNREADABLE, f"it cancelled the call{said}")]

    def left_out(self, size: str, asked: mcp.RequestId | None = None) -> list[mcp.JSONRPCMessage]:
        """Return errors in place of an answer that was too long; without `asked` for all pending."""
        most = f"{MESSAGE_BYTES:,} bytes are the most"
        self.notes["long"] = f"It sent a message of {size}, which was left out: {most}."
        numbers = list(self.pending) if asked is None else [asked]
        return [failed(number, TOO_LONG, f"it answered with {size}; {most}") for number in numbers]

    async def pass_on(self, messages: Iterable[mcp.JSONRPCMessage], ends: Ends, text: str = "") -> None:
        """Pass messages to the client; `text` is the original, "" for messages made here."""
        for message in messages:
            is_passed_on, text = await self.heard(message, text), ""  # the text of several is logged once
            if is_passed_on:
                await ends.to_client.send(SessionMessage(message))
            elif isinstance(message, mcp.JSONRPCNotification) and message.method == CANCELLED:
                await self.pass_on(self._cancelled(message.params or {}), ends)

    def reopen(self) -> None:
        """Reset for another connection to the same server."""
        self.closed.clear()
        self.pending.clear()


def _typed(message: dict[str, Any], numbers: Iterable[mcp.RequestId | None]) -> list[mcp.JSONRPCMessage]:
    try:
        return [typed(message, number) for number in numbers]
    except ValueError:
        return [failed(each, UNREADABLE, "its answer is nested too deeply to be read") for each in numbers]


QUEUED = 64
"""Maximum number of queued messages for a server that does not read."""


class Ends:
    """Streams between a client and its wire, with an end on each side."""

    def __init__(self) -> None:
        self.to_client, self.read = anyio.create_memory_object_stream[Incoming](0)
        self.write, self.from_client = anyio.create_memory_object_stream[SessionMessage](QUEUED)

    def close(self) -> None:
        """Close all four ends, so that none warns when collected."""
        for end in (self.to_client, self.read, self.write, self.from_client):
            end.close()


@asynccontextmanager
async def tapped(
    wire: Wire, reads: Any, writes: Any, ends: Ends
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
    """Connect another transport's streams through the wire to the client's `ends`."""

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
    """Run a pump until a stream closes, then mark the wire as closed."""
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await pump()
    wire.closed.set()
    ends.close()


# ---- Exceptions that a server or the connection can cause, and their messages.


CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
UNANSWERED = (httpx2.HTTPError, httpx2.StreamError, OSError)
FAULTS = (PowerError, MCPError, ValidationError, RuntimeError, ValueError, *UNANSWERED, *CLOSED)
"""Exceptions of the client that a server or the connection can cause."""


MOST_SAID = 20_000
"""Maximum number of characters of an error message that are processed."""


def sentence_of(error: BaseException, masked: Callable[[str], str] = str) -> str:
    """Format an error as one line without a full stop, masked before it is cut."""
    if isinstance(error, ValidationError):
        faults = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:3]]
        return shown(masked("; ".join(faults)))
    said = error.message if isinstance(error, MCPError) else str(error)
    return shown(masked(said[:MOST_SAID])).rstrip(".") or type(error).__name__


def is_closed(error: MCPError) -> bool:
    """Return whether the connection ended before the answer; servers reuse the code."""
    return (error.code, error.message) == (mcp.CONNECTION_CLOSED, "Connection closed")


def first(error: BaseException) -> BaseException:
    """Return the first non-group error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
