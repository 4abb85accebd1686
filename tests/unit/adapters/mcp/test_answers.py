"""Tests of answers in shapes unknown to MCP: they are shown, never lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_types import InitializeResult
from mcp_types.methods import validate_server_result

from app.adapters.mcp.answers import CUT, harmless_answer, harmless_greeting, harmless_page
from app.adapters.mcp.reading import repaired_message
from tests.build import some


def texts(answer: dict[str, Any]) -> list[str]:
    """Return the texts of a repaired answer."""
    harmless_answer(answer)
    return [block["text"] for block in answer["content"]]


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ({"content": "just a text"}, ["just a text"]),
        ({"content": {"type": "text", "text": "not in a list"}}, ["not in a list"]),
        ({"content": ["a", 1, {"text": "no type"}, {"type": "markdown", "text": "# b"}]}, ["a", "1", "no type", "# b"]),
        ({"toolResult": "old"}, ["old"]),
        ({"toolResult": {"a": 1}, "content": []}, ['{"a": 1}']),
        ({"output": "hello", "exitCode": 0}, ['{"output": "hello", "exitCode": 0}']),
        ({"content": [], "structuredContent": [{"a": 1}]}, ['[{"a": 1}]']),
        ({"content": [{"type": "text", "text": "[1, 2]"}], "structuredContent": [1, 2]}, ["[1, 2]"]),
        ({"content": [{"type": "text", "text": "two"}], "structuredContent": [1, 2]}, ["two", "[1, 2]"]),
        (
            {"content": [{"type": "video", "url": "u"}]},
            ['[A part that MCP does not know: {"type": "video", "url": "u"}]'],
        ),
        ({"content": [{"type": "text"}]}, ['[A part that MCP does not know: {"type": "text"}]']),
        ({"content": None}, []),
        ({"structuredContent": {"a": 1}}, []),
    ],
)
def test_that_an_answer_in_another_shape_is_shown(answer: dict[str, Any], shown: list[str]) -> None:
    assert texts(answer) == shown
    assert answer["_meta"] == {CUT: False}


def test_that_a_long_part_that_is_not_known_is_named() -> None:
    answer: dict[str, Any] = {"content": [{"type": "video", "data": "x" * 5_000}, "after"]}
    named, after = texts(answer)
    assert named.startswith("[A part of the answer (video, 5,")
    assert (after, answer["_meta"][CUT]) == ("after", True)


@pytest.mark.parametrize(
    ("told", "is_error"), [(True, True), ("TRUE", True), ("maybe", False), ([], False), (None, False)]
)
def test_that_an_error_is_one_however_it_is_told(told: object, *, is_error: bool) -> None:
    answer = {"content": [], "isError": told}
    harmless_answer(answer)
    assert answer["isError"] is is_error


@pytest.mark.parametrize("content", [None, [], [{"type": "text", "text": "done"}]])
def test_that_an_error_in_the_place_of_content_is_one(content: object) -> None:
    answer = {"content": content, "error": "no such table"}
    harmless_answer(answer)
    assert answer["isError"] is not bool(content)


def test_that_a_question_in_the_place_of_an_answer_is_an_error() -> None:
    asked: dict[str, Any] = {"resultType": "input_required", "inputRequests": {"a": {"method": "elicitation/create"}}}
    (shown,) = texts(asked)
    assert json.loads(shown) == {"inputRequests": {"a": {"method": "elicitation/create"}}}
    assert asked["isError"] is True


def test_that_tools_by_name_are_a_list() -> None:
    page: dict[str, Any] = {"tools": {"echo": {"description": "Says it again"}, "other": 5}}
    assert harmless_page(page) == ""
    assert [(tool["name"], tool["description"]) for tool in page["tools"]] == [("echo", "Says it again")]


@pytest.mark.parametrize("name", ["inputSchema", "input_schema", "parameters"])
def test_that_the_schema_of_arguments_is_read_under_the_names_of_llm_interfaces(name: str) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    page: dict[str, Any] = {"tools": [{"name": "echo", "inputSchema": None, name: schema}]}
    assert harmless_page(page) == ""
    assert page["tools"][0]["inputSchema"] == schema


@pytest.mark.parametrize(
    "schema", [{"properties": []}, {"properties": {"a": 5}}, {"type": "object", "properties": "a", "required": "a"}]
)
def test_that_a_tool_with_a_broken_schema_is_offered_beside_the_others(schema: dict[str, Any]) -> None:
    page: dict[str, Any] = {"tools": [{"name": "a", "inputSchema": schema, "outputSchema": schema}, {"name": "b"}]}
    assert harmless_page(page) == ""
    assert page["tools"] == [{"name": name, "inputSchema": {"type": "object"}} for name in "ab"]
    validate_server_result("tools/list", "2025-06-18", page)


@pytest.mark.parametrize(("cursor", "read_as"), [("a", "a"), (2, "2"), (None, None), (False, None), ([1], None)])
def test_that_a_number_is_a_cursor_too(cursor: object, read_as: str | None) -> None:
    for name in ("nextCursor", "next_cursor"):
        page: dict[str, Any] = {"tools": [], name: cursor}
        harmless_page(page)
        assert page.get("nextCursor") == read_as


@pytest.mark.parametrize(
    ("offered", "has_tools"),
    [
        ({"tools": {"listChanged": "x"}, "experimental": {"a": True}, "resources": {"subscribe": []}}, True),
        (["tools"], True),
        ({"tools": False, "tasks": {"list": 5}}, False),
    ],
)
def test_that_only_the_capability_of_tools_is_read(offered: object, *, has_tools: bool) -> None:
    greeting: dict[str, Any] = {"capabilities": offered, "_meta": "x"}
    harmless_greeting(greeting, "2025-06-18")
    assert greeting["capabilities"] == ({"tools": {}} if has_tools else {})
    InitializeResult.model_validate(greeting, by_name=False)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"code": -32000, "message": "Error", "data": "API_KEY is not\n set"}, "Error: API_KEY is not set"),
        ({"code": -32000, "message": "It failed.", "data": {"message": "no key"}}, "It failed: no key"),
        ({"code": -32000, "message": "no key here", "data": "no key"}, "no key here"),
        ({"code": -32000, "message": "It failed.", "data": {"stack": "at 1"}}, "It failed."),
        ({"code": -32000, "message": "It failed", "data": "x" * 9_000}, f"It failed: {'x' * 500}"),
    ],
)
def test_that_an_error_s_data_follows_its_message(error: dict[str, Any], said: str) -> None:
    assert some(repaired_message({"id": 1, "error": error}))["error"]["message"] == said


@pytest.mark.parametrize("error", [{"data": "no key"}, {"code": -1, "message": "", "data": "no key"}])
def test_that_an_error_without_a_message_tells_its_data(error: dict[str, Any]) -> None:
    assert some(repaired_message({"id": 1, "error": error}))["error"]["message"] == "no key"
