"""ASGI middleware of the HTTP server: token, limits, strict checks; and resumable streams."""

from __future__ import annotations

import asyncio
import hmac
import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.types import JSONRPCError, JSONRPCMessage
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.surfaces.mcp.repair import repaired_body

MOST_EVENTS, MOST_EVENT_BYTES = 256, 2**20
"""Limits of a session's backlog, in messages and in bytes."""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A sent message; None for the start of a stream."""

    number: int
    stream: str
    message: JSONRPCMessage | None
    size: int


class Backlog:
    """Bounded buffer of the latest messages of one session; the oldest are evicted."""

    def __init__(self) -> None:
        self._events: deque[SentMessage] = deque()
        self._last = self._bytes = 0

    def keep(self, stream: str, message: JSONRPCMessage | None) -> int:
        size = 0 if message is None else len(message.model_dump_json(by_alias=True, exclude_none=True))
        self._last += 1
        self._bytes += size
        self._events.append(SentMessage(self._last, stream, message, size))
        while len(self._events) > MOST_EVENTS or self._bytes > MOST_EVENT_BYTES:
            self._bytes -= self._events.popleft().size
        return self._last

    def after(self, number: str) -> list[SentMessage] | None:
        """Return the event of a number and later ones of its stream; None if evicted."""
        seen = next((event for event in self._events if str(event.number) == number), None)
        if seen is None:
            return None
        return [event for event in self._events if event.stream == seen.stream and event.number >= seen.number]


BACKLOG: ContextVar[Backlog] = ContextVar("backlog")
"""Backlog of the current session; inherited by every task that a request starts."""


class SessionEvents(EventStore):
    """Event store of the MCP library, with one backlog per session.

    Stream names are request numbers, which restart in every session. Events outside a session are not stored.
    """

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        backlog = BACKLOG.get(None)
        return "" if backlog is None else str(backlog.keep(stream_id, message))

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        backlog = BACKLOG.get(None)
        found = None if backlog is None else backlog.after(last_event_id)
        if not found:
            return None
        for event in found[1:]:
            if event.message is not None:
                await send_callback(EventMessage(event.message, str(event.number)))
        return found[0].stream


MCP_PATH, HEALTH_PATH = "/mcp", "/health"
METHODS: Mapping[str, tuple[str, ...]] = {MCP_PATH: ("POST", "GET", "DELETE"), HEALTH_PATH: ("GET", "HEAD")}
"""Served paths, with their methods."""

MOST_BYTES = 2**20
"""Maximum length of a body, in bytes."""
MOST_HEADERS, MOST_HEADER_BYTES = 64, 16_384
MOST_DEPTH = 64
BODY_SECONDS = 10.0
"""Read time-out of a body, in seconds."""
RATE, BURST = 50.0, 100.0
"""Requests per second on average, and in a burst."""

SESSION = b"mcp-session-id"
OVERRIDES = frozenset({"x-http-method", "x-http-method-override", "x-method-override"})
SINGLE = frozenset({"authorization", "content-length", "content-type", "host", "mcp-session-id", "origin"})
"""Headers that must be unique, since readers could differ on duplicates."""
CASELESS = frozenset({b"content-type", b"host", b"origin"})
"""Headers whose values are passed on in lower case, since the MCP library compares them as they are."""
OWN_SITES = frozenset({"none", "same-origin"})


class RequestRefusedError(Exception):
    """A request is refused: status, a sentence, and headers that the status requires."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status, self.headers = status, dict(headers or {})


