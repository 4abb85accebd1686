"""The engine over streamable HTTP, on loopback and behind a token."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import json
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.domain.errors import KnownError
from app.ports.clock import Clock
from app.ports.store import Secrets
from app.surfaces.http.guard import MCP_PATH, MOST_BYTES, MOST_HEADER_BYTES, Guard, SessionLimit
from app.surfaces.http.resumption import SessionEvents
from app.surfaces.mcp.assistant_workbench import AssistantWorkbench
from app.surfaces.mcp.server import AssistantServer
from app.surfaces.mcp.stdio import stop_on_signal

TOKEN_NAME, TOKEN_BYTES = "serve.token", 32
"""Under which name the token is kept among the secrets, and how many random bytes it is made of."""
MOST_SESSIONS = 16
MOST_CONNECTIONS = 64
IDLE_SECONDS = 30 * 60.0
"""A session that nobody uses ends after this time."""
HEAD_SECONDS = 10.0
"""A connection on which no request begins, or the head of one does not end, is closed after this time."""
FIRST_READ_SECONDS = 1.0
"""The first bytes of a connection are read within this time, however many connections come at once."""
RETRY_MS = 1_000
"""The delay after which a client whose connection was lost should reconnect."""
KEEP_ALIVE_SECONDS, LAST_SECONDS = 5, 1
"""How long a connection is kept for another request, and how long answers under way may take when the server stops."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
NOISY = ("mcp", "sse_starlette", "uvicorn")
"""Loggers that log each refused request: anybody on this machine could fill the log with them."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the server listens, port 0 being any that is free, and the token that opens it."""

    host: str
    port: int
    token: str = field(repr=False)


class TimeoutProtocol(H11Protocol):
    """HTTP/1.1 with a timeout for the head of a request and a limit of connections.

    Where there are more, one whose request is not whole goes: who holds connections without asking anything keeps
    nobody out.
    """

    _waiting: asyncio.TimerHandle | None = None
    _silent_since = 0.0
    """The time of the last complete request; bytes that drip in do not count."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._silent_since = self.loop.time()
        self._wait()
        # One that was asked to go is there until the loop comes round: of many that come at once each sends another.
        staying = [
            one for one in self.connections if isinstance(one, TimeoutProtocol) and not one.transport.is_closing()
        ]
        if len(staying) > MOST_CONNECTIONS:
            min(staying, key=TimeoutProtocol._eviction_order).transport.abort()

    def on_response_complete(self) -> None:
        self._silent_since = self.loop.time()
        super().on_response_complete()

    def _eviction_order(self) -> tuple[int, float]:
        """Eviction order, the least first: who stalls in the head of a request, as anybody can; who stalls in its
        body, which is only waited for behind the token; who came just now and could not be heard yet; and who is being
        answered, last of all. Of several the one that was silent for longest."""
        if self._is_answering and not self.cycle.more_body:
            order = 3
        elif self.loop.time() - self._silent_since < FIRST_READ_SECONDS:
            order = 2
        else:
            order = 1 if self._is_answering else 0
        return order, self._silent_since

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_answering:
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def _is_answering(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self._is_answering:
            self.transport.close()


class _Uvicorn(uvicorn.Server):
    """Leaves signal handling to the caller."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def token_in(secrets: Secrets, *, anew: bool = False) -> str:
    """The token of this profile's server, made at the first start or `anew`; StoreError."""
    token = secrets.get(TOKEN_NAME)
    if not token or anew:
        token = token_urlsafe(TOKEN_BYTES)
        secrets.put(TOKEN_NAME, token)
    return token


def listen(host: str, port: int) -> socket.socket:
    """A socket on a loopback address; KnownError for any other, and for a port that is taken or not ours to take."""
    address = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        parsed = None
    if parsed is None or not parsed.is_loopback:
        raise KnownError(
            f"“{host}” is not a loopback address. Assistants are answered on this machine only: use 127.0.0.1 or ::1."
        )
    family = socket.AF_INET6 if parsed.version == 6 else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((address, port))
        opened.listen(MOST_CONNECTIONS)
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise KnownError(
                f"Port {port} of {address} is in use: stop the other program, or choose a port with --port."
            ) from error
        raise KnownError(f"Port {port} of {address} cannot be opened: {error.strerror or error}.") from error
    return opened


def address_of(opened: socket.socket) -> tuple[str, int]:
    """Host as it stands in a URL, and port."""
    host, port = opened.getsockname()[:2]
    return (f"[{host}]" if ":" in host else host), port


@asynccontextmanager
async def serving(
    assistants: AssistantWorkbench, opened: socket.socket, token: str, clock: Clock
) -> AsyncIterator[str]:
    """Context that serves on this socket and gives the URL. Connections that are still open at the end are closed."""
    host, port = address_of(opened)
    server = AssistantServer(assistants)
    names = sorted({f"{name}:{port}" for name in (*LOOPBACK_NAMES, host)})
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    inner = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        max_request_body_size=MOST_BYTES,
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=MOST_SESSIONS,
        event_store=SessionEvents(),
        retry_interval=RETRY_MS,
        transport_security=security,
    )
    config = uvicorn.Config(
        Guard(SessionLimit(inner, MOST_SESSIONS), token, names, clock),
        http=TimeoutProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=2 * MOST_HEADER_BYTES,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=LAST_SECONDS,
    )
    running = _Uvicorn(config)
    async with server.announcing():
        task: asyncio.Task[Any] = asyncio.create_task(running.serve(sockets=[opened]))
        try:
            yield f"http://{host}:{port}{MCP_PATH}"
        finally:
            server.close_streams()
            running.should_exit = True
            await task


async def answer_over_http(
    assistants: AssistantWorkbench, endpoint: Endpoint, clock: Clock, on_ready: Callable[[str], None]
) -> None:
    """Serve assistants until a signal comes; `on_ready` gets the URL once it answers. KnownError as `listen`."""
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    opened = listen(endpoint.host, endpoint.port)
    with stop_on_signal() as stop:
        async with assistants, serving(assistants, opened, endpoint.token, clock) as url:
            on_ready(url)
            await stop.wait()


def announce(url: str, *, as_json: bool) -> None:
    """Announce the URL: as one document on stdout, or in a sentence on stderr."""
    if as_json:
        print(json.dumps({"url": url}), flush=True)
        return
    sentence = f"Assistants are answered at {url}; “serve --show-token” shows the token that they send. Ctrl+C stops."
    print(sentence, file=sys.stderr, flush=True)
