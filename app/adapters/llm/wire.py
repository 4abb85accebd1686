"""The wire to Ollama: how long an answer may take, how long it may be, and every failure in words (S4.5, S4.7)."""

from __future__ import annotations

from collections.abc import Mapping

import httpx
import ollama

from app.adapters.local.bounded_http import Bound, BoundedTransport
from app.ports.llm import LlmDisconnectedError, LlmError, LlmModelMissingError, LlmUnreachableError, LlmUnreadableError
from app.settings.sections import LlmSettings

WARM_UP_SECONDS = 120.0
"""How long loading a model may take before it is given up."""

REQUEST_SECONDS = WARM_UP_SECONDS
"""How long any one request may take; the budget of a query is far shorter and kept elsewhere."""

CONNECT_SECONDS = 2.0

PULL, EMBED = "/api/pull", "/api/embed"

READ_SECONDS: Mapping[str, float] = {
    "/api/version": 5.0,
    "/api/show": 5.0,
    "/api/ps": 5.0,
    "/api/tags": 5.0,
    EMBED: 60.0,
    PULL: 600.0,
}
"""How long an answer may take in all, and how long the server may be silent at a pull; others: REQUEST_SECONDS.

Before it embeds anything a cold server loads the model.
"""

LONGEST_ANSWER = 1_000_000
"""Bytes of one answer, or of one line of those that tell the progress of a pull; a longer one is broken off."""

LONGEST_VECTORS = 16_000_000
"""Bytes of an answer with the vectors of a batch of texts: 64 vectors of 8,000 numbers."""


def client_of(url: str) -> ollama.AsyncClient:
    """The official asynchronous client, within these bounds; ValueError or httpx.InvalidURL for what is no address."""
    return ollama.AsyncClient(
        host=url,
        timeout=httpx.Timeout(REQUEST_SECONDS, connect=CONNECT_SECONDS),
        trust_env=False,
        follow_redirects=False,  # nothing is sent to an address that the user did not set
        transport=BoundedTransport(_bound_of),
    )


def _bound_of(request: httpx.Request) -> Bound:
    path = request.url.path
    seconds = next((seconds for end, seconds in READ_SECONDS.items() if path.endswith(end)), REQUEST_SECONDS)
    if path.endswith(PULL):
        return Bound(LONGEST_ANSWER, silence=seconds, by_line=True)
    return Bound(LONGEST_VECTORS if path.endswith(EMBED) else LONGEST_ANSWER, seconds)


def seconds_of(request: httpx.Request) -> float:
    """After how many seconds the answer to a request is no longer waited for."""
    return _bound_of(request).within


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
        return LlmError(f"The server did not finish within {seconds_of(error.request):.0f} s.")
    if isinstance(error, httpx.DecodingError):
        return LlmUnreadableError(f"What {address} answers is not read: {error}.")
    if isinstance(error, httpx.HTTPError):
        return LlmDisconnectedError(f"The connection broke: {short(str(error)) or type(error).__name__}.")
    return LlmUnreadableError("The server's answer is not what Ollama sends.")
