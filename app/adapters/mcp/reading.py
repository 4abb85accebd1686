"""Lenient reader of servers' JSON-RPC messages, which repairs them if unambiguous."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import mcp_types as mcp

from app.domain.match import without_lone_surrogates

OPENING = re.compile(r"""\{\s*["'](?:jsonrpc|id|result|error|method|params)["']\s*:""")
"""Start of a JSON-RPC message within other text, also in invalid single quotes."""

BLANK = re.compile("[\\s\ufeff\0]*")
"""Characters between documents: white space, a byte order mark, zeros."""

BROKEN_ANSWER = re.compile(r"""\s*\{\s*["'](?:jsonrpc|result|id)["']\s*:""")
"""Start of an answer, although it is invalid JSON."""

TOP_ID = re.compile(
    r"""\s*\{\s*(?:["']jsonrpc["']\s*:\s*["'][^"']{0,10}["']\s*,\s*)?["']id["']\s*:\s*["']?(?P<first>-?\d{1,18})\b"""
    r"""|["']id["']\s*:\s*["']?(?P<last>-?\d{1,18})["']?\s*\}\s*\Z"""
)
"""Id of a broken message, if first or last."""

ASKS, ANSWERS = re.compile(r"""["']method["']\s*:"""), re.compile(r"""["'](?:result|error)["']\s*:""")

DECODER = json.JSONDecoder(strict=False)
DETAIL_CHARACTERS = 500
"""Maximum number of characters of an error's data that are shown after its message."""
MOST_DOCUMENTS = 1_000
"""Maximum number of documents of a text that are read, and of places where one could begin."""

UTF_16_SHARE = 3
"""Text is UTF-16 read as UTF-8 if one character in this many is a zero."""


@dataclass(frozen=True, slots=True)
class Documents:
    """JSON documents of a text, and the reason that the rest is none.

    `rest` begins at the fault; `is_cut`: only its end is missing. `is_embedded`: other text precedes the documents,
    as in a log.
    """

    found: list[Any] = field(default_factory=list)
    rest: str = ""
    fault: str = ""
    is_cut: bool = False
    is_embedded: bool = False


def documents_in(text: str) -> Documents:
    """Find the JSON documents of a text, accepting control characters and lone surrogates."""
    if text.count("\0") * UTF_16_SHARE > len(text):
        text = text.replace("\0", "")
    found: list[Any] = []
    at, end, is_embedded = 0, len(text.rstrip()), False
    for _ in range(MOST_DOCUMENTS):
        blank = BLANK.match(text, at)
        at = at if blank is None else blank.end()
        if text[at : at + 1] not in ("{", "["):
            opening = OPENING.search(text, at)
            if opening is None:
                break
            at, is_embedded = opening.start(), is_embedded or not found
        try:
            document, at = DECODER.raw_decode(text, at)
        except RecursionError:
            return Documents(found, text[at:], "it is nested too deeply", is_embedded=is_embedded)
        except ValueError as error:
            if _is_cut(error, end):
                return Documents(found, text[at:], "its end is missing", is_cut=True, is_embedded=is_embedded)
            opening = None if OPENING.match(text, at) else OPENING.search(text, at)
            if opening is None:
                return Documents(found, text[at:], str(error), is_embedded=is_embedded)
            at, is_embedded = opening.start(), is_embedded or not found
        else:
            found += document if isinstance(document, list) else [document]
    return Documents(found, is_embedded=is_embedded)


def _is_cut(error: ValueError, end: int) -> bool:
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.msg.startswith("Unterminated string") or error.pos >= end


def repaired_message(document: Any) -> dict[str, Any] | None:
    """Return method and parameters, result, or error of a JSON-RPC message; else None.

    A result is unchanged, even if it is no object.
    """
    if not isinstance(document, dict):
        return None
    error = document.get("error")
    if isinstance(method := document.get("method"), str):
        params = document.get("params")
        return {"method": method, **({"params": params} if isinstance(params, dict) else {})}
    if error or (error is not None and "result" not in document):
        return {"error": _error(error)}
    return {"result": document["result"]} if "result" in document else None


def _error(error: Any) -> dict[str, Any]:
    """Return a valid JSON-RPC error; a non-numeric code joins the message."""
    given: Mapping[str, Any] = error if isinstance(error, dict) else {"message": error}
    code, message = given.get("code"), given.get("message")
    number = _whole(code)
    said = _with_details(_text(message), given.get("data"))
    if number is None and code is not None:
        said = f"{said} ({code})" if said else str(code)
    shape = {"code": mcp.INTERNAL_ERROR if number is None else number, "message": said or "an error without a message"}
    return {**shape, **({"data": given["data"]} if given.get("data") is not None else {})}


def _with_details(message: str, data: Any) -> str:
    """Return an error's message and the words of its data, if these say more."""
    if not message:
        return _text(data)
    words = data.get("message") if isinstance(data, dict) else data
    details = " ".join(words.split())[:DETAIL_CHARACTERS] if isinstance(words, str) else ""
    return message if not details or details in message else f"{message.rstrip('.:')}: {details}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _whole(value: Any) -> int | None:
    """Parse an integer in any notation (7, 7.0, "7"); None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value) if isinstance(value, float) else int(value)
        return int(number) if number == int(number) else None
    except (ValueError, OverflowError):
        return None


def typed(message: Mapping[str, Any], number: mcp.RequestId | None = None) -> mcp.JSONRPCMessage:
    """Return the message with this id, without lone surrogates.

    Raises ValueError if nested too deep.
    """
    is_anonymous = number is None and "error" not in message
    document = {"jsonrpc": "2.0", **({} if is_anonymous else {"id": number}), **message}
    try:
        text = without_lone_surrogates(json.dumps(document, ensure_ascii=False))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return mcp.jsonrpc_message_adapter.validate_json(text, by_name=False)


def failed(number: mcp.RequestId | None, code: int, message: str) -> mcp.JSONRPCError:
    """Return an error in place of an answer."""
    return mcp.JSONRPCError(jsonrpc="2.0", id=number, error=mcp.ErrorData(code=code, message=message))


def request_number(value: Any) -> mcp.RequestId | None:
    """Parse an id in any notation, as this client assigns them; None if it is none."""
    number = _whole(value)
    return number if number is not None else value if isinstance(value, str) else None


def is_broken_answer(text: str) -> bool:
    """Return whether invalid JSON was meant as an answer, not a request or log line."""
    if BROKEN_ANSWER.match(text) is None and '"jsonrpc"' not in text:
        return False
    asked, answered = ASKS.search(text), ANSWERS.search(text)
    return asked is None or (answered is not None and answered.start() < asked.start())


def broken_id(text: str) -> int | None:
    """Return the id of a message in invalid JSON, if evident."""
    found = TOP_ID.match(text) or TOP_ID.search(text[-200:])
    return int(found.group("first") or found.group("last")) if found else None
