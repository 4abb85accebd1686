"""HTTP answers with limits of size and time; check for the newest version."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpx

AS_IT_IS = {"Accept-Encoding": "identity"}
"""Header of every request against compression, which could expand to gigabytes."""
LONGER = "the answer is longer than {most:,} bytes"
PACKED = "the answer came packed, although it was asked for as it is"


LEAST_PART = 256
"""Minimum size in bytes that a part counts as: chunks of one byte take as long to parse."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Limits of an HTTP answer: bytes in total or per line, and seconds until the last byte."""

    most: int
    seconds: float = math.inf
    silence: float = math.inf
    """Maximum seconds without data."""
    by_line: bool = False

    @property
    def within(self) -> float:
        """The smaller of both time limits, in seconds."""
        return min(self.seconds, self.silence)


async def bounded(
    parts: AsyncIterable[bytes],
    bound: Bound,
    until: float,
    too_long: Callable[[str], Exception],
    too_late: Callable[[str], Exception],
) -> AsyncIterator[bytes]:
    """Yield the parts of a body within its limits; `until` is a time of the running loop."""
    seen, coming = 0, aiter(parts)
    while True:
        try:
            async with asyncio.timeout_at(until if until < math.inf else None):
                part = await anext(coming, None)
        except TimeoutError:
            raise too_late("the answer did not end in time") from None
        if part is None:
            return
        first, *others = part.split(b"\n") if bound.by_line else [part]
        seen += max(len(first), LEAST_PART)
        if max(seen, *map(len, others), 0) > bound.most:
            raise too_long(LONGER.format(most=bound.most))
        seen = len(others[-1]) if others else seen
        yield part


def is_packed(headers: Mapping[str, str]) -> bool:
    return headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")


class BoundedBody(httpx.AsyncByteStream):
    """Body within limits; raises httpx.ReadError if too long, httpx.ReadTimeout if too slow."""

    def __init__(self, body: httpx.AsyncByteStream, bound: Bound, until: float) -> None:
        self._body, self._bound, self._until = body, bound, until

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in bounded(self._body, self._bound, self._until, httpx.ReadError, httpx.ReadTimeout):
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()


def keep_within(response: httpx.Response, bound: Bound, until: float) -> None:
    """Apply limits to the body of an answer; raises httpx.DecodingError if it is compressed."""
    if is_packed(response.headers):
        raise httpx.DecodingError(PACKED)
    assert isinstance(response.stream, httpx.AsyncByteStream), "an asynchronous transport streams so"
    response.stream = BoundedBody(response.stream, bound, until)


HEAD_BYTES, UNLIMITED = 16_384, 2**63
"""Maximum size in bytes of an answer's head, with its interim answers; no limit."""

_head_left: ContextVar[int] = ContextVar("_head_left", default=UNLIMITED)


async def _limit_head(event: str, info: Mapping[str, Any]) -> None:
    """Trace extension of a request: ends the stream of a new connection where a head exceeds HEAD_BYTES.

    Parsing interim answers without end would take all the time of the event loop.
    """
    if event.startswith("http11.receive_response_headers."):
        _head_left.set(HEAD_BYTES if event.endswith(".started") else UNLIMITED)
    elif event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
        stream, read = info["return_value"], info["return_value"].read

        async def read_some(max_bytes: int, **how: Any) -> bytes:
            left = _head_left.get()
            part: bytes = await read(min(max_bytes, left), **how) if left else b""
            _head_left.set(left - len(part))
            return part

        stream.read = read_some


HEAD_LIMIT = {"trace": _limit_head}


class BoundedTransport(httpx.AsyncBaseTransport):
    """Transport that requests uncompressed answers and enforces limits.

    The total time starts with the request and includes the header.
    """

    def __init__(self, bound_of: Callable[[httpx.Request], Bound]) -> None:
        self._bound_of, self._inner = bound_of, httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        bound = self._bound_of(request)
        until = asyncio.get_running_loop().time() + bound.seconds
        request.headers.update(AS_IT_IS)
        request.extensions = {**request.extensions, **HEAD_LIMIT}
        if bound.within < math.inf:
            timeout = {**request.extensions.get("timeout", {}), "read": bound.within}
            request.extensions = {**request.extensions, "timeout": timeout}
        try:
            async with asyncio.timeout_at(until if until < math.inf else None):
                response = await self._inner.handle_async_request(request)
        except TimeoutError:
            raise httpx.ReadTimeout("the answer did not begin in time") from None
        try:
            keep_within(response, bound, until)
        except httpx.DecodingError:
            await response.aclose()
            raise
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


# ---- Request for the newest version to an address of the user's choice


SECONDS, MOST_BYTES, LONGEST = 10.0, 65_536, 40

log = logging.getLogger(__name__)


async def newest_version(url: str) -> str:
    """Return the version in the answer to one GET, `{"version": "..."}`; "" on failure.

    The failure is logged. Redirects are not followed; at most 64 KB are read, within 10 s.
    """
    until = asyncio.get_running_loop().time() + SECONDS
    try:
        async with (
            asyncio.timeout_at(until),
            httpx.AsyncClient(timeout=SECONDS, follow_redirects=False) as client,
            client.stream(
                "GET", url, headers={"Accept": "application/json", **AS_IT_IS}, extensions=HEAD_LIMIT
            ) as reply,
        ):
            reply.raise_for_status()
            keep_within(reply, Bound(MOST_BYTES), until)
            found = json.loads(await reply.aread())
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError, RecursionError) as error:
        log.info("No newer version could be asked for: %s", type(error).__name__)
        return ""
    version = found.get("version") if isinstance(found, dict) else None
    return version if isinstance(version, str) and len(version) <= LONGEST else ""
