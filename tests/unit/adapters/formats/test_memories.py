"""Tests of other programs' memories, skills, notes, records of powers, packs and query logs."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.adapters.formats.query_logs import LOGS, read_log
from app.adapters.formats.records import MAX_CHARACTERS
from app.adapters.formats.syntax import text as file_text
from app.adapters.formats.toml_tables import pack_text, read_pack
from app.bootstrap import read_file
from app.domain.errors import FormatError
from app.domain.intent import Rule, RulePurpose
from app.domain.library import Line, Memory, Power, Problem
from app.surfaces.cli.commands import queries

SKILL = """---
name: tuning
description: Tune it: use when a string is off
allowed-tools: Bash(*)
---
# Tuning
Start with A.
"""
NOTE = """---
title: Tuning
permalink: tuning
tags: [cello]
aliases: [Pitch]
---
- [method] Start with A #pitch (best)
- [x] done
"""


def put(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def found_beside(path: Path, format_name: str = "auto") -> list[Any]:
    _, lines = read_file(path, "auto", None, format_name)
    return [line.value if isinstance(line, Line) else line.sentence for line in lines]


def test_a_skill_is_a_power_without_a_server(tmp_path: Path) -> None:
    file = put(tmp_path, "tuning/SKILL.md", SKILL)
    put(tmp_path, "tuning/scripts.py", "")
    (line,) = read_file(file, "auto", None)[1]
    assert isinstance(line, Line)
    described, text = "Tune it: use when a string is off", "# Tuning\nStart with A."
    assert line.value == Power("tuning", described, steering=text)
    assert line.value.is_text
    assert "its permissions (allowed-tools) are not taken over" in line.note
    assert "1 file beside it is not taken over" in line.note


def test_a_skill_without_fields_is_called_after_its_folder(tmp_path: Path) -> None:
    assert found_beside(put(tmp_path, "bowing/SKILL.md", "# Bow well\nSlowly.\n")) == [
        Power("bowing", "Bow well", steering="# Bow well\nSlowly.")
    ]
    rule = put(tmp_path, "strict.mdc", "---\ndescription: Strict\nalwaysApply: false\n---\nBe strict.\n")
    assert found_beside(rule) == [Power("strict", "Strict", steering="Be strict.")]
    (sentence,) = found_beside(put(tmp_path, "empty/SKILL.md", "---\nname: e\ndescription: d\n---\n"))
    assert "has no text below its front matter" in sentence


def test_a_folder_holds_skills_or_notes_but_no_links(tmp_path: Path) -> None:
    put(tmp_path, "skills/tuning/SKILL.md", SKILL)
    put(tmp_path, "skills/tuning/REFERENCE.md", "More.\n")
    secret = put(tmp_path, "secret.txt", "secret")
    (tmp_path / "skills/evil").mkdir()
    (tmp_path / "skills/evil/SKILL.md").symlink_to(secret)
    assert [power.name for power in found_beside(tmp_path / "skills")] == ["tuning"]
    put(tmp_path, "notes/a.md", NOTE)
    put(tmp_path, "notes/deep/b.md", "---\ntitle: B\n---\nText\n")
    put(tmp_path, "notes/plain.md", "no front matter\n")
    put(tmp_path, "notes/empty.md", "\n")
    assert [memory.name for memory in found_beside(tmp_path / "notes")] == ["tuning", "plain", "B"]
    assert found_beside(put(tmp_path, "vault/Tyres.md", "Winter\n").parent) == [Memory(("Tyres",), "Winter")]
    with pytest.raises(FormatError, match=r"without library.toml, SKILL\.md or Markdown files with text"):
        found_beside(put(tmp_path, "other/empty.md", "\n").parent)


PACKS = sorted((Path(__file__).parents[4] / "resources" / "rules").glob("*.toml"))
ODD = ("it's", 'a "b"', "back\\slash", "line\nbreak\ttab", "bell\a", "🙂 \u2028 \x7f", "'\"\\")


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.stem)
def test_that_shipped_packs_survive(path: Path, tmp_path: Path) -> None:
    rules = read_pack(path)
    (tmp_path / "pack.toml").write_text(pack_text(rules[0].pack, "A title", rules), "utf-8")
    assert read_pack(tmp_path / "pack.toml") == rules


def test_that_odd_texts_survive(tmp_path: Path) -> None:
    rules = [
        Rule(f"r.{place}", text, text, "mine", place, 1e300, 0.1 + 0.2, text, RulePurpose.ROUTE, place % 2 == 0)
        for place, text in enumerate(ODD)
    ]
    (tmp_path / "pack.toml").write_text(pack_text("mine", ODD[5], rules), "utf-8", newline="\n")
    assert read_pack(tmp_path / "pack.toml") == rules


def test_that_what_is_no_single_pack_is_refused() -> None:
    rule = Rule("a", "a", "a", "mine", 0)
    with pytest.raises(FormatError, match="several purposes"):
        pack_text("mine", "", [rule, replace(rule, purpose=RulePurpose.ROUTE)])
    with pytest.raises(FormatError, match="no rules"):
        pack_text("mine", "", [])


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
OPENAI = {
    "messages": [
        {"role": "system", "content": "no"},
        {"role": "user", "content": [{"type": "text", "text": "first"}, {"type": "image_url"}]},
        {"role": "assistant", "content": "no"},
    ]
}
PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "x", "prompt": "first"}


def read(text: str | bytes, name: str = "auto") -> list[str | tuple[int, str]]:
    stream = io.BytesIO(text.encode() if isinstance(text, str) else text)
    return [one.value if isinstance(one, Line) else (one.line, one.sentence) for one in read_log(stream, name)]


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


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
