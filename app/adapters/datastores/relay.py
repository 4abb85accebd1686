"""Relay before PostgreSQL that limits what libpq reads."""

from __future__ import annotations

import asyncio
import re
import socket
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from app.adapters.datastores.client import LONGEST_ANSWER, BoundedLoop, timed_out, too_long
from app.files import TemporaryFolder
from app.logs import remember_sent

HERE = "127.0.0.1"
UNENCRYPTED = 'authentication method requirement "!password" failed: server requested a cleartext password'
PORT = "5432"
SOCKETS = ("/var/run/postgresql", "/tmp")
"""Usual folders of PostgreSQL's sockets."""

WATCHED = {"TCP_KEEPIDLE": 10, "TCP_KEEPALIVE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 15_000}
"""Keep-alive options in seconds, the last in milliseconds; some systems lack some of them."""

CLOSE_SECONDS = 5.0
BUFFER = 262_144
"""Buffer size in bytes between relay and libpq.

A small buffer delays the transfer, a large one is slow to drop.
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Server of an address: `host` as written, and its connection parameters."""

    host: str
    address: str
    port: str

    @property
    def path(self) -> str:
        """Path of the socket; "" for a server on the network."""
        folder = f"\0{self.address[1:]}" if self.address.startswith("@") else self.address
        return f"{folder}/.s.PGSQL.{self.port}" if self.address.startswith(("/", "@")) else ""

    def __str__(self) -> str:
        return f'on socket "{self.path}"' if self.path else f'at "{self.host}", port {self.port}'


class RelayClosedError(psycopg.OperationalError):  # type: ignore[misc]
    """A server was dropped; the message says why."""


def connected(
    address: str,
    password: str | None,
    relay: Relay,
    seconds: float,
    kind: type[psycopg.Connection[Any]] = psycopg.Connection,
    **how: Any,
) -> psycopg.Connection[Any]:
    """Connect through the relay to the first server of an address that accepts.

    Raises psycopg.Error. `kind` is the class of the connection, `how` further arguments.
    """
    said = {key: str(value) for key, value in conninfo_to_dict(address).items() if value is not None}
    settings = {**_defaults(), **said}
    if "service" in said:
        raise psycopg.OperationalError("name host and database in the address: service files are not read")
    refused: psycopg.Error | None = None
    if settings.get("sslmode") not in ("require", "verify-ca", "verify-full") and "require_auth" not in settings:
        how["require_auth"] = "!password"
    for place in places(settings):
        try:
            secret = remember_sent(password or password_of(settings, place))
            return _connected_to(place, address, secret, relay, seconds, partial(kind.connect, **how))
        except psycopg.Error as error:
            refused = error
    raise refused or psycopg.OperationalError("the address names no server")


def _connected_to(
    place: Place,
    address: str,
    password: str | None,
    relay: Relay,
    seconds: float,
    connect: Callable[..., psycopg.Connection[Any]],
) -> psycopg.Connection[Any]:
    secret = {} if password is None else {"password": password}
    with relay.within(seconds):
        near = relay.lead_to(place, seconds)
        try:
            made = connect(address, **near, connect_timeout=max(1, round(seconds)), **secret)
        except psycopg.Error as error:
            here = rf'at "[^"]*"(?: \({re.escape(HERE)}\))?, port {near["port"]}|on socket "[^"]*"'
            advice = "it asks for the password unencrypted; add sslmode=require to the address"
            raise type(error)(re.sub(here, lambda _: str(place), str(error)).replace(UNENCRYPTED, advice)) from error
    wire = socket.socket(fileno=made.fileno())
    try:  # data between relay and libpq is read to its end, which may be slow
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    finally:
        wire.detach()  # libpq closes it
    return made


def _defaults() -> Mapping[str, str]:
    """Return libpq's defaults, also from its environment variables."""
    options = psycopg.pq.Conninfo.get_defaults()
    return {each.keyword.decode(): each.val.decode() for each in options if each.val}


def places(settings: Mapping[str, str]) -> list[Place]:
    """Return the servers in a connection's settings, in order."""
    hosts, addresses, ports = (settings.get(key, "").split(",") for key in ("host", "hostaddr", "port"))
    count = max(len(hosts), len(addresses))

    def each(parts: list[str], n: int) -> str:
        return parts[n] if len(parts) > 1 and n < len(parts) else parts[0] if len(parts) == 1 else ""

    found = []
    for n in range(count):
        host = each(hosts, n) or each(addresses, n)
        port = each(ports, n) or PORT
        if not host:
            host = next((folder for folder in SOCKETS if Path(folder, f".s.PGSQL.{port}").exists()), "localhost")
        found.append(Place(host, each(addresses, n) or host, port))
    return found


def password_of(settings: Mapping[str, str], place: Place) -> str | None:
    """Return the password from libpq's file, for the server's port rather than the relay's."""
    if settings.get("password"):
        return None  # libpq has it
    usual = Path.home() / ("AppData/Roaming/postgresql/pgpass.conf" if sys.platform == "win32" else ".pgpass")
    file = Path(settings.get("passfile") or usual)
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode) or (sys.platform != "win32" and mode & (stat.S_IRWXG | stat.S_IRWXO)):
            return None
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    user = settings.get("user", "")
    host = "localhost" if place.path and place.address in SOCKETS else place.host
    wanted = (host, place.port, settings.get("dbname") or user, user)
    for line in lines:
        *parts, password = (re.sub(r"\\(.)", r"\1", part) for part in re.split(r"(?<!\\):", line, maxsplit=4))
        if len(parts) == len(wanted) and all(part in ("*", want) for part, want in zip(parts, wanted, strict=True)):
            return password
    return None


