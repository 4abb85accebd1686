"""Tests of powers' tools for clients: distinct short names, limited texts and schemas."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import TextContent

from app.domain.running import PowerRun, RunState, ToolResult, ToolSchema
from app.surfaces.mcp.power_tools import (
    CUT,
    LONGEST,
    MOST_SCHEMA,
    MOST_TOOLS,
    UNREADABLE,
    answer_of,
    proxied,
    tool_of,
)

ALLOWED = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST}}}")
NAMES = st.text(st.sampled_from("ab_-Z9. é💡\n"), min_size=1, max_size=80)


def running(power: str, *tools: ToolSchema) -> PowerRun:
    return PowerRun(power, RunState.RUNNING, tools=tools)


def names(**powers: list[str]) -> list[str]:
    runs = {power: running(power, *(ToolSchema(tool) for tool in tools)) for power, tools in powers.items()}
    return list(proxied(runs))


def test_that_a_plain_name_is_power_and_tool() -> None:
    assert names(postgres=["query", "list_tables"]) == ["postgres__query", "postgres__list_tables"]


@given(st.dictionaries(NAMES, st.lists(NAMES, unique=True, max_size=4), max_size=4))
def test_that_every_tool_has_a_name_of_its_own_that_clients_take(tools: dict[str, list[str]]) -> None:
    runs = {power: running(power, *map(ToolSchema, names)) for power, names in tools.items()}
    offered = proxied(runs)
    assert all(ALLOWED.fullmatch(name) for name in offered)
    assert {(one.power, one.tool.name) for one in offered.values()} == {
        (power, tool) for power, names in tools.items() for tool in names
    }


def test_that_names_that_would_fall_together_stay_apart() -> None:
    found = proxied({power: running(power, ToolSchema(tool)) for power, tool in (("a", "b__c"), ("a__b", "c"))})
    assert next((name, one.power) for name, one in found.items()) == ("a__b__c", "a")
    assert len(found) == 2
    (long,) = names(p=["t" * 100])
    assert len(long) == LONGEST


def test_that_a_tool_cannot_take_the_name_that_another_was_given() -> None:
    (odd,) = names(x=["a b"])
    tool = odd.removeprefix("x__")
    both = proxied({"x": running("x", ToolSchema("a b"), ToolSchema(tool))})
    assert both[odd].tool.name == tool
    assert len(both) == 2


@pytest.mark.parametrize("state", [state for state in RunState if state is not RunState.RUNNING])
def test_that_only_running_powers_offer_tools(state: RunState) -> None:
    assert not proxied({"x": PowerRun("x", state, tools=(ToolSchema("y"),))})


def test_that_a_power_offers_a_tool_once_and_not_endlessly() -> None:
    assert names(x=["y", "y"]) == ["x__y"]
    assert len(names(x=[f"t{number}" for number in range(MOST_TOOLS + 5)])) == MOST_TOOLS


@pytest.mark.parametrize(
    "schema", [{}, {"type": "array"}, {"type": "object", "x": "y" * MOST_SCHEMA}, {"type": "object", "x": float("nan")}]
)
def test_that_a_schema_that_no_client_bears_lets_everything_through(schema: dict[str, object]) -> None:
    ((name, one),) = proxied({"x": running("x", ToolSchema("y", input_schema=schema))}).items()
    assert tool_of(name, one).input_schema == {"type": "object"}


def test_that_a_schema_without_an_end_lets_everything_through() -> None:
    schema: dict[str, object] = {"type": "object"}
    schema["x"] = schema
    ((name, one),) = proxied({"x": running("x", ToolSchema("y", input_schema=schema))}).items()
    assert tool_of(name, one).input_schema == {"type": "object"}


def test_that_an_answer_is_passed_on_with_a_word_about_what_was_cut() -> None:
    result = ToolResult(({"type": "text", "text": "x"},), {"a": 1}, is_error=True, cut=True)
    passed = answer_of(result)
    assert [block.text for block in passed.content if isinstance(block, TextContent)] == ["x", CUT]
    assert (passed.structured_content, passed.is_error) == ({"a": 1}, True)


def test_that_an_answer_that_is_none_is_an_error() -> None:
    passed = answer_of(ToolResult(({"type": "poem"},)))
    assert passed.is_error
    assert [block.text for block in passed.content if isinstance(block, TextContent)] == [UNREADABLE]


HIDDEN = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
UNSEEN: dict[str, tuple[str, str]] = {
    "an escape": ("\x1b[2Kred", "[2Kred"),
    "a C1 escape": ("\x9b2Kred", "2Kred"),
    "a link of a terminal": (
        "\x1b]8;;http://evil.example\x07here\x1b]8;;\x1b\\\\",
        "]8;;http://evil.examplehere]8;;\\\\",
    ),
    "a turn of direction": ("abc\u202ecba\u2066\u2069", "abccba"),
    "tag characters": (f"fine{HIDDEN}", "fine"),
    "characters of no width": ("pass\u200bword\ufeff", "password"),
    "bytes spelt in variants": ("😀" + "\U000e0101\ufe01\U000e01ef", "😀\U000e0101"),
    "bits spelt in joiners": ("a" + "\u200c\u200d" * 8 + "b", "a\u200cb"),
    "blank letters": ("a\u3164\u115fb", "ab"),
    "a private character": ("a\ue000b", "ab"),
    "emoji that are joined": (
        "👩\u200d🔬 👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈",
        "👩\u200d🔬 👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈",
    ),
    "an emoji of late": ("\U0001fae8", "\U0001fae8"),
    "writing to the left": ("שלום, مرحبا بالعالم ۝ می\u200cخواهم", "שלום, مرحبا بالعالم ۝ می\u200cخواهم"),
    "writing that is joined": ("क्\u200dष", "क्\u200dष"),
    "breaks": ("a\r\n\tb", "a\n\tb"),
}
"""A power's texts, and their form for an assistant."""


@pytest.mark.parametrize("kind", UNSEEN)
def test_that_nothing_of_an_answer_is_unseen(kind: str) -> None:
    said, seen = UNSEEN[kind]
    resource = {"type": "resource", "resource": {"uri": "file:///a", "text": said}}
    link = {"type": "resource_link", "uri": "file:///a", "name": said, "description": said}
    content = ({"type": "text", "text": said}, resource, link)
    passed = answer_of(ToolResult(content, {"deep": [{said: said, "n": 1}]}))
    told = passed.model_dump(by_alias=True, mode="json", exclude_none=True)
    assert told["structuredContent"] == {"deep": [{seen: seen, "n": 1}]}
    text, embedded, linked = told["content"]
    assert (text["text"], embedded["resource"]["text"]) == (seen, seen)
    assert (linked["name"], linked["description"]) == (seen, seen)


@pytest.mark.parametrize("kind", UNSEEN)
def test_that_nothing_of_a_tool_is_unseen(kind: str) -> None:
    said, seen = UNSEEN[kind]
    schema = {"type": "object", "properties": {said: {"type": "string", "description": said, "enum": [said]}}}
    ((name, one),) = proxied({"x": running("x", ToolSchema(said, said, said, schema))}).items()
    told = tool_of(name, one)
    assert ALLOWED.fullmatch(told.name)
    assert told.title == seen
    assert (told.description or "").endswith(f"in its own words: {seen}")
    assert told.input_schema["properties"] == {seen: {"type": "string", "description": seen, "enum": [seen]}}


def test_that_an_answer_without_an_end_is_an_error() -> None:
    deep: dict[str, object] = {}
    deep["deep"] = deep
    assert answer_of(ToolResult(structured=deep)).is_error
