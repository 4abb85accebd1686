"""Lenient parsing of clients' messages, with an error reply to each unacceptable request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isfinite
from secrets import token_hex
from typing import Any

from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import BaseModel

from app.surfaces.mcp.handshake import VERSIONS

FRACTION = f"fraction-{token_hex(8)}:"
"""Prefix of the text that replaces a fractional ID, random so that no client's ID begins so."""

NO_ARGUMENTS = re.compile(r'"arguments"\s*:\s*\[\s*\]')
"""Empty arguments as written by PHP; inside a text the quotes would be escaped."""

LOOSE = re.compile(
    r'"method"\s*:\s*"initialize"|"(?:arguments|_meta)"\s*:\s*[^\s{n]'
    r'|"progressToken"\s*:\s*(?:[^\s"\d-]|-?\d+[.eE])'
)
"""Messages whose parameters are checked: a handshake, and parts of a type unknown to MCP."""

_ID = r'-?(?:0|[1-9][0-9]{0,17})|"[^"\\\x00-\x1f]{1,100}"'
END_ID = re.compile(
    rf'\A\s*\{{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"]{{0,100}}"\s*,\s*)*"id"\s*:\s*(?P<first>{_ID})\s*[,}}]'
    rf'|"id"\s*:\s*(?P<last>{_ID})\s*\}}\s*\Z'
)
"""Id of a message, as its first or last member."""

MOST_IN_BATCH = 1_000
"""Maximum number of messages in a batch, which are all answered at once."""


class FractionalAnswer(BaseModel):
    """The answer to a request whose id is no whole number."""

    jsonrpc: str
    id: float
    result: dict[str, Any] | None = None
    error: ErrorData | None = None


def repaired(line: str) -> Iterator[str | JSONRPCError]:
    """Yield the messages of a line as strict JSON, and errors in reply to unacceptable requests.

    A byte order mark is dropped, raw control characters stay, an incomplete character becomes U+FFFD, and a batch is
    split. A handshake without a client's version or capabilities is completed, and arguments that are a text with a
    JSON object become that object. A line that is not JSON is yielded as it is.
    """
    text = NO_ARGUMENTS.sub('"arguments":{}', line.strip("\ufeff\0 \t\r\n"))
    if _is_message(text) and LOOSE.search(text) is None:
        yield text
        return
    try:
        document = json.loads(text, strict=False)
        messages = document if isinstance(document, list) and document else [document]
        found: list[str | JSONRPCError] = [each for one in messages[:MOST_IN_BATCH] for each in _repaired(one)]
        if len(messages) > MOST_IN_BATCH:
            found = [_refusal(None, INVALID_REQUEST, f"A batch has at most {MOST_IN_BATCH:,} messages: send fewer.")]
    except (ValueError, RecursionError) as error:
        found = [text]
        if "\0" in text:
            found = [_refusal(None, PARSE_ERROR, "The message is UTF-16 or UTF-32: send UTF-8, as MCP requires.")]
        elif text.startswith(("{", "[")):
            found.append(_refusal(None, PARSE_ERROR, f"The message is not valid JSON: {error}."))
    yield from found


def repaired_body(body: bytes) -> bytes | JSONRPCError:
    """Return a message as strict JSON, or the error to reply; other bodies unchanged.

    The MCP library would take a request without a valid id for a notification, and never answer it.
    """
    given = body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if given.startswith("["):
        return _refusal(None, INVALID_REQUEST, "Over HTTP each message is sent by itself, not in a batch.")
    messages = list(repaired(given)) if given.startswith("{") else []
    if refused := next((each for each in messages if isinstance(each, JSONRPCError)), None):
        return refused
    if FRACTION in str(messages):
        return _refusal(None, INVALID_REQUEST, "Over HTTP the id of a request is a whole number or a text.")
    return str(messages[0]).encode() if messages and _is_message(str(messages[0])) else body


