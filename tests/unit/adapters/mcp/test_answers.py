"""Tests of answers in unknown shapes, the reason in a dead server's output, and the log of messages."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from mcp_types import InitializeResult
from mcp_types.methods import validate_server_result

from app.adapters.mcp import answers as read_answers
from app.adapters.mcp.answers import CUT, harmless_answer, harmless_greeting, harmless_page, repaired_message
from app.adapters.mcp.wire import (
    KEPT,
    KEPT_CHARACTERS,
    MASK,
    MESSAGE_BYTES,
    STDERR_CHARACTERS,
    Wire,
    WireLog,
    reason_in,
)
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


@pytest.mark.parametrize(
    ("answer", "is_error"),
    [
        ({"status": "error", "message": "no such table"}, True),
        ({"success": False, "reason": "no such table"}, True),
        ({"errors": ["no such table"], "code": 3}, True),
        ({"errors": ["slow"], "rows": [1]}, False),
        ({"status": "failed", "message": "no such table"}, True),
        ({"status": "failed", "build": 12}, False),
        ({"status": "ok"}, False),
        ({"status": "error", "isError": False}, False),
        ({"status": "error", "structuredContent": {"rows": []}}, False),
    ],
)
def test_that_a_failure_told_in_other_fields_is_an_error(answer: dict[str, Any], *, is_error: bool) -> None:
    harmless_answer(answer)
    assert answer["isError"] is is_error


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


NODE_END = "    at file:///app/index.js:10:11\n\nNode.js v22.11.0\n"
NPM_END = "npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01-debug-0.log\n"


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (
            f"    throw new Error('no');\n          ^\n\nError: API_KEY is required\n{NODE_END}",
            "Error: API_KEY is required",
        ),
        ("\x1b[31mError: API_KEY is required\x1b[0m\n\x1b[2mat x (y.js:1)\x1b[0m\n", "Error: API_KEY is required"),
        (
            f"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod'\n{NODE_END}",
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod'",
        ),
        (
            f"TypeError: fetch failed\n    at node:internal/x:1\n  [cause]: Error: connect ECONNREFUSED\n{NODE_END}",
            "TypeError: fetch failed [cause]: Error: connect ECONNREFUSED",
        ),
        (
            f'ZodError: [\n  {{\n    "message": "Required"\n  }}\n]\n{NODE_END}',
            'ZodError: [ { "message": "Required" } ]',
        ),
        (
            f"npm error code E404\nnpm error 404 Not Found - GET https://r/x\n{NPM_END}",
            "404 Not Found - GET https://r/x",
        ),
        (f"npm ERR! could not determine executable to run\n{NPM_END}", "could not determine executable to run"),
        (
            (
                "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nKeyError: 'API_KEY'\n\n"
                "During handling of the above exception, another exception occurred:\n\n"
                'Traceback (most recent call last):\n  File "x.py", line 3, in <module>\nRuntimeError: set API_KEY\n'
            ),
            "RuntimeError: set API_KEY",
        ),
        (
            "x.ValidationError: 1 error for Settings\nkey\n  Field required\n    For further information visit\n",
            "x.ValidationError: 1 error for Settings key Field required",
        ),
        (
            "  | ExceptionGroup: unhandled (1 sub-exception)\n    | ValueError: key missing\n    +-------------\n",
            "ValueError: key missing",
        ),
        (
            "  × No solution found when resolving tool dependencies:\n  ╰─▶ Because nosuch was not found\n",
            "No solution found when resolving tool dependencies: Because nosuch was not found",
        ),
        (
            "error: Failed to spawn: `x`\n  Caused by: No such file\n",
            "error: Failed to spawn: `x` Caused by: No such file",
        ),
        (
            "docker: Cannot connect to the Docker daemon.\n\nRun 'docker run --help' for more information\n",
            "docker: Cannot connect to the Docker daemon.",
        ),
        ("usage: s [-h]\ns.py: error: --key is required\n", "s.py: error: --key is required"),
        ("panic: no key\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n", "panic: no key"),
        ("[INFO] start\n[ERROR] Missing token\n[INFO] Shutting down\n", "[ERROR] Missing token"),
        ("sh: 1: foo: not found\n", "sh: 1: foo: not found"),
        ("loading\nout of luck\n", "out of luck"),
        ("Node.js v22.11.0\n", "Node.js v22.11.0"),
        ("\n \n", ""),
    ],
)
def test_that_the_line_that_says_why_is_found(output: str, reason: str) -> None:
    assert reason_in(output) == reason


def test_that_a_reason_is_short_and_in_one_line() -> None:
    reason = reason_in("Error: " + "x" * 5_000 + "\n" + "more\x1b[31m\n" * 100)
    assert len(reason) <= 400
    assert reason.isprintable()


QUOTED = 'pa"ss\\wörd\n'


def test_that_values_are_masked_in_every_spelling_also_where_a_cut_goes_through_them() -> None:
    log = WireLog([QUOTED, "long-secret-value", "1", ""])
    log.note(json.dumps({"plain": QUOTED}), sent=True)
    log.note(json.dumps({"plain": QUOTED}, ensure_ascii=False), sent=False)
    log.note("x" * (KEPT_CHARACTERS - 5) + "long-secret-value and more", sent=False)
    log.note_stderr(f"1 {QUOTED} long-secret-value\n")
    told = str(log.exchanges()) + log.stderr() + log.last_line()
    for half in ("ss\\\\w", "wörd", "w\\u00f6rd", "long-", "secret"):
        assert half not in told
    assert log.last_line() == f"1 {MASK} {MASK}"
    assert log.stderr().startswith("1 ")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abcdef123456789", "abcdef123456789"),
        ('{"api_key": "my-own-key"}', "my-own-key"),
        ('{"clientSecret":"hush"}', "hush"),
        ("https://me:word@example.org/x", "me:word"),
        ("https://example.org/x?token=abcd1234&y=1", "abcd1234"),
        ("sk-proj-abcdefghijklmnop", "abcdefghijklmnop"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnop"),
        ("github_pat_abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnop"),
        ("AKIAABCDEFGHIJKLMNOP", "ABCDEFGHIJKLMNOP"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def", "eyJzdWIi"),
    ],
)
def test_that_what_looks_like_a_token_is_masked(text: str, secret: str) -> None:
    log = WireLog()
    assert secret in text
    assert secret not in log.masked(text)
    assert MASK in log.masked(text)


@pytest.mark.parametrize(
    "text", ["the token of appreciation", '{"name": "value"}', "https://example.org/a@b", "task-force"]
)
def test_that_other_words_stay(text: str) -> None:
    assert WireLog().masked(text) == text


def test_that_only_the_last_is_kept() -> None:
    log = WireLog()
    for number in range(KEPT + 50):
        log.note(f"{number}" + "x" * 10_000, sent=False)
    log.note_stderr("a" * 200_000 + "\nthe end\n")
    said = log.exchanges()
    assert len(said) == KEPT
    assert said[-1].text.startswith(f"{KEPT + 49}x")
    assert said[-1].text.endswith("… (10,003 characters)")
    assert len(said[-1].text) < KEPT_CHARACTERS + 40
    assert len(log.stderr()) == STDERR_CHARACTERS
    assert log.last_line() == "the end"


def test_that_masking_a_hostile_text_takes_no_longer_for_it() -> None:
    log = WireLog()
    for text in ('"api' * 50_000, "://" * 60_000, "eyJ" + "a" * 200_000, "bearer " * 30_000, '"' + "a" * 200_000):
        assert len(log.masked(text)) > 0


@pytest.mark.parametrize(
    "text",
    [part * (MESSAGE_BYTES // len(part)) for part in ('[1,{"id":1} ', '[x{"id":1}', '{"id":1}', "[] ")]
    + [json.dumps([{"jsonrpc": "2.0", "error": 1}] * 100_000)],
    ids=["faults before blanks", "faults", "objects", "lists", "batch"],
)
def test_that_a_message_of_many_parts_is_read_in_seconds_and_up_to_a_number(text: str) -> None:
    wire = Wire("power", WireLog())
    wire.pending = {1: "tools/call", 2: "tools/list"}
    begun = time.perf_counter()
    messages, _ = wire.read(text)
    assert time.perf_counter() - begun < 15  # each fault was a search of the whole text: many minutes
    assert len(messages) <= read_answers.MOST_DOCUMENTS * len(wire.pending)


def test_that_a_call_which_the_server_cancels_is_answered_at_once() -> None:
    wire, send = Wire("power", WireLog()), AsyncMock()
    wire.pending = {1: "tools/call", 2: "tools/call"}
    for number in (7, None, 1):
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        asyncio.run(wire.pass_on(wire.read(json.dumps(told))[0], Mock(to_client=Mock(send=send))))
    assert send.await_count == 1
