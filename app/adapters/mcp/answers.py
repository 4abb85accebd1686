"""Messages of servers, which are untrusted: read leniently, results within limits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mcp_types as mcp
from mcp_types import CallToolResult, ContentBlock
from mcp_types import Tool as McpTool
from mcp_types.methods import validate_server_result
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from app.domain.match import without_lone_surrogates
from app.domain.running import ToolResult, ToolSchema

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
    if error or ("result" not in document and (error is not None or {"error", "jsonrpc"} <= document.keys())):
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


MOST_TOOLS = 1_000
"""Maximum number of tools per server."""

NAME_CHARACTERS = 200
"""Maximum length of a tool's name; a cut name could not be called."""

DESCRIPTION_CHARACTERS = 8_000
SCHEMA_BYTES = 64_000
"""Maximum size of a schema; without one any arguments are passed on."""

RESULT_CHARACTERS = 200_000
"""Maximum number of characters of an answer's text, over all blocks."""

BLOB_CHARACTERS = 2_000_000
"""Maximum number of Base64 characters of a picture or sound."""

STRUCTURED_BYTES = 400_000
UNKNOWN_CHARACTERS = 4_000
"""Maximum number of characters of a block unknown to MCP."""

MOST_BLOCKS = 200

ANYTHING: Mapping[str, Any] = {"type": "object"}
KEPT_FIELDS = ("name", "title", "description", "outputSchema")
ARGUMENT_FIELDS = ("inputSchema", "input_schema", "parameters")
"""Names of the schema of a tool's arguments: MCP's, and those of two LLM interfaces."""

BLOCKS: TypeAdapter[ContentBlock] = TypeAdapter(ContentBlock)
"""Kinds of content in MCP."""


def harmless_page(page: dict[str, Any]) -> str:
    """Make a page of tools readable for the client, in place; return a note on removals, or ""."""
    listed = page.get("tools")
    if isinstance(listed, dict):
        listed = [{"name": name, **tool} for name, tool in listed.items() if isinstance(tool, dict)]
    entries = listed if isinstance(listed, list) else []
    page["tools"] = [tool for entry in entries[:MOST_TOOLS] if (tool := _harmless_tool(entry)) is not None]
    cursor = page.pop("nextCursor", page.pop("next_cursor", None))
    if isinstance(cursor, str | int) and not isinstance(cursor, bool):
        page["nextCursor"] = str(cursor)
    if not isinstance(listed, list):
        return "It answered without a list of tools."
    if len(entries) > MOST_TOOLS:
        return f"A page of its tools is longer than {MOST_TOOLS:,}; the rest is left out."
    lost = len(entries) - len({tool["name"] for tool in page["tools"]})
    return f"Tools without a name of their own are left out ({lost:,})." if lost else ""


def harmless_greeting(greeting: dict[str, Any], offered: str) -> None:
    """Make the answer to `initialize` readable, in place; `offered` is the default version."""
    about, can = greeting.get("serverInfo"), greeting.get("capabilities")
    fields = about if isinstance(about, dict) else {}
    greeting["serverInfo"] = {"name": "", "version": ""} | {
        field: str(fields[field])
        for field in ("name", "title", "version")
        if isinstance(fields.get(field), str | int | float)
    }
    has_tools = not isinstance(can, dict) or can.get("tools", False) is not False
    greeting["capabilities"] = {"tools": {}} if has_tools else {}  # others are not used
    greeting.pop("_meta", None)
    if not isinstance(greeting.get("protocolVersion"), str):
        greeting["protocolVersion"] = offered
    if not isinstance(greeting.get("instructions", ""), str):
        del greeting["instructions"]


def _harmless_tool(entry: object) -> dict[str, Any] | None:
    if not isinstance(entry, dict) or not isinstance(name := entry.get("name"), str):
        return None
    if not 0 < len(name) <= NAME_CHARACTERS:
        return None
    tool = {field: entry[field] for field in KEPT_FIELDS if field in entry}
    for shown in ("title", "description"):
        if shown in tool and not isinstance(tool[shown], str):
            del tool[shown]
    schema = next((found for name in ARGUMENT_FIELDS if (found := entry.get(name)) is not None), None)
    schemas = {"inputSchema": _schema(schema), "outputSchema": _schema(tool.pop("outputSchema", None))}
    with_schemas = {**tool, "inputSchema": ANYTHING} | {field: held for field, held in schemas.items() if held}
    try:
        validate_server_result("tools/list", HANDSHAKE_PROTOCOL_VERSIONS[-1], {"tools": [with_schemas]})
    except ValidationError:  # such as `"properties": []`, as PHP writes an empty object
        return {**tool, "inputSchema": ANYTHING}
    return with_schemas


def _schema(schema: object) -> dict[str, Any] | None:
    """Return an object schema within the size limit; None for others."""
    if not isinstance(schema, dict) or len(json.dumps(schema)) > SCHEMA_BYTES:
        return None
    return {**schema, "type": "object"}


def tool_schemas(tools: Iterable[McpTool]) -> tuple[ToolSchema, ...]:
    """Convert the client's tools; of several with one name the first."""
    found: dict[str, ToolSchema] = {}
    for tool in tools:
        found.setdefault(
            tool.name,
            ToolSchema(
                name=tool.name,
                description=_cut(tool.description or "", DESCRIPTION_CHARACTERS)[0],
                title=_cut(tool.title or "", NAME_CHARACTERS)[0],
                input_schema=tool.input_schema or ANYTHING,
                output_schema=tool.output_schema,
            ),
        )
    return tuple(found.values())


