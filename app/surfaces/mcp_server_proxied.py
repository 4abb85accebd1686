"""The tools of running powers, as an assistant sees them: `power__tool`, each name once, everything bounded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import ValidationError

from app.domain.running import PowerRun, RunState, ToolResult, ToolSchema
from app.surfaces.mcp_server_texts import DESCRIPTION, NAME, all_seen, bounded

MARK = "__"
LONGEST = 64
"""Clients refuse longer names."""
DIGITS = 8
MOST_TOOLS = 128
"""So many tools of one power are passed on."""
MOST_SCHEMA = 32_768
"""A larger schema is not passed on: the power itself still checks what it is given."""

PLAIN_POWER = re.compile(r"[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*")
PLAIN_TOOL = re.compile(r"[A-Za-z0-9-][A-Za-z0-9_-]*")
"""Names that can be told apart again where they are joined by the mark."""

CUT = "Some of the answer is left out here: it was longer than what is passed on."
UNREADABLE = "The power answered with something that MCP does not know; nothing of it is passed on."


@dataclass(frozen=True, slots=True)
class Proxied:
    """One tool of a running power, by whose name it is called."""

    power: str
    tool: ToolSchema

    @property
    def is_plain(self) -> bool:
        return (
            PLAIN_POWER.fullmatch(self.power) is not None
            and PLAIN_TOOL.fullmatch(self.tool.name) is not None
            and len(self.power) + len(MARK) + len(self.tool.name) <= LONGEST
        )

    def name(self, digits: int = DIGITS) -> str:
        """The name as it is where it can be, else what is left of it with some digits of a digest of the whole."""
        if self.is_plain:
            return self.power + MARK + self.tool.name
        digest = sha256(f"{self.power}\0{self.tool.name}".encode("utf-8", "replace")).hexdigest()[:digits]
        left = re.sub(r"[^A-Za-z0-9_-]", "_", self.power + MARK + self.tool.name)
        return f"{left[: LONGEST - digits - 1]}_{digest}"


def proxied(runs: Mapping[str, PowerRun]) -> dict[str, Proxied]:
    """The tools of the powers that run, by the names under which they are offered; each name stands for one tool."""
    running = [run for run in runs.values() if run.state is RunState.RUNNING]
    every = [Proxied(run.power, tool) for run in running for tool in _distinct(run.tools)[:MOST_TOOLS]]
    named: dict[str, Proxied] = {}
    for one in sorted(every, key=lambda one: not one.is_plain):
        name = one.name()
        named[name if name not in named else one.name(4 * DIGITS)] = one
    return named


def _distinct(tools: Iterable[ToolSchema]) -> list[ToolSchema]:
    return list({tool.name: tool for tool in tools}.values())


def tool_of(name: str, one: Proxied) -> Tool:
    """How a tool of a power is told: what its server says of it is a claim, so it is marked as the server's."""
    described = bounded(one.tool.description, DESCRIPTION)
    return Tool(
        name=name,
        title=bounded(one.tool.title or one.tool.name, NAME),
        description=f"Tool of the power “{bounded(one.power, NAME)}”, in its own words: {described}",
        input_schema=_schema(one.tool.input_schema),
        annotations=ToolAnnotations(open_world_hint=True),
    )


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of the arguments if a client can bear it, else one that lets everything through."""
    anything = {"type": "object"}
    try:
        is_bearable = schema.get("type") == "object" and len(json.dumps(schema, allow_nan=False)) <= MOST_SCHEMA
        return all_seen(dict(schema)) if is_bearable else anything
    except (TypeError, ValueError, RecursionError):
        return anything


def answer_of(result: ToolResult) -> CallToolResult:
    """What a power answered, passed on without what only a model would see."""
    content: list[Mapping[str, Any]] = [*result.content]
    if result.cut:
        content.append({"type": "text", "text": CUT})
    told = {"content": content, "isError": result.is_error}
    if result.structured is not None:
        told["structuredContent"] = dict(result.structured)
    try:
        return CallToolResult.model_validate(all_seen(told), by_name=False)
    except (ValidationError, RecursionError):
        return CallToolResult(content=[TextContent(text=UNREADABLE)], is_error=True)
