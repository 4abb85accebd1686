"""A plain list of tools, as MCP servers and language models are told of them: one power, named after the file."""

from __future__ import annotations

from app.adapters.documents import Found, TreeReader, text_in
from app.adapters.json_fields import RefusedError
from app.adapters.json_records import ItemKind, power_of
from app.adapters.trees import Node
from app.ports.store import Line, Problem

SCHEMAS = ("inputSchema", "input_schema", "parameters", "function")
"""By one of these a tool is known from a power."""


def _tools(root: Node) -> Node | None:
    result = root.get("result") or root
    found = result if isinstance(result.value, list) else result.get("tools")
    return found if found is not None and isinstance(found.value, list) else None


def _fits_tools(root: Node) -> bool:
    tools = _tools(root)
    if tools is None:
        return False
    return any(tool.get(name) is not None for tool in tools.items() for name in SCHEMAS)


def _tool_items(root: Node, name: str) -> Found:
    tools = _tools(root)
    kept = []
    for tool in () if tools is None else tools.items():
        told = tool.get("function") or tool
        description = told.get("description")
        try:
            power_of({"name": name, "tools": [_record(told, description)]})
        except RefusedError as refused:
            yield Problem(tool.line, f"The tool: {refused}")
        else:
            kept.append(_record(told, description))
    if kept:
        said = text_in(root.get("description"))
        yield Line(root.line, power_of({"name": text_in(root.get("name")) or name, "description": said, "tools": kept}))


def _record(tool: Node, description: Node | None) -> dict[str, object]:
    name = tool.get("name")
    return {
        "name": None if name is None else name.plain(),
        "description": None if description is None else description.plain(),
    }


TOOLS = TreeReader(
    "Tools", ItemKind.POWERS, "a list of objects with “name”, “description” and “inputSchema”", _fits_tools, _tool_items
)
