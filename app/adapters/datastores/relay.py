"""A relay before PostgreSQL: libpq reads whatever comes for as long as it comes, so what comes is bounded before it."""

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

from app.adapters.datastores.bounded_loop import LONGEST_ANSWER, BoundedLoop
from app.adapters.datastores.client import timed_out, too_long
from app.files import TemporaryFolder

HERE = "127.0.0.1"
PORT = "5432"
SOCKETS = ("/var/run/postgresql", "/tmp")
"""Where the programs of PostgreSQL put their sockets."""

WATCHED = {"TCP_KEEPIDLE": 10, "TCP_KEEPALIVE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 15_000}
"""How long a connection is silent before the system asks whether the server is there, and how often (seconds; the last
in milliseconds). Some systems have other names for the first, or not all."""

CLOSE_SECONDS = 5.0
BUFFER = 262_144
"""Bytes between relay and libpq: a smaller buffer makes every answer wait, a larger one is slow to be given up."""


@dataclass(frozen=True, slots=True)
class Place:
    """One of the servers that an address names: `host` as it is written, and what it is connected by."""

    host: str
    address: str
    port: str

    @property
    def path(self) -> str:
        """The socket's file; "" for a server on the network."""
        folder = f"\0{self.address[1:]}" if self.address.startswith("@") else self.address
        return f"{folder}/.s.PGSQL.{self.port}" if self.address.startswith(("/", "@")) else ""

    def __str__(self) -> str:
        return f'on socket "{self.path}"' if self.path else f'at "{self.host}", port {self.port}'


class LeftError(psycopg.OperationalError):  # type: ignore[misc]
    """A server was left, with the sentence why."""


def connected(
    address: str,
    password: str | None,
    relay: Relay,
    seconds: float,
    kind: type[psycopg.Connection[Any]] = psycopg.Connection,
    **how: Any,
) -> psycopg.Connection[Any]:
    """A connection through the relay to the first server of an address that takes it; psycopg.Error.

    `kind` is the class of the connection, `how` what it is told beside the address.
    """
    said = {key: str(value) for key, value in conninfo_to_dict(address).items() if value is not None}
    settings = {**_defaults(), **said}
    if "service" in said:
        raise psycopg.OperationalError("name host and database in the address: service files are not read")
    refused: psycopg.Error | None = None
    for place in places(settings):
        try:
            secret = password or password_of(settings, place)
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
            raise type(error)(re.sub(here, lambda _: str(place), str(error))) from error
    wire = socket.socket(fileno=made.fileno())
    try:  # what lies between relay and libpq is read to its end, and can be slow to read
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    finally:
        wire.detach()  # it is libpq's to close
    return made


def _defaults() -> Mapping[str, str]:
    """What libpq takes where an address says nothing, as from its variables."""
    options = psycopg.pq.Conninfo.get_defaults()
    return {each.keyword.decode(): each.val.decode() for each in options if each.val}


def places(settings: Mapping[str, str]) -> list[Place]:
    """The servers that settings of a connection name, in their order."""
    hosts, addresses, ports = (settings.get(key, "").split(",") for key in ("host", "hostaddr", "port"))
    count = max(len(hosts), len(addresses))

    def each(parts: list[str], n: int) -> str:
        return parts[n] if len(parts) > 1 and n < len(parts) else parts[0] if len(parts) == 1 else ""

    found = []
    for n in range(count):
        host = each(hosts, n) or each(addresses, n)
        port = each(ports, n) or PORT
        if not host:
            here = (folder for folder in SOCKETS if Path(folder, f".s.PGSQL.{port}").exists())
            host = next(here, "localhost")
        found.append(Place(host, each(addresses, n) or host, port))
    return found


def password_of(settings: Mapping[str, str], place: Place) -> str | None:
    """The password that libpq would take by itself: its file is asked for the port of the server, not of the relay."""
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
    """A port or socket of this machine that leads to one server, on a thread that keeps no process alive.

    What comes from there is counted, and the connection is broken off where it is too much or takes too long.
    """

    def __init__(self, most: int = LONGEST_ANSWER, who: str = "The store") -> None:
        """`most` is the number of bytes that an answer may have, `who` the server in the sentence of LeftError."""
        self._loop, self._most, self._who = BoundedLoop(), most, who
        self._left = ""
        self._ends: list[_End] = []
        self._led: tuple[Place, str] | None = None
        self._folder: TemporaryFolder | None = None
        self._thread = Thread(target=self._loop.run_forever, name="store relay", daemon=True)
        self._thread.start()

    def lead_to(self, place: Place, seconds: float) -> dict[str, str]:
        """The settings by which the one connection that is made next is led to a server; psycopg.OperationalError.

        A server on a socket may let people in by who they are, and this program asks it: its relay is a socket that
        nobody else can reach.
        """
        self._led = None
        port = self._led_to(place, "", seconds)
        self._led = place, port
        if self._folder is not None and place.path:
            return {"host": str(self._folder.path), "hostaddr": "", "port": port}
        return {"host": place.host, "hostaddr": HERE, "port": port}

    def lead_again(self, seconds: float) -> None:
        """Lead one more connection there, such as one that cancels a statement; psycopg.OperationalError."""
        if self._led is not None:
            self._led_to(*self._led, seconds)

    def _led_to(self, place: Place, port: str, seconds: float) -> str:
        leading = asyncio.run_coroutine_threadsafe(self._lead_to(place, port), self._loop)
        try:
            return leading.result(seconds)
        except TimeoutError:
            leading.cancel()
            raise psycopg.OperationalError(f"connection to server {place} failed: timeout expired") from None
        except (OSError, OverflowError, ValueError) as error:  # the latter for what is no port
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
            near.server = await self._loop.create_unix_server(lambda: near, self._socket(port), backlog=1)
        else:
            near.server = await self._loop.create_server(lambda: near, HERE, int(port or 0), backlog=1)
            port = str(near.server.sockets[0].getsockname()[1])
        self._ends += [far, near]
        return port

    def _socket(self, port: str) -> str:
        """The path of a socket in a folder that nobody else may enter."""
        if self._folder is None:
            self._folder = TemporaryFolder(Path(tempfile.gettempdir()))
        path = self._folder.path / f".s.PGSQL.{port}"
        path.unlink(missing_ok=True)
        return str(path)

    @contextmanager
    def within(self, seconds: float | None, grace: float = 0.0) -> Iterator[None]:
        """Have what the server sends inside end within so many seconds, after a time of grace, and be as much as an
        answer may be; else LeftError. None for no limit of time."""
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
            raise LeftError(self._left) from error
        finally:
            self._loop.call_soon_threadsafe(end)

    def _leave(self, why: str) -> None:
        self._left = self._left or why
        for each in self._ends:
            each.abort()

    def close(self) -> None:
        """End the connection and the thread."""
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
        await asyncio.sleep(0)  # transports tell their ends at the next turn


def _watch(wire: socket.socket) -> None:
    """Know of a server that is gone without a word within half a minute, where the system can tell."""
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in WATCHED.items():
        if hasattr(socket, name):
            wire.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class _End(asyncio.Protocol):
    """One end of a relay: what comes is written to the other, and no faster than that takes it."""

    other: _End
    server: asyncio.Server | None = None
    """What listens for the one connection of this end."""

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
        """Close once all is written that came."""
        if self.server is not None:
            self.server.close()
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Break off."""
        if self.server is not None:
            self.server.close()
        if self._transport is not None:
            self._transport.abort()
