"""What a server, or the way to it, can make the MCP client raise, and how that is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import httpx2
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from app.domain.running import shown
from app.ports.power import PowerError

CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
UNANSWERED = (httpx2.HTTPError, httpx2.StreamError, OSError)
FAULTS = (PowerError, MCPError, ValidationError, RuntimeError, ValueError, *UNANSWERED, *CLOSED)
"""What a server, or the way to it, can make the client raise."""


MOST_SAID = 20_000
"""So much of what an error says is looked through."""


def told(error: BaseException, masked: Callable[[str], str] = str) -> str:
    """What an error says, in a line without a full stop; what is `masked` is so before it is cut."""
    if isinstance(error, ValidationError):
        return f"{error.error_count()} parts of it are not what they should be"
    said = error.message if isinstance(error, MCPError) else str(error)
    return shown(masked(said[:MOST_SAID])).rstrip(".") or type(error).__name__


def first(group: BaseExceptionGroup[Any]) -> BaseException:
    """The first error in a group that is none itself."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
