"""Tests of query logs of many shapes; a bad line is reported by number and skipped."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from app.adapters.formats.query_logs import LOGS, read_log
from app.adapters.formats.records import MAX_CHARACTERS
from app.adapters.formats.syntax import text as file_text
from app.domain.errors import FormatError
from app.domain.library import Line, Problem
from app.surfaces.cli.commands import queries

CHATGPT = [
    {
        "title": "t",
        "mapping": {
            "root": {"message": None},
            "b": {"message": {"author": {"role": "user"}, "create_time": 2.0, "content": {"parts": ["second"]}}},
            "c": {"message": {"author": {"role": "assistant"}, "create_time": 3.0, "content": {"parts": ["no"]}}},
            "a": {
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1.0,
                    "content": {"parts": [{"asset_pointer": "file"}, "first"]},
                }
            },
            "d": {"message": {"author": {"role": "user"}, "create_time": None, "content": {"parts": [""]}}},
        },
    }
]
CLAUDE = [{"name": "n", "chat_messages": [{"sender": "human", "text": "first"}, {"sender": "assistant", "text": "no"}]}]
SHAREGPT = {"id": "1", "conversations": [{"from": "human", "value": "first"}, {"from": "gpt", "value": "no"}]}
OPENAI = {
    "messages": [
        {"role": "system", "content": "no"},
        {"role": "user", "content": [{"type": "text", "text": "first"}, {"type": "image_url"}]},
        {"role": "assistant", "content": "no"},
    ]
}
SESSION = {"type": "user", "message": {"role": "user", "content": "first"}}
PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "x", "prompt": "first"}
OTHER = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "prompt": "no"}
TRACING = {"timestamp": "t", "level": "INFO", "fields": {"message": "search intent", "query": "first"}}


def read(text: str | bytes, name: str = "auto") -> list[str | tuple[int, str]]:
    """Return queries as texts, and problems as line and sentence."""
    stream = io.BytesIO(text.encode() if isinstance(text, str) else text)
    return [one.value if isinstance(one, Line) else (one.line, one.sentence) for one in read_log(stream, name)]


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("how do I\n\n  where is it  \n", ["how do I", "where is it"]),
        (lines({"query": "a"}, {"text": "b"}, {"prompt": "c"}, {"message": "d"}, "e"), ["a", "b", "c", "d", "e"]),
        (lines(OPENAI, OPENAI), ["first", "first"]),
        (lines(SHAREGPT), ["first"]),
        (lines(SESSION, {"type": "assistant", "message": {"role": "assistant", "content": "no"}}), ["first"]),
        (lines(PROMPT, OTHER), ["first"]),
        (lines(TRACING, {"fields": {"message": "started"}}), ["first"]),
        ('12:00 INFO detect{query="say \\"hi\\"\\nnow"} started\n12:01 nothing\n', ['say "hi"\nnow']),
        ("\x1b[2m12:00\x1b[0m prompt='it'\n", ["it"]),
        (json.dumps(CHATGPT), ["first", "second"]),
        (json.dumps(CHATGPT, indent=2), ["first", "second"]),
        (json.dumps(CLAUDE), ["first"]),
        (json.dumps(OPENAI, indent=1), ["first"]),
        (json.dumps(OPENAI["messages"]), ["first"]),
        (json.dumps(["a", {"query": "b"}]), ["a", "b"]),
        ("", []),
        ("\n \n", []),
        ("\ufeffhow do I\n", ["how do I"]),
        ("one\r\ntwo\rthree", ["one", "two", "three"]),
    ],
)
def test_that_every_shape_is_told_from_its_beginning(text: str, queries: list[str], tmp_path: Path) -> None:
    assert read(text) == queries
    file = tmp_path / "log"
    file.write_text(text, "utf-8", newline="")
    assert [one.value for one in read_log(file) if isinstance(one, Line)] == queries


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("jsonl", '{"query": "a"}\n{"no": 1}\n{oops}\n{"query": " "}\n3\n{"query": "b"}\n', ["a", 2, 3, 4, 5, "b"]),
        ("text", b"good\n\xff\xfe\x00\nalso \x00 bad\nbetter\n", ["good", 2, 3, "better"]),
        ("subcog", lines(PROMPT) + "{oops\n" + lines({**PROMPT, "prompt": ""}), ["first", 2, 3]),
        ("chat", lines(OPENAI) + "{oops\n" + lines({"no": 1}), ["first", 2, 3]),
    ],
)
def test_that_bad_lines_are_told_by_number_and_stop_nothing(
    name: str, text: str | bytes, found: list[str | int]
) -> None:
    assert [one if isinstance(one, str) else one[0] for one in read(text, name)] == found


def test_that_the_first_line_may_be_a_bad_one() -> None:
    assert [one if isinstance(one, str) else one[0] for one in read('{oops}\n{"query": "a"}\n')] == [1, "a"]


@pytest.mark.parametrize("text", ['{"no": 1', "[1, 2]", "[]"])
@pytest.mark.parametrize("name", ["chat", "auto"])
def test_that_a_document_without_conversations_is_refused(text: str, name: str) -> None:
    with pytest.raises(FormatError):
        read(text, name)


def test_that_other_formats_are_refused_in_a_sentence() -> None:
    with pytest.raises(FormatError, match="auto, text, jsonl, subcog, chat"):
        read("a", "csv")


def test_that_lines_and_queries_that_are_too_long_are_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = read_log(io.BytesIO(b"a" * (MAX_CHARACTERS + 1)))
    assert isinstance(found, Problem)
    monkeypatch.setattr(file_text, "MAX_LINE_BYTES", 10)
    assert [one if isinstance(one, str) else one[0] for one in read("short\n" + "b" * 20 + "\nalso\n")] == [
        "short",
        2,
        "also",
    ]
    with pytest.raises(FormatError, match="longer"):
        read("c" * 20 + "\n")
    with pytest.raises(FormatError, match="longer"):
        read("[1,\n" + " " * 20 + "\n]")


def test_that_a_long_document_in_a_file_is_read_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(CHATGPT))
    monkeypatch.setattr(file_text, "MAX_LINE_BYTES", 10)
    assert [one.value for one in read_log(file) if isinstance(one, Line)] == ["first", "second"]


def test_that_the_command_line_names_every_format() -> None:
    assert tuple(LOGS) == queries.LOGS
    assert all(row.title for row in LOGS.values())
