"""The tools of running powers, as an assistant sees them: `power__tool`, each name once, everything bounded."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import ValidationError

from app.domain.running import PowerRun, RunState, ToolResult, ToolSchema

NAME, DESCRIPTION, RESPONSE, STEERING = 200, 1_000, 4_000, 8_000
"""So many characters of a name, a description, a response and a steering text are passed on."""

SKILL = 32_000
"""The same of a power that is its text."""

LEFT_OUT = " … (cut)"
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
KEPT = frozenset("\n\t\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Breaks, the joiners without which some scripts and emoji are misspelt, and the signs of Arabic and Syriac that can be
seen although they count as formats."""
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters by their kind, but nothing is drawn for them."""
NEWER_EMOJI = range(0x1F000, 0x1FB00)
"""What Python's tables may not know yet."""
RUNS = re.compile(
    "(?<=[\u200c\u200d])[\u200c\u200d]+|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
"""Joiners and variants of a sign make sense one at a time: in a row they spell what nobody sees."""


def bounded(text: str, most: int) -> str:
    """The text without characters that nobody can see, which hide words from people but not from a model; at most so
    many characters of it, and then a sign that there were more."""
    start = text[: 4 * most]
    seen = seen_of(start)
    if len(seen) <= most and len(start) == len(text):
        return seen
    return seen[: most - len(LEFT_OUT)] + LEFT_OUT


def seen_of(text: str) -> str:
    """The text without characters that nobody can see, that steer a terminal or that turn the direction of writing."""
    if text.isascii() and text.isprintable():
        return text
    gone = {ord(character): None for character in set(text) if not _is_seen(character)}
    return RUNS.sub("", text.translate(gone))


def all_seen(document: Any) -> Any:
    """A JSON document with every text in it so, names of fields too; RecursionError if it is too deep."""
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


# --------------------------------------------------------------------------------------------------------------------
# The tools of running powers, as an assistant sees them: `power__tool`, each name once, everything bounded

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
    """How a tool of a power is reported: what its server says of it is a claim, so it is marked as the server's."""
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
    document = {"content": content, "isError": result.is_error}
    if result.structured is not None:
        document["structuredContent"] = dict(result.structured)
    try:
        return CallToolResult.model_validate(all_seen(document), by_name=False)
    except (ValidationError, RecursionError):
        return CallToolResult(content=[TextContent(text=UNREADABLE)], is_error=True)
