"""MCP over streamable HTTP: the client's own transport, with answers bounded and faults told in words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import urlsplit

import anyio.to_thread
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from app.adapters.local.bounded_http import AS_IT_IS, PACKED, Bound, bounded, is_packed
from app.adapters.mcp.wire import MESSAGE_BYTES, Incoming, Wire, tapped
from app.domain.errors import PowerError

NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""What the name of a header may be (RFC 9110, 5.1)."""

VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?", re.ASCII)
"""What its value may be (RFC 9110, 5.5), as far as every server takes it."""

OWN = frozenset(
    "accept accept-encoding connection content-encoding content-length content-type host last-event-id "
    "mcp-protocol-version mcp-session-id te trailer transfer-encoding upgrade".split()
)
"""Headers that the connection itself needs as they are."""


def sendable(given: Mapping[str, str]) -> dict[str, str]:
    """The headers that have a value; PowerError, which tells no value, if one cannot be sent."""
    for name, value in given.items():
        if not NAME.fullmatch(name):
            raise PowerError(f"“{name[:60]}” cannot be the name of a header: mend it on the power's page.")
        if name.lower() in OWN:
            raise PowerError(f"The header {name[:60]} is the connection's own: take it out on the power's page.")
        if value and not VALUE.fullmatch(value):
            raise PowerError(f"The value of the header {name[:60]} cannot be sent: enter it anew on the power's page.")
    return {name: value for name, value in given.items() if value}


def secrets_of(headers: Mapping[str, str]) -> list[str]:
    """What is never to be shown of them: the values, and of one such as "Bearer …" also what stands behind the word."""
    behind = (value.partition(" ")[2].strip() for value in headers.values())
    return [*headers.values(), *filter(None, behind)]


def lacking(given: Iterable[str], sent: Mapping[str, str]) -> str:
    """Which of them had no value, in a sentence; "" if all had one."""
    names = [name for name in given if name not in sent]
    return f"No value is stored for {', '.join(names)}, so it was asked without." if names else ""


# --------------------------------------------------------------------------------------------------------------------
# MCP over streamable HTTP: the client's own transport, with answers bounded and faults told in words

CONNECT_SECONDS = 10.0
ASKED_TO_SIGN_IN = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
READ_SECONDS = 300.0
"""A stream of events may be silent for so long, and any other answer takes no longer in all."""


class _Body(httpx2.AsyncByteStream):
    """The body of a response within a bound; httpx2.StreamError or httpx2.ReadTimeout beyond."""

    def __init__(self, body: httpx2.AsyncByteStream, bound: Bound) -> None:
        self._body, self._bound = body, bound

    async def __aiter__(self) -> AsyncIterator[bytes]:
        until = asyncio.get_running_loop().time() + self._bound.seconds
        async for part in bounded(self._body, self._bound, until, _too_long, httpx2.ReadTimeout):
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()


def _too_long(sentence: str) -> httpx2.StreamError:
    return httpx2.StreamError(sentence)


@asynccontextmanager
async def connected(
    url: str, wire: Wire, given: Mapping[str, str]
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]]:
    """The client's ends of the streams to a server at an address; on leaving, the session is over.

    Of the headers `given` those with a value are sent with every request, to this address alone; PowerError if one
    cannot be.
    """
    headers = sendable(given)

    async def look(response: httpx2.Response) -> None:
        if response.status_code >= 400 and response.request.method == "POST":
            said = f"It answered with status {response.status_code} ({_phrase(response.status_code)})."
            without = lacking(given, headers) if response.status_code in ASKED_TO_SIGN_IN else ""
            wire.notes["http"] = f"{said} {without}".rstrip()
        if is_packed(response.headers):
            wire.notes["http"] = f"{PACKED[:1].upper()}{PACKED[1:]}."
            raise httpx2.DecodingError(PACKED)
        streams = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        if not streams and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Body(response.stream, Bound(MESSAGE_BYTES, READ_SECONDS))

    make = partial(
        httpx2.AsyncClient,
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=READ_SECONDS),
        headers={**headers, **AS_IT_IS},
        event_hooks={"response": [look]},
        follow_redirects=False,  # the headers are for this address
        trust_env=not _is_here(url),  # no proxy stands between a machine and itself
    )
    async with (
        await anyio.to_thread.run_sync(make) as client,  # reads the certificates of this machine
        streamable_http_client(url, http_client=client, max_sse_event_size=MESSAGE_BYTES) as (reads, writes),
        tapped(wire, reads, writes) as ends,
    ):
        yield ends


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "unknown"
