"""Greeting of a power's server: its name, the version of MCP, and its tools."""

from __future__ import annotations

import re

import mcp_types as mcp
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from app.adapters.mcp.answers import MOST_TOOLS, tool_schemas
from app.adapters.mcp.wire import Wire
from app.domain.errors import PowerError
from app.domain.running import ToolSchema, shown

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
            if not _is_about_version(error):
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


def _is_about_version(error: MCPError) -> bool:
    """Return whether `initialize` may have been refused because of the version."""
    return error.code == mcp.INVALID_PARAMS or re.search(r"version|protocol", error.message, re.IGNORECASE) is not None


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
