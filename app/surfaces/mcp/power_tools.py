"""Tools of running powers for assistants: `power__tool`, unique names, bounded texts."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import ValidationError

from app.domain.running import PowerRun, RunState, ToolResult, ToolSchema

NAME, DESCRIPTION, RESPONSE, STEERING = 200, 1_000, 4_000, 8_000
"""Maximum characters of a name, a description, a response and a steering text."""

SKILL = 32_000
"""Maximum characters of a power that is only a text."""

LEFT_OUT = " … (cut)"
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
KEPT = frozenset("\n\t\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Allowed format characters: line breaks, joiners, and visible ones.

Some scripts and emoji need joiners; some Arabic and Syriac signs count as formats.
"""
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters by category that are drawn as nothing."""
NEWER_EMOJI = range(0x1F000, 0x1FB00)
"""Emoji that Python's tables may not know yet."""
RUNS = re.compile(
    "(?<=[\u200c\u200d])[\u200c\u200d]+|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
"""Repeated joiners and variation selectors, which can hide text."""


def bounded(text: str, most: int) -> str:
    """Remove invisible characters, which could hide words from people, and cut the text."""
    start = text[: 4 * most]
    seen = seen_of(start)
    if len(seen) <= most and len(start) == len(text):
        return seen
    return seen[: most - len(LEFT_OUT)] + LEFT_OUT


def seen_of(text: str) -> str:
    """Remove characters that are invisible, control a terminal or turn the writing direction."""
    if text.isascii() and text.isprintable():
        return text
    gone = {ord(character): None for character in set(text) if not _is_seen(character)}
    return RUNS.sub("", text.translate(gone))


def all_seen(document: Any) -> Any:
    """Clean every text and field name of a JSON document.

    Raises RecursionError if it is too deep.
    """
    if isinstance(document, str):
        return seen_of(document)
    if isinstance(document, dict):
        return {seen_of(str(name)): all_seen(value) for name, value in document.items()}
    if isinstance(document, list | tuple):
        return [all_seen(value) for value in document]
    return document


def _is_seen(character: str) -> bool:
    if character in KEPT or ord(character) in NEWER_EMOJI:
        return True
    return character not in BLANK and unicodedata.category(character) not in UNSEEN


# ---- Tools of running powers for assistants: `power__tool`, unique names, bounded texts

MARK = "__"
LONGEST = 64
"""Maximum length of a name that clients accept."""
DIGITS = 8
MOST_TOOLS = 128
"""Maximum number of tools of one power."""
MOST_SCHEMA = 32_768
"""Maximum size of a schema; a larger one is left out, since the power checks its input."""

PLAIN_POWER = re.compile(r"[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*")
PLAIN_TOOL = re.compile(r"[A-Za-z0-9-][A-Za-z0-9_-]*")
"""Names that can be split again after joining with MARK."""

CUT = "Some of the answer is left out here: it was longer than what is passed on."
UNREADABLE = "The power answered with something that MCP does not know; nothing of it is passed on."


@dataclass(frozen=True, slots=True)
class Proxied:
    """One tool of a running power."""

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
        """Return the plain name if possible, otherwise a safe one with digits of a digest."""
        if self.is_plain:
            return self.power + MARK + self.tool.name
        digest = sha256(f"{self.power}\0{self.tool.name}".encode("utf-8", "replace")).hexdigest()[:digits]
        left = re.sub(r"[^A-Za-z0-9_-]", "_", self.power + MARK + self.tool.name)
        return f"{left[: LONGEST - digits - 1]}_{digest}"


def proxied(runs: Mapping[str, PowerRun]) -> dict[str, Proxied]:
    """Return the tools of the running powers by unique names."""
    running = [run for run in runs.values() if run.state is RunState.RUNNING]
    distinct = [(run, [*{tool.name: tool for tool in run.tools}.values()]) for run in running]
    every = [Proxied(run.power, tool) for run, tools in distinct for tool in tools[:MOST_TOOLS]]
    named: dict[str, Proxied] = {}
    for one in sorted(every, key=lambda one: not one.is_plain):
        name = one.name()
        named[name if name not in named else one.name(4 * DIGITS)] = one
    return named


def tool_of(name: str, one: Proxied) -> Tool:
    """Make the MCP tool; its description is marked as the server's claim."""
    described = bounded(one.tool.description, DESCRIPTION)
    return Tool(
        name=name,
        title=bounded(one.tool.title or one.tool.name, NAME),
        description=f"Tool of the power “{bounded(one.power, NAME)}”, in its own words: {described}",
        input_schema=_schema(one.tool.input_schema),
        annotations=ToolAnnotations(open_world_hint=True),
    )


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the arguments if clients accept it, otherwise one that allows all."""
    anything = {"type": "object"}
    try:
        is_bearable = schema.get("type") == "object" and len(json.dumps(schema, allow_nan=False)) <= MOST_SCHEMA
        return all_seen(dict(schema)) if is_bearable else anything
    except (TypeError, ValueError, RecursionError):
        return anything


def answer_of(result: ToolResult) -> CallToolResult:
    """Pass on a power's answer without invisible characters."""
    content: list[Mapping[str, Any]] = [*result.content]
    if result.cut:
        content.append({"type": "text", "text": CUT})
    document = {"content": content, "isError": result.is_error}
    if result.structured is not None:
        document["structuredContent"] = dict(result.structured)
    try:
        return CallToolResult.model_validate(all_seen(document), by_name=False)
    except (ValidationError, RecursionError):
        return CallToolResult(content=[TextContent(text=UNREADABLE)], is_error=True)
