"""What a server, or the way to it, can make the MCP client raise, and how that is told."""

from __future__ import annotations

from typing import Any

import anyio
import httpx2
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from app.domain.running import shown
from app.power_ports import PowerError

CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
UNANSWERED = (httpx2.HTTPError, httpx2.StreamError, OSError)
FAULTS = (PowerError, MCPError, ValidationError, RuntimeError, ValueError, *UNANSWERED, *CLOSED)
"""What a server, or the way to it, can make the client raise."""


def told(error: BaseException) -> str:
    """What an error says, in a line without a full stop."""
    if isinstance(error, ValidationError):
        return f"{error.error_count()} parts of it are not what they should be"
    return shown(error.message if isinstance(error, MCPError) else str(error)).rstrip(".") or type(error).__name__


def first(group: BaseExceptionGroup[Any]) -> BaseException:
    """The first error in a group that is none itself."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
