"""MCP server of the engine: its own tools, and those of running powers."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
)

from app.domain.errors import KnownError
from app.domain.history import UsageCounter
from app.domain.running import PowerRun
from app.ports.power import Progress
from app.services.engine.typing_priority import Background
from app.services.workbench import Workbench
from app.settings.model import SettingsError
from app.surfaces.mcp import resources
from app.surfaces.mcp.assistant_workbench import SESSION, AssistantWorkbench
from app.surfaces.mcp.handshake import INSTRUCTIONS, NAME, TITLE, Handshake
from app.surfaces.mcp.power_tools import DESCRIPTION, MARK, answer_of, bounded, proxied, tool_of
from app.surfaces.mcp.stdio import standard_streams, stop_on_signal
from app.surfaces.mcp.tools import OWN_TOOLS

MOST_LISTENERS = 64
"""Maximum number of sessions notified of changed tools."""


class AssistantServer(Server[Any]):
    """MCP server on an AssistantWorkbench; notifies sessions when tools of powers come and go."""

    def __init__(self, assistants: AssistantWorkbench) -> None:
        self._bus = InMemorySubscriptionBus()
        self._listening = ListenHandler(self._bus, max_subscriptions=MOST_LISTENERS)
        super().__init__(
            NAME,
            version=version("intentscope"),
            title=TITLE,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_subscriptions_listen=self._listening,
        )
        self._assistants = assistants
        self._sessions: dict[str, ServerSession] = {}
        self._background = Background()
        self._offered = frozenset(proxied(assistants.powers.runs()))

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Announce on every transport that the list of tools may change."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)

    @asynccontextmanager
    async def announcing(self) -> AsyncIterator[None]:
        """Notify sessions of powers that start and stop, within this context."""
        unsubscribe = self._assistants.powers.run_changed.subscribe(self._check_tools)
        try:
            yield
        finally:
            unsubscribe()
            self.close_streams()
            await self._background.stop()

    def close_streams(self) -> None:
        """End the streams on which sessions listen."""
        self._listening.close()

    def _check_tools(self, run: PowerRun) -> None:
        offered = frozenset(proxied(self._assistants.powers.runs()))
        if offered != self._offered:
            self._offered = offered
            self._background.start(self._announce())

    async def _announce(self) -> None:
        await self._bus.publish(ToolsListChanged())
        for session in list(self._sessions.values()):
            await session.send_tool_list_changed()

    def _note_session(self, context: Any) -> None:
        """Store the sessions to notify, evicting the oldest; newer clients subscribe instead."""
        name = _session(context) or ""
        self._sessions.pop(name, None)
        self._sessions[name] = context.session
        while len(self._sessions) > MOST_LISTENERS:
            del self._sessions[next(iter(self._sessions))]

    async def _list_tools(self, context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        self._note_session(context)
        await self._assistants.wait_open()
        settings = self._assistants.workbench.settings
        own = [row.listed() for row in OWN_TOOLS.values() if row.is_offered(settings)]
        power_tools = proxied(self._assistants.powers.runs())
        return ListToolsResult(tools=own + [tool_of(name, one) for name, one in power_tools.items()])

    async def _list_resources(self, context: Any, params: PaginatedRequestParams | None) -> ListResourcesResult:
        return await resources.listed(await self._opened(), None if params is None else params.cursor)

    async def _list_templates(self, context: Any, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))

    async def _read_resource(self, context: Any, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await resources.read(await self._opened(), str(params.uri))

    async def _list_prompts(self, context: Any, params: PaginatedRequestParams | None) -> ListPromptsResult:
        return resources.prompts()

    async def _get_prompt(self, context: Any, params: GetPromptRequestParams) -> GetPromptResult:
        return resources.prompt(params.name, params.arguments or {})

    async def _opened(self) -> Workbench:
        """Return the workbench with its library; raises MCPError if it cannot be opened."""
        try:
            return await self._assistants.opened()
        except KnownError as error:
            raise MCPError(INTERNAL_ERROR, bounded(str(error), DESCRIPTION)) from None

    async def _call_tool(self, context: Any, params: CallToolRequestParams) -> CallToolResult:
        self._note_session(context)
        SESSION.set(_session(context))

        async def progress(done: float, total: float | None, sentence: str) -> None:
            await context.session.report_progress(done, total, bounded(sentence, DESCRIPTION))

        try:
            return await self._answer(params.name, params.arguments or {}, progress)
        except (KnownError, SettingsError) as error:
            return CallToolResult(content=[TextContent(text=bounded(str(error), DESCRIPTION))], is_error=True)

    async def _answer(self, name: str, given: dict[str, Any], progress: Progress) -> CallToolResult:
        await self._assistants.wait_open()  # the settings are read by then
        row = OWN_TOOLS.get(name)
        if row is not None and row.is_offered(self._assistants.workbench.settings):
            document = await row.answered(self._assistants, given, progress)
            text = json.dumps(document, ensure_ascii=False)
            return CallToolResult(content=[TextContent(text=text)], structured_content=document)
        one = proxied(self._assistants.powers.runs()).get(name)
        if one is not None:
            usage = self._assistants.workbench.usage
            usage.count(UsageCounter.POWERS, "called")
            self._assistants.note_call()
            try:
                return answer_of(await self._assistants.powers.call(one.power, one.tool.name, given, progress=progress))
            except KnownError:
                usage.count(UsageCounter.POWERS, "failed")
                raise
        shown_name = bounded(name, DESCRIPTION)
        if MARK in name:
            raise KnownError(f"“{shown_name}” is not a tool of a running power. activate_power(name) starts a power.")
        raise MCPError(INVALID_PARAMS, f"Unknown tool “{shown_name}”.")


def _session(context: Any) -> str | None:
    """Return a request's session ID; "" on standard streams, None outside a session."""
    return "" if context.request is None else context.request.headers.get("mcp-session-id")


async def answer_on_standard_streams(assistants: AssistantWorkbench, handshake: Handshake) -> None:
    """Serve one assistant on standard streams until it disconnects or a signal comes."""
    if sys.stdin is not None and sys.stdin.isatty():
        print("This waits for an assistant on standard input. Ctrl+C stops it.", file=sys.stderr, flush=True)
    with stop_on_signal() as stop:
        async with assistants:
            server = AssistantServer(assistants)
            async with server.announcing(), standard_streams(handshake) as (read, write):
                serving = asyncio.create_task(server.run(read, write, server.create_initialization_options()))
                stopped = asyncio.create_task(stop.wait())
                await asyncio.wait([serving, stopped], return_when=asyncio.FIRST_COMPLETED)
                stopped.cancel()
                if not serving.done():
                    serving.cancel()
                await asyncio.wait([serving])
                if not serving.cancelled():
                    serving.result()
