"""HTTP client of the MCP client: limits, repair of answers, and messages for refusals."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx2
import mcp_types as mcp

from app.adapters.bounded_http import AS_IT_IS, HEAD_LIMIT, PACKED, Bound, bounded, is_packed
from app.adapters.mcp.answers import failed
from app.adapters.mcp.wire import MESSAGE_BYTES, Ends, Wire
from app.domain.language import capitalized
from app.domain.running import shown

CONNECT_SECONDS = 10.0
READ_SECONDS = 300.0
"""Maximum silence of an event stream, and total time of other answers, in seconds."""

REFUSAL_BOUND = Bound(65_536, 5.0)
"""Limits of the body of a refusal."""

REFUSED, NOT_TAKEN, FORGOTTEN = -32097, -32096, -32095
"""Error codes for a refusal, an address without messages, and a lost session."""

ANSWERS = (mcp.JSONRPCResponse, mcp.JSONRPCError)
SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"
EVENTS = "text/event-stream"

OLD_WAY = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
"""Statuses with which a server of 2024-11-05 may refuse `initialize`, by MCP's rules."""

GONE = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.GONE)
"""Statuses with which servers refuse an unknown session; MCP specifies 404."""

SESSION_WORDS = re.compile(r"session|initiali[sz]ed", re.IGNORECASE)
TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,300})", re.IGNORECASE)
CHALLENGE_WORDS = re.compile(r'error_description="([^"]{1,300})"')
EVENT_END = re.compile(rb"(?>\r\n|\n|\r){2}")
LINE_END = re.compile(r"\r\n|\n|\r")

ADDRESS_ADVICE = "Check the address on the power's page: most servers answer at /mcp"
ADVICE: Mapping[int, str] = {
    HTTPStatus.FORBIDDEN: "Check the key among the headers on the power's page",
    HTTPStatus.NOT_FOUND: ADDRESS_ADVICE,
    HTTPStatus.METHOD_NOT_ALLOWED: ADDRESS_ADVICE,
    HTTPStatus.TOO_MANY_REQUESTS: "It was asked too often: try again later",
}