class Relay:
    """Port or socket of this machine that relays to one server, on a daemon thread.

    Received data is counted, and the connection is aborted if it is too much or too slow.
    """

    def __init__(self, most: int = LONGEST_ANSWER, who: str = "The store") -> None:
        """Start the relay for answers of at most `most` bytes; `who` names the server in errors."""
        self._loop, self._most, self._who = BoundedLoop(), most, who
        self._left = ""
        self._ends: list[_End] = []
        self._led: tuple[Place, str] | None = None
        self._folder: TemporaryFolder | None = None
        self._thread = Thread(target=self._loop.run_forever, name="store relay", daemon=True)
        self._thread.start()

    def lead_to(self, place: Place, seconds: float) -> dict[str, str]:
        """Return the settings that lead the next connection to a server.

        Raises psycopg.OperationalError. A server on a socket may authenticate users by their identity: its relay is a
        socket that nobody else can access.
        """
        self._led = None
        port = self._led_to(place, "", seconds)
        self._led = place, port
        if self._folder is not None and place.path:
            return {"host": str(self._folder.path), "hostaddr": "", "port": port}
        return {"host": place.host, "hostaddr": HERE, "port": port}

    def lead_again(self, seconds: float) -> None:
        """Relay one more connection, such as a cancelling one; raises psycopg.OperationalError."""
        if self._led is not None:
            self._led_to(*self._led, seconds)

    def _led_to(self, place: Place, port: str, seconds: float) -> str:
        leading = asyncio.run_coroutine_threadsafe(self._lead_to(place, port), self._loop)
        try:
            return leading.result(seconds)
        except TimeoutError:
            leading.cancel()
            raise psycopg.OperationalError(f"connection to server {place} failed: timeout expired") from None
        except (OSError, OverflowError, ValueError) as error:  # the latter for an invalid port
            why = getattr(error, "strerror", None) or error
            raise psycopg.OperationalError(f"connection to server {place} failed: {why}") from error

    async def _lead_to(self, place: Place, port: str) -> str:
        far, near = _End(), _End()
        far.other, near.other = near, far
        if place.path:
            await self._loop.create_unix_connection(lambda: far, place.path)
        else:
            transport, _ = await self._loop.create_connection(lambda: far, place.address, int(place.port))
            _watch(transport.get_extra_info("socket"))
        if place.path:
            port = port or PORT
            if self._folder is None:
                self._folder = TemporaryFolder(Path(tempfile.gettempdir()))
            path = self._folder.path / f".s.PGSQL.{port}"
            path.unlink(missing_ok=True)
            near.server = await self._loop.create_unix_server(lambda: near, str(path), backlog=1)
        else:
            near.server = await self._loop.create_server(lambda: near, HERE, int(port or 0), backlog=1)
            port = str(near.server.sockets[0].getsockname()[1])
        self._ends += [far, near]
        return port

    @contextmanager
    def within(self, seconds: float | None, grace: float = 0.0) -> Iterator[None]:
        """Limit time (None: unlimited) and size of the server's data; raises RelayClosedError."""
        self._left = ""
        timer: list[asyncio.TimerHandle] = []

        def begin() -> None:
            self._loop.allow(self._most).add_done_callback(lambda _: self._leave(too_long(self._most, self._who)))
            if seconds is not None:
                timer.append(self._loop.call_later(seconds + grace, self._leave, timed_out(seconds, self._who)))

        def end() -> None:
            for each in timer:
                each.cancel()

        self._loop.call_soon_threadsafe(begin)
        try:
            yield
        except psycopg.Error as error:
            if not self._left:
                raise
            raise RelayClosedError(self._left) from error
        finally:
            self._loop.call_soon_threadsafe(end)

    def _leave(self, why: str) -> None:
        self._left = self._left or why
        for each in self._ends:
            each.abort()

    def close(self) -> None:
        """Close the connection and end the thread."""
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(CLOSE_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()
        if self._folder is not None:
            self._folder.leave()

    async def _close(self) -> None:
        for each in self._ends:
            each.abort()
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # transports report their end in the next iteration


def _watch(wire: socket.socket) -> None:
    """Detect a vanished server within half a minute, where the system supports it."""
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in WATCHED.items():
        if hasattr(socket, name):
            wire.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class _End(asyncio.Protocol):
    """One end of a relay: received data goes to the other end, with flow control."""

    other: _End
    server: asyncio.Server | None = None
    """Listener for the single connection of this end."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "of a stream"
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        if self.server is not None:
            self.server.close()

    def data_received(self, data: bytes) -> None:
        self.other.write(data)

    def write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.other.close()

    def pause_writing(self) -> None:
        self.other.pause(is_paused=True)

    def resume_writing(self) -> None:
        self.other.pause(is_paused=False)

    def pause(self, *, is_paused: bool) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading() if is_paused else self._transport.resume_reading()

    def close(self) -> None:
        """Close after all received data is written."""
        if self.server is not None:
            self.server.close()
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        if self.server is not None:
            self.server.close()
        if self._transport is not None:
            self._transport.abort()