@dataclass
class TokenBucket:
    """Token bucket: `rate` requests per second on average, `burst` at once."""

    now_ms: Callable[[], float]
    rate: float = RATE
    burst: float = BURST
    _left: float = field(default=0.0, init=False)
    _then: float = field(default=-math.inf, init=False)

    def take(self) -> bool:
        """Take a token; return False if none is left."""
        now = self.now_ms()
        self._left = min(self.burst, self._left + (now - self._then) / 1000.0 * self.rate)
        self._then = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Guard:
    """ASGI middleware before the server: checks Host, Origin, method, token, rate and body.

    Web pages can reach a loopback port: Host, Origin and Sec-Fetch-Site identify them, they cannot send JSON without a
    CORS preflight, and preflights are never answered.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str], now_ms: Callable[[], float]) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = frozenset(hosts)
        self._bucket = TokenBucket(now_ms)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            headers = _headers(scope)
            self._check_caller(scope, headers)
            if scope["path"] == HEALTH_PATH:
                await PlainTextResponse("ok\n")(scope, receive, _with_security_headers(send))
                return
            scheme, _, token = headers.get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode("latin-1"), self._token):
                raise RequestRefusedError(401, "The token is missing or wrong.", {"www-authenticate": "Bearer"})
            if scope["method"] == "POST":
                receive = _replayed_body(await _body(headers, receive), receive)
            if not self._bucket.take():
                raise RequestRefusedError(429, "Too many requests at once.", {"retry-after": "1"})
        except RequestRefusedError as refusal:
            response: Response = PlainTextResponse(
                f"{refusal}\n", refusal.status, {**refusal.headers, "connection": "close"}
            )
            await response(scope, receive, _with_security_headers(send))
            return
        named = [(name, value.lower() if name in CASELESS else value) for name, value in scope["headers"]]
        await self._app({**scope, "headers": named}, receive, _with_security_headers(send))

    def _check_caller(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Check Host, Origin, method and path; raises RequestRefusedError."""
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            raise RequestRefusedError(421, "This server answers on its own loopback address only.")
        if headers.get("origin", f"http://{host}").lower() != f"http://{host}":
            raise RequestRefusedError(403, "Pages of other origins are not answered.")
        if headers.get("sec-fetch-site", "none") not in OWN_SITES:
            raise RequestRefusedError(403, "Pages of other origins are not answered.")
        if "websocket" in headers.get("upgrade", "").lower():
            raise RequestRefusedError(400, "WebSockets are not supported.")
        if OVERRIDES.intersection(headers):
            raise RequestRefusedError(400, "The method cannot be overridden.")
        # The raw path: without decoding, every path has one spelling.
        methods = METHODS.get(scope["raw_path"].decode("latin-1"))
        if methods is None:
            raise RequestRefusedError(404, "There is nothing here.")
        if scope["query_string"]:
            raise RequestRefusedError(
                400, "Nothing is taken from the address; the token belongs into the header Authorization."
            )
        if scope["method"] not in methods:
            raise RequestRefusedError(405, "This method is not served.", {"allow": ", ".join(methods)})