class HttpClient(httpx2.AsyncClient):
    """Client that sends requests to one address, with the headers of the power."""

    def __init__(
        self, wire: Wire, url: str, headers: Mapping[str, str], lacking: str, inbox: Ends | None = None
    ) -> None:
        """Set up the client.

        With `inbox` (the older transport) answers go there, as they arrive in the event stream. `lacking` is a
        sentence on headers without a value.
        """
        super().__init__(
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=READ_SECONDS),
            headers={**headers, **AS_IT_IS},
            follow_redirects=False,  # the headers are for this address only
            trust_env=not _is_local(url),  # no proxy for this machine
        )
        self._wire, self._lacking, self._inbox = wire, lacking, inbox
        self._is_sessionless = False

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request, and make the response readable; raises as the base class does."""
        number, method = await _question(request)
        request.extensions = {**request.extensions, **HEAD_LIMIT}
        if method == "initialize" or self._is_sessionless:
            request.headers.pop(SESSION, None)
        if method == "initialize":
            request.headers.pop(VERSION, None)
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            if not method or method == "initialize":
                raise
            return await self._unreached(request, number, str(error) or type(error).__name__)
        if is_packed(response.headers):
            await response.aclose()
            self._wire.notes["http"] = f"{capitalized(PACKED)}."
            raise httpx2.DecodingError(PACKED)
        if method == "initialize" and response.is_success:
            self._is_sessionless = SESSION not in response.headers
        # The MCP client follows a redirect or reports it.
        return response if response.next_request is not None else await self._repaired(response, number, method)

    async def _unreached(self, request: httpx2.Request, number: mcp.RequestId | None, said: str) -> httpx2.Response:
        """Fail one request: the server may be available for the next, as after a restart."""
        nothing = httpx2.Response(HTTPStatus.ACCEPTED, request=request)
        if number is None:
            return nothing
        failure = failed(number, REFUSED, f"it could not be reached: {said}")
        return _events(nothing, [failure]) if self._inbox is None else await self._put(request, [failure])

    async def _repaired(self, response: httpx2.Response, number: mcp.RequestId | None, method: str) -> httpx2.Response:
        is_stream = response.headers.get("content-type", "").lower().startswith(EVENTS)
        if is_stream and response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Events(response.stream, self._wire, number)
        elif number is not None:
            messages = await self._messages(response, number, method)
            if self._inbox is not None:
                return await self._put(response.request, messages)
            return _events(response, messages)
        elif response.is_error and method:
            self._wire.notes["http"] = f"It refused {method}: status {_status(response)}."
        return response

    async def _put(self, request: httpx2.Request, messages: list[mcp.JSONRPCMessage]) -> httpx2.Response:
        """Put the messages into the inbox; return an empty response."""
        assert self._inbox is not None, "the old way has one"
        await self._wire.pass_on(messages, self._inbox)
        return httpx2.Response(HTTPStatus.ACCEPTED, request=request)

    async def _messages(
        self, response: httpx2.Response, number: mcp.RequestId, method: str
    ) -> list[mcp.JSONRPCMessage]:
        """Return the messages in a response, or an error that describes it."""
        try:
            bound = REFUSAL_BOUND if response.is_error else Bound(MESSAGE_BYTES, READ_SECONDS)
            body = await _body(response, bound)
            text = self._wire.without_keys(body.decode(json.detect_encoding(body), "replace"))
        except (httpx2.StreamError, httpx2.TransportError) as error:
            if not response.is_error:
                return [failed(number, REFUSED, f"its answer was given up: {error}")]
            text = ""
        messages, begun = self._wire.read(text, number)
        messages += self._wire.unreadable(begun, "its end is missing", number)
        if response.is_error:
            return [self._refusal(response, text, messages, number, method)]
        is_answered = any(isinstance(each, ANSWERS) for each in messages)
        if is_answered or self._inbox is not None:
            return messages
        return [*messages, failed(number, REFUSED, _no_answer(response, text))]

    def _refusal(
        self,
        response: httpx2.Response,
        text: str,
        messages: Iterable[mcp.JSONRPCMessage],
        number: mcp.RequestId,
        method: str,
    ) -> mcp.JSONRPCError:
        """Convert a refusal to a JSON-RPC error, the server's own if it sent one."""
        status = response.status_code
        errors = (each for each in messages if isinstance(each, mcp.JSONRPCError) and '"jsonrpc"' in text)
        known = next(errors, None)
        if _is_forgotten(response, text, method, None if known is None else known.error.code):
            if self._inbox is not None:
                self._wire.closed.set()  # in the old way a session is its connection
            code = FORGOTTEN if self._inbox is None else REFUSED
            return failed(number, code, f"it knows the session no more: {_refusal_text(response, text)}")
        if known is not None:
            return known
        code = NOT_TAKEN if method == "initialize" and status in OLD_WAY else REFUSED
        advice = self._sign_in(response) if status == HTTPStatus.UNAUTHORIZED else ADVICE.get(status, "")
        if status == HTTPStatus.FORBIDDEN and self._lacking:
            advice = self._lacking
        return failed(number, code, ". ".join(filter(None, (_refusal_text(response, text), advice.rstrip(".")))))

    def _sign_in(self, response: httpx2.Response) -> str:
        """Return advice for an address that requires authentication."""
        scheme = response.headers.get("www-authenticate", "").partition(" ")[0].lower()
        if self._lacking:
            return self._lacking
        if "authorization" in response.request.headers:
            return "It does not take the value stored for the header Authorization: enter another on the power's page"
        if scheme == "basic":
            return "It wants a name and a password: store “Basic …” for the header Authorization on the power's page"
        if scheme == "bearer":
            return (
                "It wants you to sign in (OAuth), which is not done here: get a token from its provider and store "
                "“Bearer TOKEN” for the header Authorization on the power's page"
            )
        return "It wants a key: name the header for it, mostly Authorization, on the power's page and store its value"


async def _question(request: httpx2.Request) -> tuple[mcp.RequestId | None, str]:
    """Return id and method of a request's message; None and "" without one."""
    if request.method != "POST":
        return None, ""
    message = json.loads(await request.aread())
    method = str(message.get("method", ""))
    return (message.get("id") if method else None), method


def _is_forgotten(response: httpx2.Response, text: str, method: str, code: int | None) -> bool:
    """Return whether a refusal means an unknown session; nothing was done then."""
    if method == "initialize" or response.status_code not in GONE:
        return False
    is_missing = response.status_code == HTTPStatus.NOT_FOUND and code != mcp.METHOD_NOT_FOUND
    return (is_missing and SESSION in response.request.headers) or SESSION_WORDS.search(text) is not None


async def _body(response: httpx2.Response, bound: Bound) -> bytes:
    """Read the body; raises httpx2.StreamError or httpx2.ReadTimeout beyond the limits."""
    until = asyncio.get_running_loop().time() + bound.seconds
    stream = response.stream
    assert isinstance(stream, httpx2.AsyncByteStream), "an asynchronous client streams so"
    try:
        parts = bounded(stream, bound, until, httpx2.StreamError, httpx2.ReadTimeout)
        return b"".join([part async for part in parts])
    finally:
        await response.aclose()


def _events(response: httpx2.Response, messages: list[mcp.JSONRPCMessage]) -> httpx2.Response:
    own = ("content-type", "content-length", "transfer-encoding")
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in own]
    content = "".join(map(_event, messages)).encode()
    return httpx2.Response(200, headers=[*headers, ("content-type", EVENTS)], content=content, request=response.request)


