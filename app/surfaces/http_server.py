"""Streamable HTTP server of the engine, on loopback and with a token."""

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
from app.ports.store import Secrets
from app.surfaces.http_guard import MCP_PATH, MOST_BYTES, MOST_HEADER_BYTES, Guard, SessionEvents, SessionLimit
from app.surfaces.mcp.assistant_workbench import AssistantWorkbench
from app.surfaces.mcp.server import AssistantServer
from app.surfaces.mcp.stdio import stop_on_signal

TOKEN_NAME, TOKEN_BYTES = "serve.token", 32
"""Name of the token among the secrets, and its number of random bytes."""
MOST_SESSIONS = 16
MOST_CONNECTIONS = 64
IDLE_SECONDS = 30 * 60.0
"""Idle time-out of a session, in seconds."""
HEAD_SECONDS = 10.0
"""Time-out of a connection without a complete request head, in seconds."""
FIRST_READ_SECONDS = 1.0
"""Time until the first read of a connection, in seconds, even with many new ones."""
RETRY_MS = 1_000
"""Delay in ms after which a disconnected client should reconnect."""
KEEP_ALIVE_SECONDS, LAST_SECONDS = 5, 1
"""Seconds that a connection is kept alive, and that pending answers have at shutdown."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
NOISY = ("mcp", "sse_starlette", "uvicorn")
"""Loggers of refused requests, which any local process could use to fill the log."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address of the server (port 0: any free one), and its token."""

    host: str
    port: int
    token: str = field(repr=False)


class TimeoutProtocol(H11Protocol):
    """HTTP/1.1 with a time-out for request heads and a limit of connections.

    Beyond the limit a connection without a complete request is closed, so that idle ones lock nobody out.
    """

    _waiting: asyncio.TimerHandle | None = None
    _silent_since = 0.0
    """Time of the last complete request; single bytes do not count."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._silent_since = self.loop.time()
        self._wait()
        # A closing connection counts until the loop runs again: each new one closes another.
        staying = [
            one for one in self.connections if isinstance(one, TimeoutProtocol) and not one.transport.is_closing()
        ]
        if len(staying) > MOST_CONNECTIONS:
            min(staying, key=TimeoutProtocol._eviction_order).transport.abort()

    def on_response_complete(self) -> None:
        self._silent_since = self.loop.time()
        super().on_response_complete()

    def _eviction_order(self) -> tuple[int, float]:
        """Eviction order, least first; ties by the longest silence.

        Stalled in a request head (possible without a token), stalled in a body, too new to be read, and being answered.
        """
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
    """Return the token of this profile's server, made at the first start or `anew`.

    Raises StoreError.
    """
    token = secrets.get(TOKEN_NAME)
    if not token or anew:
        token = token_urlsafe(TOKEN_BYTES)
        secrets.put(TOKEN_NAME, token)
    return token


def listen(host: str, port: int) -> socket.socket:
    """Open a socket on a loopback address.

    Raises KnownError for other hosts and unavailable ports.
    """
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
    host, port = opened.getsockname()[:2]
    return (f"[{host}]" if ":" in host else host), port


@asynccontextmanager
async def serving(
    assistants: AssistantWorkbench, opened: socket.socket, token: str, now_ms: Callable[[], float]
) -> AsyncIterator[str]:
    """Serve on this socket and yield the URL; open connections are closed at the end."""
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
        Guard(SessionLimit(inner, MOST_SESSIONS), token, names, now_ms),
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


async def answer_over_http(assistants: AssistantWorkbench, endpoint: Endpoint, on_ready: Callable[[str], None]) -> None:
    """Serve assistants until a signal; `on_ready` gets the URL.

    Raises KnownError as in `listen`.
    """
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    opened = listen(endpoint.host, endpoint.port)
    with stop_on_signal() as stop:
        now_ms = assistants.workbench.engine.now_ms
        async with assistants, serving(assistants, opened, endpoint.token, now_ms) as url:
            on_ready(url)
            await stop.wait()


def announce(url: str, *, as_json: bool) -> None:
    """Print the URL: as a document on stdout, or in a sentence on stderr."""
    if as_json:
        print(json.dumps({"url": url}), flush=True)
        return
    sentence = f"Assistants are answered at {url}; “serve --show-token” shows the token that they send. Ctrl+C stops."
    print(sentence, file=sys.stderr, flush=True)
