"""Runner that starts the servers of powers, and running servers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app.domain.library import Transport
from app.domain.running import Launch, ToolResult, ToolSchema, WireMessage

Progress = Callable[[float, float | None, str], Awaitable[None]]
"""Progress callback of a call: progress, total (None if unknown), and the server's message."""


@dataclass(frozen=True, slots=True)
class ServerStart:
    """Request to start a power's server: name, and transport with the environment's values.

    `start_timeout_ms` is from the start to the list of tools, `call_timeout_ms` is per tool call. With `launch` it
    starts only if the program still resolves to that.
    """

    power: str
    transport: Transport
    start_timeout_ms: float = 10_000
    call_timeout_ms: float = 60_000
    launch: Launch | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """Resources of a server and its child processes: bytes, and percent of one processor."""

    memory_bytes: int
    cpu_percent: float


class RunningPower(Protocol):
    """Started server with its tools. Nothing blocks; every wait is bounded."""

    @property
    def server(self) -> str:
        """Name and version given by the server: untrusted text."""

    @property
    def protocol(self) -> str:
        """Negotiated version of MCP."""

    @property
    def tools(self) -> tuple[ToolSchema, ...]: ...

    @property
    def warnings(self) -> str:
        """Sentences on anomalies of the server; "" for none."""

    @property
    def pid(self) -> int | None:
        """Process id of the server; None for an address."""

    async def call(self, tool: str, arguments: Mapping[str, Any], progress: Progress | None = None) -> ToolResult:
        """Call a tool; raises PowerError without an answer in time. Cancelling notifies the server."""

    async def wait_ended(self) -> str:
        """Wait until the server ends by itself; return the reason. Never returns after `stop`."""

    async def stop(self) -> None:
        """End the server and its child processes within two seconds; idempotent."""

    def load(self) -> Load | None:
        """Measure the load; None if unknown. May block for some ms."""

    def stderr(self) -> str:
        """Return the end of the server's standard error, secrets masked."""

    def exchanges(self) -> tuple[WireMessage, ...]:
        """Return the last MCP messages, oldest first, secrets masked."""


class PowerRunner(Protocol):
    """Starts servers of powers, none of which outlives the program."""

    async def start(self, order: ServerStart, tools_changed: Callable[[], None] | None = None) -> RunningPower:
        """Start a server and list its tools; on PowerError or cancellation nothing is left running.

        `tools_changed` is called whenever the server has announced other tools; `tools` then holds them.
        """

    def launch(self, transport: Transport) -> Launch:
        """Resolve the program that this transport would start on this machine.

        May block for some ms.
        """

    def inherits(self, name: str) -> bool:
        """Return whether a server inherits this variable if its power gives no value."""
