"""Asks a power's server who it is, which version of MCP it speaks, and which tools it has."""

from __future__ import annotations

import mcp_types as mcp
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError

from app.adapters.mcp.answers import MOST_TOOLS, tool_schemas
from app.adapters.mcp.wire import Wire
from app.domain.running import ToolSchema, shown

MOST_PAGES = 50


async def greeted(session: ClientSession, wire: Wire) -> tuple[str, str]:
    """Agree on what both can do: the server's name with its version, and the version of MCP; MCPError.

    Servers that know only the way without a handshake are asked that way. That one has no tools is noted on the wire.
    """
    try:
        hello: mcp.InitializeResult | mcp.DiscoverResult = await session.initialize()
    except MCPError as error:
        if error.code != mcp.UNSUPPORTED_PROTOCOL_VERSION:
            raise
        hello = await session.discover()
    about = session.server_info
    if hello.capabilities.tools is None:
        wire.notes["none"] = "It says that it offers no tools."
    name = shown(f"{about.name} {about.version}".strip(), 200) if about is not None else ""
    return name, session.protocol_version or ""


async def listed(session: ClientSession, wire: Wire) -> tuple[ToolSchema, ...]:
    """All its tools, page by page, up to a bound, which is noted on the wire; MCPError."""
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
