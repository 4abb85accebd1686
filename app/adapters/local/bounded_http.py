"""What other programs answer over HTTP, so much of it and for so long at most; asking which version is the newest."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
from dataclasses import dataclass

import httpx

AS_IT_IS = {"Accept-Encoding": "identity"}
"""What every request says: some bytes that are packed twice become gigabytes, before anybody can count them."""
LONGER = "the answer is longer than {most:,} bytes"
PACKED = "the answer came packed, although it was asked for as it is"


@dataclass(frozen=True, slots=True)
class Bound:
    """Limits of an HTTP answer: bytes in all or of each line, and seconds from the request to the last byte."""

    most: int
    seconds: float = math.inf
    silence: float = math.inf
    """So long nothing may come; with the time in all the shorter of the two."""
    by_line: bool = False

    @property
    def within(self) -> float:
        """The seconds after which it is too late, whichever way."""
        return min(self.seconds, self.silence)


async def bounded(
    parts: AsyncIterable[bytes],
    bound: Bound,
    until: float,
    too_long: Callable[[str], Exception],
    too_late: Callable[[str], Exception],
) -> AsyncIterator[bytes]:
    """The parts of a body while they keep to a bound; `until` is when the running loop's clock ends it."""
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
        seen += len(first)
        if max(seen, *map(len, others), 0) > bound.most:
            raise too_long(LONGER.format(most=bound.most))
        seen = len(others[-1]) if others else seen
        yield part


def is_packed(headers: Mapping[str, str]) -> bool:
    """Whether an answer would have to be unpacked."""
    return headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")


class BoundedBody(httpx.AsyncByteStream):
    """A body that ends in httpx.ReadError where it is too long, and in httpx.ReadTimeout where it takes too much."""

    def __init__(self, body: httpx.AsyncByteStream, bound: Bound, until: float) -> None:
        self._body, self._bound, self._until = body, bound, until

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in bounded(self._body, self._bound, self._until, httpx.ReadError, httpx.ReadTimeout):
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()


def keep_within(response: httpx.Response, bound: Bound, until: float) -> None:
    """Have the body of an answer end where it keeps to no bound; httpx.DecodingError for one that is packed."""
    if is_packed(response.headers):
        raise httpx.DecodingError(PACKED)
    assert isinstance(response.stream, httpx.AsyncByteStream), "an asynchronous transport streams so"
    response.stream = BoundedBody(response.stream, bound, until)


class BoundedTransport(httpx.AsyncBaseTransport):
    """Asks for an answer as it is, and breaks it off where it keeps to no bound, before anything of it is kept.

    The time in all begins with the question: a head that comes byte by byte has no more of it than a body has.
    """

    def __init__(self, bound_of: Callable[[httpx.Request], Bound]) -> None:
        self._bound_of, self._inner = bound_of, httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        bound = self._bound_of(request)
        until = asyncio.get_running_loop().time() + bound.seconds
        request.headers.update(AS_IT_IS)
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


# ---- One question to an address of a person's choice: which version is the newest?


SECONDS, MOST_BYTES, LONGEST = 10.0, 65_536, 40

log = logging.getLogger(__name__)


async def newest_version(url: str) -> str:
    """What the address answers to one GET with `{"version": "..."}`; "" if it does not, which the log says.

    Redirections are not followed, and no more than 64 KB are read, within 10 s in all.
    """
    until = asyncio.get_running_loop().time() + SECONDS
    try:
        async with (
            asyncio.timeout_at(until),
            httpx.AsyncClient(timeout=SECONDS, follow_redirects=False) as client,
            client.stream("GET", url, headers={"Accept": "application/json", **AS_IT_IS}) as reply,
        ):
            reply.raise_for_status()
            keep_within(reply, Bound(MOST_BYTES), until)
            found = json.loads(await reply.aread())
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError, RecursionError) as error:
        log.info("No newer version could be asked for: %s", type(error).__name__)
        return ""
    version = found.get("version") if isinstance(found, dict) else None
    return version if isinstance(version, str) and len(version) <= LONGEST else ""
