"""Tests of other programs' memories, skills, notes, records of powers, packs and query logs."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.adapters.formats.query_logs import LOGS, read_log
from app.adapters.formats.records import MAX_CHARACTERS, ItemKind
from app.adapters.formats.syntax import text as file_text
from app.adapters.formats.table import format_of
from app.adapters.formats.toml_tables import pack_text, read_pack
from app.bootstrap import read_file
from app.domain.errors import FormatError
from app.domain.intent import Rule, RulePurpose
from app.domain.library import Line, Memory, Power, Problem
from app.surfaces.cli.commands import queries


def found_in(folder: Path, text: str, name: str) -> list[Any]:
    """Read a file of unknown kind: its memories, or the messages on invalid lines."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    kind, lines = read_file(file, "auto", None)
    assert kind == ItemKind.MEMORIES
    return [line.value if isinstance(line, Line) else line.sentence for line in lines]


MEM0 = [
    {"id": "m1", "memory": "Plays the cello", "hash": "x", "metadata": {"a": 1}, "categories": ["music"]},
    {"id": "m2", "memory": "Lives in Graz", "metadata": None, "expiration_date": "2027-01-01"},
]
OPEN = [
    {"id": "m1", "user_id": "u", "content": "Plays the cello", "state": "active", "categories": ["music"]},
    {"id": "m2", "user_id": "u", "content": "Lives in Linz", "state": "deleted", "categories": []},
    {"id": "m3", "user_id": "u", "content": "Lived in Bonn", "state": "archived"},
]
LANG = [
    {
        "namespace": ["memories", "eva"],
        "key": "k",
        "value": {"kind": "Memory", "content": {"content": "Plays the cello"}},
    },
    {"namespace": ["memories"], "key": "l", "value": {"data": "Lives in Graz"}},
]
CELLO = Memory(("Plays the cello",), tags=("music",), id="m1")


@pytest.mark.parametrize("name", ["m.json", "results.json", "m.jsonl"])
def test_mem0(tmp_path: Path, name: str) -> None:
    lines = "".join(f"{json.dumps(one)}\n" for one in MEM0)
    text = {
        "m.json": json.dumps(MEM0),
        "results.json": json.dumps({"results": MEM0, "relations": []}),
        "m.jsonl": lines,
    }
    graz = Memory(("Lives in Graz",), id="m2", valid_to="2027-01-01 00:00:00")
    assert found_in(tmp_path, text[name], name) == [CELLO, graz]


@pytest.mark.parametrize("name", ["m.jsonl", "m.json"])
def test_openmemory(tmp_path: Path, name: str) -> None:
    lines = "".join(f"{json.dumps(one)}\n" for one in OPEN)
    text = lines if name == "m.jsonl" else json.dumps({"user": {"id": "u"}, "apps": [{"name": "x"}], "memories": OPEN})
    cello, gone, bonn = found_in(tmp_path, text, name)
    assert cello == CELLO
    assert gone == "It is deleted in the program that it comes from, so it is left out."
    assert bonn == Memory(("Lived in Bonn",), id="m3", paused=True)


@pytest.mark.parametrize("name", ["m.jsonl", "m.json"])
def test_langmem(tmp_path: Path, name: str) -> None:
    text = "".join(f"{json.dumps(one)}\n" for one in LANG) if name == "m.jsonl" else json.dumps(LANG)
    assert found_in(tmp_path, text, name) == [
        Memory(("Plays the cello",), namespace="memories/eva"),
        Memory(("Lives in Graz",), namespace="memories"),
    ]


