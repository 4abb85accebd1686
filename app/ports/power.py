"""What running powers needs of the outside: a way to start a power's server, and the server once it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app.domain.library import Transport
from app.domain.running import Launch, ToolResult, ToolSchema, WireMessage

Progress = Callable[[float, float | None, str], Awaitable[None]]
"""Called with how far a call is, of how much in all if that is known, and what the server says about it."""


@dataclass(frozen=True, slots=True)
class StartRequest:
    """How to start one power's server: its name, and its transport with the values of its environment.

    `start_timeout_ms` is from the start to the list of its tools, `call_timeout_ms` for each call of a tool. With
    `launch` it is started only as long as that is what starting it comes to.
    """

    power: str
    transport: Transport
    start_timeout_ms: float = 10_000
    call_timeout_ms: float = 60_000
    launch: Launch | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """What a server and all that it started take of this machine: bytes, and percent of one processor."""

    memory_bytes: int
    cpu_percent: float


class RunningPower(Protocol):
    """One server that has been started and has told its tools. Nothing here blocks; every wait is bounded."""

    @property
    def server(self) -> str:
        """Name and version, as the server calls itself: untrusted text."""
        ...

    @property
    def protocol(self) -> str:
        """The version of MCP that both speak."""
        ...

    @property
    def tools(self) -> tuple[ToolSchema, ...]: ...

    @property
    def warnings(self) -> str:
        """What is odd about the server, in sentences; "" if nothing is."""
        ...

    @property
    def pid(self) -> int | None:
        """The process that was started; None for an address."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Any], progress: Progress | None = None) -> ToolResult:
        """Call one tool; PowerError if there is no answer in time. Cancelling tells the server so."""
        ...

    async def wait_ended(self) -> str:
        """Wait until the server has ended by itself: why, in a sentence. Never returns after `stop`."""
        ...

    async def stop(self) -> None:
        """End the server and all that it started, within two seconds; a second call does nothing."""
        ...

    def load(self) -> Load | None:
        """May block for some ms; None where it cannot be told."""
        ...

    def stderr(self) -> str:
        """The last of what the server wrote to its standard error, secrets masked."""
        ...

    def exchanges(self) -> tuple[WireMessage, ...]:
        """The last messages on the wire, oldest first, secrets masked."""
        ...


class PowerRunner(Protocol):
    """Starts servers of powers. No process outlives the program, however that ends."""

    async def start(self, order: StartRequest, tools_changed: Callable[[], None] | None = None) -> RunningPower:
        """Start a server and ask for its tools; PowerError, and nothing is left running. Cancelling stops it too.

        `tools_changed` is called whenever the server has told other tools since; its `tools` holds them then.
        """
        ...

    def launch(self, transport: Transport) -> Launch:
        """What starting this, with its values, would come to on this machine now; may block for some ms."""
        ...

    def inherits(self, name: str) -> bool:
        """Whether a server whose power names this variable without a value gets this program's own."""
        ...