CUT = "intentscope/cut"
"""Key in `_meta` of an answer that was cut."""

OWN_FIELDS = ("content", "structuredContent", "isError", "resultType", "_meta")
"""Fields of an answer in MCP."""

FAILED = ("failed", "failure")
ERRORS = ("error", "errors", "code", "message", "status", "success", "ok")
"""Fields of a failure in answers that do not follow MCP."""


def harmless_answer(answer: dict[str, Any]) -> None:
    """Make a tool's answer readable for the client, in place, cut with a note if too long."""
    blocks = _blocks(answer)
    content: list[Mapping[str, Any]] = []
    left, cut = RESULT_CHARACTERS, len(blocks) > MOST_BLOCKS
    for block in blocks[:MOST_BLOCKS]:
        kept, used, was_cut = _bounded_block(block, left)
        content.append(kept)
        left, cut = left - used, cut or was_cut
    if len(blocks) > MOST_BLOCKS:
        content.append(_note(f"{len(blocks) - MOST_BLOCKS:,} more parts of the answer are left out."))
    structured = answer.pop("structuredContent", None)
    if isinstance(structured, dict):
        if len(json.dumps(structured)) > STRUCTURED_BYTES:
            cut = True
            content.append(_note("The structured answer is left out: it is longer than the most that is passed on."))
        else:
            answer["structuredContent"] = structured
    is_error = str(answer.get("isError", answer.get("is_error"))).lower() in ("true", "1") or _is_only_error(answer)
    if answer.get("resultType", "complete") != "complete":  # it requests further input, which is not given here
        is_error, answer["resultType"] = True, "complete"
    answer |= {"content": content, "isError": is_error, "_meta": {CUT: cut}}


def _is_only_error(answer: Mapping[str, Any]) -> bool:
    """Return whether the answer states a failure in fields of its own, in place of content."""
    if answer.get("content") or "structuredContent" in answer or "isError" in answer or "is_error" in answer:
        return False
    status = str(answer.get("status")).lower()
    if status == "error" or answer.get("success") is False or answer.get("ok") is False:
        return True
    may_fail = status in FAILED or answer.get("error") or answer.get("errors")
    return bool(may_fail) and answer.keys() <= {*ERRORS, "content", "_meta"}


def _blocks(answer: Mapping[str, Any]) -> list[Any]:
    """Return the blocks of an answer from any place: a text, one block, `toolResult`, others."""
    given, structured = answer.get("content"), answer.get("structuredContent")
    blocks = given if isinstance(given, list) else [] if given is None else [given]
    if structured is not None and not isinstance(structured, dict) and not _is_repeated_as_text(structured, blocks):
        blocks = [*blocks, {"type": "text", "text": _json(structured)}]
    if blocks or structured is not None:
        return blocks
    others = {name: value for name, value in answer.items() if name not in OWN_FIELDS}
    if set(others) == {"toolResult"}:  # of 2024-10-07, still in use
        result = others["toolResult"]
        return [result if isinstance(result, str) else {"type": "text", "text": _json(result)}]
    return [{"type": "text", "text": _json(others)}] if others else []


def _is_repeated_as_text(structured: Any, blocks: list[Any]) -> bool:
    """Return whether the only block is the structured content as text."""
    try:
        return len(blocks) == 1 and json.loads(blocks[0]["text"]) == structured
    except (KeyError, TypeError, ValueError, RecursionError):
        return False


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def tool_result(answer: CallToolResult, ms: float) -> ToolResult:
    """Convert the client's result of a tool."""
    document = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    structured = document.get("structuredContent")
    cut = bool(document.get("_meta", {}).get(CUT))
    return ToolResult(tuple(document["content"]), structured, answer.is_error, ms, cut)


def _bounded_block(block: Any, left: int) -> tuple[Mapping[str, Any], int, bool]:
    """Return a block of MCP, the part of `left` it uses, and whether it was cut."""
    if not isinstance(block, dict):
        block = {"type": "text", "text": block if isinstance(block, str) else _json(block)}
    kind = block.get("type")
    is_content = isinstance(kind, str) and _is_content(block)
    if isinstance(block.get("text"), str) and (kind == "text" or not is_content):
        text, cut = _cut(block["text"], max(0, left))
        return {"type": "text", "text": text}, len(text), cut
    size = len(json.dumps(block))
    if not is_content and size <= min(left, UNKNOWN_CHARACTERS):
        return _note(f"A part that MCP does not know: {_json(block)}"), size, False
    most = left if kind not in ("image", "audio") else BLOB_CHARACTERS
    if size > most or not is_content:
        kind_shown = kind if isinstance(kind, str) and kind.isalnum() else "an unknown kind"
        return (_note(f"A part of the answer ({kind_shown[:40]}, {size:,} bytes) is left out."), 0, True)
    return block, 0 if kind in ("image", "audio") else size, False


def _is_content(block: dict[str, Any]) -> bool:
    try:
        BLOCKS.validate_python(block, by_name=False)
    except ValidationError:
        return False
    return True


def _cut(text: str, most: int) -> tuple[str, bool]:
    text = without_lone_surrogates(text)
    if len(text) <= most:
        return text, False
    return f"{text[:most]}\n[… {len(text) - most:,} more characters are left out.]", True


def _note(text: str) -> Mapping[str, Any]:
    return {"type": "text", "text": f"[{text}]"}