def test_subcog_and_others(tmp_path: Path) -> None:
    subcog = {"memories": [{"id": "s1", "content": "Use SQLite", "namespace": "decisions", "tags": ["db"]}]}
    stored = Memory(("Use SQLite",), namespace="decisions", tags=("db",), id="s1")
    assert found_in(tmp_path, json.dumps(subcog), "subcog.json") == [stored]
    zep = {"facts": [{"uuid": "1", "name": "LIVES_IN", "fact": "Eva lives in Graz", "valid_at": "2026-01-01"}]}
    fact = Memory(("Eva lives in Graz",), valid_from="2026-01-01 00:00:00")
    assert found_in(tmp_path, json.dumps(zep), "zep.json") == [fact]
    assert found_in(tmp_path, "- memory: Plays the cello\n  categories: [music]\n  id: m1\n", "m.yaml") == [CELLO]
    titled = '{"title": "How to tune", "content": "Start with A."}\n{"title": "B", "content": "C"}\n'
    assert found_in(tmp_path, titled, "notes.jsonl")[0] == Memory(("How to tune",), "Start with A.")
    flagged = '{"id": "1", "memory": "x", "deleted": true}\n{"id": "2", "memory": ""}\n{"id": "3", "memory": "y"}\n'
    assert [type(one) for one in found_in(tmp_path, flagged, "flagged.jsonl")] == [str, str, Memory]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ('[{"role": "user", "content": "hi"}]', "chat.json", "as a chat has"),
        ('{"messages": [{"role": "user", "content": "hi"}]}', "chat.json", "inspect --stdin --log chat"),
        (
            '{"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hi"}}\n',
            "s.jsonl",
            "Claude Code",
        ),
        ('{"type": "summary", "summary": "s", "leafUuid": "u"}\n', "s.jsonl", "session of Claude Code"),
        ('[{"name": "a.py", "content": "abc"}]', "files.json", "is unclear"),
        ('{"content": "q", "expected": "a"}\n', "cases.jsonl", "is unclear"),
    ],
)
def test_what_is_no_memory_is_told(tmp_path: Path, text: str, name: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(FormatError, match=said):
        format_of(file).detect_kind(file)


@pytest.mark.parametrize(
    ("record", "became"),
    [
        (MEM0[0], {"memory": "text", "categories": "tags", "hash": ""}),
        (OPEN[2], {"content": "text", "state": "paused", "user_id": ""}),
        (LANG[0], {"value": "text", "namespace": "namespace"}),
        ({"title": "How to tune", "content": "Start with A."}, {"title": "text", "content": "response"}),
    ],
)
def test_what_became_of_the_fields_is_told(tmp_path: Path, record: dict[str, Any], became: dict[str, str]) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(json.dumps(record) + "\n")
    (line,) = format_of(file).read(file, ItemKind.MEMORIES)
    assert isinstance(line, Line)
    assert {name: dict(line.fields)[name] for name in became} == became


def test_a_memory_of_our_own_words_is_not_touched(tmp_path: Path) -> None:
    """A record with its own `text` is read as before, whatever other fields it has."""
    (kept,) = found_in(
        tmp_path, '{"text": "why", "content": "x", "state": "deleted", "status": "archived"}\n', "m.jsonl"
    )
    assert kept == Memory(("why",))
    file = tmp_path / "p.jsonl"
    file.write_text('{"id": 5, "memory": 7}\n')
    (problem,) = format_of(file).read(file, ItemKind.MEMORIES)
    assert isinstance(problem, Problem)


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


def test_a_note_is_found_by_its_title_and_observations(tmp_path: Path) -> None:
    body = "- [method] Start with A #pitch (best)\n- [x] done"
    tags = ("cello", "pitch")
    assert found_beside(put(tmp_path, "t.md", NOTE)) == [
        Memory(("Tuning", "Pitch", "Start with A"), body, tags=tags, id="tuning")
    ]
    hugo = put(tmp_path, "h.md", '+++\ntitle = "Strings"\ntags = ["gut"]\n+++\nGut or steel.\n')
    assert found_beside(hugo) == [Memory(("Strings",), "Gut or steel.", tags=("gut",))]


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


@pytest.mark.parametrize("name", ["memory.jsonl", "memory.json", "graph.json"])
def test_each_observation_of_a_graph_is_a_memory(tmp_path: Path, name: str) -> None:
    entity = {"name": "Eva", "entityType": "person", "observations": ["Plays the cello", "Eva sings"]}
    relation = {"from": "Eva", "to": "Graz", "relationType": "lives_in"}
    text = f"{json.dumps({'type': 'entity', **entity})}\n{json.dumps({'type': 'relation', **relation})}\n"
    if name == "graph.json":
        text = json.dumps({"entities": [entity], "relations": [relation]})
    *memories, sentence = found_beside(put(tmp_path, name, text))
    tags = ("Eva", "person")
    assert memories == [Memory(("Eva: Plays the cello",), tags=tags), Memory(("Eva sings",), tags=tags)]
    assert sentence.startswith("A relation between entities is left out:")


def test_lines_are_memories_where_that_is_said(tmp_path: Path) -> None:
    points = "- Lives in Graz\n* [ ] 2. buy strings\n[2025-04-12]. Plays the cello\n"
    text = f"---\ntitle: x\n---\n# Home\n{points}```\ncode\n```\n---\n"
    assert found_beside(put(tmp_path, "AGENTS.md", text), "lines") == [
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
        found_beside(put(tmp_path, name, text))


TELLING: dict[str, Any] = {
    "command": "npx",
    "url": "https://example.org/mcp",
    "keywords": ["weather"],
    "tools": ["now"],
    "steering": "Be brief.",
}

NO_POWERS: dict[str, tuple[str, str]] = {
    "a package": ("package.json", '{\n"name": "shop",\n"version": "1.2.0",\n"keywords": ["shop"],\n"scripts": {}\n}'),
    "a package on one line": ("package.json", '{"name": "shop", "version": "1.2.0", "url": "https://example.org"}'),
    "a PHP package": ("composer.json", '{"name": "a/shop", "keywords": ["shop"], "require": {"php": ">=8"}}'),
    "a plugin": ("plugin.json", '[{"name": "shop", "author": {"name": "Ada"}, "keywords": ["shop"]}]'),
    "people": ("people.json", '[{"name": "Ada", "age": 3}, {"name": "Bob", "age": 4}]'),
    "people in lines": ("people.jsonl", '{"name": "Ada", "age": 3}\n{"name": "Bob", "age": 4}\n'),
    "people in YAML": ("people.yaml", "- name: Ada\n  age: 3\n- name: Bob\n"),
    "people in a table": ("people.csv", "name,age\nAda,3\n"),
    "bookmarks": ("marks.csv", "title,url\nShop,https://example.org\n"),
    "a workflow": ("flow.yml", "name: build\non: push\njobs: {}\n"),
    "a recipe": ("recipe.json", '{"name": "soup", "description": "hot", "examples": ["today"]}'),
}


@pytest.mark.parametrize("what", NO_POWERS)
def test_that_a_name_alone_is_no_power_and_what_was_seen_is_told(tmp_path: Path, what: str) -> None:
    file = put(tmp_path, *NO_POWERS[what])
    with pytest.raises(FormatError, match="is unclear") as refused:
        list(read_file(file, "auto", None)[1])
    assert "“name”" in str(refused.value) or "“title”" in str(refused.value)
    assert str(refused.value).endswith("name it with --kind.")


@pytest.mark.parametrize("what", NO_POWERS)
def test_that_who_says_powers_gets_them(tmp_path: Path, what: str) -> None:
    file = put(tmp_path, *NO_POWERS[what])
    kind, lines = read_file(file, "powers", None)
    assert kind == "powers"
    assert [type(line.value) for line in lines if isinstance(line, Line)][:1] == [Power]


@pytest.mark.parametrize("field", TELLING)
@pytest.mark.parametrize("ending", ["jsonl", "json", "csv"])
def test_that_each_telling_field_makes_one(tmp_path: Path, field: str, ending: str) -> None:
    file = tmp_path / f"weather.{ending}"
    record = {"name": "weather", field: TELLING[field]}
    if ending == "csv":
        cell = TELLING[field] if isinstance(TELLING[field], str) else TELLING[field][0]
        file.write_text(f"name,{field}\nweather,{cell}\n")
    else:
        file.write_text(json.dumps([record] if ending == "json" else record))
    kind, lines = read_file(file, "auto", None)
    assert kind == "powers"
    assert [line.value.name for line in lines if isinstance(line, Line)] == ["weather"]


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


@pytest.mark.parametrize(
    "hard", ["x = " + "[" * 5_000, "a" + ".a" * 5_000 + " = 1", "x = " + "9" * 5_000, "x = [", "\udc80"]
)
def test_that_a_pack_that_is_too_hard_to_read_is_refused_in_a_sentence(tmp_path: Path, hard: str) -> None:
    (tmp_path / "pack.toml").write_bytes(hard.encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError, match=r"^The rule pack .*\.$"):
        read_pack(tmp_path / "pack.toml")


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
