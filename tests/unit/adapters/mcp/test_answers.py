"""Tests of answers in unknown shapes, the reason in a dead server's output, and the log of messages."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
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
from tests.golden import answered

GOLDEN = Path(__file__).with_name("answers.txt")
"""Inputs with reviewed results; `GOLDEN.write_text(read(), "utf-8")` writes the results again."""


def answer_lines(text: str) -> Iterator[str]:
    """Yield the texts of a repaired answer, then whether it is an error or cut."""
    answer = json.loads(text)
    harmless_answer(answer)
    yield from (block["text"] for block in answer["content"])
    yield f"{'error' if answer.get('isError') else 'no error'}{', cut' * answer['_meta'][CUT]}"


def page_line(text: str) -> str:
    page = json.loads(text)
    assert harmless_page(page) == ""
    validate_server_result("tools/list", "2025-06-18", page)
    return json.dumps(page)


def greeting_line(text: str) -> str:
    greeting = json.loads(text)
    harmless_greeting(greeting, "2025-06-18")
    InitializeResult.model_validate(greeting, by_name=False)
    return json.dumps(greeting["capabilities"])


def error_line(text: str) -> str:
    message: str = some(repaired_message({"id": 1, "error": json.loads(text)}))["error"]["message"]
    return message


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "answers": answer_lines,
    "pages of tools": page_line,
    "greetings": greeting_line,
    "errors": error_line,
    "reasons in outputs": reason_in,
    "masks": lambda text: WireLog().masked(text),
}


def read() -> str:
    return answered(GOLDEN, FUNCTIONS)


def test_that_answers_of_every_shape_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


def test_that_a_long_part_that_is_not_known_is_named() -> None:
    named, after, about = answer_lines(json.dumps({"content": [{"type": "video", "data": "x" * 5_000}, "after"]}))
    assert named.startswith("[A part of the answer (video, 5,")
    assert (after, about) == ("after", "no error, cut")


def test_that_the_data_of_an_error_is_cut_and_a_reason_is_short_and_in_one_line() -> None:
    error = {"code": -32000, "message": "It failed", "data": "x" * 9_000}
    assert error_line(json.dumps(error)) == f"It failed: {'x' * 500}"
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