class SessionLimit:
    """ASGI middleware after the guard: at the session limit, the longest idle one is ended.

    Abandoned sessions lock nobody out. A session that waits or listens is not idle.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most = app, most
        self._used: dict[bytes, int] = {}
        """Number of active requests of each session, in order of last use."""
        self._backlogs: dict[bytes, Backlog] = {}
        self._opening = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = dict(scope.get("headers", ())).get(SESSION)
        if scope["type"] == "http" and named in self._used:
            await self._use(named, scope, receive, send)
        elif scope["type"] == "http" and scope["method"] == "POST" and named is None:
            body = await _received(receive)
            receive = _replayed_body(body, receive)
            await (self._open if _is_initialize(body) else self._app)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _use(self, session: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        self._used[session] += 1
        BACKLOG.set(self._backlogs[session])

        async def watch(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            if is_start and (message["status"] == 404 or scope["method"] == "DELETE"):
                self._forget(session)
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            if session in self._used:
                self._used[session] = self._used.pop(session) - 1

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        opened = b""
        backlog = Backlog()
        BACKLOG.set(backlog)

        async def watch(message: Message) -> None:
            nonlocal opened
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened = dict(message["headers"]).get(SESSION, b"")
                if opened:
                    self._used[opened] = 1
                    self._backlogs[opened] = backlog
                    self._opening -= 1
            await send(message)

        self._opening += 1
        try:
            if len(self._used) + self._opening > self._most:
                await self._make_room(scope)
            await self._app(scope, receive, watch)
        finally:
            if not opened:
                self._opening -= 1
            elif opened in self._used:
                self._used[opened] -= 1

    def _forget(self, session: bytes) -> None:
        self._used.pop(session, None)
        self._backlogs.pop(session, None)

    async def _make_room(self, scope: Scope) -> None:
        """End the longest idle session, if any, as its own client would."""
        idle = next((session for session, under_way in self._used.items() if not under_way), None)
        if idle is None:
            return
        self._forget(idle)
        headers = [(name, value) for name, value in scope["headers"] if name == b"host"]

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def discard(_: Message) -> None:
            """Discard a message."""

        await self._app({**scope, "method": "DELETE", "headers": [*headers, (SESSION, idle)]}, nothing, discard)


def _is_initialize(body: bytes) -> bool:
    try:
        message = json.loads(body)
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("method") == "initialize"


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers by lower-case name; raises RequestRefusedError for ambiguous ones."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    if len(pairs) > MOST_HEADERS or sum(len(name) + len(value) for name, value in pairs) > MOST_HEADER_BYTES:
        raise RequestRefusedError(431, "There are too many headers.")
    names = [name for name, _ in pairs]
    if any(names.count(name) > 1 for name in SINGLE):
        raise RequestRefusedError(400, "A header is there twice.")
    headers = dict(pairs)
    if "content-length" in headers and "transfer-encoding" in headers:
        raise RequestRefusedError(400, "A body has one length.")
    return headers


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes:
    """Read the body; raises RequestRefusedError if it is not JSON, too large, too deep or too slow."""
    kind, _, parameters = headers.get("content-type", "").lower().partition(";")
    if kind.strip() != "application/json" or parameters.replace(" ", "") not in ("", "charset=utf-8"):
        raise RequestRefusedError(415, "A request is JSON (Content-Type: application/json).")
    if headers.get("content-encoding", "identity") != "identity":
        raise RequestRefusedError(415, "A body comes as it is, not packed.")
    declared = headers.get("content-length", "")
    if declared.isdigit() and int(declared[:20]) > MOST_BYTES:
        raise RequestRefusedError(413, f"A request has {MOST_BYTES:,} bytes at most.")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await _received(receive)
    except TimeoutError:
        raise RequestRefusedError(408, "The request took too long to arrive.") from None
    if _is_deep(body):
        raise RequestRefusedError(400, f"JSON is nested {MOST_DEPTH} levels deep at most.")
    message = repaired_body(body)
    if isinstance(message, JSONRPCError):
        raise RequestRefusedError(400, message.model_dump_json(by_alias=True), {"content-type": "application/json"})
    return message


async def _received(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise RequestRefusedError(400, "The request ended early.")
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise RequestRefusedError(413, f"A request has {MOST_BYTES:,} bytes at most.")
        if not message.get("more_body", False):
            return bytes(body)


def _is_deep(body: bytes) -> bool:
    if body.count(b"[") + body.count(b"{") <= MOST_DEPTH:
        return False
    depth = 0
    # An unterminated string is matched as a whole: retrying at each character would take hours.
    for byte in re.sub(rb'"(?:[^"\\]|\\.)*+"?', b"", body, flags=re.DOTALL):
        if byte in b"[{":
            depth += 1
            if depth > MOST_DEPTH:
                return True
        elif byte in b"]}":
            depth -= 1
    return False


def _replayed_body(body: bytes, receive: Receive) -> Receive:
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _with_security_headers(send: Send) -> Send:
    """Return a send channel that adds headers against caching and content sniffing."""

    async def seal(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["cache-control"] = "no-store"
            headers["x-content-type-options"] = "nosniff"
            if message["status"] >= 400:
                del headers["mcp-session-id"]  # of a session that was ended at once
        await send(message)

    return seal
