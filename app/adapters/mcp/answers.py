"""Tools and results of servers, which are untrusted, within limits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mcp_types import CallToolResult, ContentBlock
from mcp_types import Tool as McpTool
from mcp_types.methods import validate_server_result
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from app.domain.match import without_lone_surrogates
from app.domain.running import ToolResult, ToolSchema

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
    for field in ("title", "description"):
        if field in tool and not isinstance(tool[field], str):
            del tool[field]
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
