"""Tests of skills, notes, memory graphs and plain lists, alone or in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import read_file
from app.domain.errors import FormatError
from app.domain.library import Line, Memory, Power

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


def found_in(path: Path, format_name: str = "auto") -> list[Any]:
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
    assert found_in(put(tmp_path, "bowing/SKILL.md", "# Bow well\nSlowly.\n")) == [
        Power("bowing", "Bow well", steering="# Bow well\nSlowly.")
    ]
    rule = put(tmp_path, "strict.mdc", "---\ndescription: Strict\nalwaysApply: false\n---\nBe strict.\n")
    assert found_in(rule) == [Power("strict", "Strict", steering="Be strict.")]
    (sentence,) = found_in(put(tmp_path, "empty/SKILL.md", "---\nname: e\ndescription: d\n---\n"))
    assert "has no text below its front matter" in sentence


def test_a_note_is_found_by_its_title_and_observations(tmp_path: Path) -> None:
    body = "- [method] Start with A #pitch (best)\n- [x] done"
    tags = ("cello", "pitch")
    assert found_in(put(tmp_path, "t.md", NOTE)) == [
        Memory(("Tuning", "Pitch", "Start with A"), body, tags=tags, id="tuning")
    ]
    hugo = put(tmp_path, "h.md", '+++\ntitle = "Strings"\ntags = ["gut"]\n+++\nGut or steel.\n')
    assert found_in(hugo) == [Memory(("Strings",), "Gut or steel.", tags=("gut",))]


def test_a_folder_holds_skills_or_notes_but_no_links(tmp_path: Path) -> None:
    put(tmp_path, "skills/tuning/SKILL.md", SKILL)
    put(tmp_path, "skills/tuning/REFERENCE.md", "More.\n")
    secret = put(tmp_path, "secret.txt", "secret")
    (tmp_path / "skills/evil").mkdir()
    (tmp_path / "skills/evil/SKILL.md").symlink_to(secret)
    assert [power.name for power in found_in(tmp_path / "skills")] == ["tuning"]
    put(tmp_path, "notes/a.md", NOTE)
    put(tmp_path, "notes/deep/b.md", "---\ntitle: B\n---\nText\n")
    put(tmp_path, "notes/plain.md", "no front matter\n")
    assert [memory.name for memory in found_in(tmp_path / "notes")] == ["tuning", "B"]
    put(tmp_path, "other/plain.md", "no front matter\n")
    with pytest.raises(FormatError, match=r"without library.toml, SKILL\.md or Markdown with front matter"):
        found_in(tmp_path / "other")


@pytest.mark.parametrize("name", ["memory.jsonl", "memory.json", "graph.json"])
def test_each_observation_of_a_graph_is_a_memory(tmp_path: Path, name: str) -> None:
    entity = {"name": "Eva", "entityType": "person", "observations": ["Plays the cello", "Eva sings"]}
    relation = {"from": "Eva", "to": "Graz", "relationType": "lives_in"}
    text = f"{json.dumps({'type': 'entity', **entity})}\n{json.dumps({'type': 'relation', **relation})}\n"
    if name == "graph.json":
        text = json.dumps({"entities": [entity], "relations": [relation]})
    *memories, sentence = found_in(put(tmp_path, name, text))
    tags = ("Eva", "person")
    assert memories == [Memory(("Eva: Plays the cello",), tags=tags), Memory(("Eva sings",), tags=tags)]
    assert sentence.startswith("A relation between entities is left out:")


def test_lines_are_memories_where_that_is_said(tmp_path: Path) -> None:
    points = "- Lives in Graz\n* [ ] 2. buy strings\n[2025-04-12]. Plays the cello\n"
    text = f"---\ntitle: x\n---\n# Home\n{points}```\ncode\n```\n---\n"
    assert found_in(put(tmp_path, "AGENTS.md", text), "lines") == [
        Memory(("Lives in Graz",), tags=("Home",)),
        Memory(("2. buy strings",), tags=("Home",)),
        Memory(("Plays the cello",), tags=("Home",)),
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("CLAUDE.md", "# Build\n- Run the tests\n", "use --format lines"),
        ("memories.txt", "Lives in Graz.\nPlays the cello.\n", "use --format lines"),
        ("README.md", '# Use\n```json\n{"mcpServers": {}}\n```\n', "servers in a block of code"),
    ],
)
def test_other_texts_are_told_the_way_round(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        found_in(put(tmp_path, name, text))
