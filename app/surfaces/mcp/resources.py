"""MCP resources (memories and powers), and PROMPTS."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from app.domain.documents import fields_of
from app.domain.filters import MemoryFilter, MemoryOrder
from app.domain.library import Memory, Power
from app.ports.store import Library
from app.services.workbench import Workbench
from app.surfaces.mcp.power_tools import DESCRIPTION, NAME, RESPONSE, STEERING, bounded

MEMORY, POWER = "intentscope://memory/", "intentscope://power/"
"""Prefixes of resource addresses, followed by a name."""

PER_PAGE = 200

TYPE = "application/json"

TEMPLATES = (
    ResourceTemplate(
        uri_template=f"{MEMORY}{{name}}",
        name="memory",
        title="Memory",
        description="One memory: its triggers, intent and response.",
        mime_type=TYPE,
    ),
    ResourceTemplate(
        uri_template=f"{POWER}{{name}}",
        name="power",
        title="Power",
        description="One power: what it is for, by which words it is found, and its tools as far as they are known.",
        mime_type=TYPE,
    ),
)


async def listed(workbench: Workbench, cursor: str | None) -> ListResourcesResult:
    """List powers first, then memories, one page; raises MCPError for an invalid cursor."""
    start = _start_of(cursor)

    def page(library: Library) -> tuple[list[Resource], int]:
        powers = [power for power in library.powers() if not power.paused]
        keys = library.find_memories(MemoryFilter(paused=False), MemoryOrder.KEY)
        wanted = keys[max(0, start - len(powers)) : max(0, start + PER_PAGE - len(powers))]
        memories = [dated.item for dated in library.memories_by_key(wanted)]
        found = [_listed(POWER, power.name, power.description) for power in powers[start : start + PER_PAGE]]
        found += [_listed(MEMORY, memory.name, memory.triggers[0]) for memory in memories]
        return found, len(powers) + len(keys)

    resources, count = await workbench.in_store(page)
    ends = start + PER_PAGE
    return ListResourcesResult(resources=resources, next_cursor=str(ends) if ends < count else None)


def _start_of(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise MCPError(INVALID_PARAMS, "Page not found.")
    return int(cursor)


def _listed(start: str, name: str, about: str) -> Resource:
    uri = start + quote(name, safe="")
    return Resource(uri=uri, name=bounded(name, NAME), description=bounded(about, DESCRIPTION), mime_type=TYPE)


async def read(workbench: Workbench, address: str) -> ReadResourceResult:
    """Read the resource at an address; raises MCPError if there is none."""
    start = next((start for start in (MEMORY, POWER) if address.startswith(start)), "")
    name = unquote(address[len(start) :])
    kind = Memory if start == MEMORY else Power
    answers = workbench.engine.index.answers().values()
    found = next((one for one in answers if isinstance(one, kind) and one.name == name), None) if start else None
    if found is None:
        raise MCPError(INVALID_PARAMS, f"Unknown resource {bounded(address, NAME)}.", {"uri": address[:NAME]})
    document = _memory(found) if isinstance(found, Memory) else _power(found)
    text = json.dumps(document, ensure_ascii=False)
    return ReadResourceResult(contents=[TextResourceContents(uri=address, mime_type=TYPE, text=text)])


def _memory(memory: Memory) -> dict[str, Any]:
    return {
        **fields_of(memory, "name", "namespace", "intent", "tags"),
        "triggers": [bounded(trigger, DESCRIPTION) for trigger in memory.triggers],
        "response": bounded(memory.response, RESPONSE),
    }


def _power(power: Power) -> dict[str, Any]:
    """Return a power's public data, without command and variables, which may contain secrets."""
    return {
        "name": power.name,
        "description": bounded(power.description, DESCRIPTION),
        "keywords": [bounded(keyword, NAME) for keyword in power.keywords],
        "examples": [bounded(example, DESCRIPTION) for example in power.examples],
        "tools": [
            {"name": bounded(tool.name, NAME), "description": bounded(tool.description, DESCRIPTION)}
            for tool in power.tools
        ],
        "steering": bounded(power.steering, STEERING),
    }


# ---- PROMPTS: frequent questions, one row each


@dataclass(frozen=True, slots=True)
class NamedPrompt:
    """Named prompt: its arguments, and its text."""

    name: str
    title: str
    description: str
    takes: Mapping[str, str]
    text: Callable[[Mapping[str, str]], str]


PROMPTS: tuple[NamedPrompt, ...] = (
    NamedPrompt(
        "why_not_found",
        "Why was it not found?",
        "Explain why an answer that was expected did not come, and what would change that.",
        {
            "query": "What was asked, in the user's own words.",
            "expect": "What was expected: memory:NAME, power:NAME, intent:LABEL or route:LABEL.",
        },
        lambda given: (
            f"Call why_not with the query {_quoted(given['query'])} and the expectation {_quoted(given['expect'])}. "
            "Say in two or three sentences at which stage it was lost and to what. Then name the smallest change that "
            "would win it, with how many labelled queries that change fixes and breaks. Change nothing yourself."
        ),
    ),
    NamedPrompt(
        "explain_answer",
        "Why this answer?",
        "Explain in plain words what the detector made of a query.",
        {"query": "What was asked, in the user's own words."},
        lambda given: (
            f"Call explain with the query {_quoted(given['query'])}. Say in plain words which type it was taken for "
            "and why, which answer came first, by what it won and how far the next one is behind."
        ),
    ),
    NamedPrompt(
        "how_good",
        "How good are the answers?",
        "Run the labelled queries of a task and sum up what goes wrong.",
        {"task": "One of intent, memory, power, route and type."},
        lambda given: (
            f"Call evaluate with the task {_quoted(given['task'])}. Say how many of how many come out right. Group "
            "what came out wrong by what it was taken for, and say which group to look at first."
        ),
    ),
)


def _quoted(text: str) -> str:
    return json.dumps(bounded(text, DESCRIPTION), ensure_ascii=False)


def prompts() -> ListPromptsResult:
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=row.name,
                title=row.title,
                description=row.description,
                arguments=[
                    PromptArgument(name=name, description=said, required=True) for name, said in row.takes.items()
                ],
            )
            for row in PROMPTS
        ]
    )


def prompt(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Fill in a prompt; raises MCPError if it is unknown, or an argument is missing."""
    row = next((row for row in PROMPTS if row.name == name), None)
    if row is None:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt “{bounded(name, NAME)}”.")
    if missing := [wanted for wanted in row.takes if not given.get(wanted, "").strip()]:
        raise MCPError(INVALID_PARAMS, f"The prompt “{name}” lacks {', '.join(missing)}.")
    message = PromptMessage(role="user", content=TextContent(text=row.text(given)))
    return GetPromptResult(description=row.description, messages=[message])
