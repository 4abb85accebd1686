"""Runner of powers' servers through the MCP client: greeting, calls of tools, end."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2
import mcp_types as mcp
from mcp.client.session import ClientSession, IncomingMessage
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from app.adapters.mcp import transports
from app.adapters.mcp.answers import MOST_TOOLS, tool_result, tool_schemas
from app.adapters.mcp.child import Child, begin, environment, launch_of, resolved_transport
from app.adapters.mcp.http_client import FORGOTTEN, NOT_TAKEN, REFUSED
from app.adapters.mcp.supervisor import MARK
from app.adapters.mcp.transports import Pipes, secrets_of
from app.adapters.mcp.wire import FAULTS, Wire, WireLog, first, is_closed, sentence_of
from app.domain.errors import PowerError
from app.domain.library import Transport
from app.domain.match import without_lone_surrogates
from app.domain.running import SECRET, Launch, ToolResult, ToolSchema, WireMessage, shown
from app.ports.power import Load, Progress, ServerStart

MOST_PAGES = 50


CLIENT = mcp.Implementation(name="intentscope", title="Intentscope", version="1")
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
"""Version of MCP in an error message."""


async def greeted(session: ClientSession, wire: Wire) -> tuple[str, str]:
    """Negotiate with the server; return its name with version, and MCP's version.

    Raises MCPError, PowerError. If the newest version is refused, older ones are offered, and finally the way
    without a handshake. A server without tools is noted on the wire.
    """
    wire.notes.pop("none", None)
    hello = await _agreed(session, wire)
    about = session.server_info
    if hello.capabilities.tools is None:
        wire.notes["none"] = "It says that it offers no tools."
    name = shown(f"{about.name} {about.version}".strip(), 200) if about is not None else ""
    return name, session.protocol_version or ""


async def _agreed(session: ClientSession, wire: Wire) -> mcp.InitializeResult | mcp.DiscoverResult:
    offers = list(reversed(HANDSHAKE_PROTOCOL_VERSIONS))
    refusals: list[str] = []
    while True:
        version = offers.pop(0)
        try:
            hello = await _offered(session, version)
        except MCPError as error:
            if error.code == mcp.UNSUPPORTED_PROTOCOL_VERSION:
                return await session.discover()
            if error.code != mcp.INVALID_PARAMS and not re.search(r"version|protocol", error.message, re.IGNORECASE):
                raise
            refusals.append(version)
            wire.notes["version"] = f"It refused MCP {', '.join(refusals)}."
            named = set(DATE.findall(f"{error.message} {error.data}")) - {version}
            offers = [each for each in offers if each in named] or ([] if named and refusals[1:] else offers)
            if not offers:
                raise
            continue
        if hello.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
            spoken = f"{HANDSHAKE_PROTOCOL_VERSIONS[0]} to {HANDSHAKE_PROTOCOL_VERSIONS[-1]}"
            told = shown(hello.protocol_version, 60)
            raise PowerError(f"“{wire.power}” speaks version {told} of MCP; {spoken} are spoken here.")
        session.adopt(hello)
        await session.send_notification(mcp.InitializedNotification())
        return hello


async def _offered(session: ClientSession, version: str) -> mcp.InitializeResult:
    """Return the answer to `initialize` with this version."""
    params = mcp.InitializeRequestParams(
        protocol_version=version, capabilities=mcp.ClientCapabilities(), client_info=CLIENT
    )
    return await session.send_request(mcp.InitializeRequest(params=params), mcp.InitializeResult)


async def listed(session: ClientSession, wire: Wire) -> tuple[ToolSchema, ...]:
    """List all tools, page by page, up to a limit noted on the wire; raises MCPError."""
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


REFRESH_SECONDS = 1.0
"""Minimum interval in seconds between requests for changed tools."""

STOP_SECONDS = (1.5, 0.5)
"""Time-outs of stopping in seconds, normally and then by force."""

for logger in ("mcp", "client"):  # the library's names; faults of servers are reported as sentences instead
    logging.getLogger(logger).addHandler(logging.NullHandler())


class McpRunner:
    """Starts servers by command or address, each in its own task on the caller's loop."""

    async def start(self, order: ServerStart, tools_changed: Callable[[], None] | None = None) -> McpServer:
        """Start a server and list its tools; on PowerError nothing is left running."""
        server = McpServer(replace(order, transport=resolved_transport(order.transport)), tools_changed)
        is_ready = False
        try:
            async with asyncio.timeout(order.start_timeout_ms / 1000):
                await server.begin()
            is_ready = True
        except TimeoutError as error:
            raise PowerError(server.slow_start()) from error
        finally:
            if not is_ready:
                await server.stop()
        return server

    def launch(self, transport: Transport) -> Launch:
        return launch_of(transport)

    def inherits(self, name: str) -> bool:
        return name in environment({name: ""})