def _repaired(message: Any) -> Iterator[str | JSONRPCError]:
    if not isinstance(message, dict):
        yield _json(message)
        yield _refusal(None, INVALID_REQUEST, "A message is an object.")
        return
    message = {**message, "jsonrpc": "2.0"} | ({"id": _acceptable_id(message["id"])} if "id" in message else {})
    params = message["params"] = _params(message)
    if params is None or params == []:
        del message["params"]
    number = message.get("id")
    known = number if isinstance(number, int | str) and not isinstance(number, bool) else None
    if known is not None and isinstance(params, dict) and not isinstance(params.get("arguments"), dict | None):
        yield _refusal(known, INVALID_PARAMS, "The arguments of a tool or a prompt are an object.")
        return
    text = _json(message)
    yield text
    if _is_message(text) or "result" in message or "error" in message:
        return
    if isinstance(message.get("method"), str) and known is not None:
        is_deep = isinstance(params, dict)
        fault = "The message is nested too deeply." if is_deep else "The parameters of a request are an object."
        yield _refusal(known, INVALID_PARAMS, fault)
    elif not str(message.get("method")).startswith("notifications/"):
        yield _refusal(known, INVALID_REQUEST, "A request has a method, and a number or a text as its id.")


def _params(message: dict[str, Any]) -> Any:
    """Return the parameters of a message, with each part that can be read as MCP has it."""
    params = message.get("params")
    if message.get("method") == "initialize" and isinstance(params, dict | None):
        params = _handshake(params or {})
    if not isinstance(params, dict):
        return params
    read = {"requestId": _acceptable_id, "arguments": _object_in, "_meta": _meta}
    return {name: read[name](value) if name in read else value for name, value in params.items()}


def _handshake(params: dict[str, Any]) -> dict[str, Any]:
    """Complete the parameters of `initialize`; values of a wrong type count as missing."""
    offered, client = params.get("protocolVersion"), params.get("clientInfo")
    capabilities = params.get("capabilities")
    known = capabilities if isinstance(capabilities, dict) else {}
    about = client if isinstance(client, dict) else {}
    named = {key: _worded(about.get(key)) for key in ("name", "version")}
    return {
        **params,
        "protocolVersion": offered if isinstance(offered, str) else VERSIONS[-1],
        "capabilities": {key: {} if held is True else held for key, held in known.items() if held or held == {}},
        "clientInfo": {**about, **named},
    }


def _meta(given: Any) -> dict[str, Any]:
    """Return `_meta` with a valid progress token; values of a wrong type count as missing."""
    meta = dict(given) if isinstance(given, dict) else {}
    token = _acceptable_id(meta.pop("progressToken", None))
    is_valid = isinstance(token, int | str) and not isinstance(token, bool) and FRACTION not in str(token)
    return {**meta, "progressToken": token} if is_valid else meta


def _worded(value: Any) -> str:
    return value if isinstance(value, str) else "unnamed" if value is None else str(value)


def _object_in(text: Any) -> Any:
    """Return the JSON object in a text; anything else unchanged."""
    if not isinstance(text, str):
        return text
    try:
        found = json.loads(text, strict=False) if text.strip() else {}
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) else text


def _acceptable_id(number: Any) -> Any:
    """Return an acceptable ID: 1 for 1.0, a text for 1.5, None for what JSON cannot repeat, such as 1e400."""
    if not isinstance(number, float) or not isfinite(number):
        return None if isinstance(number, float) else number
    return int(number) if number.is_integer() else f"{FRACTION}{number!r}"


def _is_message(text: str) -> bool:
    """Check if the library reads the text as intended: a wrong ID would make it a notification."""
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError:
        return False
    return not isinstance(message, JSONRPCNotification) or '"id"' not in text or "id" not in json.loads(text)


def _json(message: Any) -> str:
    text = json.dumps(message, ensure_ascii=False)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _refusal(number: int | str | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=message))


def too_long(ends: str, most: int) -> JSONRPCError:
    """Refuse a message of more than `most` bytes, with the id in its first or last characters."""
    found = END_ID.search(ends)
    number = None if found is None else json.loads(found["first"] or found["last"])
    return _refusal(number, INVALID_REQUEST, f"The message is longer than {most // 2**20} MB, the most that is read.")


def answered_to(answer: Any) -> Any:
    """Return an answer with the client's original ID, restoring a fraction."""
    number = getattr(answer, "id", None)
    if not isinstance(number, str) or not number.startswith(FRACTION) or hasattr(answer, "method"):
        return answer
    fields = answer.model_dump(by_alias=True, mode="json", exclude_unset=True)
    return FractionalAnswer.model_validate({**fields, "id": float(number.removeprefix(FRACTION))})
