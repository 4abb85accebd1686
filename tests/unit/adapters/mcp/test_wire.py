"""Tests of the log of MCP messages, limited and without secrets, and of odd messages."""

from __future__ import annotations

import asyncio
import json
import time
from unittest.mock import AsyncMock, Mock

import pytest

from app.adapters.mcp.reading import MOST_DOCUMENTS
from app.adapters.mcp.wire import MESSAGE_BYTES, Wire
from app.adapters.mcp.wire_log import KEPT, KEPT_CHARACTERS, MASK, STDERR_CHARACTERS, WireLog

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
    assert len(messages) <= MOST_DOCUMENTS * len(wire.pending)


def test_that_a_call_which_the_server_cancels_is_answered_at_once() -> None:
    wire, send = Wire("power", WireLog()), AsyncMock()
    wire.pending = {1: "tools/call", 2: "tools/call"}
    for number in (7, None, 1):
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        asyncio.run(wire.pass_on(wire.read(json.dumps(told))[0], Mock(to_client=Mock(send=send))))
    assert send.await_count == 1