def _event(message: mcp.JSONRPCMessage) -> str:
    return f"event: message\ndata: {message.model_dump_json(by_alias=True, exclude_unset=True)}\n\n"


class _Events(httpx2.AsyncByteStream):
    """Bounded event stream of the request `asked`, or of none, as the client can read it."""

    def __init__(self, body: httpx2.AsyncByteStream, wire: Wire, asked: mcp.RequestId | None) -> None:
        self._body, self._wire, self._asked = body, wire, asked
        self._is_open = asked is not None
        """True while the request has no answer, and would not get it on another stream."""
        self._other = ""
        """Last text that is no message."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        held = bytearray()
        is_skipped = False
        async for part in self._body:
            begin = max(0, len(held) - 3)
            held += part
            while (end := EVENT_END.search(held, begin)) is not None:
                event = bytes(held[: end.end()])
                del held[: end.end()]
                begin = 0
                if not is_skipped:
                    yield self._repaired(event)
                is_skipped = False
            if is_skipped or len(held) > MESSAGE_BYTES:
                if not is_skipped:
                    yield "".join(
                        map(_event, self._wire.left_out(f"over {MESSAGE_BYTES:,} bytes", self._asked))
                    ).encode()
                is_skipped = True
                del held[:-3]
        if held and not is_skipped:
            yield self._repaired(bytes(held))
        if self._is_open and self._asked is not None:
            said = f"; the last was “{self._other}”" if self._other else ""
            yield _event(failed(self._asked, REFUSED, f"its events ended without an answer{said}")).encode()

    def _repaired(self, event: bytes) -> bytes:
        """Return an event with readable messages; other events unchanged."""
        lines = LINE_END.split(self._wire.without_keys(event.decode("utf-8", "replace").lstrip("\ufeff")))
        data = [_value(line) for line in lines if line.startswith("data")]
        if not data and (bare := "\n".join(lines).strip()).startswith(("{", "[")):
            data = [bare]  # a message without the fields of an event
        name = next((_value(line) for line in reversed(lines) if line.startswith("event")), "message")
        messages, begun = self._wire.read("\n".join(data), self._asked)
        if begun:  # a message of several lines without "data"
            whole = "\n".join(_value(line) if line.startswith("data") else line for line in lines)
            messages, begun = self._wire.read(whole[whole.find(data[0]) :], self._asked)
            messages += self._wire.unreadable(begun, "its end is missing", self._asked)
        if not messages and name == "error" and self._asked is not None:
            messages = [failed(self._asked, REFUSED, f"it reports an error: {shown(' '.join(data))}")]
        kept = [line for line in lines if line.startswith(("id", "retry"))]
        if any(_value(line) for line in kept) or any(isinstance(each, ANSWERS) for each in messages):
            self._is_open = False
        if messages:
            return "".join([*(f"{line}\n" for line in kept), *map(_event, messages)]).encode()
        if name == "message" and any(data):  # the MCP client would take it for the answer
            self._other = shown(" ".join(data))
            return "".join([*(f"{line}\n" for line in kept), "\n"]).encode()
        return event

    async def aclose(self) -> None:
        await self._body.aclose()


def _value(line: str) -> str:
    return line.partition(":")[2].removeprefix(" ")


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# ---- Messages


def _status(response: httpx2.Response) -> str:
    """Format a status with its phrase: "404 (Not Found)"."""
    try:
        phrase = HTTPStatus(response.status_code).phrase
    except ValueError:
        phrase = "unknown"
    return f"{response.status_code} ({phrase})"


def _refusal_text(response: httpx2.Response, text: str) -> str:
    """Format status and text of a refusal."""
    found = CHALLENGE_WORDS.search(response.headers.get("www-authenticate", ""))
    quoted = _words(text) or (shown(found.group(1)) if found else "")
    status = f"it answered with status {_status(response)}"
    return f"{status}: “{quoted.rstrip('.')}”" if quoted else status


def _no_answer(response: httpx2.Response, text: str) -> str:
    """Return the sentence for an answer without a message."""
    if not text.strip():
        return f"it answered with status {_status(response)} and nothing else"
    if text.lstrip().startswith("<"):
        page = _words(text)
        return f"it answered with a web page{f' (“{page}”)' if page else ''}, not with MCP. {ADDRESS_ADVICE}"
    return f"it answered with something that is no MCP: “{_words(text)}”"


def _words(text: str) -> str:
    """Return the error text of a page or document; "" if it has none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        title = TITLE.search(text)
        return shown(title.group(1)) if title else "" if text.lstrip().startswith("<") else shown(text)
    if isinstance(document, dict):
        for name in ("error_description", "message", "detail", "error", "title", "msg"):
            found = document.get(name)
            found = found.get("message") if isinstance(found, dict) else found
            if found and isinstance(found, str):
                return shown(found)
    return shown(text)
