"""PowerRunner whose servers are objects, with the modes of tests/servers/powers.py."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from app.domain.errors import PowerError
from app.domain.library import Transport
from app.domain.running import Launch, ToolResult, ToolSchema, WireMessage
from app.ports.power import Load, Progress, ServerStart

ECHO = ToolSchema("echo", "Returns its arguments.", input_schema={"type": "object"})


class MemoryServer:
    """Server that runs until it is stopped, or told to `end`."""

    def __init__(self, order: ServerStart, mode: str, tools_changed: Callable[[], None] | None) -> None:
        self._order, self._mode = order, mode
        self._end: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._said: list[WireMessage] = []
        self.server, self.protocol, self.warnings, self.pid = f"misbehaving {mode}", "2025-11-25", "", None
        self.tools: tuple[ToolSchema, ...] = (ECHO, ToolSchema("where"), ToolSchema(mode))
        self._tools_changed = tools_changed
        self.stopped = False

    def end(self, sentence: str) -> None:
        self._end.set_result(sentence)

    async def call(self, tool: str, arguments: Mapping[str, Any], progress: Progress | None = None) -> ToolResult:
        if self.stopped or self._end.done():
            raise PowerError(f"“{self._order.power}” does not run any more.")
        text = str(arguments.get("text", ""))
        for sent in (True, False):
            self._said.append(WireMessage(0.0, sent, self._masked(text)))
        if tool == "echo":
            return ToolResult(({"type": "text", "text": text},))
        return await self._misbehave(progress)

    async def _misbehave(self, progress: Progress | None) -> ToolResult:
        match self._mode:
            case "hang":
                seconds = self._order.call_timeout_ms / 1000
                await asyncio.sleep(seconds)
                raise PowerError(f"“hang” of “{self._order.power}” gave no answer within {seconds:g} s.")
            case "crash":
                self.end("It ended with exit code 7.")
                raise PowerError("“crash” gave no answer.")
            case "change":
                self.change((ECHO, ToolSchema("fresh")))
            case "progress" if progress is not None:
                for done in (1, 2):
                    await progress(done, 2, f"step {done}")
        return ToolResult(is_error=self._mode == "good")

    def change(self, tools: tuple[ToolSchema, ...]) -> None:
        self.tools = tools
        if self._tools_changed is not None:
            self._tools_changed()

    async def wait_ended(self) -> str:
        return await asyncio.shield(self._end)

    async def stop(self) -> None:
        self.stopped = True

    def load(self) -> Load | None:
        return Load(1_000_000, 0.5)

    def stderr(self) -> str:
        return ""

    def exchanges(self) -> tuple[WireMessage, ...]:
        return tuple(self._said)

    def _masked(self, text: str) -> str:
        for value in self._order.transport.env.values():
            text = text.replace(value, "•••")
        return text


class MemoryRunner:
    """Runner that starts them; the last word of the command is the mode."""

    def __init__(self, *own: str) -> None:
        self._own = own
        self.launches: dict[str, Launch] = {}
        self.orders: list[ServerStart] = []
        self.servers: list[MemoryServer] = []

    async def start(self, order: ServerStart, tools_changed: Callable[[], None] | None = None) -> MemoryServer:
        self.orders.append(order)
        mode = order.transport.args[-1] if order.transport.args else "good"
        if mode == "exit-at-once":
            raise PowerError(f"“{order.power}” ended with exit code 3.")
        if mode == "hang-at-start":
            await asyncio.sleep(order.start_timeout_ms / 1000)
            raise PowerError(f"“{order.power}” did not list its tools within {order.start_timeout_ms / 1000:g} s.")
        self.servers.append(MemoryServer(order, mode, tools_changed))
        return self.servers[-1]

    def launch(self, transport: Transport) -> Launch:
        return self.launches.get(transport.command or "", Launch(transport.command or "", transport.command or ""))

    def inherits(self, name: str) -> bool:
        return name in self._own

    def has_started(self, count: int) -> bool:
        return len(self.servers) == count

    @property
    def running(self) -> list[str]:
        return [server.server for server in self.servers if not server.stopped]