class McpServer:
    """Server from its start to its end."""

    def __init__(self, order: ServerStart, tools_changed: Callable[[], None] | None) -> None:
        self._order = order
        self._tools_changed = tools_changed
        named = order.transport.env
        self._env = environment(named)
        is_run = bool(order.transport.command)
        self._log = WireLog((self._env[name] for name in named if name in self._env) if is_run else secrets_of(named))
        keys = {} if is_run else {name: value for name, value in named.items() if SECRET.search(name)}
        self._wire = Wire(order.power, self._log, secrets_of(keys))
        self._child: Child | None = None
        self._pipes: Pipes | None = None
        self._session: ClientSession | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False
        self._is_old = False
        self._renewing = asyncio.Lock()
        self._sessions = 0
        """Number of further sessions, after the server forgot the previous one."""
        self._stale = asyncio.Event()
        self._end: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.server = ""
        self.protocol = ""
        self.tools: tuple[ToolSchema, ...] = ()

    # ---- Life cycle

    async def begin(self) -> None:
        """Start, and wait for its tools; raises PowerError."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(ready))
        await ready

    async def _live(self, ready: asyncio.Future[None]) -> None:
        """Run the conversation to its end; then report the reason, first to a pending start."""
        fault = ""
        try:
            await self._converse_either_way(ready)
        except FAULTS as error:
            fault = self._sentence(error)
        except ExceptionGroup as group:
            known, bugs = group.split(FAULTS)
            fault = self._sentence(first(known)) if known is not None else ""
            if bugs is not None:
                raise bugs from None
        finally:
            fault = fault or self._why_ended()
            if not ready.done():
                ready.set_exception(PowerError(fault))
            if not self._end.done() and not self._is_stopped:
                self._end.set_result(fault)

    async def _converse_either_way(self, ready: asyncio.Future[None]) -> None:
        """Run the conversation, with the old way over HTTP if the address needs it."""
        try:
            await self._converse(ready)
        except (MCPError, ExceptionGroup) as error:
            refusal = first(error)
            if ready.done() or not isinstance(refusal, MCPError) or refusal.code != NOT_TAKEN:
                raise
        else:
            return
        self._is_old = True
        self._wire.reopen()
        try:
            await self._converse(ready)
        except (*FAULTS, ExceptionGroup):
            if "old" in self._wire.notes:
                raise
            raise refusal from None

    async def _converse(self, ready: asyncio.Future[None]) -> None:
        """Connect, greet, list, and wait; the process is always ended afterwards."""
        async with (
            self._connected() as (reads, writes),
            ClientSession(reads, writes, message_handler=self._on_message, client_info=CLIENT) as session,
        ):
            try:
                self.server, self.protocol = await greeted(session, self._wire)
                self.tools = await listed(session, self._wire)
                self._session = session
                if not ready.done():
                    ready.set_result(None)
                await self._follow(session)
            finally:
                self._session = None

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[tuple[Any, Any]]:
        transport = self._order.transport
        if transport.command:
            self._child = await begin(await self._program(), transport.args, self._env)
            self._pipes = Pipes(self._child, self._wire)
            async with self._pipes.opened() as streams:
                yield streams
        elif transport.url:
            connected = transports.connected(transport.url, self._wire, transport.env, is_old=self._is_old)
            async with connected as streams:
                yield streams
        else:
            raise PowerError(f"“{self._order.power}” has neither a command nor an address: give it one on its page.")

    async def _program(self) -> Launch:
        """Return the program to start; raises PowerError if it is not the approved one any more."""
        now, meant = await asyncio.to_thread(launch_of, self._order.transport), self._order.launch
        if now.fault:
            raise PowerError(now.fault)
        if meant is not None and now != meant:
            raise PowerError(
                f"“{self._order.power}” would now run another program, so it was not started: "
                "activate it again and review the question."
            )
        return now

    async def _on_message(self, message: IncomingMessage) -> None:
        if isinstance(message, mcp.ToolListChangedNotification):
            self._stale.set()

    async def _follow(self, session: ClientSession) -> None:
        """Refresh the tools when they change, until the connection closes."""
        closed = asyncio.create_task(self._wire.closed.wait())
        try:
            while not closed.done():
                stale = asyncio.create_task(self._stale.wait())
                try:
                    await asyncio.wait((closed, stale), return_when=asyncio.FIRST_COMPLETED)
                finally:
                    stale.cancel()
                if closed.done():
                    break
                await asyncio.wait((closed,), timeout=REFRESH_SECONDS)
                self._stale.clear()
                await self._refresh(session)
        finally:
            closed.cancel()

    async def _refresh(self, session: ClientSession) -> None:
        try:
            async with asyncio.timeout(self._order.start_timeout_ms / 1000):
                tools = await listed(session, self._wire)
        except (TimeoutError, MCPError, ValidationError) as error:
            self._wire.notes["refresh"] = (
                f"It said that its tools had changed, but did not tell them: {self._masked_sentence(error)}."
            )
            return
        self._wire.notes.pop("refresh", None)
        if tools != self.tools:
            self.tools = tools
            if self._tools_changed is not None:
                self._tools_changed()

    async def wait_ended(self) -> str:
        return await asyncio.shield(self._end)

    async def stop(self) -> None:
        self._is_stopped = True
        if self._task is None:
            return
        for seconds in STOP_SECONDS:
            self._task.cancel()  # the second time, without a farewell
            await asyncio.wait((self._task,), timeout=seconds)
            if self._task.done():
                break
            if self._child is not None:
                self._child.let_go()

    # ---- Calls

    async def call(self, tool: str, arguments: Mapping[str, Any], progress: Progress | None = None) -> ToolResult:
        session = self._session
        if session is None:
            raise PowerError(f"“{self._order.power}” does not run any more: activate it again.")
        called = f"“{shown(tool, 100)}” of “{self._order.power}”"
        params = mcp.CallToolRequestParams(name=tool, arguments=_as_sent(arguments, called))
        request = mcp.CallToolRequest(params=params)
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._order.call_timeout_ms / 1000):
                answer = await self._request(
                    session,
                    lambda: session.send_request(request, mcp.CallToolResult, progress_callback=_progressing(progress)),
                )
        except TimeoutError as error:
            seconds = self._order.call_timeout_ms / 1000
            raise PowerError(f"{called} gave no answer within {seconds:g} s, so the call was cancelled.") from error
        except MCPError as error:
            if is_closed(error):
                raise PowerError(f"{called} gave no answer: {self._why_ended()}") from error
            raise PowerError(f"{called} gave no answer: {self._masked_sentence(error)}.") from error
        except (ValidationError, RuntimeError) as error:
            raise PowerError(f"{called} gave an answer that is not MCP: {self._masked_sentence(error)}.") from error
        return tool_result(answer, (time.monotonic() - began) * 1000)

    async def _request(
        self, session: ClientSession, ask: Callable[[], Awaitable[mcp.CallToolResult]]
    ) -> mcp.CallToolResult:
        """Run a request, repeated in a new session if the server has lost the old one."""
        sessions = self._sessions
        try:
            return await ask()
        except MCPError as error:
            if error.code != FORGOTTEN:
                raise
        async with self._renewing:
            if self._sessions == sessions:  # of several calls, the first opens it
                self.server, self.protocol = await greeted(session, self._wire)
                self._sessions += 1
                self._stale.set()  # it may have other tools now
        return await ask()

    # ---- Status

    @property
    def warnings(self) -> str:
        return " ".join(self._wire.notes.values())

    @property
    def pid(self) -> int | None:
        return None if self._child is None else self._child.pid

    def load(self) -> Load | None:
        return None if self._child is None else self._child.load()

    def stderr(self) -> str:
        return self._log.stderr()

    def exchanges(self) -> tuple[WireMessage, ...]:
        return self._log.exchanges()

    # ---- Messages

    def slow_start(self) -> str:
        """Return the sentence for a server that was too slow to start."""
        seconds = self._order.start_timeout_ms / 1000
        return (
            f"“{self._order.power}” did not list its tools within {seconds:g} s, so it was "
            f"stopped.{self._clues()} If it only needs longer, as at a first download, raise "
            "powers.start_timeout_ms."
        )

    def _why_ended(self) -> str:
        if self._is_stopped:
            return f"“{self._order.power}” was stopped."
        how = self._pipes.end if self._pipes is not None and self._pipes.end else "closed the connection"
        line = self._log.last_line()
        if line.startswith(MARK):
            return f"“{self._order.power}” could not be started: {shown(line.removeprefix(MARK))}."
        return f"“{self._order.power}” {how}.{self._clues()}"

    def _sentence(self, error: BaseException) -> str:
        if isinstance(error, PowerError):
            return str(error)
        if isinstance(error, httpx2.HTTPError):
            where = self._log.masked(self._order.transport.url or "")
            return f"“{self._order.power}” cannot be reached at {where}: {self._masked_sentence(error)}."
        if isinstance(error, MCPError) and is_closed(error):
            return self._why_ended()
        if isinstance(error, MCPError) and error.code in (REFUSED, NOT_TAKEN):
            where = self._log.masked(self._order.transport.url or "")
            return f"“{self._order.power}” cannot be used at {where}: {self._masked_sentence(error)}.{self._clues()}"
        return f"“{self._order.power}” could not be understood: {self._masked_sentence(error)}.{self._clues()}"

    def _masked_sentence(self, error: BaseException) -> str:
        return sentence_of(error, self._log.masked)

    def _clues(self) -> str:
        """Return sentences that may explain a fault: anomalies, and the server's output."""
        said = self._log.reason()
        words = [self.warnings, f"It said: “{said}”." if said else ""]
        return "".join(f" {each}" for each in words if each)


def _as_sent(arguments: Mapping[str, Any], called: str) -> dict[str, Any]:
    """Convert arguments to JSON values; raises PowerError if impossible."""
    try:
        sent = json.loads(without_lone_surrogates(json.dumps(dict(arguments), ensure_ascii=False, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        raise PowerError(f"{called} was not called: its arguments are not JSON ({sentence_of(error)}).") from error
    return dict(sent)


def _progressing(tell: Progress | None) -> ProgressFnT | None:
    if tell is None:
        return None

    async def pass_on(progress: float, total: float | None, message: str | None) -> None:
        await tell(progress, total, shown(message or ""))

    return pass_on
