"""The wire to Ollama: how long an answer may take, how long it may be, and every failure in words (S4.5, S4.7)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import httpx
import ollama

from app.llm_ports import LlmDisconnectedError, LlmError, LlmModelMissingError, LlmUnreachableError, LlmUnreadableError
from app.settings_sections import LlmSettings

WARM_UP_SECONDS = 120.0
"""How long loading a model may take before it is given up."""

REQUEST_SECONDS = WARM_UP_SECONDS
"""How long any one request may take; the budget of a query is far shorter and kept elsewhere."""

CONNECT_SECONDS = 2.0

PULL = "/api/pull"

READ_SECONDS: Mapping[str, float] = {
    "/api/version": 5.0,
    "/api/show": 5.0,
    "/api/ps": 5.0,
    "/api/tags": 5.0,
    PULL: 600.0,
}
"""How long the server may be silent at what is answered at once, and at what takes minutes; others: REQUEST_SECONDS."""

LONGEST_ANSWER = 1_000_000
"""Bytes of one answer, or of one line of those that tell the progress of a pull; a longer one is broken off."""


def client_of(url: str) -> ollama.AsyncClient:
    """The official asynchronous client, within these bounds; ValueError or httpx.InvalidURL for what is no address."""
    return ollama.AsyncClient(
        host=url,
        timeout=httpx.Timeout(REQUEST_SECONDS, connect=CONNECT_SECONDS),
        trust_env=False,
        follow_redirects=False,  # nothing is sent to an address that the user did not set
        transport=_BoundedTransport(),
    )


class _BoundedTransport(httpx.AsyncHTTPTransport):
    """Breaks off an answer that takes too long for its question, or grows beyond all measure, before it is kept."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        timeout = {**request.extensions.get("timeout", {}), "read": _read_seconds(request)}
        request.extensions = {**request.extensions, "timeout": timeout}
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx.AsyncByteStream), "an asynchronous transport streams so"
        response.stream = _BoundedStream(response.stream, by_line=request.url.path.endswith(PULL))
        return response


class _BoundedStream(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, *, by_line: bool = False) -> None:
        self._stream = stream
        self._by_line = by_line

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for part in self._stream:
            first, *others = part.split(b"\n") if self._by_line else [part]
            seen += len(first)
            if max(seen, *map(len, others), 0) > LONGEST_ANSWER:
                raise httpx.ReadError(f"the answer is longer than {LONGEST_ANSWER:,} bytes")
            seen = len(others[-1]) if others else seen
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def _read_seconds(request: httpx.Request) -> float:
    path = request.url.path
    return next((seconds for end, seconds in READ_SECONDS.items() if path.endswith(end)), REQUEST_SECONDS)


def short(text: str) -> str:
    """At most 200 characters on one line, without a full stop."""
    return " ".join(str(text).split())[:200].rstrip(".")


def version_in(answer: httpx.Response, url: str) -> str:
    """The version that a server told; LlmError if what answers is no Ollama."""
    try:
        return str(answer.raise_for_status().json()["version"])
    except (httpx.HTTPStatusError, ValueError, KeyError, TypeError) as error:
        raise LlmError(f"What answers at {url} is no Ollama server.") from error


def known(error: Exception, settings: LlmSettings) -> LlmError:
    """What the official client or httpx raised, as the error with a sentence for the user."""
    address = settings.url or "the default address"
    if isinstance(error, ollama.ResponseError):
        if error.status_code == httpx.codes.NOT_FOUND:
            return LlmModelMissingError(f"{settings.model} is not on the server. Choose another or pull it.")
        return LlmError(f"The server answered {error.status_code}: {short(error.error)}.")
    if isinstance(error, ConnectionError | httpx.ConnectError | httpx.ConnectTimeout | httpx.InvalidURL):
        return LlmUnreachableError(f"No answer from {address}.")
    if isinstance(error, httpx.TimeoutException):
        return LlmError(f"The server did not finish within {_read_seconds(error.request):.0f} s.")
    if isinstance(error, httpx.HTTPError):
        return LlmDisconnectedError(f"The connection broke: {short(str(error)) or type(error).__name__}.")
    return LlmUnreadableError("The server's answer is not what Ollama sends.")
